package plan_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// full has every field of a plan.
func full() plan.Plan {
	a, b := key("pod/shop/a@1"), key("set/shop/b@2")
	return plan.Plan{
		Request: plan.Request{
			Delete: []plan.Target{{Key: b, Propagation: graph.Foreground}}, Removed: []string{"x"}, Failing: []string{"y"}, Limit: 2, RefuseProtected: true,
		},
		Objects: []plan.Object{
			{Key: a, Outcome: plan.Held, Possible: true, Reason: policy.OwnerUnknown, Doubt: graph.Unobserved, Causes: []string{"y"},
				Owners: []graph.Key{b}, Holder: key("n"), Container: key("s"), Wave: 2, Phase: 3, Forward: true, Parent: b,
				Edges: []plan.Edge{{Owner: b, OnDelete: graph.OnDeleteCascade}}},
			{Key: b, Outcome: plan.Removed, Root: true},
		},
		Steps: []plan.Step{
			{Actor: plan.User, Action: policy.Delete, Key: b, Propagation: graph.Foreground, Wave: 1},
			{Actor: plan.Engine, Action: policy.Release, Key: a, Reason: policy.HandlerRuns, Finalizer: "y", Handler: true,
				Owners: []graph.Key{b}, Removes: true, Wave: 2, After: []int{1}, AfterMore: 3, Fence: true},
		},
		Truncated: 4, StepsTruncated: 5,
		Totals: []plan.Total{{Kind: "pod", Removed: 1, Orphaned: 2, Trimmed: 3, Kept: 4, Held: 5, Possible: 6, Affected: 15}},
		Scopes: []plan.ScopeTotal{{Scope: "shop", Removed: 1}},
		Waves:  7, Cost: plan.Cost{Writes: 1, Reads: 2, Fences: 3, Handlers: 4, Varies: true},
		Verdicts:       []plan.Verdict{{Root: b, Guard: "g", Always: true, Protected: []graph.Key{a}, ProtectedMore: 1, Restricted: []graph.Key{b}, RestrictedMore: 2, Ends: 9, Above: true, Limit: 8, Unknown: true}},
		Refusals:       []plan.Refusal{{Target: b, Dependents: []graph.Key{a}, More: 2}},
		Assumptions:    []plan.Assumption{{Type: plan.HandlerFails, Name: "y", Count: 1, Detail: "d"}},
		WithoutBlocker: []graph.Key{b}, BestEffort: true, Torn: true, Busy: true, Fingerprint: "9f",
	}
}

const fullJSON = `{"schema":"plan/v1","request":{"delete":[{"key":{"kind":"set","scope":"shop","name":"b","uid":"2"},"propagation":"foreground"}],` +
	`"removed":["x"],"failing":["y"],"limit":2,"refuseProtected":true},"objects":[{"key":{"kind":"pod","scope":"shop","name":"a","uid":"1"},"outcome":"held",` +
	`"possible":true,"reason":"OwnerUnknown","doubt":"owner not observed","causes":["y"],"owners":[{"kind":"set","scope":"shop","name":"b","uid":"2"}],` +
	`"holder":{"kind":"n","name":"n","uid":"n"},"container":{"kind":"s","name":"s","uid":"s"},"wave":2,"phase":3,"forward":true,"edges":[{"owner":{"kind":"set","scope":"shop","name":"b","uid":"2"},"onDelete":"cascade"}],"parent":{"kind":"set","scope":"shop","name":"b","uid":"2"}},` +
	`{"key":{"kind":"set","scope":"shop","name":"b","uid":"2"},"outcome":"removed","root":true}],` +
	`"steps":[{"actor":"user","action":"delete","key":{"kind":"set","scope":"shop","name":"b","uid":"2"},"propagation":"foreground","wave":1},` +
	`{"actor":"engine","action":"release","key":{"kind":"pod","scope":"shop","name":"a","uid":"1"},"reason":"HandlerRuns","finalizer":"y",` +
	`"handler":true,"owners":[{"kind":"set","scope":"shop","name":"b","uid":"2"}],"removes":true,"wave":2,"after":[1],"afterMore":3,"fence":true}],` +
	`"truncated":4,"stepsTruncated":5,"totals":[{"kind":"pod","removed":1,"orphaned":2,"trimmed":3,"kept":4,"held":5,"possible":6,"affected":15}],` +
	`"scopes":[{"scope":"shop","removed":1}],"waves":7,"cost":{"writes":1,"reads":2,"fences":3,"handlers":4,"varies":true},` +
	`"verdicts":[{"root":{"kind":"set","scope":"shop","name":"b","uid":"2"},"guard":"g","always":true,` +
	`"protected":[{"kind":"pod","scope":"shop","name":"a","uid":"1"}],"protectedMore":1,"restricted":[{"kind":"set","scope":"shop","name":"b","uid":"2"}],"restrictedMore":2,"ends":9,"above":true,"limit":8,"unknown":true}],` +
	`"refusals":[{"target":{"kind":"set","scope":"shop","name":"b","uid":"2"},"dependents":[{"kind":"pod","scope":"shop","name":"a","uid":"1"}],"more":2}],` +
	`"assumptions":[{"type":"handler fails","name":"y","count":1,"detail":"d"}],"withoutBlocker":[{"kind":"set","scope":"shop","name":"b","uid":"2"}],"bestEffort":true,"torn":true,"busy":true,"fingerprint":"9f"}`

// TestJSON checks the JSON form, which others have stored: no row of it changes.
func TestJSON(t *testing.T) {
	for _, c := range []struct {
		plan         plan.Plan
		want, reason string
	}{
		{full(), fullJSON, "every field"},
		{plan.Plan{}, `{"schema":"plan/v1"}`, "the zero value is left out"},
		{plan.Plan{Request: plan.Request{Removed: []string{}}, Objects: []plan.Object{{}}}, `{"schema":"plan/v1","objects":[{"key":{"kind":"","name":""},"outcome":"unset"}]}`,
			"an object always has its key and outcome, and an empty list is left out"},
	} {
		got, err := json.Marshal(c.plan)
		if err != nil || string(got) != c.want {
			t.Errorf("Marshal: %v\ngot  %s\nwant %s: %s", err, got, c.want, c.reason)
		}
		var back plan.Plan
		c.plan.Request.Removed = append([]string(nil), c.plan.Request.Removed...)
		if err := json.Unmarshal([]byte(c.want), &back); err != nil || !reflect.DeepEqual(back, c.plan) {
			t.Errorf("Unmarshal(%s) = %+v, %v: %s", c.want, back, err, c.reason)
		}
	}
	checkAllSet(t, reflect.ValueOf(full()), "Plan")
}

// checkAllSet finds a field that no element of the value sets, so that TestJSON checks new
// fields too.
func checkAllSet(t *testing.T, v reflect.Value, name string) {
	switch {
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct:
		for f := range v.Type().Elem().NumField() {
			set := false
			for i := range v.Len() {
				set = set || !v.Index(i).Field(f).IsZero()
			}
			if !set {
				t.Errorf("%s.%s is set nowhere", name, v.Type().Elem().Field(f).Name)
			}
		}
	case v.Kind() == reflect.Struct:
		for f := range v.NumField() {
			checkAllSet(t, v.Field(f), name+"."+v.Type().Field(f).Name)
		}
	case v.IsZero():
		t.Errorf("%s is not set", name)
	}
}

// TestJSONErrors: each slip of a writer is named, and the plan stays as it was.
func TestJSONErrors(t *testing.T) {
	with := func(field string) string { return `{"schema":"plan/v1",` + field + `}` }
	object := func(field string) string {
		return with(`"objects":[{"key":{"kind":"a","name":"b"},"outcome":"kept"},{"key":{"kind":"b","name":"b"},` + field + `}]`)
	}
	step := func(field string) string {
		return with(`"steps":[{"actor":"user","key":{"kind":"a","name":"b"},` + field + `}]`)
	}
	for _, c := range []struct{ text, want, reason string }{
		{"null", "found null, want an object", "null is no plan"},
		{"{}", "schema: missing", "another document"},
		{`{"schema":"plan/v2"}`, `schema: found "plan/v2", want "plan/v1"`, "another version means something else"},
		{`{"schema":1}`, "schema: found a number, want a string", "no conversion"},
		{with(`"schema":"plan/v1"`), "schema: there twice", "which one counts?"},
		{with(`"Objects":[]`), `"Objects": unknown field`, "names are exact"},
		{with(`"torn":false,"torn":true`), "torn: there twice", "which one counts?"},
		{with(`"waves":-1`), "waves: found -1, want a count", "no number of waves"},
		{with(`"waves":1.5`), "waves: found a number, want a whole number of 64 bits", "no rounding"},
		{with(`"fingerprint":"\ud800"`), "fingerprint: half of a surrogate pair", "two texts would become one"},
		{with(`"request":[]`), "request: found an array, want an object", "no conversion"},
		{with(`"request":{"limit":-1}`), "request.limit: found -1, want a count", "no limit"},
		{with(`"request":{"delete":[{}]}`), "request.delete[0].key: missing", "a target names an object"},
		{with(`"request":{"delete":[{"key":{"kind":"a","name":"b"},"propagation":"Foreground"}]}`), `request.delete[0].propagation: unknown value "Foreground"`, "names are exact"},
		{with(`"request":{"removed":[1]}`), "request.removed[0]: found a number, want a string", "the place is named"},
		{object(`"root":true`), "objects[1].outcome: missing", "an object without an end is no forecast"},
		{object(`"outcome":"gone"`), `objects[1].outcome: unknown value "gone"`, "no such outcome"},
		{object(`"outcome":"outcome(9)"`), `objects[1].outcome: unknown value "outcome(9)"`, "the text of an unknown value names none"},
		{object(`"outcome":3`), "objects[1].outcome: found a number, want a string", "values are names"},
		{object(`"outcome":"held","reason":"need finalizers"`), `objects[1].reason: unknown value "need finalizers"`, "reasons are codes"},
		{object(`"outcome":"held","doubt":"` + strings.Repeat("x", 99) + `"`), `objects[1].doubt: unknown value "` + strings.Repeat("x", 50) + `"`, "a message is bounded"},
		{object(`"outcome":"held","owners":[{"kind":"a"}]`), "objects[1].owners[0].name: missing", "an owner has a name"},
		{object(`"outcome":"held","parent":{"kind":"a","name":"b","id":"c"}`), `objects[1].parent."id": unknown field`, "what it says would be lost"},
		{with(`"objects":[{"key":{"kind":"b","name":"b"},"outcome":"kept"},{"key":{"kind":"a","name":"a"},"outcome":"kept"}]`), "objects[1].key: not after the key of the object before", "At would not find it"},
		{with(`"objects":[{"key":{"kind":"b","name":"b"},"outcome":"kept"},{"key":{"kind":"b","name":"b"},"outcome":"held"}]`), "objects[1].key: not after the key of the object before", "which outcome counts?"},
		{step(`"wave":1`), "steps[0].action: missing", "a step does something"},
		{step(`"action":"patch"`), `steps[0].action: unknown value "patch"`, "no such action"},
		{step(`"action":"delete","after":[0]`), "steps[0].after[0]: step 0 is not before step 1", "steps count from 1"},
		{step(`"action":"delete","after":[1]`), "steps[0].after[0]: step 1 is not before step 1", "a step does not wait for itself"},
		{step(`"action":"delete","after":["1"]`), "steps[0].after[0]: found a string, want a whole number of 64 bits", "no conversion"},
		{with(`"steps":[{"actor":"admin","action":"delete","key":{"kind":"a","name":"b"}}]`), `steps[0].actor: unknown value "admin"`, "no such actor"},
		{with(`"totals":[{"held":1}]`), "totals[0].kind: missing", "a total is that of a kind"},
		{with(`"scopes":[{"scope":"shop"}]`), "scopes[0].removed: missing", "a scope has a count"},
		{with(`"cost":{"writes":1,"deletes":1}`), `cost."deletes": unknown field`, "what it says would be lost"},
		{with(`"assumptions":[{"name":"x"}]`), "assumptions[0].type: missing", "a name alone assumes nothing"},
		{with(`"assumptions":[{"type":"handlers succeed"}]`), `assumptions[0].type: unknown value "handlers succeed"`, "no such type"},
		{"{\"schema\":\"\xff\"}", "text: not UTF-8", "two texts would become one"},
		{`{"schema":"plan/v1"} {}`, "text: invalid character '{' after top-level value", "one plan is read"},
		{"", "text: unexpected end of JSON input", "nothing is no plan"},
	} {
		p := plan.Plan{Fingerprint: "before"}
		err := p.UnmarshalJSON([]byte(c.text)) // package json judges some of these itself
		if want := "read plan: " + c.want + ": invalid"; fmt.Sprint(err) != want || !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("UnmarshalJSON(%s):\n%v, want\n%s: %s", c.text, err, want, c.reason)
		}
		if !reflect.DeepEqual(p, plan.Plan{Fingerprint: "before"}) {
			t.Errorf("UnmarshalJSON(%s) failed and changed the plan: %+v", c.text, p)
		}
	}
}

// TestJSONWriteErrors: the writer refuses a plan that the reader would refuse.
func TestJSONWriteErrors(t *testing.T) {
	for _, c := range []struct {
		edit         func(*plan.Plan)
		want, reason string
	}{
		{func(p *plan.Plan) { p.Objects[1].Outcome = plan.Held + 1 }, "objects[1].outcome: unknown value 6", "it has no name"},
		{func(p *plan.Plan) { p.Objects[1].Reason = policy.GraceNeedsForeground + 1 }, fmt.Sprintf("objects[1].reason: unknown value %d", policy.GraceNeedsForeground+1), "it has no code"},
		{func(p *plan.Plan) { p.Objects[0].Doubt = graph.Renamed + 1 }, fmt.Sprintf("objects[0].doubt: unknown value %d", graph.Renamed+1), "it has no name"},
		{func(p *plan.Plan) { p.Objects[0].Owners[0].UID = "\xff" }, "objects[0].owners[0].uid: not UTF-8", "JSON has no form for it"},
		{func(p *plan.Plan) { p.Objects[0].Causes[0] = "\xff" }, "objects[0].causes[0]: not UTF-8", "JSON has no form for it"},
		{func(p *plan.Plan) { p.Objects[0], p.Objects[1] = p.Objects[1], p.Objects[0] }, "objects[1].key: not after the key of the object before", "At would not find it"},
		{func(p *plan.Plan) { p.Request.Delete[0].Propagation = graph.Orphan + 1 }, "request.delete[0].propagation: unknown value 4", "it has no name"},
		{func(p *plan.Plan) { p.Request.Failing[0] = "\xff" }, "request.failing[0]: not UTF-8", "JSON has no form for it"},
		{func(p *plan.Plan) { p.Steps[0].Actor = plan.Container + 1 }, "steps[0].actor: unknown value 6", "it has no name"},
		{func(p *plan.Plan) { p.Steps[0].Action = policy.Attach + 1 }, "steps[0].action: unknown value 10", "it has no name"},
		{func(p *plan.Plan) { p.Steps[1].After = []int{1, 1} }, "steps[1].after[1]: not sorted", "each number is there once"},
		{func(p *plan.Plan) { p.Steps[1].Finalizer = "\xff" }, "steps[1].finalizer: not UTF-8", "JSON has no form for it"},
		{func(p *plan.Plan) { p.Totals[0].Kept = -1 }, "totals[0].kept: found -1, want a count", "no number of objects"},
		{func(p *plan.Plan) { p.Scopes[0].Removed = -1 }, "scopes[0].removed: found -1, want a count", "no number of objects"},
		{func(p *plan.Plan) { p.Cost.Reads = -1 }, "cost.reads: found -1, want a count", "no number of reads"},
		{func(p *plan.Plan) { p.Assumptions[0].Type = plan.CascadesMeant + 1 }, "assumptions[0].type: unknown value 20", "it has no name"},
		{func(p *plan.Plan) { p.StepsTruncated = -1 }, "stepsTruncated: found -1, want a count", "no number of steps"},
	} {
		p := full()
		c.edit(&p)
		_, err := p.MarshalJSON()
		if want := "write plan: " + c.want + ": invalid"; fmt.Sprint(err) != want || !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("MarshalJSON: %v, want %s: %s", err, want, c.reason)
		}
	}
}

// FuzzJSON: no text makes the reader panic. Its errors wrap ErrInvalid. A plan that it
// takes can be written, and read again as the same.
func FuzzJSON(f *testing.F) {
	for _, text := range []string{fullJSON, `{"schema":"plan/v1","waves":-1}`, `{"schema":"plan/v1","schema":""}`, "null"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var p, again plan.Plan
		if err := p.UnmarshalJSON(bytes.Clone(text)); err != nil {
			if !errors.Is(err, graph.ErrInvalid) || !reflect.DeepEqual(p, plan.Plan{}) {
				t.Fatalf("UnmarshalJSON(%q): %+v, %v", text, p, err)
			}
			return
		}
		written, err := json.Marshal(p)
		if err != nil {
			t.Fatalf("%q is read as %+v, which is not written: %v", text, p, err)
		}
		if err := json.Unmarshal(written, &again); err != nil || !reflect.DeepEqual(again, p) {
			t.Fatalf("%q is read as %+v, written as %s, and read as %+v, %v", text, p, written, again, err)
		}
		_, _ = p.Text(), p.Details() // neither panics
	})
}

// TestJSONRoundTrip: the reader returns each plan that the writer took.
func TestJSONRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlan(t)
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatalf("Marshal(%+v): %v", p, err)
		}
		var back plan.Plan
		if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back, p) {
			t.Fatalf("%+v is written as %s, and read as %+v, %v", p, text, back, err)
		}
	})
}

// BenchmarkJSON writes and reads a plan of 100,000 objects.
func BenchmarkJSON(b *testing.B) {
	p := wide(100_000)
	p.Objects = append(p.Objects[1:], p.Objects[0]) // by key: the pods come before the set
	text, err := json.Marshal(p)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("write", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if _, err := json.Marshal(p); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("read", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			var back plan.Plan
			if err := back.UnmarshalJSON(text); err != nil {
				b.Fatal(err)
			}
		}
	})
}
