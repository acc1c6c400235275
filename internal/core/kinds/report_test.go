package kinds

import (
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestReports: the reports name the kinds that are not listed, sick or not known.
func TestReports(t *testing.T) {
	for _, c := range []struct {
		script   string
		unsynced string
		sick     []string
		busy     bool
		reason   string
	}{
		{"", "kinds that are not listed: a, b", nil, true, "no kind is listed"},
		{"list a 1", "kinds that are not listed: b", nil, true, "one kind is listed"},
		{"list a 1; sick b down", "kinds that are not listed: b (down)", []string{"b: down"}, false, "the other kind is sick"},
		{"list a 1; list b 1", "", nil, false, "all kinds are listed"},
		{"begin a; end a 1", "kinds that are not listed: a, b", nil, true, "a pruning is under way"},
		{"kinds a b c d e f g h i j", "kinds that are not listed: a, b, c, d, e, f, g, h and 2 more", nil, true, "the names are bounded"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			r := newRig(t, c.script)
			if got := r.t.Unsynced(); got != c.unsynced || r.t.Synced() != (got == "") {
				t.Errorf("unsynced: %q, want %q; synced: %v", got, c.unsynced, r.t.Synced())
			}
			if got := r.t.SickNames(); !slices.Equal(got, c.sick) {
				t.Errorf("sick: %q, want %q", got, c.sick)
			}
			if r.t.Busy() != c.busy {
				t.Errorf("busy: %v, want %v", r.t.Busy(), c.busy)
			}
		})
	}
	empty := New(nil)
	if got := empty.Unsynced(); got != "the watch has not told the kinds" {
		t.Errorf("without kinds: %q", got)
	}
	r := newRig(t, "")
	r.t.Refuse(&graph.Event{Type: graph.KindsKnown}, "flawed")
	if got := r.t.SickNames(); !slices.Equal(got, []string{"the newest set of kinds was refused"}) {
		t.Errorf("after a refused set: %q", got)
	}
}
