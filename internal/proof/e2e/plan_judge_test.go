package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// changed counts the changes of one object in the database.
type changed struct{ puts, ends int }

// changes returns the changes in the database after a revision, by namespace.
func (e *planTest) changes(since int64) map[string]map[graph.Key]changed {
	e.t.Helper()
	out := map[string]map[graph.Key]changed{}
	h := e.history()
	for i, ev := range h.events {
		at, err := strconv.ParseInt(string(h.revisions[i]), 10, 64)
		if err != nil {
			e.t.Fatalf("read the past: %v", err)
		}
		if at <= since {
			continue
		}
		key, one := ev.Object.Key, changed{puts: 1}
		if ev.Type == graph.Gone {
			key, one = ev.Key, changed{ends: 1}
		}
		if out[key.Scope] == nil {
			out[key.Scope] = map[graph.Key]changed{}
		}
		was := out[key.Scope][key]
		out[key.Scope][key] = changed{was.puts + one.puts, was.ends + one.ends}
	}
	return out
}

// judge returns every difference between the plan and what happened.
func (p *planCase) judge() (wrong []string) {
	complain := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if p.plan.Torn || p.plan.Busy || p.plan.BestEffort {
		complain("not a plan of a store at rest: torn %v, busy %v, best effort %v", p.plan.Torn, p.plan.Busy, p.plan.BestEffort)
	}
	for _, d := range p.plan.Unmet(p.end) {
		complain("unmet: %s", d)
	}
	if n := p.writes + len(p.plan.Request.Delete); !p.plan.Cost.Varies && n != p.plan.Cost.Writes {
		complain("%d writes, planned %d", n, p.plan.Cost.Writes)
	}
	for _, was := range p.before {
		if err := p.judgeObject(was); err != nil {
			complain("%v", err)
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(p.past), graph.Key.Compare) {
		if indexOf(p.before, k) < 0 {
			complain("%s is new, and no user made an object", k)
		}
	}
	return wrong
}

func indexOf(list []graph.Object, k graph.Key) int {
	return slices.IndexFunc(list, func(o graph.Object) bool { return o.Key == k })
}

// judgeObject compares the plan for one object with its end and with its past.
func (p *planCase) judgeObject(was graph.Object) error {
	i, past := indexOf(p.end, was.Key), p.past[was.Key]
	stays := i >= 0
	o, affected := p.plan.At(was.Key)
	switch {
	case (past.ends == 0) != stays || past.ends > 1:
		return fmt.Errorf("%s: the server has it: %v, etcd removed it %d times", was.Key, stays, past.ends)
	case !affected && past != changed{}:
		return fmt.Errorf("%s is not in the plan, and changed: %+v", was.Key, past)
	case !affected || o.Possible:
		return nil
	case (o.Outcome == plan.Removed) == stays:
		return fmt.Errorf("%s is planned as %s, and the server has it: %v", was.Key, o.Outcome, stays)
	case !stays:
		return nil
	case o.Outcome == plan.Kept && past != changed{}:
		return fmt.Errorf("%s is planned as kept, and changed: %+v", was.Key, past)
	}
	want, got := sorted(p.after(was)), sorted(p.end[i])
	switch {
	case o.Outcome != plan.Held && got.Deleting:
		return fmt.Errorf("%s is planned as %s, and is %s", was.Key, o.Outcome, got)
	case !p.plan.Cost.Varies && !got.Equal(want): // otherwise the steps are one order of several
		return fmt.Errorf("%s is planned as %s, as %s, and is %s", was.Key, o.Outcome, want, got)
	case o.Outcome != plan.Held && o.Outcome != p.loss(was, got):
		return fmt.Errorf("%s is planned as %s, has lost %v, and is %s", was.Key, o.Outcome, lost(was, got), got)
	}
	return nil
}

// loss returns the outcome of an object that stays unmarked, by the references that it has
// lost. An owner that orphans leaves its dependents.
func (p *planCase) loss(was, got graph.Object) plan.Outcome {
	gone := lost(was, got)
	target := p.plan.Request.Delete[0]
	orphans := func(r graph.Owner) bool {
		i := indexOf(p.before, r.Key)
		switch {
		case r.Key == target.Key:
			return target.Propagation == graph.Orphan
		case i < 0:
			return false
		}
		return p.before[i].HasFinalizer(graph.FinalizerOrphan)
	}
	switch {
	case len(gone) == 0:
		return plan.Kept
	case slices.ContainsFunc(gone, orphans):
		return plan.Orphaned
	}
	return plan.Trimmed
}

// lost returns the references that an object no longer has.
func lost(was, got graph.Object) []graph.Owner {
	return slices.DeleteFunc(slices.Clone(was.Owners), func(r graph.Owner) bool {
		return slices.ContainsFunc(got.Owners, func(x graph.Owner) bool { return x.Key == r.Key })
	})
}

// endsOtherwise reports whether an object ends otherwise than in the plan's own run.
func (p *planCase) endsOtherwise(o plan.Object) bool {
	i := indexOf(p.end, o.Key)
	if i < 0 || o.Outcome == plan.Removed {
		return i >= 0 || o.Outcome != plan.Removed
	}
	return !sorted(p.end[i]).Equal(sorted(p.after(p.before[indexOf(p.before, o.Key)])))
}

// after returns an object as the steps of the plan leave it.
func (p *planCase) after(o graph.Object) graph.Object {
	o = o.Clone()
	for _, s := range p.plan.Steps {
		named := func(r graph.Owner) bool { return slices.Contains(s.Owners, r.Key) }
		switch {
		case s.Key != o.Key:
		case s.Action == policy.Orphan || s.Action == policy.Trim:
			o.Owners = slices.DeleteFunc(o.Owners, named)
		case s.Action == policy.Unblock:
			for i, r := range o.Owners {
				o.Owners[i].Block = r.Block && !named(r)
			}
		case s.Action == policy.Release:
			o.Finalizers = slices.DeleteFunc(o.Finalizers, func(f string) bool { return f == s.Finalizer })
		case s.Action == policy.Delete:
			o.Deleting = true
			o.Finalizers = marked(o.Finalizers, s.Propagation)
		}
	}
	return o
}

// marked returns the finalizers of an object that a client deletes, by Kubernetes' rules.
func marked(finalizers []string, p graph.Propagation) []string {
	if p == graph.Unset {
		return finalizers // the object's own finalizer counts
	}
	out := slices.DeleteFunc(finalizers, func(f string) bool { return f == graph.FinalizerForeground || f == graph.FinalizerOrphan })
	if f := p.Finalizer(); f != "" {
		out = append(out, f)
	}
	return out
}

// sorted sorts the finalizers. Their order is the server's choice.
func sorted(o graph.Object) graph.Object {
	o = o.Clone()
	slices.Sort(o.Finalizers)
	return o
}
