package promstats

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/hook"
)

// TestCascades steps the time by one second for each word.
func TestCascades(t *testing.T) {
	key := func(name string) ownergraph.Key {
		return ownergraph.Key{Kind: "k", Name: name, UID: graph.UID(name)}
	}
	event := func(typ graph.EventType, name string) ownergraph.Event {
		return ownergraph.Event{Type: typ, Kind: "k", Key: key(name), Object: ownergraph.Object{Key: key(name)}}
	}
	type word struct{ verb, object, root string }
	for _, c := range []struct {
		words      []word
		want       []time.Duration
		open       int
		unmeasured uint64
		reason     string
	}{
		{[]word{{"delete", "a", "r"}, {"gone", "a", ""}, {"pass", "", ""}}, []time.Duration{time.Second}, 0, 0, "one object"},
		{[]word{{"delete", "a", "r"}, {"gone", "a", ""}, {"delete", "b", "r"}, {"gone", "b", ""}, {"pass", "", ""}}, []time.Duration{3 * time.Second}, 0, 0, "two waves"},
		{[]word{{"delete", "a", "r"}, {"gone", "a", ""}, {"gone", "r", ""}, {"pass", "", ""}}, []time.Duration{2 * time.Second}, 0, 0, "the root goes last"},
		{[]word{{"delete", "a", "r"}, {"pass", "", ""}}, nil, 1, 0, "its object has not gone"},
		{[]word{{"delete", "a", "r"}, {"refused", "a", ""}, {"pass", "", ""}}, []time.Duration{0}, 0, 0, "the delete was refused"},
		{[]word{{"delete", "a", "r"}, {"delete", "a", "r"}, {"gone", "a", ""}, {"pass", "", ""}}, []time.Duration{2 * time.Second}, 0, 0, "a delete is repeated"},
		{[]word{{"delete", "a", "r"}, {"delete", "b", "s"}, {"gone", "b", ""}, {"gone", "a", ""}, {"pass", "", ""}}, []time.Duration{time.Second, 3 * time.Second}, 0, 0, "two cascades"},
		{[]word{{"delete", "a", "r"}, {"delete", "b", "r"}, {"begun", "", ""}, {"put", "b", ""}, {"ended", "", ""}, {"gone", "b", ""}, {"pass", "", ""}}, []time.Duration{5 * time.Second}, 0, 0, "a listing leaves one out"},
		{[]word{{"begun", "", ""}, {"delete", "a", "r"}, {"ended", "", ""}, {"pass", "", ""}}, nil, 1, 0, "a listing may have brought it before its delete"},
		{[]word{{"delete", "a", "r"}, {"vanished", "", ""}, {"pass", "", ""}}, []time.Duration{time.Second}, 0, 0, "the kind is no longer served"},
		{[]word{{"delete", "a", "r"}, {"delete", "b", "r"}, {"delete", "c", "r"}, {"delete", "d", "s"}, {"gone", "b", ""}, {"gone", "a", ""}, {"pass", "", ""}}, []time.Duration{5 * time.Second}, 0, 1, "beyond the bound of two objects"},
		{[]word{{"delete", "a", "r"}, {"timeout", "a", ""}, {"gone", "a", ""}, {"pass", "", ""}}, []time.Duration{2 * time.Second}, 0, 0, "a delete without an answer was accepted"},
		{[]word{{"delete", "a", "r"}, {"timeout", "a", ""}, {"pass", "", ""}}, nil, 1, 0, "a delete without an answer may have been accepted"},
		{[]word{{"delete", "a", "r"}, {"timeout", "a", ""}, {"put", "a", ""}, {"pass", "", ""}}, []time.Duration{0}, 0, 0, "the watch shows that it was not accepted"},
		{[]word{{"delete", "a", "r"}, {"timeout", "a", ""}, {"delete", "a", "r"}, {"ok", "a", ""}, {"put", "a", ""}, {"pass", "", ""}}, nil, 1, 0, "a later delete was accepted, and the event is from before"},
		{[]word{{"delete", "a", "r"}, {"notfound", "a", ""}, {"pass", "", ""}}, []time.Duration{time.Second}, 0, 0, "it has gone already"},
		{[]word{{"delete", "a", "r"}, {"delete", "b", "r"}, {"delete", "c", "s"}, {"delete", "d", "s"}, {"gone", "a", ""}, {"delete", "e", "s"}, {"gone", "b", ""}, {"pass", "", ""}}, []time.Duration{6 * time.Second}, 0, 1,
			"a cascade that is not measured counts once, and not from its middle on"},
	} {
		var got []time.Duration
		x, now := newCascades(2, time.Minute, func(d time.Duration) { got = append(got, d) }), time.Unix(0, 0)
		for _, w := range c.words {
			switch w.verb {
			case "delete":
				x.begin(now, key(w.object), key(w.root))
			case "refused":
				x.ended(now, key(w.object).UID, hook.Refused)
			case "timeout":
				x.ended(now, key(w.object).UID, hook.Timeout)
			case "ok":
				x.ended(now, key(w.object).UID, hook.OK)
			case "notfound":
				x.ended(now, key(w.object).UID, hook.NotFound)
			case "pass":
				now = now.Add(time.Hour)
			default:
				typ := map[string]graph.EventType{"gone": graph.Gone, "put": graph.Put, "begun": graph.ListBegun, "ended": graph.ListEnded, "vanished": graph.KindVanished}[w.verb]
				x.watched(now, []ownergraph.Event{event(typ, w.object)})
			}
			now = now.Add(time.Second)
		}
		open, unmeasured := x.figures(now)
		if slices.Sort(got); !slices.Equal(got, c.want) || open != c.open || unmeasured != c.unmeasured {
			t.Errorf("%v, %d open, %d unmeasured; want %v, %d, %d: %s", got, open, unmeasured, c.want, c.open, c.unmeasured, c.reason)
		}
		if len(x.waiting) > 2 || len(x.listings) > 0 {
			t.Errorf("%d objects and %d listings are left: %s", len(x.waiting), len(x.listings), c.reason)
		}
	}
}

// TestCascadesBounded: cascades of one object each do not grow the memory without a bound.
func TestCascadesBounded(t *testing.T) {
	x, now := newCascades(100, time.Minute, func(time.Duration) {}), time.Unix(0, 0)
	for i := range 2*maxMissed + 100 {
		k := ownergraph.Key{Kind: "k", Name: fmt.Sprint(i), UID: graph.UID(fmt.Sprint(i))}
		x.begin(now, k, k)
		x.watched(now, []ownergraph.Event{{Type: graph.Gone, Key: k}})
	}
	if open, unmeasured := x.figures(now); open != 100 || unmeasured != 2*maxMissed {
		t.Errorf("%d cascades in progress, %d unmeasured, want 100 and %d", open, unmeasured, 2*maxMissed)
	}
	if len(x.missed) > maxMissed {
		t.Errorf("%d roots of unmeasured cascades are remembered", len(x.missed))
	}
	if open, _ := x.figures(now.Add(time.Hour)); open != 0 {
		t.Errorf("%d cascades in progress after an hour", open)
	}
}

// TestCascadesOfScrape: a scrape counts no cascade that is over, whenever the last look was.
func TestCascadesOfScrape(t *testing.T) {
	ended := 0
	x, now := newCascades(100, time.Minute, func(time.Duration) { ended++ }), time.Unix(0, 0)
	a, b := ownergraph.Key{Kind: "k", Name: "a", UID: "a"}, ownergraph.Key{Kind: "k", Name: "b", UID: "b"}
	x.begin(now, a, a)
	x.watched(now, []ownergraph.Event{{Type: graph.Gone, Key: a}})
	x.begin(now.Add(59*time.Second), b, b)
	if open, _ := x.figures(now.Add(61 * time.Second)); open != 1 || ended != 1 {
		t.Errorf("%d cascades in progress and %d ended, want 1 and 1", open, ended)
	}
}

// TestCascadesOfBatch: each delete of a batch is part of its cascade, and a patch is not.
func TestCascadesOfBatch(t *testing.T) {
	key := func(name string) ownergraph.Key {
		return ownergraph.Key{Kind: "k", Name: name, UID: graph.UID(name)}
	}
	x := newCascades(100, time.Minute, func(time.Duration) {})
	calls := newCalls(Config{}.filled(), newKindLabels(10, nil), x)
	calls.roots = func(keys ...ownergraph.Key) (out []engine.Root) {
		for _, k := range keys {
			out = append(out, engine.Root{Keys: []ownergraph.Key{key("root of " + k.Name), key("another")}})
		}
		return out
	}
	c := hook.Call{Type: hook.Batch, Writes: []ownergraph.Write{
		{Type: graph.WriteDelete, Key: key("a")}, {Type: graph.WritePatch, Key: key("b")}, {Type: graph.WriteDelete, Key: key("c")}, {Type: graph.WriteDelete, Key: key("d")},
	}}
	ctx := calls.Begin(t.Context(), &c)
	if len(x.waiting) != 3 || x.byRoot[key("root of a")] == nil || x.byRoot[key("root of c")] == nil || x.byRoot[key("root of d")] == nil {
		t.Errorf("%v wait, of %v", x.waiting, x.byRoot)
	}
	c.Results = []error{nil, nil, ownergraph.ErrConflict, ownergraph.ErrRefused}
	calls.End(ctx, &c, nil)
	if _, ok := x.waiting["a"]; !ok || len(x.waiting) != 1 {
		t.Errorf("%v wait, want the accepted delete alone", x.waiting)
	}
}
