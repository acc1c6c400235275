package storetest

import (
	"context"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

const (
	watchNoGap     = "watch/no-gap"
	watchReconnect = "watch/reconnect"
)

// lawsOfGaps are about what happens while nobody looks.
func lawsOfGaps() []law {
	return []law{
		{
			name: watchNoGap, rests: []string{watchGone, slowHolds, slowLosesNone},
			why: "what is committed between a listing and the changes that follow it, and is in neither, is never seen",
			run: listingsLeaveNoGap,
		},
		{
			name: watchReconnect, rests: []string{watchGone},
			why: "an owner that goes while an engine is down is gone when it is back; otherwise its dependents wait for ever",
			run: reconnectsLoseNothing,
		},
		{
			name: "watch/break", needs: []need{needBreak}, rests: []string{watchReconnect},
			why: "a watch that has lost its connection and says nothing looks like a store in which nothing happens",
			run: breaksAreTold,
		},
		{
			name: "watch/compaction", needs: []need{needCompact}, rests: []string{slowLosesNone, watchReconnect},
			why: "changes that a store has forgotten before a watch could tell them are only found by a new listing",
			run: compactionIsListed,
		},
	}
}

const beginEvents = 40

// listingsLeaveNoGap writes once at each event with which a watch begins.
func listingsLeaveNoGap(t *trial) {
	objects := []ownergraph.Object{t.made("a"), t.made("b")}
	gone := []ownergraph.Object{t.made("c"), t.made("d"), t.made("e"), t.made("f")}
	w := t.watchHeld()
	for i := range beginEvents {
		_, ok := w.step()
		if !ok {
			w.missing("the watch lists every kind")
		}
		switch {
		case i%3 == 0 && len(gone) > 0:
			t.remove(gone[0])
			gone = gone[1:]
		case i%3 == 1:
			objects[0] = t.touch(objects[0])
		default:
			objects = append(objects, t.made(fmt.Sprintf("n%d", i)))
		}
		events, _ := w.look()
		if replay(events).listed() {
			break
		}
		w.pass()
	}
	w.free()
	for _, o := range gone {
		t.remove(o)
	}
	w.mustSee("the watch knows all that was written while it began", func(r *replica) bool { return r.listed() && r.agrees(t.main.Kind, objects) })
}

// reconnectsLoseNothing writes while no watch runs, and while one begins.
func reconnectsLoseNothing(t *trial) {
	objects := []ownergraph.Object{t.made("a"), t.made("b")}
	for i := range 4 {
		w := t.watch()
		w.mustSee(fmt.Sprintf("watch %d knows %s", i+1, sayObjects(objects)), func(r *replica) bool {
			return r.listed() && r.agrees(t.main.Kind, objects)
		})
		if _, ended := w.stop(); !ended {
			t.unable("a watch does not end with its context")
		}
		objects[0] = t.touch(objects[0])
		t.remove(objects[1])
		objects = append(objects[:1], append(objects[2:], t.made(fmt.Sprintf("c%d", i)), t.made(fmt.Sprintf("d%d", i)))...)
	}
}

// breaksAreTold: a watch may also take up again by itself.
func breaksAreTold(t *trial) {
	kept, gone := t.made("kept"), t.made("gone")
	w := t.watch().ready()
	t.hook("Break", t.Break)
	t.remove(gone)
	want := []ownergraph.Object{t.touch(kept), t.made("new")}
	known := func(r *replica) bool { return r.agrees(t.main.Kind, want) }
	ok := w.sees(known)
	if ok && !w.over() { // it may have read once more before it ends
		want[0] = t.touch(want[0])
		ok = w.sees(known)
	}
	select {
	case <-w.ended:
	default:
		if !ok {
			w.missing(fmt.Sprintf("a watch that was broken ends, or knows %s", sayObjects(want)))
		}
		return
	}
	if w.err == nil {
		t.broken("a watch that breaks returns why", "nil")
	}
	t.watch().mustSee(fmt.Sprintf("the next watch knows %s", sayObjects(want)), func(r *replica) bool {
		return r.listed() && r.agrees(t.main.Kind, want)
	})
}

// compactionIsListed has the store forget what a held watch has not told yet.
func compactionIsListed(t *trial) {
	kept, gone := t.made("kept"), t.made("gone")
	w := t.watchHeld()
	w.holdAt("the watch lists "+string(t.main.Kind), isMain(t, graph.ListEnded))
	t.remove(gone)
	want := []ownergraph.Object{t.touch(kept), t.made("new")}
	t.hook("Compact", t.Compact)
	w.free()
	w.mustSee(fmt.Sprintf("a watch that is behind a compaction knows %s", sayObjects(want)), func(r *replica) bool {
		return r.listed() && r.agrees(t.main.Kind, want)
	})
	want[0] = t.touch(want[0])
	w.mustSee("and what comes after: "+want[0].String(), func(r *replica) bool { return r.agrees(t.main.Kind, want) })
	t.hook("Compact", t.Compact)
	t.watch().mustSee(fmt.Sprintf("a watch that begins after a compaction knows %s", sayObjects(want)), func(r *replica) bool {
		return r.listed() && r.agrees(t.main.Kind, want)
	})
}

func withKind(call func(context.Context, ownergraph.Kind) error, kind ownergraph.Kind) func(context.Context) error {
	return func(ctx context.Context) error { return call(ctx, kind) }
}
