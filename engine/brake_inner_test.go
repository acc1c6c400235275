package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// carries makes every call of the store that the engine wants now, with the result of the
// answer, and shows the engine the outcome of a success. It returns the deletes in order.
func (e *Engine) carries(t *testing.T, answer func(Call) error) (deleted []string) {
	t.Helper()
	for n := 0; ; n++ {
		c, at := e.Next(e.now, LaneStore)
		if c.Type != CallUnset {
			n = 0
		} else if n > 1000+8*e.graph.Len() {
			t.Fatalf("Next has asked for another call %d times, and brought none", n)
		}
		switch {
		case c.Type == CallUnset && (at.IsZero() || at.After(e.now)):
			if err := e.check(); err != nil {
				t.Fatal(err)
			}
			return deleted
		case c.Type == CallUnset:
			continue
		}
		err := answer(c)
		if c.Type == CallDelete {
			deleted = append(deleted, c.Key.Name)
		}
		if errors.Is(err, errAnswered) {
			continue
		}
		if done := e.Done(e.now, c.ID, Result{Err: err}); done != nil {
			t.Fatal(done)
		}
		if err == nil && c.Type != CallRead {
			e.shows(t, c)
		}
	}
}

// shows makes the engine observe the change of a write.
func (e *Engine) shows(t *testing.T, c Call) {
	t.Helper()
	n, _ := e.graph.Lookup(c.Key)
	o := n.Object()
	switch {
	case c.Type == CallDelete && len(o.Finalizers) == 0 && c.Options.Propagation != graph.Foreground:
		e.observeEach(t, graph.Event{Type: graph.Gone, Key: c.Key})
		return
	case c.Type == CallDelete:
		o.Deleting = true
	default:
		o.Finalizers = slices.DeleteFunc(o.Finalizers, func(f string) bool { return f == c.Change.DropFinalizer })
		o.Owners = slices.DeleteFunc(o.Owners, func(r graph.Owner) bool { return slices.Contains(c.Change.DropOwners, r) })
	}
	o.Version += "1"
	e.observeEach(t, graph.Event{Type: graph.Put, Object: o})
}

// absent answers every read with "not found", and every write with success.
func absent(c Call) error {
	if c.Type == CallRead {
		return graph.ErrNotFound
	}
	return nil
}

// below returns n objects of kind b below an owner.
func below(owner string, n int) (out []string) {
	for i := range n {
		first, _, _ := strings.Cut(strings.TrimPrefix(owner, "a/"), ",")
		out = append(out, fmt.Sprintf("b/%s-%d#1 -> %s", first, i, owner))
	}
	return out
}

func braking(perCascade int) Config { return Config{Brake: Brake{PerCascade: perCascade}} }

// whyHeld returns the reasons of the held objects, each with its number.
func (e *Engine) whyHeld() string {
	n := map[policy.Reason]int{}
	for _, h := range e.Held(1 << 20) {
		n[h.Reason]++
	}
	var out []string
	for r, k := range n {
		out = append(out, fmt.Sprintf("%d %s", k, r.Code()))
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// TestBrakeWalk checks G5 (b): the engine counts the objects below the root before it deletes
// the first one.
func TestBrakeWalk(t *testing.T) {
	for _, c := range []struct {
		objects []string
		gone    []string
		deleted int
		held    string
		reason  string
	}{
		{append(below("a", 3), "a#1"), []string{"a"}, 3, "", "as many objects as the limit"},
		{append(below("a", 4), "a#1"), []string{"a"}, 0, "4 Braked", "one object more than the limit"},
		{append(below("a", 5000), "a#1"), []string{"a"}, 0, "5000 Braked", "thousands of objects"},
		{[]string{"a#1", "b/0#1 -> a", "b/1#1 -> a", "c/0#1 -> b/0", "c/1#1 -> b/0"}, []string{"a"}, 0, "2 Braked", "objects at every depth count"},
		{[]string{"a#1", "a/x#1", "b/0#1 -> a", "b/1#1 -> a, a/x", "b/2#1 -> a, a/x", "c/0#1 -> b/1", "c/1#1 -> b/2", "c/2#1 -> b/0"},
			[]string{"a"}, 2, "", "an object with another owner stays, and so do those below it"},
		{[]string{"a#1", "b/0#1 -> a", "b/1#1 -> a", "c/0#1 -> b/0, b/1", "c/1#1 -> b/0, b/1"}, []string{"a"}, 0, "2 Braked", "an object with two owners in the cascade counts once both are counted"},
		{append(append(below("a/x", 3), below("a/y", 3)...), "a/x#1", "a/y#1"), []string{"a/x", "a/y"}, 6, "", "each cascade has a limit of its own"},
		{append(below("a/x, a/y", 4), "a/x#1", "a/y#1"), []string{"a/x", "a/y"}, 0, "4 Braked", "an object with two roots counts in each"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			e := listed(t, braking(3), c.objects...)
			for _, name := range c.gone {
				e.observeEach(t, goneOf(name))
			}
			if got := e.carries(t, absent); len(got) != c.deleted || e.whyHeld() != c.held {
				t.Errorf("%d deletes (%.80q), held %q; want %d and %q", len(got), got, e.whyHeld(), c.deleted, c.held)
			}
		})
	}
}

// TestBrakeCountsBeforeAll: the engine counts no cascade while a kind is being listed.
func TestBrakeCountsBeforeAll(t *testing.T) {
	e, err := New(Level1, braking(2))
	if err != nil {
		t.Fatal(err)
	}
	see := func(events ...graph.Event) { e.observeEach(t, events...) }
	see(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "b"}, {Kind: "c"}}},
		graph.Event{Type: graph.ListBegun, Kind: "a"}, graph.Event{Type: graph.ListEnded, Kind: "a"},
		graph.Event{Type: graph.ListBegun, Kind: "b"}, put("b#1 -> a"), graph.Event{Type: graph.ListEnded, Kind: "b"},
		graph.Event{Type: graph.ListBegun, Kind: "c"}, put("c/0#1 -> b"))
	if got := e.carries(t, absent); len(got) != 0 || e.whyHeld() != "1 BrakeListing" {
		t.Fatalf("%q are deleted, held %q, before c is listed", got, e.whyHeld())
	}
	x, err := e.Explain(put("b").Object.Key)
	if err != nil || len(x.Wait) != 1 || !strings.Contains(x.Wait[0].Actor, "listing of c") {
		t.Errorf("%+v, %v; want that the listing of c is named", x.Wait, err)
	}
	see(put("c/1#1 -> b"), graph.Event{Type: graph.ListEnded, Kind: "c"})
	if got := e.carries(t, absent); len(got) != 0 || e.whyHeld() != "1 Braked" {
		t.Errorf("%q are deleted, held %q, want three objects held as one cascade", got, e.whyHeld())
	}
	see(graph.Event{Type: graph.KindSick, Kind: "c", Reason: "down"})
	if !e.kinds.AllListed() {
		t.Error("a sick kind that was listed counts as not listed")
	}
}

// TestBrakeLimit checks G5 (a): objects that come after the count are counted too. A delete of
// unknown outcome counts, and one that the store has not carried out does not.
func TestBrakeLimit(t *testing.T) {
	for _, c := range []struct {
		answers []error // of the first deletes
		deletes int     // calls
		reason  string
	}{
		{nil, 3, "every delete succeeds"},
		{[]error{errors.New("connection reset")}, 3, "an unknown outcome counts"},
		{[]error{graph.ErrConflict, graph.ErrConflict}, 5, "a conflict counts for nothing"},
		{[]error{ErrNotBegun}, 4, "a call that was given back counts for nothing"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			e := listed(t, braking(3), append(below("a", 1), "a#1")...)
			e.observeEach(t, goneOf("a"))
			n, more := 0, 1
			answer := func(x Call) error {
				switch {
				case x.Type == CallDelete:
					if n++; n <= len(c.answers) {
						return c.answers[n-1]
					}
					return nil
				case strings.HasPrefix(x.Key.Name, "a-"): // after a conflict
					return errReadSame
				}
				return graph.ErrNotFound
			}
			deletes := 0
			for range 20 {
				deletes += len(e.carriesSame(t, answer))
				e.observeEach(t, put(fmt.Sprintf("b/a-%d#1 -> a", more)))
				more++
				e.now = e.now.Add(time.Minute)
			}
			if deletes != c.deletes || !strings.Contains(e.whyHeld(), "Braked") {
				t.Errorf("%d calls, held %q, want %d calls", deletes, e.whyHeld(), c.deletes)
			}
			all := e.Braked(9)
			if len(all) != 1 || all[0].Over || all[0].Handed != 3 || all[0].Held < 10 || all[0].Limit != 3 {
				t.Errorf("braked: %+v", all)
			}
		})
	}
}

// errReadSame makes a read answer the object of the graph.
var errReadSame = errors.New("same")

// carriesSame is carries for an answer that may ask for the graph's object.
func (e *Engine) carriesSame(t *testing.T, answer func(Call) error) (deleted []string) {
	t.Helper()
	return e.carries(t, func(c Call) error {
		err := answer(c)
		if errors.Is(err, errReadSame) {
			n, ok := e.graph.Lookup(c.Key)
			if !ok || n.Version() == "" {
				return graph.ErrNotFound
			}
			o := n.Object()
			if done := e.Done(e.now, c.ID, Result{Object: o}); done != nil {
				t.Fatal(done)
			}
			return errAnswered
		}
		return err
	})
}

// errAnswered says that a call has been answered already.
var errAnswered = errors.New("answered")
