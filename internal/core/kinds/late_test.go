package kinds

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// TestLate: a kind that is not listed in MaxListing counts as sick until a listing ends (RULES,
// G5 b). Nothing but a complete listing gives it new time.
func TestLate(t *testing.T) {
	for _, c := range []struct {
		script string
		late   string // the kinds that are late after that
		ready  bool   // the brake may count
		reason string
	}{
		{"list b 1; wait 299s", "", false, "the listing of a may still come"},
		{"list b 1; wait 300s", "a", true, "no listing of a has begun"},
		{"list b 1; begin a; wait 300s", "a", true, "a listing has begun, and does not end"},
		{"list b 1; wait 299s; begin a; wait 1s", "a", true, "a late beginning gives no new time"},
		{"list b 1; begin a; wait 100s; begin a; wait 100s; begin a; wait 100s", "a", true, "nor do restarts of the listing"},
		{"list b 1; begin a; wait 299s; sick a down; wait 1h", "", true, "a kind that the store reports sick is sick already"},
		{"list b 1; begin a; wait 299s; sick a down; wait 1h; well a; begin a", "", false, "the hour does not count"},
		{"list b 1; begin a; wait 299s; sick a down; wait 1h; well a; begin a; wait 1s", "a", true, "the time before does, so no change of health goes on for ever"},
		{"list b 1; wait 300s; sick a down; well a", "a", true, "a recovery alone does not make it well"},
		{"list b 1; wait 300s; begin a; wait 1h; end a 1; prune a", "", true, "a complete listing does"},
		{"list b 1; wait 300s; begin a; end a 1", "", false, "its pruning is the engine's own work"},
		{"list b 1; begin a; end a 1; wait 1h; prune a", "", true, "and takes as long as it takes"},
		{"list a 1; list b 1; wait 1h", "", true, "both are listed"},
		{"list a 1; list b 1; begin a; wait 300s", "a", true, "another listing does not end, either"},
		{"list a 1; list b 1; rewind; wait 300s", "a b", false, "after a rewind every kind has to be listed (R5)"},
		{"list b 1; wait 200s; list a 1; rewind; list b 2; wait 299s", "", false, "each complete listing gives new time"},
		{"list b 1; refuse a; wait 1h", "", true, "a kind with a refused event is sick already"},
		{"list b 1; wait 200s; kinds b; wait 1h; kinds a b; wait 299s", "", false, "a kind that leaves and joins again begins anew"},
		{"list b 1; kinds a b ignored; list a 1; wait 1h", "", true, "a kind that takes no part has no listing"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			r := newRig(t, c.script)
			r.t.TakeLate(9)
			if err := r.t.Check(); err != nil {
				t.Error(err)
			}
			var late []string
			for name, s := range r.t.All() {
				if s.Late {
					late = append(late, string(name))
					if s.Sick != lateText {
						t.Errorf("%s is sick because of %q", name, s.Sick)
					}
				}
			}
			if got := strings.Join(late, " "); got != c.late || r.t.Countable() != c.ready {
				t.Errorf("late are %q, want %q; countable is %t", got, c.late, r.t.Countable())
			}
		})
	}
}

// TestLateAt: the table names the next time at which a kind is late, and takes a bounded number
// of kinds at once.
func TestLateAt(t *testing.T) {
	r := newRig(t, "wait 1s; kinds a b c d; list b 1; wait 9s; begin b")
	take := func(limit int, want ...graph.Kind) {
		t.Helper()
		if got := r.t.TakeLate(limit); !slices.Equal(got, want) {
			t.Errorf("late are %q, want %q", got, want)
		}
	}
	for _, c := range []struct {
		wait string
		at   time.Duration // of the next one
		late []graph.Kind
	}{
		{"0s", MaxListing, nil},
		{"290s", MaxListing + time.Second, []graph.Kind{"a"}},
		{"1s", MaxListing + time.Second, []graph.Kind{"c"}},
		{"0s", MaxListing + 10*time.Second, []graph.Kind{"d"}},
		{"9s", 0, []graph.Kind{"b"}},
	} {
		r.run("wait " + c.wait)
		take(1, c.late...)
		if at, ok := r.t.LateAt(); ok != (c.at > 0) || ok && at != start.Add(c.at) {
			t.Errorf("after %s the next one is late at %v, %t; want %v", c.wait, at.Sub(start), ok, c.at)
		}
	}
	take(9)
}

// TestLateList: listings that begin and end again and again leave no entries behind.
func TestLateList(t *testing.T) {
	r := newRig(t, "")
	for range 1000 {
		r.run("begin a; wait 1s; sick a down; well a; begin b; end b 1")
	}
	if n := len(r.t.late.list); n > 100 {
		t.Errorf("%d entries for two kinds", n)
	}
}
