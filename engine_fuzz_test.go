package ownergraph_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/probe"
)

// FuzzEngine: a store may report anything, in any order. The engine then neither panics
// nor breaks an invariant. Each write names a UID and a version that the watch or a read
// has shown. The engine writes to no object that no event gave an owner or a mark.
func FuzzEngine(f *testing.F) {
	f.Add([]byte("events, answers and moments in any order"))
	f.Fuzz(rapid.MakeFuzz(anything))
}

// TestAnything is the same with rapid's choices.
func TestAnything(t *testing.T) { rapid.Check(t, anything) }

// hostile is an engine with its input so far.
type hostile struct {
	*rapid.T
	e        *engine.Engine
	now      time.Time
	calls    []engine.Call
	shown    map[graph.Precondition][]graph.Object // every state that a put or a read has shown
	observes bool
	sweeps   bool // an object without owner and mark may be a member or a holder
}

func anything(t *rapid.T) {
	levels := []ownergraph.Level{ownergraph.Level0, ownergraph.Level1, ownergraph.Level2}
	cfg := settings(t)
	level := rapid.SampledFrom(levels).Draw(t, "level")
	e, err := engine.New(level, cfg)
	if err != nil {
		t.Fatal(err)
	}
	h := &hostile{t, e, time.Unix(0, 0), nil, map[graph.Precondition][]graph.Object{}, cfg.ObserveOnly || level == ownergraph.Level0, len(cfg.Sweeps) > 0}
	h.observe(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "p", Scoped: true}}})
	for range rapid.IntRange(0, 60).Draw(t, "steps") {
		h.step()
		if err := probe.Check(e); err != nil {
			t.Fatal(err)
		}
	}
}

// settings draws those of an engine.
func settings(t *rapid.T) ownergraph.Config {
	one := func(what string) bool { return rapid.IntRange(0, 3).Draw(t, what) == 0 }
	c := ownergraph.Config{
		Scope:     rapid.SampledFrom([]graph.ScopeRule{graph.ScopeHold, graph.ScopeAbsent}).Draw(t, "scope rule"),
		OwnerName: rapid.SampledFrom([]graph.NameRule{graph.NameHold, graph.NameAbsent}).Draw(t, "name rule"),
		Override:  one("override"), ObserveOnly: one("observe only"),
		Limits: graph.Limits{Owners: rapid.IntRange(0, 2).Draw(t, "most owners"), Text: rapid.IntRange(0, 2).Draw(t, "longest text")},
	}
	memory := probe.Tuning(&c)
	memory.AbsentOwners, memory.OrphanedOwners = rapid.IntRange(-1, 2).Draw(t, "absent owners"), rapid.IntRange(-1, 2).Draw(t, "orphaned owners")
	if one("fences are released") {
		c.FenceWait, probe.Tuning(&c).AwaitTimeout = 1, time.Second
	}
	if one("acknowledgements") {
		c.Acknowledge, c.AcknowledgeWithin = []graph.Kind{"a", "x"}, time.Minute
	}
	if one("handlers") {
		c.Handlers = map[string]finalizer.Handler{"foreign": func(context.Context, graph.Object) error { return nil }}
	}
	if one("versions compare") {
		c.CompareVersions = func(_ graph.Kind, a, b graph.Version) int { return strings.Compare(string(a), string(b)) }
	}
	if one("ignored kinds") {
		c.Ignore = []graph.Kind{"x"}
	} else if one("sweeps") {
		c.Sweeps = []guard.Sweep{{Finalizer: "x.io/a", Holder: "a", Unguarded: one("unguarded"), Members: []guard.Members{
			{By: guard.ByOwner}, {By: guard.ByScope, Delimiter: "-"}, {By: guard.ByLabel, Label: "of"},
		}}}
	}
	return c
}

func (h *hostile) step() {
	switch rapid.IntRange(0, 9).Draw(h.T, "step") {
	case 0, 1, 2, 3:
		h.observe(h.event())
	case 4, 5:
		lanes := []engine.Lane{engine.LaneStore, engine.LaneControl, engine.LaneHandler, 9}
		c, _ := h.e.Next(h.now, rapid.SampledFrom(lanes).Draw(h.T, "lane"))
		if c.Type != engine.CallUnset {
			h.judge(c)
			h.calls = append(h.calls, c)
		}
	case 6, 7:
		h.answer()
	case 8:
		h.now = h.now.Add(time.Duration(rapid.IntRange(-1, 90).Draw(h.T, "seconds")) * time.Second)
	case 9:
		if err := h.e.Done(h.now, engine.CallID(1000+rapid.IntRange(0, 9).Draw(h.T, "foreign call")), engine.Result{}); err == nil {
			h.Fatal("the engine took the result of a call that it never returned")
		}
	}
}

func (h *hostile) observe(ev graph.Event) {
	if err := h.e.Observe(h.now, ev); err != nil {
		if !errors.Is(err, graph.ErrInvalid) {
			h.Fatalf("%s refused: %v", ev.Type, err)
		}
		return
	}
	if ev.Type == graph.Put {
		h.show(ev.Object)
	}
}

func (h *hostile) show(o graph.Object) {
	pre := graph.Precondition{UID: o.UID, Version: o.Version}
	h.shown[pre] = append(h.shown[pre], o.Clone())
}

// answer reports a call, or one that is over again, with any result.
func (h *hostile) answer() {
	if len(h.calls) == 0 {
		return
	}
	i := rapid.IntRange(0, len(h.calls)-1).Draw(h.T, "call")
	c := h.calls[i]
	h.calls = slices.Delete(h.calls, i, i+1)
	r := engine.Result{Err: rapid.SampledFrom([]error{
		nil, nil, graph.ErrNotFound, graph.ErrConflict, graph.ErrKindUnknown, graph.ErrRefused, errors.New("lost"), ownergraph.ErrNotBegun,
	}).Draw(h.T, "error")}
	if r.Err == nil && c.Type == engine.CallRead {
		r.Object = h.object()
		if rapid.Bool().Draw(h.T, "at its place") {
			r.Object.Key = c.Key
		}
		h.show(r.Object)
	}
	for c.Type == engine.CallSelect && rapid.Bool().Draw(h.T, "one more") {
		r.Selected.Objects = append(r.Selected.Objects, graph.LabelMatch{
			Key: h.key(), Version: rapid.SampledFrom([]graph.Version{"1", "2", "3", ""}).Draw(h.T, "version"), Value: rapid.SampledFrom([]string{"m", "n", ""}).Draw(h.T, "value"),
		})
		r.Selected.More = rapid.SampledFrom([]string{"", "", "more"}).Draw(h.T, "more")
	}
	r.Fence = rapid.SampledFrom([]uint64{uint64(c.ID), uint64(c.ID), 0, 1}).Draw(h.T, "token")
	passes := "never"
	if c.Type == engine.CallFence {
		passes = rapid.SampledFrom([]string{"never", "before", "after"}).Draw(h.T, "passes")
	}
	h.pass(passes == "before", r.Fence)
	if err := h.e.Done(h.now, c.ID, r); err != nil {
		h.Fatalf("%s %s: %v", c.Type, c.Key, err)
	}
	h.pass(passes == "after", r.Fence)
}

// pass reports that every kind has passed a fence, if it does.
func (h *hostile) pass(does bool, token uint64) {
	for _, k := range []graph.Kind{"a", "p", ""} {
		if does {
			h.observe(graph.Event{Type: graph.FencePassed, Kind: k, Fence: token})
		}
	}
}

// judge compares a call with the input so far.
func (h *hostile) judge(c engine.Call) {
	pre := c.Precondition
	switch c.Type {
	case engine.CallDelete:
		pre = c.Options.Precondition
	case engine.CallPatch:
	default:
		return
	}
	if h.observes {
		h.Fatalf("%s %s at level 0, or by an engine that only observes", c.Type, c.Key)
	}
	if pre.UID == "" || pre.Version == "" || pre.UID != c.Key.UID {
		h.Fatalf("%s %s with precondition %+v", c.Type, c.Key, pre)
	}
	if !slices.ContainsFunc(h.shown[pre], func(o graph.Object) bool {
		return o.Key == c.Key && (h.sweeps || o.Deleting || slices.ContainsFunc(o.Owners, func(r graph.Owner) bool { return r.UID != o.UID }))
	}) {
		h.Fatalf("%s %s at %q: nothing shown has that version, and an owner or a mark", c.Type, c.Key, pre.Version)
	}
}

func (h *hostile) event() graph.Event {
	ev := graph.Event{
		Type: graph.EventType(rapid.IntRange(1, 13).Draw(h.T, "type")),
		Kind: rapid.SampledFrom([]graph.Kind{"a", "p", "x", ""}).Draw(h.T, "kind"), Fence: uint64(rapid.IntRange(0, 4).Draw(h.T, "fence")),
		Reason: rapid.SampledFrom([]string{"", "why"}).Draw(h.T, "reason"),
	}
	switch ev.Type {
	case graph.KindsKnown:
		all := []graph.KindInfo{{Kind: "a"}, {Kind: "p", Scoped: true}, {Kind: "x", NoOwner: true}}
		ev.Kinds = all[:rapid.IntRange(0, len(all)).Draw(h.T, "kinds")]
	case graph.Put:
		ev.Object = h.object()
	case graph.Gone:
		ev.Key = h.key()
	}
	return ev
}

func (h *hostile) key() graph.Key {
	k := graph.Key{Kind: rapid.SampledFrom([]graph.Kind{"a", "a", "p", "x"}).Draw(h.T, "kind"),
		Name: rapid.SampledFrom([]string{"m", "n", ""}).Draw(h.T, "name"),
		UID:  rapid.SampledFrom([]graph.UID{"1", "2", "3", "4", ""}).Draw(h.T, "UID")}
	if k.Kind == "p" {
		k.Scope = rapid.SampledFrom([]string{"s", "t", ""}).Draw(h.T, "scope")
	}
	return k
}

func (h *hostile) object() graph.Object {
	o := graph.Object{Key: h.key(), Version: rapid.SampledFrom([]graph.Version{"1", "2", "3", ""}).Draw(h.T, "version")}
	for range rapid.IntRange(0, 3).Draw(h.T, "owners") {
		o.Owners = append(o.Owners, graph.Owner{Key: h.key(), Block: rapid.Bool().Draw(h.T, "block"), Unresolved: rapid.IntRange(0, 9).Draw(h.T, "unresolved") == 9})
	}
	names := []string{graph.FinalizerForeground, graph.FinalizerOrphan, "foreign", "x.io/a"}
	o.Finalizers = rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 2, rapid.ID).Draw(h.T, "finalizers")
	o.Deleting = rapid.Bool().Draw(h.T, "deleting")
	return o
}
