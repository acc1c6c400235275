package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

const watchNotBack = "watch/not-back"

// lawsOfBeginnings are about the order of a listing and the changes around it. A store
// that reads the position of its changes before its listing reports older states behind
// newer ones.
func lawsOfBeginnings() []law {
	const why = "an older state behind a newer one is a rewind: the engine gives up its evidence of absence, and deletes nothing before new listings"
	return []law{
		{
			name: watchNotBack, rests: []string{watchNoGap, watchRecreated, "watch/ordered"},
			why: why,
			run: beginningsDoNotGoBack,
		},
		{
			name: "search/not-back", rests: []string{watchNotBack, "search/beginning", "watch/listing-not-older", "list/complete", "list/every-watch"},
			why: why,
			run: beginningsDoNotGoBackBesideWriters,
		},
	}
}

// commits numbers the states of objects in the order of their commits. Each object has one
// writer at a time. It is safe for concurrent use.
type commits struct {
	mu     sync.Mutex
	last   int
	number map[stateID]int
}

// stateID is one state of one incarnation.
type stateID struct {
	key     ownergraph.Key
	version ownergraph.Version
}

func newCommits() *commits { return &commits{number: map[stateID]int{}} }

func (c *commits) put(o ownergraph.Object) ownergraph.Object {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	c.number[stateID{o.Key, o.Version}] = c.last
	return o
}

// shownState is the newest state that a watch reported of one incarnation.
type shownState struct {
	number int
	object ownergraph.Object
	gone   bool // the watch has reported its end
}

// notBack breaks the law if the watch reported a state of an object behind a newer state of
// it, or behind its end. These are owed no order:
//
//   - Two incarnations of one place. The watch may report the former one behind the present
//     one, if it has not reported its end, and reports it then.
//   - An object that came and went before the listing. The watch may report it with its end.
//   - A state that comes twice.
func (t *trial) notBack(w *watcher, c *commits) {
	t.Helper()
	events, _ := w.reported()
	c.mu.Lock()
	defer c.mu.Unlock()
	shown := map[ownergraph.Key]*shownState{}
	known := replay(nil)
	for i, e := range events {
		switch e.Type {
		case graph.ListEnded:
			for key := range known.of(e.Kind).objects {
				if s, listing := shown[key], known.of(e.Kind).listing; s != nil && listing != nil && !listing[key] {
					s.gone = true
				}
			}
		case graph.Gone:
			if s := shown[e.Key]; s != nil {
				s.gone = true
			}
		case graph.Put:
			t.notBehind(events[:i+1], shown, c.number[stateID{e.Object.Key, e.Object.Version}])
		}
		known.apply(e)
	}
}

// notBehind judges the last event, a put of the commit of that number. It is 0 for a state
// that no journal has.
func (t *trial) notBehind(events []ownergraph.Event, shown map[ownergraph.Key]*shownState, number int) {
	t.Helper()
	o := events[len(events)-1].Object
	s := shown[o.Key]
	switch {
	case number == 0:
		return
	case s == nil:
		s = &shownState{}
		shown[o.Key] = s
	case s.gone:
		t.broken(fmt.Sprintf("no state of %s follows its end, which the watch has reported", o.Key), t.lastOf(events, o.Place()))
	case number < s.number:
		t.broken(fmt.Sprintf("no older state follows %s, which the watch has reported", s.object), t.lastOf(events, o.Place()))
	}
	s.number, s.object = number, o
}

// lastOf prints the last events about the place, and the listings of its kind.
func (t *trial) lastOf(events []ownergraph.Event, at ownergraph.Key) string {
	var list []ownergraph.Event
	for _, e := range events {
		isList := (e.Type == graph.ListBegun || e.Type == graph.ListEnded) && e.Kind == at.Kind
		if isList || e.Type == graph.Put && e.Object.Place() == at || e.Type == graph.Gone && e.Key.Place() == at {
			list = append(list, e)
		}
	}
	return "the watch reported " + formatEvents(list)
}

// beginningsDoNotGoBack writes at each event of a watch's beginning, to objects of every
// kind: it changes them twice, and replaces some. It does so once more in a new listing of
// a running watch, if the store can list again.
func beginningsDoNotGoBack(t *trial) {
	c := newCommits()
	objects := map[ownergraph.Kind][]ownergraph.Object{}
	for _, info := range t.few {
		for n := range 3 {
			objects[info.Kind] = append(objects[info.Kind], c.put(t.create(ownergraph.Object{Key: keyOf(info, fmt.Sprint("a", n))})))
		}
	}
	write := func(kind ownergraph.Kind) {
		list := objects[kind]
		list[0] = c.put(t.touch(c.put(t.touch(list[0]))))
		list[1] = t.replaced(c, list[1])
	}
	w := t.watchStepped()
	t.writeAtEach(w, write)
	w.free()
	for _, info := range t.few {
		list := objects[info.Kind]
		last := c.put(t.create(ownergraph.Object{Key: keyOf(info, "last")}))
		w.mustSee("the watch knows all writes from its beginning", func(r *replica) bool {
			return r.listed() && r.of(info.Kind).listing == nil && r.agrees(info.Kind, append(list[:3:3], last))
		})
	}
	t.notBack(w, c)
}

// writeAtEach writes at each event of a paused watch until it has listed every kind, and then
// until it has listed again. The first event comes before every listing, so all kinds are
// written then.
func (t *trial) writeAtEach(w *watcher, write func(ownergraph.Kind)) {
	t.Helper()
	lister, lists := ownergraph.As[ownergraph.Lister](t.Store)
	asked, begun := false, time.Now()
	for i := 0; i < 2*beginEvents && time.Since(begun) < 2*t.searchTime; i++ {
		if _, ok := w.step(); !ok {
			w.missing("the watch lists every kind")
		}
		if i == 0 {
			for _, info := range t.few {
				write(info.Kind)
			}
		}
		write(t.few[i%len(t.few)].Kind)
		switch r := replayed(w); {
		case !r.listed():
		case !lists, asked && r.of(t.main.Kind).ended > 1:
			return
		case !asked:
			asked = true
			t.hook("List", withKind(lister.List, t.main.Kind))
		}
		w.pass()
	}
}

// replaced changes an object, removes it and creates it again.
func (t *trial) replaced(c *commits, o ownergraph.Object) ownergraph.Object {
	t.Helper()
	o = c.put(t.update(withFinalizers(c.put(t.touch(o)))))
	t.remove(o)
	return c.put(t.create(ownergraph.Object{Key: o.Place()}))
}

// beginningsDoNotGoBackBesideWriters begins watches while several users write, and has a
// running watch list again.
func beginningsDoNotGoBackBesideWriters(t *trial) {
	g := t.newWriterGroup(t.Client)
	t.searchTime /= 2
	running := t.watch().ready()
	c := newCommits()
	t.search(func(i int) {
		if c.last > 4000 { // enough to compare with
			running.stop()
			running, c = t.watch().ready(), newCommits()
		}
		watches := g.rewrite(c)
		for _, w := range append(watches, running) {
			g.mustBeKnown(w)
			t.notBack(w, c)
		}
		for _, w := range watches {
			w.stop()
		}
	})
}

// rewrite makes each writer change and replace its objects, and returns the watches that began in
// between.
func (g *writerGroup) rewrite(c *commits) []*watcher {
	t := g.t
	t.Helper()
	var mu sync.Mutex
	var watches []*watcher
	lister, lists := ownergraph.As[ownergraph.Lister](t.Store)
	errs := t.together(func(ctx context.Context, i int) error {
		begin := rand.IntN(objectsEach)
		for n, o := range g.objects[i] {
			if n == begin && i < 3 {
				mu.Lock()
				watches = append(watches, t.watch())
				mu.Unlock()
			}
			if n == begin && i == 3 && lists {
				if err := lister.List(ctx, t.main.Kind); err != nil {
					return err
				}
			}
			o, err := g.rewriteOne(ctx, c, o, n == 1)
			if err != nil {
				return err
			}
			g.objects[i][n] = o
		}
		return nil
	})
	if err := errors.Join(errs...); err != nil {
		t.broken("several users write at once, each at objects of their own", err.Error())
	}
	return watches
}

// rewriteOne changes an object twice, and may replace it.
func (g *writerGroup) rewriteOne(ctx context.Context, c *commits, o ownergraph.Object, replace bool) (ownergraph.Object, error) {
	client := g.clients[0]
	for range 2 {
		o.Finalizers = toggled(o.Finalizers)
		now, err := client.Update(ctx, o.Clone())
		if err != nil {
			return o, err
		}
		o = c.put(now)
	}
	if !replace || len(o.Finalizers) > 0 {
		return o, nil
	}
	if err := client.Delete(ctx, o.Key, propagated(ownergraph.Background)); err != nil {
		return o, err
	}
	o, err := client.Create(ctx, ownergraph.Object{Key: o.Place()})
	if err == nil {
		c.put(o)
	}
	return o, err
}
