package explain_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

var noon = time.Date(2020, 1, 2, 12, 0, 0, 0, time.UTC)

// full returns an explanation with every field.
func full() explain.Explanation {
	web := graph.Key{Kind: "Deployment", Scope: "shop", Name: "web", UID: "1"}
	pod := graph.Key{Kind: "Pod", Scope: "shop", Name: "a", UID: "2"}
	return explain.Explanation{
		Key: web, State: explain.Exists, Version: "7", Deleting: true,
		Decision: explain.Decision{
			Action: policy.Wait, Reason: policy.NeedDependents, Doubt: graph.Misplaced, Propagation: graph.Foreground,
			Finalizer: "x", BestEffort: true, Barred: policy.ObserveOnly,
		},
		Owners: []explain.Owner{{
			Owner: graph.Owner{Key: pod, Unresolved: true, Block: true, Controller: true, OnDelete: graph.OnDeleteRelease},
			Self:  true, Class: explain.Unknown, Doubt: graph.Unobserved, Evidence: explain.Listed, At: noon, Elsewhere: web,
		}},
		OwnersCut: 3,
		Wait: []explain.Condition{{Key: pod, Reason: policy.NeedFinalizers, For: []explain.Condition{
			{Key: pod, Reason: policy.HandlerFailed, End: explain.Handler, Actor: "x", Text: "busy", Since: noon, Next: noon.Add(time.Minute), Tries: 7},
			{Key: web, Reason: policy.NeedDependents, Doubt: graph.Unlisted, End: explain.Ring, Ring: []graph.Key{web, pod}},
		}}},
		Cut: 4, Look: noon.Add(time.Hour), Changed: noon, SweepsInScope: []string{"x"},
		Deletion: &explain.Deletion{
			Object: graph.Object{Key: web, Version: "7", Deleting: true, Owners: []graph.Owner{{Key: pod, Block: true}}, Finalizers: []string{"x"}},
			Cut:    2, Unseen: true, Garbage: explain.WasGarbage,
			Root: explain.Root{Keys: []graph.Key{pod}, More: 1, Nearest: true},
			Proof: &explain.Proof{
				Certain: true, Version: "6", OwnersCut: 5, Holder: pod,
				Decision: explain.Decision{Action: policy.Delete, Reason: policy.OwnersGone, Propagation: graph.Background},
				Owners:   []explain.Owner{{Owner: graph.Owner{Key: pod, OnDelete: graph.OnDeleteRestrict}, Class: explain.Dangling, Evidence: explain.WatchSawGo, At: noon}},
			},
		},
	}
}

// TestJSON: an explanation with every field, and one with hardly any, read back.
func TestJSON(t *testing.T) {
	for _, x := range []explain.Explanation{full(), {Key: graph.Key{Kind: "a", Name: "b"}, State: explain.Gone}} {
		text, err := json.Marshal(x)
		if err != nil {
			t.Fatal(err)
		}
		var back explain.Explanation
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if diff := cmp.Diff(x, back); diff != "" {
			t.Errorf("-written +read\n%s", diff)
		}
	}
}

// TestJSONErrors: the reader takes the documented form alone, and names the field.
func TestJSONErrors(t *testing.T) {
	text, err := json.Marshal(full())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, field, reason string }{
		{`"explain/v1"`, `"explain/v2"`, "schema", "another version"},
		{`"schema":"explain/v1",`, ``, "schema", "no version"},
		{`"cut":4`, `"cuts":4`, "cuts", "an unknown field"},
		{`"cut":4`, `"Cut":4`, "Cut", "a field in other letters"},
		{`"cut":4`, `"cut":"4"`, "cut", "another type"},
		{`"cut":4`, `"cut":0`, "cut", "a zero that the form leaves out"},
		{`"name":"web",`, ``, "key.name", "a missing field"},
		{`"NeedDependents"`, `"needDependents"`, "needDependents", "an unknown reason"},
		{`"pace":"stuck"`, `"pace":"moving"`, "pace", "a pace that does not follow from the ends"},
		{`"foreground"`, `"fore"`, "propagation", "an unknown propagation"},
		{`"tries":7`, `"tries":7.5`, "tries", "no whole number"},
		{`"garbage":"garbage"`, `"garbage":"waste"`, "waste", "an unknown finding"},
		{`"certain":true`, `"certain":false`, "deletion.proof.certain", "a false flag that the form leaves out"},
		{`"propagation":"background"`, `"propagation":"back"`, "deletion.proof.decision.propagation", "an unknown propagation of a delete"},
		{`"nearest":true`, `"close":true`, "close", "an unknown field of a root"},
		{`"action":"wait"`, `"action":null`, "decision.action", "null is no action"},
		{`"schema":"explain/v1"`, `"schema":"explain/v2","schema":"explain/v1"`, `"schema" is there twice`, "another reader may take the first version"},
		{`"key":{`, `"key":{"kind":"Pod","name":"b"},"key":{`, `"key" is there twice`, "two objects"},
		{`"state":"exists"`, `"state":"gone","state":"exists"`, `"state" is there twice`, "two states"},
		{`"state":"exists"`, `"state":"exists","st\u0061te":"exists"`, `"state" is there twice`, "an escape spells the same name"},
		{`"tries":7`, `"tries":6,"tries":7`, `"tries" is there twice`, "an inner field twice"},
		{`"more":1`, `"more":2,"more":1`, `"more" is there twice`, "a field of a root twice"},
		{`"text":"busy"`, `"text":"\ud83d"`, "half of a surrogate pair", "the first half alone"},
		{`"text":"busy"`, `"text":"\ude00\ud83d"`, "half of a surrogate pair", "the halves in the wrong order"},
		{`"text":"busy"`, "\"text\":\"\xff\"", "text: not UTF-8", "a byte that is no text"},
		{`"text":"busy"`, "\"text\":\"\xed\xa0\xbd\"", "text: not UTF-8", "half of a surrogate pair in UTF-8"},
	} {
		if !strings.Contains(string(text), c.old) {
			t.Fatalf("%s has no %s", text, c.old)
		}
		bad := strings.Replace(string(text), c.old, c.new, 1)
		var x explain.Explanation
		err := json.Unmarshal([]byte(bad), &x)
		if !errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), c.field) || x.State != explain.StateUnset {
			t.Errorf("%s for %s: error %v, want one that names %s: %s", c.new, c.old, err, c.field, c.reason)
		}
	}
}

// TestWords: each value of an enumeration has a word of its own and reads it back.
func TestWords(t *testing.T) {
	type value interface {
		fmt.Stringer
		MarshalText() ([]byte, error)
	}
	for _, c := range []struct {
		enum  string
		count int
		of    func(i uint8) value
		read  func(text []byte) (value, error)
	}{
		{"state", 4, func(i uint8) value { return explain.State(i) }, func(t []byte) (value, error) { var v explain.State; err := v.UnmarshalText(t); return v, err }},
		{"class", 6, func(i uint8) value { return explain.Class(i) }, func(t []byte) (value, error) { var v explain.Class; err := v.UnmarshalText(t); return v, err }},
		{"evidence", 7, func(i uint8) value { return explain.Evidence(i) }, func(t []byte) (value, error) { var v explain.Evidence; err := v.UnmarshalText(t); return v, err }},
		{"garbage", 4, func(i uint8) value { return explain.Garbage(i) }, func(t []byte) (value, error) { var v explain.Garbage; err := v.UnmarshalText(t); return v, err }},
		{"end", 11, func(i uint8) value { return explain.End(i) }, func(t []byte) (value, error) { var v explain.End; err := v.UnmarshalText(t); return v, err }},
		{"pace", 5, func(i uint8) value { return explain.Pace(i) }, func(t []byte) (value, error) { var v explain.Pace; err := v.UnmarshalText(t); return v, err }},
	} {
		seen := map[string]bool{}
		for i := range uint8(c.count) {
			v := c.of(i)
			text, err := v.MarshalText()
			back, readErr := c.read(text)
			if err != nil || readErr != nil || back != v || seen[v.String()] || string(text) != v.String() {
				t.Errorf("%s %d: %q, reads as %v, errors %v, %v", c.enum, i, text, back, err, readErr)
			}
			seen[v.String()] = true
		}
		none := c.of(uint8(c.count))
		if _, err := none.MarshalText(); !errors.Is(err, graph.ErrInvalid) || none.String() != fmt.Sprintf("%s(%d)", c.enum, c.count) {
			t.Errorf("%s: %s, error %v", c.enum, none, err)
		}
		if _, err := c.read([]byte("none")); !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("%s: an unknown word has the error %v", c.enum, err)
		}
	}
}

// TestPace: of several ends the worst counts.
func TestPace(t *testing.T) {
	ends := func(ends ...explain.Condition) explain.Explanation {
		d := explain.Decision{Action: policy.Wait, Reason: policy.NeedDependents}
		return explain.Explanation{State: explain.Exists, Decision: d, Wait: []explain.Condition{{For: ends}}}
	}
	kept := ends(explain.Condition{End: explain.User})
	kept.Decision = explain.Decision{Action: policy.Keep, Reason: policy.NoOwners}
	running := ends(explain.Condition{End: explain.Handler})
	running.Decision = explain.Decision{Action: policy.Keep, Reason: policy.HandlerRuns}
	for _, c := range []struct {
		x      explain.Explanation
		pace   explain.Pace
		end    explain.End
		reason string
	}{
		{kept, explain.Resting, explain.EndUnset, "a kept object waits for nothing"},
		{explain.Explanation{State: explain.Gone}, explain.Resting, explain.EndUnset, "an object that is gone waits for nothing"},
		{running, explain.Moving, explain.Handler, "a handler is at work for a kept object"},
		{ends(explain.Condition{End: explain.Work}), explain.Moving, explain.Work, "the engine is at work"},
		{ends(explain.Condition{End: explain.Handler}), explain.Moving, explain.Handler, "the handler has not failed"},
		{ends(explain.Condition{End: explain.Handler, Tries: 1}), explain.Stuck, explain.Handler, "the handler fails"},
		{ends(explain.Condition{End: explain.Work}, explain.Condition{End: explain.Controller}), explain.Pending, explain.Controller, "a controller is outside"},
		{ends(explain.Condition{End: explain.Controller}, explain.Condition{End: explain.Store}, explain.Condition{End: explain.Work}), explain.Stuck, explain.Store, "the store goes before both"},
		{ends(explain.Condition{End: explain.User, Reason: policy.Paused}), explain.Pending, explain.User, "a user means it"},
		{ends(explain.Condition{End: explain.User, Reason: policy.Braked}), explain.Stuck, explain.User, "a user has to decide"},
		{ends(explain.Condition{End: explain.Ring}), explain.Stuck, explain.Ring, "a ring does not end by itself"},
	} {
		if pace, next := c.x.Pace(); pace != c.pace || next.End != c.end {
			t.Errorf("%s by %s, want %s by %s: %s", pace, next.End, c.pace, c.end, c.reason)
		}
	}
}

// FuzzJSON: a text that reads is written back as another form of the same text.
func FuzzJSON(f *testing.F) {
	for _, x := range []explain.Explanation{full(), {}} {
		text, err := json.Marshal(x)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{"schema":"explain/v1"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var x, back explain.Explanation
		if json.Unmarshal(text, &x) != nil {
			return
		}
		again, err := json.Marshal(x)
		if err == nil {
			err = json.Unmarshal(again, &back)
		}
		if diff := cmp.Diff(x, back); err != nil || diff != "" {
			t.Errorf("%s is written as %s: error %v, difference %s", text, again, err, diff)
		}
	})
}

// The text of an explanation has the state, the actor, the owners, the chain, the remedy, and the times.
func ExampleExplanation_Text() {
	web := graph.Key{Kind: "Deployment", Scope: "shop", Name: "web", UID: "1"}
	pod := graph.Key{Kind: "Pod", Scope: "shop", Name: "a", UID: "2"}
	since := time.Date(2020, 1, 2, 12, 0, 0, 0, time.UTC)
	x := explain.Explanation{
		Key: web, State: explain.Exists, Deleting: true, Changed: since, SweepsInScope: []string{"example.com/sweep"},
		Decision: explain.Decision{Action: policy.Wait, Reason: policy.NeedDependents},
		Owners: []explain.Owner{{
			Owner: graph.Owner{Key: graph.Key{Kind: "Site", Scope: "shop", Name: "front", UID: "3"}, Controller: true},
			Class: explain.Dangling, Evidence: explain.WatchSawGo, At: since,
		}},
		Wait: []explain.Condition{
			{Key: pod, Reason: policy.NeedFinalizers, End: explain.Controller, Actor: "example.com/x", Since: since},
		},
	}
	fmt.Print(x.Text())
	// Output:
	// Deployment/shop/web is being deleted and waits for its dependents: Pod/shop/a.
	// Who has to act: the controller of the finalizer example.com/x, for Pod/shop/a, since 2020-01-02T12:00:00Z.
	// Owner Site/shop/front is gone; the watch saw it go at 2020-01-02T12:00:00Z.
	// It waits for:
	//   Pod/shop/a: the finalizer example.com/x holds it, and its controller has to act, since 2020-01-02T12:00:00Z
	// Members outside its scope are not covered by the sweep of Deployment/shop/web (example.com/sweep).
	// Remedy: Look at the controller of the finalizer. If that is gone for good, take the finalizer off.
	// Last change: 2020-01-02T12:00:00Z.
}
