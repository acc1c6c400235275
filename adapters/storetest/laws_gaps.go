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

// lawsOfGaps are about changes while no watch looks.
func lawsOfGaps() []law {
	return []law{
		{
			name: watchNoGap, rests: []string{watchGone, slowDelaysNone, slowLosesNone},
			why: "no watch ever sees a commit that is neither in a listing nor in the changes after it",
			run: listingsLeaveNoGap,
		},
		{
			name: watchReconnect, rests: []string{watchGone},
			why: "if an engine does not learn that an owner went while it was down, the dependents wait for ever",
			run: reconnectsLoseNothing,
		},
		{
			name: "watch/break", needs: []need{needBreak}, rests: []string{watchReconnect},
			why: "a watch that has lost its connection and does not end looks like a store without changes",
			run: breaksAreReported,
		},
		{
			name: "watch/compaction", needs: []need{needCompact}, rests: []string{slowLosesNone, watchReconnect},
			why: "a watch that is behind a compaction finds the deleted changes only by a new listing",
			run: compactionIsListed,
		},
	}
}

const beginEvents = 40

// listingsLeaveNoGap writes once at each event of a watch's beginning.
func listingsLeaveNoGap(t *trial) {
	objects := []ownergraph.Object{t.made("a"), t.made("b")}
	gone := []ownergraph.Object{t.made("c"), t.made("d"), t.made("e"), t.made("f")}
	w := t.watchStepped()
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
		events, _ := w.reported()
		if replay(events).listed() {
			break
		}
		w.pass()
	}
	w.free()
	for _, o := range gone {
		t.remove(o)
	}
	w.mustSee("the watch knows all writes from its beginning", func(r *replica) bool { return r.listed() && r.agrees(t.main.Kind, objects) })
}

// reconnectsLoseNothing writes while no watch runs, and while one begins.
func reconnectsLoseNothing(t *trial) {
	objects := []ownergraph.Object{t.made("a"), t.made("b")}
	for i := range 4 {
		w := t.watch()
		w.mustSee(fmt.Sprintf("watch %d knows %s", i+1, formatObjects(objects)), func(r *replica) bool {
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

// breaksAreReported lets a watch end, or continue by itself.
func breaksAreReported(t *trial) {
	kept, gone := t.made("kept"), t.made("gone")
	w := t.watch().ready()
	t.hook("Break", t.Break)
	t.remove(gone)
	want := []ownergraph.Object{t.touch(kept), t.made("new")}
	known := func(r *replica) bool { return r.agrees(t.main.Kind, want) }
	ok := w.sees(known)
	if ok && !w.hasEnded() { // it may read once more before it ends
		want[0] = t.touch(want[0])
		ok = w.sees(known)
	}
	select {
	case <-w.ended:
	default:
		if !ok {
			w.missing(fmt.Sprintf("a watch that was broken ends, or knows %s", formatObjects(want)))
		}
		return
	}
	if w.err == nil {
		t.broken("a watch that breaks returns an error", "nil")
	}
	t.watch().mustSee(fmt.Sprintf("the next watch knows %s", formatObjects(want)), func(r *replica) bool {
		return r.listed() && r.agrees(t.main.Kind, want)
	})
}

// compactionIsListed makes the store forget changes that a paused watch has not
// reported yet.
func compactionIsListed(t *trial) {
	kept, gone := t.made("kept"), t.made("gone")
	w := t.watchStepped()
	w.pauseAt("the watch lists "+string(t.main.Kind), isMain(t, graph.ListEnded))
	t.remove(gone)
	want := []ownergraph.Object{t.touch(kept), t.made("new")}
	t.hook("Compact", t.Compact)
	w.free()
	w.mustSee(fmt.Sprintf("a watch that is behind a compaction knows %s", formatObjects(want)), func(r *replica) bool {
		return r.listed() && r.agrees(t.main.Kind, want)
	})
	want[0] = t.touch(want[0])
	w.mustSee("and the write after it: "+want[0].String(), func(r *replica) bool { return r.agrees(t.main.Kind, want) })
	t.hook("Compact", t.Compact)
	t.watch().mustSee(fmt.Sprintf("a watch that begins after a compaction knows %s", formatObjects(want)), func(r *replica) bool {
		return r.listed() && r.agrees(t.main.Kind, want)
	})
}

func withKind(call func(context.Context, ownergraph.Kind) error, kind ownergraph.Kind) func(context.Context) error {
	return func(ctx context.Context) error { return call(ctx, kind) }
}
