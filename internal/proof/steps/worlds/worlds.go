package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// worlds are large in one dimension each.
var worlds = []struct {
	name string
	run  func()
}{
	{"dependents", func() { dependents(graph.Background) }},
	{"dependents, foreground", func() { dependents(graph.Foreground) }},
	{"dependents, orphan", func() { dependents(graph.Orphan) }},
	{"phantoms", phantoms},
	{"owners", owners},
	{"kinds", kinds},
	{"ordered roots", orderedRoots},
	{"guarded roots", guardedRoots},
	{"braked cascades", brakedCascades},
	{"holders", holders},
	{"members", members},
	{"handlers", handlerRuns},
	{"ring", func() { rings(1, many) }},
	{"rings", func() { rings(2000, 3) }},
	{"waiting ring", func() { waitingRings(1, many) }},
	{"waiting rings", func() { waitingRings(3000, 2) }},
	{"chain", chain},
	{"pending reads", pendingReads},
	{"fences", fences},
	{"late calls", lateCalls},
	{"uid", sharedUID},
	{"dense ring", func() { dense(graph.Unset) }},
	{"dense waiting ring", func() { dense(graph.Foreground) }},
	{"dense order", denseOrder},
	{"container", container},
	{"definition", definition},
}

// many is more than the bound of command worlds.
const many = 6000

// rested is the number of deletions of a user after which the engine works to its end.
const rested = 100

func object(kind graph.Kind, name string, owners ...graph.Key) graph.Object {
	o := graph.Object{Key: graph.Key{Kind: kind, Name: name, UID: graph.UID("u-" + string(kind) + "-" + name)}}
	for _, k := range owners {
		o.Owners = append(o.Owners, graph.Owner{Key: k, Block: true})
	}
	return o
}

func infos(names ...graph.Kind) (out []graph.KindInfo) {
	for _, n := range names {
		out = append(out, graph.KindInfo{Kind: n})
	}
	return out
}

func manyKinds(n int) (out []graph.KindInfo) {
	for i := range n {
		out = append(out, graph.KindInfo{Kind: graph.Kind(fmt.Sprintf("kind%06d", i))})
	}
	return out
}

// events are those of a world in which all has changed at least once.
func (r *rig) events(some graph.Key) {
	r.ask(some)
	kind := r.kinds[len(r.kinds)-1].Kind
	r.see(graph.Event{Type: graph.KindSick, Kind: kind, Reason: "down"})
	r.rest()
	r.ask(some)
	r.see(graph.Event{Type: graph.KindRecovered, Kind: kind})
	r.rest()
	_, _ = r.e.Pause(r.now, engine.Extent{All: true})
	r.rest()
	r.ask(some)
	_ = r.e.Resume(r.now, engine.Extent{All: true})
	r.run(time.Minute)
	r.relist(r.kinds[0].Kind)
	r.run(time.Minute)
	r.see(graph.Event{Type: graph.KindsKnown, Kinds: append(infos("another"), r.kinds...)})
	r.relist("another")
	r.run(time.Minute)
	r.see(graph.Event{Type: graph.KindVanished, Kind: "another"})
	r.run(time.Minute)
	r.ask(some)
	r.run(time.Hour) // audits
	r.ask(some)
}

// restore is a rewind of the store, and the listings that follow.
func (r *rig) restore() {
	r.see(graph.Event{Type: graph.Rewound, Reason: "restored"})
	r.rest()
	r.list()
	r.run(time.Minute)
}

func dependents(p graph.Propagation) {
	root := object("a", "root")
	all := []graph.Object{root}
	for i := range many {
		all = append(all, object("b", fmt.Sprint(i), root.Key))
	}
	r := newRig(ownergraph.Config{}, infos("a", "b"), all)
	r.run(time.Minute)
	r.events(root.Key)
	r.delete(root.Key, p)
	r.answer = func(c engine.Call) error {
		if r.revision%1000 == 0 {
			r.revision++
			return graph.ErrConflict
		}
		return nil
	}
	r.run(time.Hour)
	r.ask(root.Key)
	r.restore()
}

// phantoms are the owners of many objects, and not there.
func phantoms() {
	var all []graph.Object
	for i := range many {
		all = append(all, object("b", fmt.Sprint(i), object("a", fmt.Sprint(i)).Key))
	}
	r := newRig(ownergraph.Config{ObserveOnly: true}, infos("a", "b"), all)
	r.run(time.Minute)
	r.events(all[0].Key)
	r.relist("a")
	r.run(time.Minute)
	r.restore()
	down := errors.New("down")
	r.answer = func(engine.Call) error { return down }
	r.events(all[0].Key)
}

// owners has objects with as many owners as an object may have.
func owners() {
	var all []graph.Object
	var keys []graph.Key
	for i := range 1000 {
		o := object("a", fmt.Sprint(i))
		all, keys = append(all, o), append(keys, o.Key)
	}
	for i := range 20 {
		all = append(all, object("b", fmt.Sprint(i), keys...))
	}
	r := newRig(ownergraph.Config{}, infos("a", "b"), all)
	r.run(time.Minute)
	r.events(all[1000].Key)
	for _, k := range keys {
		r.delete(k, graph.Foreground)
	}
	r.run(time.Hour)
	r.ask(all[1000].Key)
	r.restore()
}

func kinds() {
	root := object("kind000001", "root")
	all := []graph.Object{root}
	for i := range 2000 {
		all = append(all, object(graph.Kind(fmt.Sprintf("kind%06d", i)), "x", root.Key))
	}
	r := newRig(ownergraph.Config{}, manyKinds(many), all)
	r.run(time.Minute)
	r.events(root.Key)
	r.delete(root.Key, graph.Foreground)
	r.rest()
	for i := range many {
		if i%2 == 0 {
			r.see(graph.Event{Type: graph.KindSick, Kind: r.kinds[i].Kind, Reason: "down"})
			r.rest()
		}
	}
	r.ask(root.Key)
	r.run(time.Minute)
	for i := range many {
		if i%2 == 0 {
			r.see(graph.Event{Type: graph.KindRecovered, Kind: r.kinds[i].Kind})
			r.rest()
		}
	}
	r.run(time.Hour)
	r.restore()
	for i := range 50 {
		r.see(graph.Event{Type: graph.KindVanished, Kind: r.kinds[i].Kind})
		r.rest()
	}
}

func phased() ownergraph.Config {
	return ownergraph.Config{Guards: []guard.Guard{{Name: "g", Kinds: []graph.Kind{"a"}, Phases: []guard.Phase{
		{Name: "first", Where: func(o graph.Object) bool { return o.Kind == "b" }}, {Name: "second", Where: func(o graph.Object) bool { return o.Kind == "c" }},
	}}}}
}

// forest has n roots with two dependents each, and may make them wait for a finalizer.
func forest(n int, finalizers ...string) (all []graph.Object, roots []graph.Key) {
	for i := range n {
		root := object("a", fmt.Sprint(i))
		b, c := object("b", fmt.Sprint(i), root.Key), object("c", fmt.Sprint(i), root.Key)
		b.Finalizers = finalizers
		all, roots = append(all, root, b, c), append(roots, root.Key)
	}
	return all, roots
}

func orderedRoots() {
	all, roots := forest(many, "x.io/slow")
	r := newRig(phased(), infos("a", "b", "c"), all)
	r.run(time.Minute)
	for i, k := range roots {
		if r.delete(k, graph.Foreground); i%rested == 0 {
			r.rest()
		}
	}
	r.run(time.Minute)
	r.events(roots[0])
	r.put(object("b", "new", roots[5]))
	r.run(time.Minute)
	r.restore()
	r.ask(roots[0])
	for i := range roots {
		o := r.objects[graph.Key{Kind: "b", Name: fmt.Sprint(i)}]
		o.Finalizers = nil
		r.put(o)
	}
	r.run(time.Hour)
}

func guardedRoots() {
	all, roots := forest(many)
	r := newRig(ownergraph.Config{Guards: []guard.Guard{{Name: "g", Kinds: []graph.Kind{"a"}, Always: true}}}, infos("a", "b", "c"), all)
	r.run(time.Minute)
	r.events(roots[0])
	for _, k := range roots {
		r.delete(k, graph.Background)
	}
	r.run(time.Minute)
	r.events(roots[0])
	r.restore()
}

func brakedCascades() {
	all, roots := forest(many)
	r := newRig(ownergraph.Config{Brake: engine.Brake{PerCascade: 1}}, infos("a", "b", "c"), all)
	r.run(time.Minute)
	for _, k := range roots {
		r.delete(k, graph.Background)
	}
	r.run(time.Minute)
	r.events(roots[0])
	for i, k := range roots {
		if i%2 == 0 {
			_ = r.e.ApproveCascade(r.now, k, engine.BrakeApproval{Until: r.now.Add(time.Hour), AtMost: 10})
		} else if i < 1000 {
			_ = r.e.RefuseCascade(r.now, k, engine.OrphanHeld)
		}
	}
	r.run(time.Hour)
	r.restore()
}

func sweeping() ownergraph.Config {
	return ownergraph.Config{Sweeps: []guard.Sweep{{
		Finalizer: "x.io/tenant", Holder: "a", Members: []guard.Members{{By: guard.ByName, Delimiter: "-"}},
		Phases: []guard.Phase{{Name: "b", Where: func(o graph.Object) bool { return o.Kind == "b" }}},
	}}}
}

// tenants has holders with members each.
func tenants(holders, members int, finalizers ...string) (all []graph.Object, roots []graph.Key) {
	for i := range holders {
		o := object("a", fmt.Sprint(i))
		o.Finalizers = []string{"x.io/tenant"}
		all, roots = append(all, o), append(roots, o.Key)
		for j := range members {
			m := object([...]graph.Kind{"b", "c"}[j%2], fmt.Sprintf("%d-%d", i, j))
			m.Finalizers = finalizers
			all = append(all, m)
		}
	}
	return all, roots
}

func holders() {
	all, roots := tenants(4500, 2, "x.io/slow")
	r := newRig(sweeping(), infos("a", "b", "c"), all)
	r.run(time.Minute)
	for i, k := range roots {
		if r.delete(k, graph.Background); i%rested == 0 {
			r.rest()
		}
	}
	r.run(time.Minute)
	r.events(roots[0])
	r.restore()
}

func members() {
	all, roots := tenants(1, many)
	r := newRig(sweeping(), infos("a", "b", "c"), all)
	r.run(time.Minute)
	r.ask(roots[0])
	r.delete(roots[0], graph.Background)
	r.rest()
	r.events(roots[0])
	r.restore()
}

func handlerRuns() {
	var all []graph.Object
	for i := range many {
		o := object("a", fmt.Sprint(i))
		o.Finalizers = []string{"x.io/work"}
		all = append(all, o)
	}
	r := newRig(ownergraph.Config{HandlerWorkers: many, Handlers: map[string]finalizer.Handler{"x.io/work": func(context.Context, graph.Object) error { return nil }}}, infos("a"), all)
	r.keep = func(c engine.Call) bool { return c.Type == engine.CallHandle }
	for _, o := range all {
		r.delete(o.Key, graph.Background)
	}
	r.rest()
	r.ask(all[0].Key)
	r.events(all[0].Key)
	r.release()
	r.events(all[0].Key)
	r.restore()
}

func rings(n, of int) {
	var all []graph.Object
	for i := range n {
		for j := range of {
			o := object("a", fmt.Sprintf("%d-%d", i, j), object("a", fmt.Sprintf("%d-%d", i, (j+1)%of)).Key)
			all = append(all, o)
		}
	}
	r := newRig(ownergraph.Config{}, infos("a", "b"), all)
	r.run(time.Minute)
	r.events(all[0].Key)
	r.put(all[0])
	r.run(time.Hour)
	for i := range all {
		if i%of == 0 {
			o := all[i]
			o.Owners = nil
			r.put(o)
		}
	}
	r.run(time.Hour)
	r.restore()
}

// waitingRings waits in rings, below a root each.
func waitingRings(n, of int) {
	var all []graph.Object
	for i := range n {
		for j := range of {
			all = append(all, object("a", fmt.Sprintf("%d-%d", i, j), object("a", fmt.Sprintf("%d-%d", i, (j+1)%of)).Key))
		}
	}
	r := newRig(ownergraph.Config{}, infos("a", "b"), all)
	r.run(time.Minute)
	for _, o := range all {
		r.delete(o.Key, graph.Foreground)
	}
	r.silent = true
	r.run(time.Minute)
	r.ask(all[0].Key)
	r.silent = false
	r.see(graph.Event{Type: graph.KindsKnown, Kinds: r.kinds})
	r.events(all[0].Key)
	r.restore()
}

func chain() {
	all := []graph.Object{object("a", "0")}
	for i := range many {
		all = append(all, object("a", fmt.Sprint(i+1), all[i].Key))
	}
	r := newRig(ownergraph.Config{}, infos("a", "b"), all)
	r.run(time.Minute)
	r.events(all[many].Key)
	r.delete(all[0].Key, graph.Foreground)
	r.run(time.Hour)
	r.ask(all[0].Key)
	r.restore()
}

// pendingReads makes many objects wait for the read of one owner.
func pendingReads() {
	owner := object("a", "owner").Key
	var all []graph.Object
	for i := range many {
		all = append(all, object("b", fmt.Sprint(i), owner))
	}
	r := newRig(ownergraph.Config{}, infos("a", "b"), all)
	r.keep = func(c engine.Call) bool { return c.Type == engine.CallRead }
	r.run(time.Minute)
	r.ask(all[0].Key)
	r.answer = func(engine.Call) error { return graph.ErrKindUnknown }
	r.release()
	r.events(all[0].Key)
	r.answer = func(engine.Call) error { return errors.New("down") }
	r.events(all[0].Key)
	r.answer = nil
	r.events(all[0].Key)
	r.restore()
}

// fences makes many owners wait for one fence.
func fences() {
	var all []graph.Object
	for i := range many {
		all = append(all, object("a", fmt.Sprint(i)))
	}
	r := newRig(ownergraph.Config{FenceWait: time.Minute}, infos("a", "b"), all)
	r.run(time.Minute)
	r.silent = true
	for _, o := range all {
		r.delete(o.Key, graph.Foreground)
	}
	r.run(time.Minute)
	r.events(all[0].Key)
	r.see(graph.Event{Type: graph.KindSick, Kind: "b", Reason: "down"})
	r.run(10 * time.Minute)
	r.restore()
}

// lateCalls has many writes under way.
func lateCalls() {
	root := object("a", "root")
	all := []graph.Object{root}
	for i := range many {
		all = append(all, object("b", fmt.Sprint(i), root.Key))
	}
	r := newRig(ownergraph.Config{}, infos("a", "b"), all)
	r.run(time.Minute)
	r.delete(root.Key, graph.Background)
	r.keep = func(c engine.Call) bool { return c.Type == engine.CallDelete }
	r.run(time.Minute)
	r.ask(all[1].Key)
	r.e.WatchEnded(r.now, "broke", true)
	r.rest()
	r.list()
	r.run(time.Minute)
	r.answer = func(engine.Call) error { return errors.New("no answer") }
	r.release()
	r.ask(all[1].Key)
	r.events(all[1].Key)
	r.answer = func(engine.Call) error { return graph.ErrRefused }
	r.events(all[1].Key)
	r.restore()
	r.events(all[1].Key)
}

// sharedUID has many references that name one UID at another place.
func sharedUID() {
	root := object("a", "root")
	all := []graph.Object{root}
	for i := range many {
		k := root.Key
		k.Name = fmt.Sprint("other", i%7)
		all = append(all, object("b", fmt.Sprint(i), k))
	}
	r := newRig(ownergraph.Config{}, infos("a", "b"), all)
	r.run(time.Minute)
	r.ask(all[1].Key)
	r.delete(root.Key, graph.Orphan)
	r.run(time.Hour)
	other := object("a", "other")
	other.UID = root.UID
	r.put(other)
	r.run(time.Minute)
	r.put(root)
	r.run(time.Minute)
	r.events(all[1].Key)
	r.end(other.Key)
	r.run(time.Hour)
	r.restore()
}
