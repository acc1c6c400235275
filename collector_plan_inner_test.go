package ownergraph

import (
	"errors"
	"fmt"
	"testing"

	"github.com/ownergraph/ownergraph/internal/core/excerpt"
	"github.com/ownergraph/ownergraph/plan"
)

// copyOf begins the copy for the deletion of an object of kind a, and takes the given steps.
func copyOf(t *testing.T, e *Engine, name string, steps int) *planCopy {
	t.Helper()
	p := newPlanCopy(plan.Request{Delete: []plan.Target{{Key: Key{Kind: "a", Name: name, UID: put("a#1").Object.UID}}}})
	p.restart(e)
	for range steps {
		if done, err := p.step(e); done || err != nil {
			t.Fatalf("a step of the copy: %t, %v", done, err)
		}
	}
	return p
}

// many returns the objects of a tree with n leaves, as listed takes them.
func many(n int) (objects []string) {
	objects = append(objects, "a#1")
	for i := range n {
		objects = append(objects, fmt.Sprintf("b/%d#1 -> a", i))
	}
	return objects
}

// TestPlanCopyEnds: after its end, a copy does not follow changes. The goroutine of the
// caller has its parts then.
func TestPlanCopyEnds(t *testing.T) {
	e := listed(t, Config{}, many(10)...)
	p := copyOf(t, e, "a", 0)
	if done, err := p.step(e); !done || err != nil {
		t.Fatalf("%t, %v", done, err)
	}
	before := p.copy.Changes()
	e.observeEach(t, put("b/3#2 -> a"), goneOf("b/4"))
	if n := len(e.copies) + p.copy.Changes() - before; n != 0 {
		t.Errorf("%d copies and changes", n)
	}
	if parts := p.copy.Take(); len(parts) != 11 {
		t.Errorf("%d parts, want 11", len(parts))
	}
}

// TestPlanCopyTargetGoes: a target that goes during the copy is not found.
func TestPlanCopyTargetGoes(t *testing.T) {
	e := listed(t, Config{}, many(2*copySlice)...)
	p := copyOf(t, e, "a", 2)
	defer p.close(e)
	e.observeEach(t, goneOf("a"))
	for range 100 {
		done, err := p.step(e)
		if err != nil {
			t.Fatal(err)
		}
		if done {
			facts := p.facts(e, e.now)
			facts.parts = p.copy.Take()
			if _, err := newForecast(e.cfg.Config, e.level, p.req, facts); !errors.Is(err, ErrNotFound) {
				t.Errorf("%v, want that a is not found", err)
			}
			return
		}
	}
	t.Error("the copy does not end")
}

// TestPlanCopyTorn: objects that change faster than the copy goes on do not keep it from
// its end. The copy is torn then, and has every object.
func TestPlanCopyTorn(t *testing.T) {
	const leaves = 4 * copySlice
	e := listed(t, Config{}, many(leaves)...)
	p := copyOf(t, e, "a", 1)
	version := 1
	for steps, done := 0, false; !done; steps++ {
		if steps > 1000 {
			t.Fatal("the copy does not end")
		}
		version++
		for i := range leaves {
			e.observeEach(t, put(fmt.Sprintf("b/%d#%d -> a", i, version)))
		}
		var err error
		if done, err = p.step(e); err != nil {
			t.Fatal(err)
		}
	}
	parts := p.copy.Take()
	if !p.torn || len(parts) != leaves+1 {
		t.Errorf("torn %t, %d parts, want %d", p.torn, len(parts), leaves+1)
	}
	for i := range parts {
		if parts[i].State != excerpt.Exists || parts[i].Object.Name == "" {
			t.Fatalf("part %d is %s, %s", i, parts[i].Object.Key, parts[i].State)
		}
	}
	facts := p.facts(e, e.now)
	facts.parts = parts
	if _, err := newForecast(e.cfg.Config, e.level, p.req, facts); err != nil {
		t.Error(err)
	}
}

// TestPlanCopyTargetsInSteps: a step of a copy adds a bounded number of targets, since the
// lock is held meanwhile (RULES, P1).
func TestPlanCopyTargetsInSteps(t *testing.T) {
	e := listed(t, Config{}, many(2*copySlice)...)
	req := plan.Request{}
	for i := range 2 * copySlice {
		k := put(fmt.Sprintf("b/%d#1", i)).Object.Key
		req.Delete = append(req.Delete, plan.Target{Key: k.Place()})
	}
	p := newPlanCopy(req)
	p.restart(e)
	defer p.close(e)
	for last, done := 0, false; !done; last = p.next {
		var err error
		if done, err = p.step(e); err != nil {
			t.Fatal(err)
		}
		if p.next-last > copySlice {
			t.Errorf("%d targets in one step, want at most %d", p.next-last, copySlice)
		}
	}
	if p.copy.Members() != len(req.Delete) {
		t.Errorf("%d members, want %d", p.copy.Members(), len(req.Delete))
	}
}
