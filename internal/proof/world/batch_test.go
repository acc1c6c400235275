package world

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

// garbage returns a world whose engine has asked for the deletion of three objects, which
// refer to an owner that is not there.
func garbage(t *testing.T) *World {
	t.Helper()
	objects, err := graph.Parse("a/c@c -> o/gone@g; a/a@a -> o/gone@g; a/b@b -> o/gone@g")
	if err != nil {
		t.Fatal(err)
	}
	w, err := New(ownergraph.Level2, ownergraph.Config{}, 1, []graph.KindInfo{{Kind: "a"}, {Kind: "o"}}, objects)
	if err != nil {
		t.Fatal(err)
	}
	for k := range w.Kinds {
		w.List(0, k)
	}
	for range 10 { // a read of the owner, a fence, and then the deletions
		for k := range w.Kinds {
			for len(w.Sides[0].Streams[k].Events) > 0 {
				if err := w.Deliver(0, k); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, lane := range []engine.Lane{engine.LaneStore, engine.LaneControl} {
			c, _, err := w.Issue(0, lane)
			if err == nil && c.Type == engine.CallRead {
				err = w.Complete(0, len(w.Sides[0].Calls)-1)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := w.Batchable(0); n != 3 {
		t.Fatalf("%d writes for a batch, want 3", n)
	}
	return w
}

// TestBatchEnds: each outcome of a batch leaves the right objects, answers, writes under
// way and late writes. The answers come after all writes, in the order of the keys.
func TestBatchEnds(t *testing.T) {
	for _, c := range []struct {
		end                    BatchEnd
		item                   int
		left, answers, waiting string
		late                   int
		reason                 string
	}{
		{BatchDone, 0, "", "a:done b:done c:done", "", 0, "all is done and answered"},
		{BatchOpen, 0, "", "", "a b c", 0, "all is done, and the answers come later"},
		{BatchLost, 0, "a b c", "a:unknown b:unknown c:unknown", "", 0, "nothing is done"},
		{BatchLost, 2, "c", "a:unknown b:unknown c:unknown", "", 0, "two of three are done"},
		{BatchLost, 7, "", "a:unknown b:unknown c:unknown", "", 0, "all is done"},
		{BatchLate, 1, "b c", "a:unknown b:unknown c:unknown", "", 2, "the others may be done later"},
		{BatchAborted, 1, "a b c", "a:later b:later c:later", "", 0, "nothing is done, for sure"},
		{BatchConflict, 1, "b", "a:done b:conflict c:done", "", 0, "the neighbours are done"},
		{BatchRefused, 1, "b", "a:done c:done", "b", 0, "the refused write is tried alone"},
		{BatchUndone, 1, "b", "a:done b:done c:done", "", 0, "it was done and undone"},
	} {
		t.Run(fmt.Sprint(c.end, c.item), func(t *testing.T) {
			w := garbage(t)
			var answers []string
			w.OnWrite = func(*Store, engine.Call) {
				if len(answers) > 0 {
					t.Error("a write comes after an answer")
				}
			}
			w.OnAnswer = func(_ int, x engine.Call, r engine.Result) {
				answers = append(answers, x.Key.Name+":"+answerText(r.Err))
			}
			if err := w.Batch(0, c.item, c.end); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(answers, " "); got != c.answers {
				t.Errorf("answers %q, want %q: %s", got, c.answers, c.reason)
			}
			var left, waiting []string
			for _, o := range w.Store.Objects() {
				left = append(left, o.Name)
			}
			for _, f := range w.Sides[0].Calls {
				waiting = append(waiting, f.Key.Name)
			}
			slices.Sort(waiting)
			if got := strings.Join(left, " "); got != c.left {
				t.Errorf("left %q, want %q: %s", got, c.left, c.reason)
			}
			if got := strings.Join(waiting, " "); got != c.waiting || len(w.Zombies) != c.late {
				t.Errorf("under way %q and %d late writes, want %q and %d: %s", got, len(w.Zombies), c.waiting, c.late, c.reason)
			}
		})
	}
}

func answerText(err error) string {
	switch {
	case err == nil:
		return "done"
	case errors.Is(err, errUnknownOutcome):
		return "unknown"
	case errors.As(err, &later{}):
		return "later"
	case errors.Is(err, graph.ErrConflict):
		return "conflict"
	}
	return err.Error()
}

// TestBatchPlaces: a batch has at most one write for each place.
func TestBatchPlaces(t *testing.T) {
	w := garbage(t)
	calls := &w.Sides[0].Calls
	again := (*calls)[0]
	again.ID += 1 << 20
	again.Key.UID = "other"
	*calls = append(*calls, again)
	if n := w.Batchable(0); n != 3 {
		t.Errorf("%d writes for a batch, want 3: two calls have one place", n)
	}
	for range 2 * MaxBatch {
		again.ID++
		again.Key.Name += "x"
		*calls = append(*calls, again)
	}
	if n := w.Batchable(0); n != MaxBatch {
		t.Errorf("%d writes for a batch, want %d", n, MaxBatch)
	}
}
