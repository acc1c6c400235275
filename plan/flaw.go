package plan

import (
	"fmt"
	"unicode/utf8"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// flaw is the first field of a plan that has no JSON form. The zero flaw is none.
type flaw struct{ field, cause string }

// in puts the name of the outer field in front.
func (f flaw) in(outer string) flaw {
	if f.cause != "" && f.field != "" {
		outer += "." + f.field
	}
	return flaw{outer, f.cause}
}

// first returns the first flaw of several.
func first(list ...flaw) flaw {
	for _, f := range list {
		if f.cause != "" {
			return f
		}
	}
	return flaw{}
}

// each returns the flaw of the first element that has one.
func each[T any](name string, list []T, of func(int, *T) flaw) flaw {
	for i := range list {
		if f := of(i, &list[i]); f.cause != "" {
			return f.in(fmt.Sprintf("%s[%d]", name, i))
		}
	}
	return flaw{}
}

func (p *Plan) flaw() flaw {
	return first(
		p.Request.flaw().in("request"),
		each("objects", p.Objects, func(i int, o *Object) flaw {
			if i > 0 && p.Objects[i-1].Key.Compare(o.Key) >= 0 {
				return flaw{"key", "not after the key of the object before"}
			}
			return o.flaw()
		}),
		each("steps", p.Steps, func(i int, s *Step) flaw { return s.flaw(i + 1) }),
		count("truncated", p.Truncated), count("stepsTruncated", p.StepsTruncated),
		each("totals", p.Totals, func(_ int, t *Total) flaw { return t.flaw() }),
		each("scopes", p.Scopes, func(_ int, t *ScopeTotal) flaw { return first(text("scope", t.Scope), count("removed", t.Removed)) }),
		count("waves", p.Waves),
		p.Cost.flaw().in("cost"),
		each("verdicts", p.Verdicts, func(_ int, v *Verdict) flaw {
			return first(keyFlaw(v.Root).in("root"), text("guard", v.Guard), each("protected", v.Protected, ownerFlaw),
				count("protectedMore", v.ProtectedMore), each("restricted", v.Restricted, ownerFlaw), count("restrictedMore", v.RestrictedMore), count("ends", v.Ends), count("limit", v.Limit))
		}),
		each("refusals", p.Refusals, func(_ int, r *Refusal) flaw {
			return first(keyFlaw(r.Target).in("target"), each("dependents", r.Dependents, ownerFlaw), count("more", r.More))
		}),
		each("assumptions", p.Assumptions, func(_ int, a *Assumption) flaw {
			return first(known("type", a.Type, CascadesMeant), text("name", a.Name), count("count", a.Count), text("detail", a.Detail))
		}),
		each("withoutBlocker", p.WithoutBlocker, ownerFlaw),
		text("fingerprint", p.Fingerprint),
	)
}

func (r *Request) flaw() flaw {
	return first(
		each("delete", r.Delete, func(_ int, t *Target) flaw {
			return first(keyFlaw(t.Key).in("key"), known("propagation", t.Propagation, graph.Orphan))
		}),
		each("removed", r.Removed, textFlaw), each("failing", r.Failing, textFlaw), count("limit", r.Limit),
	)
}

func (o *Object) flaw() flaw {
	return first(
		keyFlaw(o.Key).in("key"), known("outcome", o.Outcome, Held), known("reason", o.Reason, policy.Restricted),
		known("doubt", o.Doubt, graph.Renamed), each("causes", o.Causes, textFlaw), each("owners", o.Owners, ownerFlaw),
		keyFlaw(o.Holder).in("holder"), keyFlaw(o.Container).in("container"), count("wave", o.Wave), count("phase", o.Phase), keyFlaw(o.Parent).in("parent"),
		each("edges", o.Edges, func(_ int, e *Edge) flaw {
			return first(keyFlaw(e.Owner).in("owner"), known("onDelete", e.OnDelete, graph.OnDeleteCascade))
		}),
	)
}

// flaw takes the number of the step.
func (s *Step) flaw(number int) flaw {
	return first(
		known("actor", s.Actor, Container), known("action", s.Action, policy.Attach), keyFlaw(s.Key).in("key"),
		known("reason", s.Reason, policy.Restricted), known("propagation", s.Propagation, graph.Orphan),
		text("finalizer", s.Finalizer), each("owners", s.Owners, ownerFlaw), count("wave", s.Wave),
		each("after", s.After, func(i int, n *int) flaw {
			switch {
			case *n < 1 || *n >= number:
				return flaw{"", fmt.Sprintf("step %d is not before step %d", *n, number)}
			case i > 0 && s.After[i-1] >= *n:
				return flaw{"", "not sorted"}
			}
			return flaw{}
		}),
		count("afterMore", s.AfterMore),
	)
}

func (t *Total) flaw() flaw {
	return first(
		text("kind", string(t.Kind)), count("removed", t.Removed), count("orphaned", t.Orphaned), count("trimmed", t.Trimmed),
		count("kept", t.Kept), count("held", t.Held), count("possible", t.Possible), count("affected", t.Affected),
	)
}

func (c *Cost) flaw() flaw {
	return first(count("writes", c.Writes), count("reads", c.Reads), count("fences", c.Fences), count("handlers", c.Handlers))
}

func keyFlaw(k graph.Key) flaw {
	return first(text("kind", string(k.Kind)), text("scope", k.Scope), text("name", k.Name), text("uid", string(k.UID)))
}

func ownerFlaw(_ int, k *graph.Key) flaw { return keyFlaw(*k) }

func textFlaw(_ int, s *string) flaw { return text("", *s) }

func text(field, s string) flaw {
	if !utf8.ValidString(s) {
		return flaw{field, "not UTF-8"}
	}
	return flaw{}
}

func count(field string, n int) flaw {
	if n < 0 {
		return flaw{field, fmt.Sprintf("found %d, want a count", n)}
	}
	return flaw{}
}

// known finds a value after the last one that has a name.
func known[T enum](field string, v, last T) flaw {
	if v > last {
		return flaw{field, fmt.Sprintf("unknown value %d", uint8(v))}
	}
	return flaw{}
}
