package brake

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/jsonread"
)

// jsonFact is a fact in the record.
type jsonFact struct {
	Kind   graph.Kind `json:"kind"`
	Scope  string     `json:"scope,omitempty"`
	Name   string     `json:"name"`
	UID    graph.UID  `json:"uid"`
	State  string     `json:"state"`
	Cause  string     `json:"cause,omitempty"`
	Until  time.Time  `json:"until,omitzero"`
	AtMost int        `json:"atMost,omitempty"`
	At     time.Time  `json:"at,omitzero"`
}

// The names of states and causes in the record. They are fixed.
var (
	factStateNames = [numStates]string{Tripped: "tripped", Approved: "approved", RefusedKeep: "keep", RefusedOrphan: "orphan"}
	factCauseNames = [numCauses]string{TooMany: "tooMany", LimitReached: "limitReached", ApprovalUsed: "approvalUsed", ApprovalExpired: "approvalExpired", RootsLeftOut: "rootsLeftOut"}
)

// WriteFact returns a fact as JSON for the record.
//
//test:by TestFacts
func WriteFact(f Fact) []byte {
	text, _ := json.Marshal(jsonFact{ // texts, numbers and times have no error
		f.Key.Kind, f.Key.Scope, f.Key.Name, f.Key.UID, factStateNames[f.State], factCauseNames[f.Cause], f.Until.UTC(), f.AtMost, f.At.UTC(),
	})
	return text
}

// ReadFacts reads the facts of a record. An error names the place and the cause. A field that
// this version does not know is an error, because it may narrow an approval.
//
//test:by TestFacts TestFactsRefused
func ReadFacts(value []byte) (list []Fact, err error) {
	if err := jsonread.Array(value, &list, readFact); err != nil {
		return nil, err
	}
	return list, nil
}

func readFact(value []byte, f *Fact) error {
	var atMost int64
	err := jsonread.Object(value, []jsonread.Field{
		jsonread.StringField("kind", true, &f.Key.Kind),
		jsonread.StringField("scope", false, &f.Key.Scope),
		jsonread.StringField("name", true, &f.Key.Name),
		jsonread.StringField("uid", true, &f.Key.UID),
		nameField("state", true, factStateNames[:], (*uint8)(&f.State)),
		nameField("cause", false, factCauseNames[:], (*uint8)(&f.Cause)),
		timeField("until", &f.Until),
		jsonread.Number("atMost", &atMost),
		timeField("at", &f.At),
	})
	f.AtMost = int(atMost)
	switch {
	case err != nil:
		return err
	case f.Key.UID == "":
		return jsonread.Fault("uid: empty")
	case f.State == Approved && (f.Until.IsZero() || f.AtMost < 1):
		return jsonread.Fault("an approval takes until and atMost")
	}
	return nil
}

// nameField reads one of some names. An empty one does not count.
func nameField(name string, must bool, names []string, to *uint8) jsonread.Field {
	return jsonread.Field{Name: name, Must: must, Read: func(value []byte) error {
		var text string
		if err := jsonread.String(value, &text); err != nil {
			return err
		}
		i := slices.Index(names, text)
		if text == "" || i < 0 {
			return jsonread.Fault("%.50q is unknown", text)
		}
		*to = uint8(i)
		return nil
	}}
}

func timeField(name string, to *time.Time) jsonread.Field {
	return jsonread.Field{Name: name, Read: func(value []byte) error {
		var text string
		if err := jsonread.String(value, &text); err != nil {
			return err
		}
		at, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			return jsonread.Fault("%.50q is no time", text)
		}
		*to = at
		return nil
	}}
}
