package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

const searchEveryWrite = "search/every-write"

// lawsOfEveryWrite come early, because a lost change breaks many laws in some of its runs.
func lawsOfEveryWrite() []law {
	return []law{{
		name: searchEveryWrite, rests: []string{watchSeveral, readFresh},
		why: "a watch that misses a change while several writers commit never reports it: the end of an owner, a mark or a reference",
		run: everyWriteIsReported,
	}}
}

// lawsOfSearch are about moments that are hard to meet. Each searches for the time
// of Config.Search.
func lawsOfSearch() []law {
	return []law{
		{
			name: "search/beginning", rests: []string{watchNoGap, watchReconnect, searchEveryWrite},
			why: "no watch ever sees a commit that is neither in its listings nor in the changes after them",
			run: beginningsMissNothing,
		},
		{
			name: "search/fence", level: ownergraph.Level2, needs: []need{needFencer}, rests: []string{fenceNotEarly, fenceTokens, searchEveryWrite},
			why: "a fence that begins while the watch reads may cover changes that it has not read: an owner goes before its dependent",
			run: fencesAreNotEarlyBesideWriters,
		},
		{
			name: "search/cancelled", rests: []string{readFresh, deleteUID, "delete/conflict-changes-nothing", watchReconnect, "cancel/ended", "cancel/whole"},
			why: "a cancelled call that leaves an open transaction or a lock breaks other calls: they answer the past, or never",
			run: cancelledCallsLeaveNothing,
		},
	}
}

// write makes each writer touch all its objects, in one round. After each write, the writer's
// goroutine calls then.
func (g *writerGroup) write(then func(ctx context.Context, number int) error) {
	t := g.t
	t.Helper()
	errs := t.together(func(ctx context.Context, i int) error {
		for n, o := range g.objects[i] {
			o.Finalizers = toggled(o.Finalizers)
			o, err := g.clients[i%len(g.clients)].Update(ctx, o)
			if err != nil {
				return err
			}
			g.objects[i][n] = o
			if err := then(ctx, g.record(o)); err != nil {
				return err
			}
		}
		return nil
	})
	if err := errors.Join(errs...); err != nil {
		t.broken("several users write at once, each at objects of their own", err.Error())
	}
}

func toggled(finalizers []string) []string {
	if len(finalizers) > 0 {
		return nil
	}
	return []string{holdFinalizer}
}

// mustBeKnown breaks the law if the watch does not report the writers' objects in
// time.
func (g *writerGroup) mustBeKnown(w *watcher) {
	g.t.Helper()
	if w.sees(func(r *replica) bool { return r.listed() && r.agrees(g.t.main.Kind, g.all()) }) {
		return
	}
	events, _ := w.reported()
	known := w.after(events)
	var behind []ownergraph.Object
	for _, o := range g.all() {
		if !known.knows(o) {
			behind = append(behind, o)
		}
	}
	g.t.broken(fmt.Sprintf("the watch knows all %d objects of several writers", len(g.all())),
		fmt.Sprintf("it has not reported %s", graph.Format(behind[:min(3, len(behind))])))
}

func noAction(context.Context, int) error { return nil }

func everyWriteIsReported(t *trial) {
	c := t.newWriterGroup(t.Client)
	var watches []*watcher
	t.search(func(i int) {
		if i%roundsOfWatch == 0 {
			for _, w := range watches {
				w.stop()
			}
			watches = []*watcher{t.watch().ready(), t.watch().ready()}
		}
		c.beginRound()
		c.write(noAction)
		for _, w := range watches {
			c.mustBeKnown(w)
		}
	})
}

// roundsOfWatch is the number of rounds of one watch. A watch that reports a limited number of
// changes breaks another law.
const roundsOfWatch = 3

func beginningsMissNothing(t *trial) {
	c := t.newWriterGroup(t.Client)
	t.search(func(int) {
		c.beginRound()
		var mu sync.Mutex
		var watches []*watcher
		c.write(func(_ context.Context, number int) error {
			if number%8 == 4 {
				mu.Lock()
				defer mu.Unlock()
				watches = append(watches, t.watch())
			}
			return nil
		})
		for _, w := range watches {
			c.mustBeKnown(w)
			if _, ended := w.stop(); !ended {
				t.broken(fmt.Sprintf("a watch ends within %s when its context does", t.patience), "it goes on")
			}
		}
	})
}

// fencesAreNotEarlyBesideWriters begins a fence after every second write, while
// other writers go on.
func fencesAreNotEarlyBesideWriters(t *trial) {
	f, _ := ownergraph.As[ownergraph.Fencer](t.Store)
	c := t.newWriterGroup(t.Client)
	w := t.watch().ready()
	t.search(func(int) { t.fenceRound(c, f, w) })
}

// fenceRound is one round, judged by the events of the watch.
func (t *trial) fenceRound(c *writerGroup, f ownergraph.Fencer, w *watcher) {
	t.Helper()
	c.beginRound()
	marks, first := map[uint64]int{}, w.count()
	c.write(func(ctx context.Context, number int) error {
		if number%2 == 0 {
			return nil
		}
		c.mu.Lock()
		last := c.journal.last()
		c.mu.Unlock()
		token, err := f.Fence(ctx)
		if err == nil {
			c.mu.Lock()
			marks[token] = last
			c.mu.Unlock()
		}
		return err
	})
	last := t.fenceBy(f)
	marks[last] = c.journal.last()
	t.mustPass(w, last)
	events, _ := w.reported()
	t.notEarlyIn(events[first:], c.journal, marks)
}

// count returns the number of reported events.
func (w *watcher) count() int {
	events, _ := w.reported()
	return len(events)
}
