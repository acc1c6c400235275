package explain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/jsonread"
	"github.com/ownergraph/ownergraph/policy"
)

// schema names the JSON form of this version.
const schema = "explain/v1"

type jsonKey struct {
	Kind  graph.Kind `json:"kind"`
	Scope string     `json:"scope,omitempty"`
	Name  string     `json:"name"`
	UID   graph.UID  `json:"uid,omitempty"`
}

type jsonExplanation struct {
	Schema    string          `json:"schema"`
	Key       jsonKey         `json:"key"`
	State     State           `json:"state"`
	Version   graph.Version   `json:"version,omitempty"`
	Deleting  bool            `json:"deleting,omitempty"`
	Sentence  string          `json:"sentence"`
	Pace      Pace            `json:"pace"`
	Decision  jsonDecision    `json:"decision"`
	Owners    []jsonOwner     `json:"owners,omitempty"`
	OwnersCut int             `json:"ownersCut,omitempty"`
	Wait      []jsonCondition `json:"wait,omitempty"`
	Cut       int             `json:"cut,omitempty"`
	Look      time.Time       `json:"look,omitzero"`
	Changed   time.Time       `json:"changed,omitzero"`
	InScope   []string        `json:"sweepsInScope,omitempty"`
	Deletion  *jsonDeletion   `json:"deletion,omitempty"`
}

type jsonDecision struct {
	Action      policy.Action `json:"action"`
	Reason      policy.Reason `json:"reason"`
	Doubt       graph.Doubt   `json:"doubt,omitzero"`
	Propagation string        `json:"propagation,omitempty"`
	Finalizer   string        `json:"finalizer,omitempty"`
	BestEffort  bool          `json:"bestEffort,omitempty"`
	Barred      policy.Reason `json:"barred,omitzero"`
}

type jsonOwner struct {
	Key        jsonKey        `json:"key"`
	Unresolved bool           `json:"unresolved,omitempty"`
	Block      bool           `json:"block,omitempty"`
	Controller bool           `json:"controller,omitempty"`
	OnDelete   graph.OnDelete `json:"onDelete,omitzero"`
	Self       bool           `json:"self,omitempty"`
	Class      Class          `json:"class"`
	Doubt      graph.Doubt    `json:"doubt,omitzero"`
	Evidence   Evidence       `json:"evidence"`
	At         time.Time      `json:"at,omitzero"`
	Elsewhere  jsonKey        `json:"elsewhere,omitzero"`
}

type jsonCondition struct {
	Key    jsonKey         `json:"key,omitzero"`
	Reason policy.Reason   `json:"reason"`
	Doubt  graph.Doubt     `json:"doubt,omitzero"`
	End    End             `json:"end,omitzero"`
	Actor  string          `json:"actor,omitempty"`
	Text   string          `json:"text,omitempty"`
	Since  time.Time       `json:"since,omitzero"`
	Next   time.Time       `json:"next,omitzero"`
	Tries  int             `json:"tries,omitempty"`
	Ring   []jsonKey       `json:"ring,omitempty"`
	For    []jsonCondition `json:"for,omitempty"`
}

// MarshalJSON returns the explanation in the form "explain/v1". The names and their order
// are stable, and times are in UTC. A field with a zero value is left out, except key,
// state, sentence, pace, action, reason, class, evidence, garbage and root. An object has
// the form of graph.Object. Sentence and pace follow from
// the other fields. JSON has no form for text that is not UTF-8, so each such byte becomes
// U+FFFD.
//
//test:by TestJSON FuzzJSON
func (x Explanation) MarshalJSON() ([]byte, error) {
	pace, _ := x.Pace()
	out := jsonExplanation{
		Schema: schema, Key: jsonKey(x.Key), State: x.State, Version: x.Version, Deleting: x.Deleting,
		Sentence: x.Sentence(), Pace: pace, Decision: decisionOut(x.Decision), OwnersCut: x.OwnersCut,
		Wait: conditionsOut(x.Wait), Cut: x.Cut, Look: x.Look.UTC(), Changed: x.Changed.UTC(),
		Owners: ownersOut(x.Owners), InScope: x.SweepsInScope, Deletion: deletionOut(x.Deletion),
	}
	text, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("write explanation: %s: %w", x.Key, err)
	}
	return text, nil
}

func decisionOut(d Decision) jsonDecision {
	j := jsonDecision{d.Action, d.Reason, d.Doubt, "", d.Finalizer, d.BestEffort, d.Barred}
	if d.Propagation != graph.Unset {
		j.Propagation = d.Propagation.String()
	}
	return j
}

func decisionIn(j jsonDecision) (d Decision, err error) {
	d = Decision{j.Action, j.Reason, j.Doubt, graph.Unset, j.Finalizer, j.BestEffort, j.Barred}
	if j.Propagation != "" {
		d.Propagation, err = graph.ParsePropagation(j.Propagation)
	}
	return d, err
}

func conditionsOut(all []Condition) (out []jsonCondition) {
	for _, c := range all {
		out = append(out, jsonCondition{
			jsonKey(c.Key), c.Reason, c.Doubt, c.End, c.Actor, c.Text, c.Since.UTC(), c.Next.UTC(), c.Tries, keysOut(c.Ring), conditionsOut(c.For),
		})
	}
	return out
}

// UnmarshalJSON reads the form that MarshalJSON writes, with the fields in any order. It
// takes nothing else: no other schema, no unknown field, no field in other letters, no zero
// field that the form leaves out, and no sentence of another content. It also takes no
// field twice, no half of a surrogate pair, and no text that is not UTF-8. An error wraps
// graph.ErrInvalid, and the explanation is unchanged.
//
//test:by TestJSONErrors FuzzJSON
func (x *Explanation) UnmarshalJSON(text []byte) error {
	if err := jsonread.Sound(text); err != nil {
		return fmt.Errorf("read explanation: %w: %w", err, graph.ErrInvalid)
	}
	var in jsonExplanation
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return fmt.Errorf("read explanation: %w: %w", err, graph.ErrInvalid)
	}
	if in.Schema != schema {
		return fmt.Errorf("read explanation: schema: found %.100q, want %q: %w", in.Schema, schema, graph.ErrInvalid)
	}
	decision, err := decisionIn(in.Decision)
	if err != nil {
		return fmt.Errorf("read explanation: decision.propagation: %w: %w", err, graph.ErrInvalid)
	}
	deletion, err := deletionIn(in.Deletion)
	if err != nil {
		return fmt.Errorf("read explanation: deletion.proof.decision.propagation: %w: %w", err, graph.ErrInvalid)
	}
	read := Explanation{
		Key: graph.Key(in.Key), State: in.State, Version: in.Version, Deleting: in.Deleting, Decision: decision,
		OwnersCut: in.OwnersCut, Wait: conditionsIn(in.Wait), Cut: in.Cut, Look: in.Look, Changed: in.Changed,
		Owners: ownersIn(in.Owners), SweepsInScope: in.InScope, Deletion: deletion,
	}
	if err := sameForm(text, read); err != nil {
		return fmt.Errorf("read explanation: %w: %w", err, graph.ErrInvalid)
	}
	*x = read
	return nil
}

func conditionsIn(all []jsonCondition) (out []Condition) {
	for _, j := range all {
		out = append(out, Condition{
			graph.Key(j.Key), j.Reason, j.Doubt, j.End, j.Actor, j.Text, j.Since, j.Next, j.Tries, keysIn(j.Ring), conditionsIn(j.For),
		})
	}
	return out
}

// sameForm returns an error that names the first field in which a text differs from the
// form of the explanation.
func sameForm(text []byte, x Explanation) error {
	form, err := json.Marshal(x)
	if err != nil {
		return err
	}
	var found, want any
	if err := json.Unmarshal(text, &found); err != nil {
		return err
	}
	if err := json.Unmarshal(form, &want); err != nil {
		return err
	}
	if field := differs("", found, want); field != "" {
		return fmt.Errorf("%s: not in the form of %s", strings.TrimPrefix(field, "."), schema)
	}
	return nil
}

// differs returns the first field in which two values differ, "" if they are the same.
func differs(at string, a, b any) string {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			return at
		}
		return differsObject(at, x, y)
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return at
		}
		for i := range x {
			if field := differs(fmt.Sprintf("%s.%d", at, i), x[i], y[i]); field != "" {
				return field
			}
		}
		return ""
	}
	if !reflect.DeepEqual(a, b) {
		return at
	}
	return ""
}

func differsObject(at string, x, y map[string]any) string {
	for _, names := range [...]map[string]any{x, y} {
		for _, name := range slices.Sorted(maps.Keys(names)) {
			_, inX := x[name]
			_, inY := y[name]
			if !inX || !inY {
				return at + "." + name
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(x)) {
		if field := differs(at+"."+name, x[name], y[name]); field != "" {
			return field
		}
	}
	return ""
}
