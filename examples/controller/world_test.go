package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/portion"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
	"github.com/ownergraph/ownergraph/internal/proof/world"
	"github.com/ownergraph/ownergraph/policy"
)

func TestControllerIsShort(t *testing.T) {
	text, err := os.ReadFile("controller.go")
	if n := bytes.Count(text, []byte("\n")); err != nil || n > 150 {
		t.Errorf("controller.go has %d lines, %v: the command's comment promises at most 150", n, err)
	}
}

// rig is a store with users and controllers. A test draws the order of all steps.
type rig struct {
	*rapid.T
	store   world.Store
	side    []*side
	todo    []oracle.Action
	done    []oracle.Action // those with an effect
	token   uint64
	history []string
}

// side is one controller with the events that its watch has still to report. The events of a
// kind are in order, and those of different kinds are not.
type side struct {
	c       *controller
	pending map[graph.Kind][]graph.Event
	slow    graph.Kind // the watch is one event behind until the users are done
}

// levelOne is the store of the controllers without fences. Users may act before each call.
type levelOne struct{ *rig }

type levelTwo struct{ levelOne }

func (s levelOne) Get(_ context.Context, k graph.Key) (graph.Object, error) {
	s.race()
	return s.store.Get(k)
}

func (s levelOne) Patch(_ context.Context, k graph.Key, pre graph.Precondition, c graph.Change) error {
	s.demand(k, pre)
	s.race()
	e, err := s.store.Patch(k, pre, c)
	s.report(e, fmt.Sprintf("patch %s %+v: %v", k, c, err))
	return err
}

func (s levelOne) Delete(_ context.Context, k graph.Key, o graph.DeleteOptions) error {
	s.demand(k, o.Precondition)
	s.race()
	e, err := s.store.Delete(k, o)
	s.report(e, fmt.Sprintf("delete %s %s: %v", k, o.Propagation, err))
	return err
}

// demand fails for a write without UID and version (R1). The end of a world may hide such a write.
func (s levelOne) demand(k graph.Key, pre graph.Precondition) {
	if pre.UID != k.UID || pre.Version == "" {
		s.Fatalf("write to %s under %+v", k, pre)
	}
}

func (levelOne) Watch(context.Context, func([]graph.Event) error) error {
	return errors.New("the rig reports the events")
}

func (s levelTwo) Fence(context.Context) (uint64, error) {
	s.race()
	s.token++
	for _, x := range s.side {
		for _, k := range append(kinds(), graph.KindInfo{}) {
			x.pending[k.Kind] = append(x.pending[k.Kind], graph.Event{Type: graph.FencePassed, Kind: k.Kind, Fence: s.token})
		}
	}
	return s.token, nil
}

var names = []string{"a", "b", "c", "d", "e"}

func kinds() (all []graph.KindInfo) {
	for _, n := range names {
		all = append(all, graph.KindInfo{Kind: graph.Kind(n)})
	}
	return all
}

// report puts an event behind those of its kind.
func (r *rig) report(e graph.Event, what string) {
	r.history = append(r.history, what)
	kind := e.Object.Kind + e.Key.Kind
	for _, x := range r.side {
		if e.Type != graph.EventUnset {
			x.pending[kind] = append(x.pending[kind], e)
		}
	}
}

// act does the next action of the users. An action that the store refuses has no effect.
func (r *rig) act() {
	a := r.todo[0]
	r.todo = r.todo[1:]
	e, err := r.store.Do(a)
	if r.report(e, fmt.Sprintf("user: %s: %v", a, err)); err == nil {
		r.done = append(r.done, a)
	}
}

func (r *rig) race() {
	if len(r.todo) > 0 && rapid.IntRange(0, 1).Draw(r.T, "race") == 0 {
		r.act()
	}
}

// start begins a controller, which has observed nothing.
func (r *rig) start(exact bool) *side {
	var s ownergraph.Store = levelOne{r}
	if exact {
		s = levelTwo{levelOne{r}}
	}
	x := &side{c: newController(s, func(graph.Key, policy.Decision) {}), pending: map[graph.Kind][]graph.Event{}}
	r.observe(x, graph.Event{Type: graph.KindsKnown, Kinds: kinds()})
	for _, k := range kinds() {
		list := []graph.Event{{Type: graph.ListBegun, Kind: k.Kind}}
		for _, o := range r.store.Objects() {
			if o.Kind == k.Kind {
				list = append(list, graph.Event{Type: graph.Put, Object: o.Clone()})
			}
		}
		x.pending[k.Kind] = append(list, graph.Event{Type: graph.ListEnded, Kind: k.Kind})
	}
	return x
}

func (r *rig) observe(x *side, e graph.Event) {
	if err := x.c.observe(e); err != nil {
		r.Fatalf("%v\n%s", err, strings.Join(r.history, "\n"))
	}
}

// deliver reports the next event of a kind to a controller.
func (r *rig) deliver(x *side, kind graph.Kind) bool {
	if len(x.pending[kind]) == 0 {
		return false
	}
	e := x.pending[kind][0]
	x.pending[kind] = x.pending[kind][1:]
	r.observe(x, e)
	return true
}

// step lets a controller decide on one object, at the time at which it is due.
func (r *rig) step(x *side) bool {
	var now time.Time
	if at, ok := x.c.keys.Due(); ok {
		now = at
	}
	worked, err := x.c.step(r.Context(), now)
	if err != nil {
		r.Fatalf("%v\n%s", err, strings.Join(r.history, "\n"))
	}
	return worked
}

// wander does steps in a drawn order, until the users are done.
func (r *rig) wander() {
	for len(r.todo) > 0 {
		x := r.side[rapid.IntRange(0, len(r.side)-1).Draw(r.T, "controller")]
		switch rapid.IntRange(0, 14).Draw(r.T, "step") {
		case 0:
			r.act()
		case 1, 2, 3, 4, 5, 6:
			r.step(x)
		default:
			if k := graph.Kind(rapid.SampledFrom(append(names, "")).Draw(r.T, "kind")); k != x.slow || len(x.pending[k]) > 1 {
				r.deliver(x, k)
			}
		}
	}
}

// maxSteps bounds the steps of a few controllers for a handful of objects.
const maxSteps = 2000

// rest ends the watches' delay, and steps until each controller rests.
func (r *rig) rest() {
	for range maxSteps {
		busy := false
		for _, x := range r.side {
			for _, k := range append(names, "") {
				for r.deliver(x, graph.Kind(k)) {
					busy = true
				}
			}
			busy = r.step(x) || busy
		}
		if !busy {
			return
		}
	}
	r.Fatalf("no rest after %d steps: %s\n%s", maxSteps, oracle.Line(r.store.Objects()), strings.Join(r.history, "\n"))
}

func drawOwner(t *rapid.T) graph.Owner {
	name := rapid.SampledFrom(names[:4]).Draw(t, "owner")
	o := graph.Owner{Key: graph.Key{Kind: graph.Kind(name), Name: name, UID: graph.UID(name)}}
	switch rapid.IntRange(0, 11).Draw(t, "flaw") {
	case 0:
		o.Name = "other"
	case 1:
		o.Kind = "e"
	case 2:
		o.Unresolved = true
	}
	o.Block = rapid.Bool().Draw(t, "block")
	return o
}

func drawObject(t *rapid.T, name string) graph.Object {
	o := graph.Object{Key: graph.Key{Kind: graph.Kind(name), Name: name, UID: graph.UID(name)}, Version: "1"}
	for range rapid.IntRange(0, 2).Draw(t, "owners") {
		r := drawOwner(t)
		if !slices.ContainsFunc(o.Owners, func(x graph.Owner) bool { return x.UID == r.UID }) {
			o.Owners = append(o.Owners, r)
		}
	}
	o.Finalizers = rapid.SampledFrom([][]string{nil, nil, nil, {"x.io/hold"}, {graph.FinalizerForeground}, {graph.FinalizerOrphan}}).Draw(t, "finalizers")
	o.Deleting = len(o.Finalizers) > 0 && rapid.Bool().Draw(t, "marked")
	return o
}

func drawAction(t *rapid.T) oracle.Action {
	a := oracle.Action{Verb: rapid.SampledFrom([]oracle.Verb{oracle.Foreground, oracle.Foreground, oracle.Background, oracle.Background,
		oracle.Orphan, oracle.Orphan, oracle.AddRef, oracle.AddRef, oracle.DropRef, oracle.Flip, oracle.Strip, oracle.Finish,
		oracle.Touch, oracle.Recreate, oracle.Create}).Draw(t, "verb")}
	if a.Verb == oracle.Create {
		a.Object = drawObject(t, "e")
		a.Object.Deleting, a.Object.Version = false, ""
		return a
	}
	a.Object.Key = drawObject(t, rapid.SampledFrom(names[:4]).Draw(t, "object")).Key
	if a.Verb == oracle.AddRef || a.Verb == oracle.DropRef || a.Verb == oracle.Flip {
		a.Object.Owners = []graph.Owner{drawOwner(t)}
	}
	if a.Verb != oracle.AddRef && len(a.Object.Owners) > 0 { // the key alone names the reference
		a.Object.Owners[0].Block, a.Object.Owners[0].Unresolved = false, false
	}
	return a
}

// propagates reports whether a deletion of the history is in the foreground or orphans.
func propagates(start []graph.Object, actions []oracle.Action) bool {
	return slices.ContainsFunc(start, func(o graph.Object) bool { return o.Propagation() != graph.Unset }) ||
		slices.ContainsFunc(actions, func(a oracle.Action) bool {
			return a.Verb == oracle.Foreground || a.Verb == oracle.Orphan || a.Object.Propagation() != graph.Unset
		})
}

// TestWorlds: one or two controllers and racing users end in a state that the specification
// permits. On a store without fences that is true for background deletions.
func TestWorlds(t *testing.T) {
	for _, level := range []string{"with fences", "without fences"} {
		for i := range portion.Number(5, 50) {
			t.Run(fmt.Sprint(level, i), rapid.MakeCheck(func(t *rapid.T) { check(t, level == "with fences") }))
		}
	}
}

func drawWorld(t *rapid.T) (start []graph.Object, actions []oracle.Action) {
	for _, n := range names[:rapid.IntRange(1, 4).Draw(t, "objects")] {
		start = append(start, drawObject(t, n))
	}
	for range rapid.IntRange(0, 3).Draw(t, "actions") {
		actions = append(actions, drawAction(t))
	}
	return start, actions
}

// drawRace returns a deletion of an owner, and writes about the same few objects.
func drawRace(t *rapid.T) ([]graph.Object, []oracle.Action) {
	start, err := graph.Parse(rapid.SampledFrom([]string{"a; b; c -> a!; d", "a; b; c -> a, b!; d -> c!", "a[x.io/hold]; b[x.io/hold]; c -> a!, b!; d -> a!"}).Draw(t, "start"))
	text := rapid.SampledFrom([]string{"bg a", "fg a", "orphan a"}).Draw(t, "deletion")
	for range rapid.IntRange(1, 2).Draw(t, "writes") {
		text += "; " + rapid.SampledFrom([]string{"addref c->b", "addref d->a!", "dropref c->a", "strip a", "orphan a", "fg a", "bg b", "fg b", "touch c", "create e -> a!"}).Draw(t, "write")
	}
	actions, bad := oracle.ParseActions(text)
	if err = errors.Join(err, bad); err != nil {
		t.Fatal(err)
	}
	return start, actions
}

func check(t *rapid.T, exact bool) {
	start, actions := drawWorld(t)
	if rapid.Bool().Draw(t, "close") {
		start, actions = drawRace(t)
	}
	r := &rig{T: t, store: world.NewStore(start), todo: actions}
	cold := rapid.IntRange(0, 3).Draw(t, "cold") == 0 // the users do not wait for the listings
	for range rapid.IntRange(1, 2).Draw(t, "controllers") {
		x := r.start(exact)
		x.slow = graph.Kind(rapid.SampledFrom(names[:4]).Draw(t, "slow"))
		r.side = append(r.side, x)
		for _, k := range names {
			for !cold && r.deliver(x, graph.Kind(k)) {
			}
		}
	}
	r.wander()
	r.rest()
	got := oracle.Line(r.store.Objects())
	tell := func(what string) {
		t.Fatalf("%s: %s\nfrom %s\n%s", what, got, oracle.Line(start), strings.Join(r.history, "\n"))
	}
	if !oracle.Quiet(oracle.NewState(r.store.Objects()), oracle.Config{}) {
		tell("work is left")
	}
	if !exact && propagates(start, r.done) {
		return
	}
	if ends := oracle.Ends(start, r.done, oracle.Config{}); !slices.Contains(ends, got) {
		tell(fmt.Sprintf("the end is not permitted, want one of\n  %s\nhave", strings.Join(ends, "\n  ")))
	}
}
