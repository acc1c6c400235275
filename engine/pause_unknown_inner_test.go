package engine

import (
	"errors"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// TestPauseUnknownAhead: after a conflict a write carries the version of a read, which the watch
// has still to show. A version before it does not tell the outcome of the write, neither during
// the call nor after it.
func TestPauseUnknownAhead(t *testing.T) {
	for _, c := range []struct {
		during, after []string // the versions of b that the watch shows
		read          string   // the version that a read shows then
		unknown       int
		reason        string
	}{
		{nil, nil, "", 1, "the watch shows nothing"},
		{nil, []string{"2"}, "", 1, "version 2 comes before that of the write"},
		{[]string{"2"}, nil, "", 1, "the same, during the call"},
		{[]string{"2"}, []string{"3"}, "", 1, "the watch shows the version of the write"},
		{[]string{"3"}, nil, "", 1, "the same, during the call"},
		{nil, []string{"2", "3", "4"}, "", 0, "the watch shows a version after that of the write"},
		{nil, nil, "3", 1, "a read shows the version of the write"},
		{nil, nil, "4", 0, "a read shows another version"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			e := listed(t, Config{}, "a#1", "b#1 -> a")
			e.observeEach(t, goneOf("a"))
			ends := func(want CallType, r Result, during ...string) {
				call := e.call(t, want, graph.ErrNotFound)
				for _, v := range during {
					e.observeEach(t, put("b#"+v+" -> a"))
				}
				if err := e.Done(e.now, call.ID, r); err != nil {
					t.Fatal(err)
				}
			}
			ends(CallDelete, Result{Err: graph.ErrConflict})
			ends(CallRead, Result{Object: put("b#3 -> a").Object})
			ends(CallDelete, Result{Err: errors.New("lost")}, c.during...)
			for _, v := range c.after {
				e.observeEach(t, put("b#"+v+" -> a"))
			}
			if c.read != "" {
				e.now = e.now.Add(time.Minute)
				ends(CallRead, Result{Object: put("b#" + c.read + " -> a").Object})
			}
			if r, err := e.Pause(e.now, Extent{All: true}); err != nil || len(r.Unknown) != c.unknown {
				t.Errorf("%+v, error %v; want %d writes of unknown outcome", r, err, c.unknown)
			}
		})
	}
}
