package engine

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/history"
	"github.com/ownergraph/ownergraph/internal/core/seed"
)

// deletions lists the deletions under way, slice by slice as a Collector does.
func (e *Engine) deletions(limit int) (out []string) {
	t := history.NewTally(limit)
	for from, more := graph.NodeID(0), true; more; {
		from, more = driver{e}.TallyFrom(t, from)
	}
	for _, d := range t.Cascades() {
		out = append(out, fmt.Sprintf("%s/%s: %d open, %d gone, since %d", d.Root.Kind, d.Root.Name, d.Open, d.Gone, d.Since.Unix()))
	}
	return out
}

// TestDeletions: the list has each root with the objects that are marked or whose owners go, and with
// the ends so far. Many objects change no count of the first roots.
func TestDeletions(t *testing.T) {
	many := []string{"a/many#1~[foreground]"}
	for i := range 3 * seed.ScanSlice {
		many = append(many, fmt.Sprintf("b/many%d#1~[x.io/f] -> a/many!", i))
	}
	for _, c := range []struct {
		objects []string
		events  []graph.Event
		limit   int
		want    []string
		reason  string
	}{
		{[]string{"a/x#1", "b/y#1 -> a/x"}, nil, 9, nil, "nothing is deleted"},
		{[]string{"a/x#1", "b/y#1 -> a/x"}, []graph.Event{goneOf("a/x")}, 9, []string{"a/x: 1 open, 1 gone, since 2000"}, "the root is gone, and its dependent is not marked yet"},
		{[]string{"a/x#1", "b/y#1 -> a/x!"}, []graph.Event{put("a/x#2~[foreground]")}, 9, []string{"a/x: 2 open, 0 gone, since 2000"}, "a foreground deletion has begun"},
		{[]string{"a/x#1", "b/y#1 -> a/x!", "c/z#1 -> a/x!"}, []graph.Event{put("a/x#2~[foreground]"), goneOf("b/y")}, 9, []string{"a/x: 2 open, 1 gone, since 2000"}, "one dependent is gone"},
		{[]string{"a/x#1~[x.io/f]", "b/y#1~[x.io/f]", "c/z#1"}, nil, 9, []string{"a/x: 1 open, 0 gone, since 1000", "b/y: 1 open, 0 gone, since 1000"}, "two objects wait alone"},
		{[]string{"a/x#1~[x.io/f]", "b/y#1~[x.io/f]", "c/z#1~[x.io/f]"}, nil, 2, []string{"a/x: 1 open, 0 gone, since 1000", "b/y: 1 open, 0 gone, since 1000"}, "the first ones by key"},
		{[]string{"a/x#1", "a/live#1", "b/y#1 -> a/x, a/live"}, []graph.Event{goneOf("a/x")}, 9, nil, "another owner keeps the dependent"},
		{many, nil, 1, []string{fmt.Sprintf("a/many: %d open, 0 gone, since 1000", len(many))}, "many slices, after a restart in the middle"},
	} {
		e := listed(t, Config{}, c.objects...)
		e.now = time.Unix(2000, 0)
		e.observeEach(t, c.events...)
		if got := e.deletions(c.limit); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}
