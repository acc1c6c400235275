package feed_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/feed"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/replica"
)

// busy is a Log whose users write before each of its calls. It ends after some calls.
type busy struct {
	*database
	t      *rapid.T
	calls  int
	fences map[uint64]moment
	dead   map[graph.UID]bool
	feed   *feed.Feed
}

// moment is the state of the database when a fence began.
type moment struct {
	objects []graph.Object
	dead    map[graph.UID]bool
}

var errEnd = errors.New("the test has made all calls")

func (b *busy) ReadLog(ctx context.Context, from uint64, limit int) (feed.LogPage, error) {
	if b.calls--; b.calls < -40 { // the rest of a history needs some quiet calls
		return feed.LogPage{}, errEnd
	}
	b.act(ctx)
	return b.database.ReadLog(ctx, from, limit)
}

func (b *busy) ReadObjects(ctx context.Context, kind graph.Kind, after graph.Key, limit int) (feed.ObjectPage, error) {
	b.act(ctx)
	return b.database.ReadObjects(ctx, kind, after, limit)
}

func (b *busy) AppendFence(ctx context.Context, token uint64) (uint64, error) {
	b.fences[token] = moment{b.state.Objects(), maps.Clone(b.dead)}
	return b.database.AppendFence(ctx, token)
}

// act makes some calls of users.
func (b *busy) act(ctx context.Context) {
	for range rapid.IntRange(0, 3).Draw(b.t, "writes") * min(1, max(0, b.calls)) {
		k := graph.Key{Kind: rapid.SampledFrom([]graph.Kind{"app", "node"}).Draw(b.t, "kind"), Name: rapid.StringMatching("[a-f]").Draw(b.t, "name")}
		var err error
		switch rapid.IntRange(0, 6).Draw(b.t, "step") {
		case 0, 1, 2:
			_, err = b.write(ctx, func() (replica.Commit, error) { return b.state.Create(graph.Object{Key: k}) })
		case 3:
			var o graph.Object
			if o, err = b.state.Get(k); err == nil {
				b.dead[o.UID] = true
				_, err = b.write(ctx, func() (replica.Commit, error) { return b.state.Delete(k, graph.DeleteOptions{}) })
			}
		case 4:
			_, err = b.write(ctx, func() (replica.Commit, error) {
				return b.state.Update(graph.Object{Key: k, ObservedGeneration: int64(b.next)})
			})
		case 5:
			_, err = b.feed.Fence(ctx)
		default:
			if err = b.feed.List(ctx, k.Kind); rapid.IntRange(0, 4).Draw(b.t, "drop") == 0 {
				b.compact()
			}
		}
		if err != nil && !errors.Is(err, graph.ErrConflict) && !errors.Is(err, graph.ErrNotFound) && !errors.Is(err, errEnd) {
			b.t.Fatal(err)
		}
	}
}

// reader believes every event of a watch, and checks that no object goes back.
type reader struct {
	b       *busy
	objects map[graph.UID]graph.Object
	listing map[graph.Kind]map[graph.UID]bool
	ended   map[graph.UID]bool
	latest  map[graph.UID]int
}

func (r *reader) sink(batch []graph.Event) error {
	for _, e := range batch {
		switch e.Type {
		case graph.ListBegun:
			r.listing[e.Kind] = map[graph.UID]bool{}
		case graph.Put:
			r.put(e.Object)
		case graph.Gone:
			delete(r.objects, e.Key.UID)
			r.ended[e.Key.UID] = true
		case graph.ListEnded:
			maps.DeleteFunc(r.objects, func(uid graph.UID, o graph.Object) bool { return o.Kind == e.Kind && !r.listing[e.Kind][uid] })
			delete(r.listing, e.Kind)
		case graph.FencePassed:
			r.pass(e)
		}
	}
	return nil
}

func (r *reader) put(o graph.Object) {
	version, _ := strconv.Atoi(string(o.Version))
	if r.ended[o.UID] || version < r.latest[o.UID] {
		r.b.t.Fatalf("the watch goes back to %s", o)
	}
	r.objects[o.UID], r.latest[o.UID] = o, version
	if l := r.listing[o.Kind]; l != nil {
		l[o.UID] = true
	}
}

// pass checks that the reader knows each object of the fence, or its end, and none that was
// gone.
func (r *reader) pass(e graph.Event) {
	was := r.b.fences[e.Fence]
	for _, o := range was.objects {
		version, _ := strconv.Atoi(string(o.Version))
		if _, known := r.objects[o.UID]; o.Kind == e.Kind && (r.latest[o.UID] < version && !r.b.dead[o.UID] || !known && !r.b.dead[o.UID]) {
			r.b.t.Fatalf("fence %d passes %s before %s", e.Fence, e.Kind, o)
		}
	}
	for uid, o := range r.objects {
		if o.Kind == e.Kind && was.dead[uid] {
			r.b.t.Fatalf("fence %d passes %s before the end of %s", e.Fence, e.Kind, o)
		}
	}
}

// TestListingBesideWrites: users write, fence, list and cut the log between all calls of a
// watch. No object goes back, no fence is early, and the reader ends with the objects of the
// database.
func TestListingBesideWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := &busy{database: newDatabase(graph.KindInfo{Kind: "app"}, graph.KindInfo{Kind: "node"}), t: t,
			calls: rapid.IntRange(1, 30).Draw(t, "calls"), fences: map[uint64]moment{}, dead: map[graph.UID]bool{}}
		var err error
		b.feed, err = feed.New(b, feed.Config{PageSize: rapid.IntRange(1, 4).Draw(t, "page"), Poll: 1})
		if err != nil {
			t.Fatal(err)
		}
		r := &reader{b, map[graph.UID]graph.Object{}, map[graph.Kind]map[graph.UID]bool{}, map[graph.UID]bool{}, map[graph.UID]int{}}
		if err := b.feed.Watch(t.Context(), r.sink); !errors.Is(err, errEnd) {
			t.Fatal(err)
		}
		known := slices.SortedFunc(maps.Values(r.objects), func(a, b graph.Object) int { return a.Key.Compare(b.Key) })
		if got, want := graph.Format(known), graph.Format(b.state.Objects()); got != want || len(r.listing) > 0 {
			t.Fatalf("the reader has %s, want %s; open listings: %v", got, want, r.listing)
		}
	})
}
