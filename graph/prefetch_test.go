package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// uuids gives UUIDs to two of the three UIDs of the random worlds. The graph has these
// in another form.
func uuids(u *graph.UID) {
	switch *u {
	case "2":
		*u = "0123abcd-4567-89ef-0a1b-c2d3e4f50617"
	case "3":
		*u = "0123abcd-4567-89ef-0a1b-c2d3e4f50618"
	}
}

// packed returns the event with UUIDs. Its object mostly differs from others in the
// version alone.
func packed(t *rapid.T, e graph.Event) graph.Event {
	o := &e.Object
	if rapid.IntRange(0, 3).Draw(t, "content") > 0 {
		o.Finalizers, o.Deleting, o.Owners = nil, false, o.Owners[:min(len(o.Owners), 1)]
		o.Generation = rapid.SampledFrom([]int64{0, 1, 1, 127, 128, -1}).Draw(t, "generation")
	}
	uuids(&e.Key.UID)
	uuids(&o.UID)
	o.Owners = slices.Clone(o.Owners)
	for i := range o.Owners {
		uuids(&o.Owners[i].UID)
	}
	return e
}

// drawPrefetched draws the events of a Prefetch before a batch: none, the batch, the
// batch in another order, or the batch mixed with other events.
func drawPrefetched(t *rapid.T, batch []graph.Event) []graph.Event {
	out := slices.Clone(batch)
	switch rapid.IntRange(0, 4).Draw(t, "prefetch") {
	case 0:
		return nil
	case 1:
		return rapid.Permutation(out).Draw(t, "order")
	case 2:
		for i := range out {
			if rapid.Bool().Draw(t, "another") {
				out[i] = packed(t, drawEvent(t, rapid.SampledFrom(worldKinds).Draw(t, "kind")))
			}
		}
	}
	return out
}

// TestPrefetchChangesNothing: a Prefetch of the events, of other events or of none comes
// first. Each event then makes the same change, fails with the same words, and leaves the
// same graph.
func TestPrefetchChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		one, batched := begin(t, cfg), begin(t, cfg)
		events := drawHistory(t, 60)
		for i := range events {
			events[i] = packed(t, events[i])
			if i > 0 && rapid.IntRange(0, 3).Draw(t, "again") == 0 { // or its end
				events[i] = events[rapid.IntRange(0, i-1).Draw(t, "which")]
				if events[i].Type == graph.Put && rapid.Bool().Draw(t, "end") {
					events[i] = graph.Event{Type: graph.Gone, Key: events[i].Object.Key}
				}
			}
		}
		for len(events) > 0 {
			n := rapid.IntRange(1, min(len(events), 40)).Draw(t, "batch")
			batched.Inside(inside.Key{}).Prefetch(drawPrefetched(t, events[:n]))
			for _, e := range events[:n] {
				want, refused := one.Apply(e)
				drawFind(t, batched, events, &e)
				if got, err := batched.Inside(inside.Key{}).ApplyEvent(&e); fmt.Sprint(*got, err) != fmt.Sprint(want, refused) {
					t.Fatalf("%v: %+v, %v; want %+v, %v", e, *got, err, want, refused)
				}
			}
			events = events[n:]
			if err := batched.Check(); err != nil || batched.everything() != one.everything() {
				t.Fatalf("%v, %s\nwant %s", err, batched.everything(), one.everything())
			}
		}
	})
}

// drawFind finds the object of the event, before a rewind or not, or another object.
func drawFind(t *rapid.T, w *world, events []graph.Event, e *graph.Event) {
	other := rapid.SampledFrom(events).Draw(t, "other")
	for _, o := range []*graph.Object{&e.Object, &other.Object} {
		if !rapid.Bool().Draw(t, "find") {
			continue
		}
		want, known := w.Lookup(o.Key)
		if got, ok := w.Inside(inside.Key{}).Find(o); ok != known || got != want {
			t.Fatalf("found is node %d, want %d", got.ID(), want.ID())
		}
	}
}

// TestFind: the event after Find looks nothing up again, and an event between the two takes
// the result back.
func TestFind(t *testing.T) {
	w := play(t, graph.Config{}, "kinds a b; put a/x")
	e := event(t, "put a/x#2")
	w.Inside(inside.Key{}).Find(&e.Object)
	feed(t, w.Graph, event(t, "gone a/x"))
	feed(t, w.Graph, event(t, "put b/y"))
	if d, err := w.Inside(inside.Key{}).ApplyEvent(&e); err != nil || !d.Created {
		t.Errorf("%+v, %v: the node was found before it left the graph", *d, err)
	}
	if err := w.Check(); err != nil {
		t.Error(err)
	}
}

// TestPrefetchOfWhatLeaves: a prefetched node leaves with its page before its turn, and
// another node has its UID.
func TestPrefetchOfWhatLeaves(t *testing.T) {
	g := graph.New(graph.Config{})
	feed(t, g, graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}}})
	var puts []graph.Event
	for i := range 1200 {
		k := graph.Key{Kind: "a", Name: fmt.Sprint(i), UID: graph.UID(fmt.Sprintf("0123abcd-4567-89ef-0a1b-%012x", i))}
		puts = append(puts, graph.Event{Type: graph.Put, Object: graph.Object{Key: k, Version: "1"}})
		feed(t, g, puts[i])
	}
	last := puts[len(puts)-30:]
	g.Inside(inside.Key{}).Prefetch(last)
	for _, e := range puts[500:] {
		feed(t, g, graph.Event{Type: graph.Gone, Key: e.Object.Key})
	}
	for i := range last {
		if i%2 > 0 {
			last[i].Object.Name += "-other"
		}
		d, err := g.Inside(inside.Key{}).ApplyEvent(&last[i])
		if err != nil || !d.Created || g.Node(d.Node).Key() != last[i].Object.Key {
			t.Fatalf("%v: %+v, %v", last[i].Object, d, err)
		}
	}
	if err := g.Check(); err != nil || g.Len() != 530 {
		t.Errorf("%d nodes, %v; want 500 that stayed and 30 that came", g.Len(), err)
	}
}

// TestPrefetchOfReusedNode: a prefetched node leaves, and its id gets another node with
// the same UID. The index does not lead to that node.
func TestPrefetchOfReusedNode(t *testing.T) {
	const uuid = "@0123abcd-4567-89ef-0a1b-c2d3e4f50617"
	w := play(t, graph.Config{}, "kinds a b c; put a"+uuid+"; put b"+uuid)
	a := graph.Event{Type: graph.Put, Object: stored(t, "a"+uuid)}
	c := graph.Event{Type: graph.Put, Object: stored(t, "c"+uuid)}
	before, _ := w.Lookup(a.Object.Key)
	w.Inside(inside.Key{}).Prefetch([]graph.Event{c, a})
	w.do(t, graph.Event{Type: graph.Gone, Key: a.Object.Key})
	if d := w.do(t, c); d.Node != before.ID() {
		t.Fatalf("node %d is not used again, but %d", before.ID(), d.Node)
	}
	if d := w.do(t, a); !d.Created || !d.DuplicateUID {
		t.Errorf("%+v, want another twin", d)
	}
}

// TestLastOwner: a reference to the UID of the last owner at other coordinates is another
// reference.
func TestLastOwner(t *testing.T) {
	const uuid = "@0123abcd-4567-89ef-0a1b-c2d3e4f50617"
	w := play(t, graph.Config{}, "kinds a b c; put a"+uuid+"; put c/x -> a"+uuid+"; put c/y -> a"+uuid)
	for _, other := range []string{"b/a", "a/b"} {
		d := w.do(t, graph.Event{Type: graph.Put, Object: stored(t, "c/z -> "+other+uuid)})
		if owner, _ := w.Node(d.Node).OwnerNode(0); len(d.Added) != 1 || owner.Key() != stored(t, other+uuid).Key {
			t.Errorf("%+v, owner %s; want a phantom %s", d, owner.Key(), other)
		}
	}
}

// TestLimitOfNumbers: a UUID and a version number are flaws where the limit of text is
// lower.
func TestLimitOfNumbers(t *testing.T) {
	const uuid, number = "0123abcd-4567-89ef-0a1b-c2d3e4f50617", "1234567890123456789"
	for _, tc := range []struct {
		limit  int
		first  string
		update graph.Version
		flawed bool
		reason string
	}{
		{18, "a", number, true, "19 digits"},
		{19, "a", number, false, "as many as are allowed"},
		{35, "a@" + uuid, "2", true, "36 bytes of UID"},
		{36, "a@" + uuid, "2", false, "as many as are allowed"},
		{35, "a@u -> a@" + uuid, "2", true, "the UID of the owner"},
		{36, "a@u -> a@" + uuid, "2", false, "as many as are allowed"},
	} {
		w := play(t, graph.Config{Limits: graph.Limits{Text: tc.limit}}, "kinds a; put "+tc.first)
		o := stored(t, tc.first)
		created, _ := w.Lookup(o.Key)
		if created.Inside(inside.Key{}).Flawed() != (tc.flawed && tc.update != number) {
			t.Errorf("limit %d, put %s: flawed %t: %s", tc.limit, tc.first, created.Inside(inside.Key{}).Flawed(), tc.reason)
		}
		o.Version = tc.update
		if d := w.do(t, graph.Event{Type: graph.Put, Object: o}); !d.Version || w.Node(d.Node).Inside(inside.Key{}).Flawed() != tc.flawed {
			t.Errorf("limit %d, update %s: %+v, flawed %t: %s", tc.limit, tc.first, d, w.Node(d.Node).Inside(inside.Key{}).Flawed(), tc.reason)
		}
	}
}

// TestDefaultText: without a limit, the graph and package graph find the same flaws.
func TestDefaultText(t *testing.T) {
	for _, n := range []int{1024, 1025} {
		o := stored(t, "a/"+strings.Repeat("x", n)+"@u")
		w := play(t, graph.Config{}, "kinds a")
		d := w.do(t, graph.Event{Type: graph.Put, Object: o})
		if want := graph.Flaw(o, graph.Limits{}) != nil; w.Node(d.Node).Inside(inside.Key{}).Flawed() != want || want != (n > 1024) {
			t.Errorf("%d bytes: flawed %t, want %t", n, !want, want)
		}
	}
}

// TestFlawOfOwner: flawed text is a flaw in every field, before and after the watch has
// shown the owner.
func TestFlawOfOwner(t *testing.T) {
	const uuid = "@0123abcd-4567-89ef-0a1b-c2d3e4f50617"
	for _, tc := range []struct {
		owner  string
		flawed bool
		reason string
	}{
		{"a" + uuid, false, "all is sound"},
		{`a/"\x01"` + uuid, true, "the name"},
		{`a/x@"\x01"`, true, "the UID"},
		{`"b\x01"/x` + uuid, true, "the kind"},
		{`p/"s\x01"/x` + uuid, true, "the scope"},
	} {
		for _, history := range []string{"", "put " + tc.owner + "; ", "put " + tc.owner + "; put c/s/y -> " + tc.owner + "; "} {
			w := play(t, graph.Config{}, "kinds a c+ p+ b\x01; "+history)
			d := w.do(t, graph.Event{Type: graph.Put, Object: stored(t, "c/s/x"+uuid[:len(uuid)-1]+"8 -> "+tc.owner)})
			if n := w.Node(d.Node); n.Inside(inside.Key{}).Flawed() != tc.flawed || tc.flawed != (n.Flaw() != nil) {
				t.Errorf("%s%v: flawed %t, %v; want the flaw of %s", history, n.Object(), n.Inside(inside.Key{}).Flawed(), n.Flaw(), tc.reason)
			}
		}
	}
}

// TestPrefetchOfMany: two UIDs with one tag do not mix up their nodes. Among so many
// there are hundreds of such pairs.
func TestPrefetchOfMany(t *testing.T) {
	g := graph.New(graph.Config{})
	if _, err := g.Apply(graph.Event{Type: graph.KindsKnown, Kinds: kinds("a")}); err != nil {
		t.Fatal(err)
	}
	var events []graph.Event
	for i := range 4096 {
		o := graph.Object{Version: "1"}
		o.Kind, o.Name, o.UID = "a", fmt.Sprint(i), graph.UID(fmt.Sprintf("0123abcd-4567-89ef-0a1b-%012x", i))
		events = append(events, graph.Event{Type: graph.Put, Object: o})
	}
	for batch := range slices.Chunk(events, 32) {
		g.Inside(inside.Key{}).Prefetch(batch)
		for i := range batch {
			if d, err := g.Inside(inside.Key{}).ApplyEvent(&batch[i]); err != nil || !d.Created {
				t.Fatalf("%s: %+v, %v; want a new node", batch[i].Object.Key, *d, err)
			}
		}
	}
	if err := g.Check(); err != nil || g.Len() != len(events) {
		t.Errorf("%d nodes, %v", g.Len(), err)
	}
}
