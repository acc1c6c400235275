package plan

import (
	"fmt"
	"strconv"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/jsonread"
	"github.com/ownergraph/ownergraph/policy"
)

// UnmarshalJSON reads the JSON form that MarshalJSON writes, with the fields in any
// order. A field that MarshalJSON leaves out may also stand there with its zero value. It
// takes nothing else. It refuses another schema, null, an unknown field, a field
// in other letters, a missing field, a field that is there twice, and a value of another
// type. It refuses objects that are out of order, which At and Compare would not find.
//
// An error wraps graph.ErrInvalid and names the field, such as "read plan:
// objects[3].outcome: unknown value "gone": invalid". After an error the plan is
// unchanged. The work is in proportion to the text, which the caller bounds.
//
//test:by TestJSONErrors FuzzJSON
func (p *Plan) UnmarshalJSON(text []byte) error {
	var read Plan
	if err := readJSON(text, &read); err != nil {
		return fmt.Errorf("read plan: %w: %w", err, graph.ErrInvalid)
	}
	if f := read.flaw(); f.cause != "" {
		return fmt.Errorf("read plan: %s: %s: %w", f.field, f.cause, graph.ErrInvalid)
	}
	*p = read
	return nil
}

func readJSON(text []byte, p *Plan) error {
	return jsonread.Text(text, []jsonread.Field{
		{Name: "schema", Must: true, Read: readSchema},
		{Name: "request", Read: func(value []byte) error { return readRequest(value, &p.Request) }},
		list("objects", &p.Objects, readObject),
		list("steps", &p.Steps, readStep),
		countField("truncated", &p.Truncated),
		countField("stepsTruncated", &p.StepsTruncated),
		list("totals", &p.Totals, readTotal),
		list("scopes", &p.Scopes, readScope),
		countField("waves", &p.Waves),
		{Name: "cost", Read: func(value []byte) error { return readCost(value, &p.Cost) }},
		list("verdicts", &p.Verdicts, readVerdict),
		list("refusals", &p.Refusals, readRefusal),
		list("assumptions", &p.Assumptions, readAssumption),
		list("withoutBlocker", &p.WithoutBlocker, readKey),
		jsonread.Flag("bestEffort", &p.BestEffort), jsonread.Flag("torn", &p.Torn), jsonread.Flag("busy", &p.Busy),
		jsonread.StringField("fingerprint", false, &p.Fingerprint),
	})
}

func readSchema(value []byte) error {
	var found string
	if err := jsonread.String(value, &found); err != nil {
		return err
	}
	if found != Schema {
		return jsonread.Fault("found %.50q, want %q", found, Schema)
	}
	return nil
}

func readRequest(value []byte, r *Request) error {
	return jsonread.Object(value, []jsonread.Field{
		list("delete", &r.Delete, readTarget),
		list("removed", &r.Removed, jsonread.String[string]),
		list("failing", &r.Failing, jsonread.String[string]),
		countField("limit", &r.Limit),
		jsonread.Flag("refuseProtected", &r.RefuseProtected),
	})
}

func readVerdict(value []byte, v *Verdict) error {
	return jsonread.Object(value, []jsonread.Field{
		keyField("root", true, &v.Root),
		jsonread.StringField("guard", false, &v.Guard),
		jsonread.Flag("always", &v.Always),
		list("protected", &v.Protected, readKey),
		countField("protectedMore", &v.ProtectedMore),
		list("restricted", &v.Restricted, readKey),
		countField("restrictedMore", &v.RestrictedMore), countField("ends", &v.Ends),
		jsonread.Flag("above", &v.Above), countField("limit", &v.Limit),
		jsonread.Flag("unknown", &v.Unknown),
	})
}

func readTarget(value []byte, t *Target) error {
	return jsonread.Object(value, []jsonread.Field{
		keyField("key", true, &t.Key), enumField("propagation", false, graph.Orphan, &t.Propagation),
	})
}

func readObject(value []byte, o *Object) error {
	return jsonread.Object(value, []jsonread.Field{
		keyField("key", true, &o.Key),
		enumField("outcome", true, Held, &o.Outcome),
		jsonread.Flag("possible", &o.Possible), jsonread.Flag("root", &o.Root),
		reasonField("reason", &o.Reason),
		enumField("doubt", false, graph.Renamed, &o.Doubt),
		list("causes", &o.Causes, jsonread.String[string]),
		list("owners", &o.Owners, readKey),
		keyField("holder", false, &o.Holder), keyField("container", false, &o.Container),
		countField("wave", &o.Wave), countField("phase", &o.Phase), jsonread.Flag("forward", &o.Forward),
		list("edges", &o.Edges, readEdge),
		keyField("parent", false, &o.Parent),
	})
}

func readEdge(value []byte, e *Edge) error {
	return jsonread.Object(value, []jsonread.Field{
		keyField("owner", true, &e.Owner), enumField("onDelete", true, graph.OnDeleteCascade, &e.OnDelete),
	})
}

func readRefusal(value []byte, r *Refusal) error {
	return jsonread.Object(value, []jsonread.Field{
		keyField("target", true, &r.Target), list("dependents", &r.Dependents, readKey), countField("more", &r.More),
	})
}

func readStep(value []byte, s *Step) error {
	return jsonread.Object(value, []jsonread.Field{
		enumField("actor", true, Container, &s.Actor),
		enumField("action", true, policy.Attach, &s.Action),
		keyField("key", true, &s.Key),
		reasonField("reason", &s.Reason),
		enumField("propagation", false, graph.Orphan, &s.Propagation),
		jsonread.StringField("finalizer", false, &s.Finalizer),
		jsonread.Flag("handler", &s.Handler),
		list("owners", &s.Owners, readKey),
		jsonread.Flag("removes", &s.Removes),
		countField("wave", &s.Wave),
		list("after", &s.After, readNumber),
		countField("afterMore", &s.AfterMore),
		jsonread.Flag("fence", &s.Fence),
	})
}

func readTotal(value []byte, t *Total) error {
	return jsonread.Object(value, []jsonread.Field{
		jsonread.StringField("kind", true, &t.Kind),
		countField("removed", &t.Removed), countField("orphaned", &t.Orphaned), countField("trimmed", &t.Trimmed),
		countField("kept", &t.Kept), countField("held", &t.Held),
		countField("possible", &t.Possible), countField("affected", &t.Affected),
	})
}

func readScope(value []byte, t *ScopeTotal) error {
	return jsonread.Object(value, []jsonread.Field{
		jsonread.StringField("scope", true, &t.Scope),
		{Name: "removed", Must: true, Read: func(value []byte) error { return readNumber(value, &t.Removed) }},
	})
}

func readCost(value []byte, c *Cost) error {
	return jsonread.Object(value, []jsonread.Field{
		countField("writes", &c.Writes), countField("reads", &c.Reads), countField("fences", &c.Fences),
		countField("handlers", &c.Handlers), jsonread.Flag("varies", &c.Varies),
	})
}

func readAssumption(value []byte, a *Assumption) error {
	return jsonread.Object(value, []jsonread.Field{
		enumField("type", true, CascadesMeant, &a.Type), jsonread.StringField("name", false, &a.Name),
		countField("count", &a.Count), jsonread.StringField("detail", false, &a.Detail),
	})
}

func readKey(value []byte, k *graph.Key) error {
	return jsonread.Object(value, []jsonread.Field{
		jsonread.StringField("kind", true, &k.Kind), jsonread.StringField("scope", false, &k.Scope),
		jsonread.StringField("name", true, &k.Name), jsonread.StringField("uid", false, &k.UID),
	})
}

func keyField(name string, must bool, to *graph.Key) jsonread.Field {
	return jsonread.Field{Name: name, Must: must, Read: func(value []byte) error { return readKey(value, to) }}
}

func list[T any](name string, to *[]T, read func([]byte, *T) error) jsonread.Field {
	return jsonread.Field{Name: name, Read: func(value []byte) error { return jsonread.Array(value, to, read) }}
}

func countField(name string, to *int) jsonread.Field {
	return jsonread.Field{Name: name, Read: func(value []byte) error { return readNumber(value, to) }}
}

func readNumber(value []byte, to *int) error {
	var n int64
	if err := jsonread.Number("", &n).Read(value); err != nil {
		return err
	}
	if n < 0 || strconv.IntSize == 32 && n > 1<<31-1 {
		return jsonread.Fault("found %d, want a count", n)
	}
	*to = int(n)
	return nil
}

// enum is a type of named values from zero on.
type enum interface {
	~uint8
	String() string
}

// enumField is a field with the name of a value up to the last one.
func enumField[T enum](name string, must bool, last T, to *T) jsonread.Field {
	return jsonread.Field{Name: name, Must: must, Read: func(value []byte) error {
		var found string
		if err := jsonread.String(value, &found); err != nil {
			return err
		}
		for v := T(0); v <= last; v++ {
			if v.String() == found {
				*to = v
				return nil
			}
		}
		return jsonread.Fault("unknown value %.50q", found)
	}}
}

func reasonField(name string, to *policy.Reason) jsonread.Field {
	return jsonread.Field{Name: name, Read: func(value []byte) error {
		var code string
		if err := jsonread.String(value, &code); err != nil {
			return err
		}
		r, err := policy.ParseReason(code)
		if err != nil {
			return jsonread.Fault("unknown value %.50q", code)
		}
		*to = r
		return nil
	}}
}
