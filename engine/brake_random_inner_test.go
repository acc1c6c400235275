package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
)

// brakeWorld is an engine with a brake in a random world. It counts the deletes by root and
// by time.
type brakeWorld struct {
	*Engine
	limit, window int
	per           time.Duration
	roots         map[CallID][]graph.Key
	handed        map[graph.Key]int
	approved      map[graph.Key]bool // once, so that its count has no bound
	deletes       int
}

func newBrakeWorld(t *rapid.T) *brakeWorld {
	w := &brakeWorld{
		limit: rapid.IntRange(1, 4).Draw(t, "limit"), per: time.Minute,
		roots: map[CallID][]graph.Key{}, handed: map[graph.Key]int{}, approved: map[graph.Key]bool{},
	}
	cfg := braking(w.limit)
	if w.window = rapid.SampledFrom([]int{0, 3, 40}).Draw(t, "window"); w.window > 0 {
		cfg.Brake.Window, cfg.Brake.Per = w.window, w.per
	}
	cfg.OnDecision = func(d DecisionEvent) {
		if d.Call != 0 && len(d.Root.Keys) > 0 {
			w.roots[d.Call] = d.Root.Keys
		}
	}
	e, err := New(Level1, cfg)
	if err != nil {
		t.Fatal(err)
	}
	w.Engine, e.now = e, time.Unix(1000, 0)
	w.sees(t, graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "b"}, {Kind: "c"}}})
	for _, k := range []graph.Kind{"a", "b", "c"} {
		w.sees(t, graph.Event{Type: graph.ListBegun, Kind: k}, graph.Event{Type: graph.ListEnded, Kind: k})
	}
	return w
}

func (w *brakeWorld) sees(t *rapid.T, events ...graph.Event) {
	for _, ev := range events {
		if err := w.Observe(w.now, ev); err != nil {
			t.Fatal(err)
		}
	}
}

// creates makes an object with up to three owners of the kinds before its own.
func (w *brakeWorld) creates(t *rapid.T, n int) {
	kind := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "kind")
	var owners []string
	for range rapid.IntRange(0, 3).Draw(t, "owners") {
		o := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "owner")
		if o < kind {
			owners = append(owners, fmt.Sprintf("%s/%d", o, rapid.IntRange(0, 9).Draw(t, "number")))
		}
	}
	s := fmt.Sprintf("%s/%d#1", kind, n)
	if kind != "c" {
		s = fmt.Sprintf("%s/%d#1", kind, n%10)
	}
	if len(owners) > 0 {
		s += " -> " + strings.Join(slices.Compact(owners), ", ")
	}
	o := put(s)
	if node, ok := w.graph.Lookup(o.Object.Key); !ok || node.Version() == "" && !w.absent.Has(o.Object.Key) && !w.isGoneObserved(node.ID()) {
		w.sees(t, o)
	}
}

// ends removes the object at a place in the order of keys.
func (w *brakeWorld) ends(t *rapid.T) {
	var keys []graph.Key
	for n := range w.graph.Nodes() {
		if n.Version() != "" {
			keys = append(keys, n.Key())
		}
	}
	if len(keys) > 0 {
		slices.SortFunc(keys, graph.Key.Compare)
		w.sees(t, graph.Event{Type: graph.Gone, Key: rapid.SampledFrom(keys).Draw(t, "gone")})
	}
}

// acts makes a call, with a random result.
func (w *brakeWorld) acts(t *rapid.T) bool {
	c, at := w.Next(w.now, LaneStore)
	if c.Type == CallUnset {
		return !at.IsZero() && !at.After(w.now)
	}
	r := Result{Err: graph.ErrNotFound}
	if n, ok := w.graph.Lookup(c.Key); c.Type == CallRead && ok && n.Version() != "" {
		r = Result{Object: n.Object()}
	} else if c.Type != CallRead {
		r.Err = rapid.SampledFrom([]error{nil, nil, nil, graph.ErrConflict, ErrNotBegun, graph.ErrRefused, errors.New("lost")}).Draw(t, "result")
	}
	if c.Type == CallDelete {
		w.counts(t, c, r.Err)
	}
	if err := w.Done(w.now, c.ID, r); err != nil {
		t.Fatal(err)
	}
	if c.Type == CallDelete && r.Err == nil {
		w.sees(t, graph.Event{Type: graph.Gone, Key: c.Key})
	}
	return true
}

// counts holds G5 (a) and (d) for a delete that the store has carried out, or may have.
func (w *brakeWorld) counts(t *rapid.T, c Call, err error) {
	if errors.Is(err, graph.ErrConflict) || errors.Is(err, ErrNotBegun) || errors.Is(err, graph.ErrRefused) {
		return
	}
	w.deletes++
	for _, k := range w.roots[c.ID] {
		if w.handed[k]++; w.handed[k] > w.limit && !w.approved[k] {
			t.Fatalf("%d deletes of the cascade %s, the limit is %d", w.handed[k], k, w.limit)
		}
	}
	if most := int(int64(w.now.Sub(time.Unix(1000, 0))) * int64(w.window) / int64(w.per)); w.window > 0 && w.deletes > most {
		t.Fatalf("%d deletes after %v, want %d at most", w.deletes, w.now.Sub(time.Unix(1000, 0)), most)
	}
}

// answers gives the answer of a user for a random cascade that is held.
func (w *brakeWorld) answers(t *rapid.T) {
	held := w.Braked(1 << 20)
	if len(held) == 0 {
		return
	}
	k := rapid.SampledFrom(held).Draw(t, "cascade").Key
	var err error
	if rapid.Bool().Draw(t, "approve") {
		w.approved[k] = true
		err = w.ApproveCascade(w.now, k, BrakeApproval{Until: w.now.Add(time.Minute), AtMost: rapid.IntRange(1, 5).Draw(t, "most")})
	} else {
		err = w.RefuseCascade(w.now, k, rapid.SampledFrom([]Refusal{KeepHeld, OrphanHeld}).Draw(t, "refusal"))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestBrakeWorlds checks G5 (a) and (d) in random worlds, by the outcomes of the calls. The
// engine's invariants are true at each step, and a copy has the same fingerprint.
func TestBrakeWorlds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newBrakeWorld(t)
		for n := range rapid.IntRange(10, 120).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0, 1, 2, 3:
				w.creates(t, n)
			case 4:
				w.ends(t)
			case 5:
				w.answers(t)
			case 6:
				w.now = w.now.Add(time.Duration(rapid.SampledFrom([]int{1, 7, 60}).Draw(t, "seconds")) * time.Second)
			default:
				for i := 0; i < 20 && w.acts(t); i++ {
				}
			}
			if err := w.check(); err != nil {
				t.Fatal(err)
			}
		}
		if a, b := w.fingerprint(nil), w.clone().fingerprint(nil); a != b {
			t.Fatalf("a copy has fingerprint %x, want %x", b, a)
		}
	})
}
