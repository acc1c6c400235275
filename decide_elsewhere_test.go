package ownergraph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// TestDecisionElsewhere: a decision to delete names each reference whose UID lives at other
// coordinates. A reference to an owner that is gone, and a decision of another reason, name none.
func TestDecisionElsewhere(t *testing.T) {
	both := ownergraph.Config{Scope: graph.ScopeAbsent, OwnerName: graph.NameAbsent}
	for _, c := range []struct {
		start  string
		cfg    ownergraph.Config
		delete bool
		want   string
		reason string
	}{
		{"cm/a/o@o; cm/a/d -> sec/a/o@o", ownergraph.Config{}, true, "d OwnersGone: sec/a/o@o lives at cm/a/o@o", "another kind"},
		{"cm/a/o@o; cm/b/d -> sec/b/o@o", ownergraph.Config{}, true, "d OwnersGone: sec/b/o@o lives at cm/a/o@o", "another kind and scope"},
		{"cm/a/o@o; cm/b/d -> cm/b/o@o", ownergraph.Config{}, false, "", "the rules hold it"},
		{"cm/a/o@o; cm/b/d -> cm/b/o@o; cm/a/e -> cm/a/x@o", both, true, "d OwnersGone: cm/b/o@o lives at cm/a/o@o; e OwnersGone: cm/a/x@o lives at cm/a/o@o", "the settings read both as absent"},
		{"cm/a/o@o; cm/a/d -> sec/a/o@o", ownergraph.Config{ObserveOnly: true}, false, "d OwnersGone: sec/a/o@o lives at cm/a/o@o", "an engine that observes decides, too"},
		{"cm/a/d -> sec/a/o@o", ownergraph.Config{}, true, "", "the owner is gone"},
		{"cm/a/o@o; cm/a/d -> sec/a/o@o, cm/a/o@o", ownergraph.Config{}, false, "", "another owner keeps it"},
		{"cm/a/o@o; cm/a/w~[foreground]; cm/a/d -> sec/a/o@o, cm/a/w!; cm/a/f -> cm/a/d", ownergraph.Config{}, true,
			"d OwnersWaiting: sec/a/o@o lives at cm/a/o@o", "another owner waits for it"},
		{"cm/a/o@o; cm/a/k; cm/a/d -> sec/a/o@o:cascade, cm/a/k", ownergraph.Config{Policies: true}, true,
			"d CascadeOwnerGone: sec/a/o@o lives at cm/a/o@o", "a cascade reference alone decides"},
		{"cm/a/o@o; cm/a/w~[foreground]; cm/a/d -> sec/a/o@o:release, cm/a/w:cascade!; cm/a/f -> cm/a/d", ownergraph.Config{Policies: true}, true,
			"d CascadeOwnerWaits: sec/a/o@o lives at cm/a/o@o", "the owner of a cascade reference waits for it"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var got []string
			cfg, deletes := c.cfg, false
			cfg.OnDecision = func(d engine.DecisionEvent) {
				deletes = deletes || d.Action == policy.Delete && d.Call != 0
				for _, x := range d.Elsewhere {
					if d.Action != policy.Delete {
						t.Errorf("%s: the action is %s: %s", c.start, d.Action, c.reason)
					}
					got = append(got, fmt.Sprintf("%s %s: %s lives at %s", d.Key.Name, d.Reason.Code(), x.Owner.Key, x.Lives))
				}
			}
			r := collect(t, newTap(t, c.start+"; sec/z/z"), cfg)
			r.idle()
			if slices.Sort(got); strings.Join(slices.Compact(got), "; ") != c.want || deletes != c.delete {
				t.Errorf("%s: %q, deletes %t, want %q and %t: %s", c.start, got, deletes, c.want, c.delete, c.reason)
			}
		})
	}
}

// TestOrphanedElsewhere: an owner orphans a dependent by its UID alone, and goes while the dependent
// waits for a fence. The engine looks at the dependent at once, and not only in an audit.
func TestOrphanedElsewhere(t *testing.T) {
	for _, relist := range []bool{false, true} {
		s := newStepped(t, ownergraph.Config{AuditEvery: 1000 * time.Hour}, "a", "b", "d")
		s.put("a@aaa#1~[orphan,x]; d#1 -> b/a@aaa")
		if c, _ := s.e.Next(s.now, engine.LaneStore); c.Type != engine.CallUnset {
			t.Errorf("%s before the fence has passed", c.String())
		}
		if relist {
			s.list("a")
		} else {
			s.see(ends("a", "aaa"))
		}
		if got := fmt.Sprint(s.run(graph.ErrNotFound)); got != "[delete d]" {
			t.Errorf("by a listing %t: writes %s, want the end of d", relist, got)
		}
		s.sound()
	}
}
