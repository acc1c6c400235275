package ownergraph_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// TestApproveErrorTexts: the error of an approval that does not fit names the object and the
// field.
func TestApproveErrorTexts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b -> a; c -> b; e")
		r := collect(t, s, guarding(guard.Guard{Names: []string{"a", "e"}, Always: true}))
		r.idle()
		planOf := func(key string) plan.Plan {
			p, err := r.Plan(t.Context(), plan.Request{Delete: []plan.Target{{Key: keyOf(t, key)}}})
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		before, other := planOf("a").Fingerprint, planOf("e").Fingerprint
		s.delete(t, "a", graph.Background)
		r.idle()
		shape, now := s.shape(), planOf("a").Fingerprint
		stranger := keyOf(t, "a")
		stranger.UID = "another"
		missing := keyOf(t, "a")
		missing.Name = "z"
		for _, c := range []struct {
			key    ownergraph.Key
			a      ownergraph.Approval
			is     error
			want   string
			reason string
		}{
			{keyOf(t, "a").Place(), ownergraph.Approval{AtMost: upTo(9)}, ownergraph.ErrInvalid, "approve a: UID: empty: invalid", "no UID"},
			{stranger, ownergraph.Approval{AtMost: upTo(9)}, ownergraph.ErrNotFound, "approve a@another: UID: no such object is observed: not found", "another UID"},
			{missing, ownergraph.Approval{AtMost: upTo(9)}, ownergraph.ErrNotFound, "UID: no such object is observed: not found", "another name"},
			{keyOf(t, "a"), ownergraph.Approval{}, ownergraph.ErrInvalid, "approve a: Approval: want Fingerprint or AtMost: invalid", "neither field"},
			{keyOf(t, "a"), ownergraph.Approval{AtMost: upTo(9), Fingerprint: now}, ownergraph.ErrInvalid, "approve a: Approval: want Fingerprint or AtMost: invalid", "both fields"},
			{keyOf(t, "a"), ownergraph.Approval{AtMost: upTo(-1)}, ownergraph.ErrInvalid, "approve a: AtMost: -1 is negative: invalid", "a bound below zero"},
			{keyOf(t, "a"), ownergraph.Approval{Fingerprint: "cafe"}, ownergraph.ErrInvalid, "approve a: Fingerprint: want 64 hexadecimal digits: invalid", "too short"},
			{keyOf(t, "a"), ownergraph.Approval{Fingerprint: strings.Repeat("g", 64)}, ownergraph.ErrInvalid, "approve a: Fingerprint: want 64 hexadecimal digits: invalid", "no digits"},
			{keyOf(t, "a"), ownergraph.Approval{AtMost: upTo(1)}, plan.ErrChanged, "approve a: AtMost: 2 objects would end, and the bound is 1: ", "too few"},
			{keyOf(t, "a"), ownergraph.Approval{Fingerprint: before}, plan.ErrChanged, fmt.Sprintf("approve a: Fingerprint: %.12s is of another plan, or out of date; now it is %.12s: ", before, now), "out of date: from before the mark"},
			{keyOf(t, "a"), ownergraph.Approval{Fingerprint: other}, plan.ErrChanged, fmt.Sprintf("approve a: Fingerprint: %.12s is of another plan", other), "of the plan of another root"},
			{keyOf(t, "e"), ownergraph.Approval{AtMost: upTo(9)}, ownergraph.ErrInvalid, "approve e: deletion mark: it is not being deleted: invalid", "no mark"},
		} {
			err := r.Approve(t.Context(), c.key, c.a)
			if !errors.Is(err, c.is) || !strings.Contains(fmt.Sprint(err), c.want) {
				t.Errorf("Approve: %v, want %q: %s", err, c.want, c.reason)
			}
		}
		s.contains(t, shape)
		s.finish(t, "a", heldBy)
		r.idle()
		if err := r.Approve(t.Context(), keyOf(t, "a"), ownergraph.Approval{AtMost: upTo(9)}); !errors.Is(err, ownergraph.ErrNotFound) {
			t.Errorf("Approve: %v, want that it is gone", err)
		}
	})
}

// TestJudgeErrors: the error of a judgement that is not asked for names the object and the field.
func TestJudgeErrors(t *testing.T) {
	e, err := engine.New(ownergraph.Level2, guarding(guard.Guard{Names: []string{"a"}, Always: true}))
	if err != nil {
		t.Fatal(err)
	}
	for _, ev := range []graph.Event{
		{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "k"}}}, begun("k"),
		{Type: graph.Put, Object: parsed(t, "k/a#1~["+graph.FinalizerNew+"]")}, {Type: graph.Put, Object: parsed(t, "k/b#1")}, ended("k"),
	} {
		if err := e.Observe(time.Unix(1000, 0), ev); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		call         engine.Call
		is           error
		want, reason string
	}{
		{engine.Call{Type: engine.CallDelete, Key: keyOf(t, "k/a")}, ownergraph.ErrInvalid, "Type: the call is a delete: invalid", "another call"},
		{engine.Call{Type: engine.CallJudge, Key: keyOf(t, "k/z")}, ownergraph.ErrNotFound, "judge k/z: Key: not observed: not found", "no such object"},
		{engine.Call{Type: engine.CallJudge}, ownergraph.ErrNotFound, "Key: not observed: not found", "no key"},
		{engine.Call{Type: engine.CallJudge, Key: keyOf(t, "k/b")}, ownergraph.ErrInvalid, "judge k/b: Guards: none selects it, or it has passed: invalid", "no guard"},
		{engine.Call{Type: engine.CallJudge, Key: keyOf(t, "k/a")}, ownergraph.ErrInvalid, "judge k/a: Guards: none selects it, or it has passed: invalid", "it has passed"},
	} {
		if _, err := ownergraph.Judge(t.Context(), e, c.call); !errors.Is(err, c.is) || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("Judge: %v, want %q: %s", err, c.want, c.reason)
		}
	}
}

// TestGuardSettingErrors: a wrong guard gets an error that names the field, before the first call.
func TestGuardSettingErrors(t *testing.T) {
	pods := guard.Phase{Kinds: []graph.Kind{"pod"}}
	for _, c := range []struct {
		guard        guard.Guard
		want, reason string
	}{
		{guard.Guard{Names: []string{"a"}, Above: upTo(-1)}, "Guards[1].Above: negative", "a limit below zero"},
		{guard.Guard{Names: []string{"a"}, Phases: []guard.Phase{pods, pods}}, "Guards[1]: Phases[1]: it matches nothing: Phases[0] takes all of it", "a phase twice"},
		{guard.Guard{Always: true}, "Guards[1].Kinds: no condition selects the roots", "every object would be a root"},
	} {
		cfg := ownergraph.Config{Guards: []guard.Guard{{Names: []string{"x"}, Always: true}, c.guard}}
		if _, err := engine.New(ownergraph.Level2, cfg); !errors.Is(err, ownergraph.ErrInvalid) || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("engine.New: %v, want %q: %s", err, c.want, c.reason)
		}
	}
}

// TestGuardUnfit: a guard on a kind that may not own puts no finalizer on, and the report names
// the object, the kind and the guard.
func TestGuardUnfit(t *testing.T) {
	e, err := engine.New(ownergraph.Level2, guarding(guard.Guard{Name: "all", Names: []string{"a"}, Always: true}))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1000, 0)
	for _, ev := range []graph.Event{
		{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "event", NoOwner: true}}}, begun("event"),
		{Type: graph.Put, Object: parsed(t, "event/a#1")}, ended("event"),
	} {
		if err := e.Observe(now, ev); err != nil {
			t.Fatal(err)
		}
	}
	for _, lane := range []engine.Lane{engine.LaneStore, engine.LaneControl} {
		for c, _ := e.Next(now, lane); c.ID != 0; c, _ = e.Next(now, lane) {
			if c.Type == engine.CallPatch {
				t.Errorf("a write: %+v", c)
			}
		}
	}
	held := e.Held(9)
	if len(held) != 1 || held[0].Reason != policy.GuardUnfit || fmt.Sprint(held[0].Detail) != "[guard all objects of the kind event may not own]" {
		t.Errorf("held: %+v", held)
	}
}

// parsed returns the object of a line in the notation.
func parsed(t *testing.T, line string) graph.Object {
	t.Helper()
	o, err := graph.ParseObject(line)
	if err != nil {
		t.Fatal(err)
	}
	return o
}
