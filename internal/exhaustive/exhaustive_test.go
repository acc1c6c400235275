package exhaustive

import (
	"flag"
	"runtime/debug"
	"testing"
	"time"
)

var (
	nFlag       = flag.Int("n", 2, "objects")
	actionsFlag = flag.Int("actions", 2, "actions")
	crashFlag   = flag.Int("crashes", 0, "crashes")
	listFlag    = flag.Int("listings", 0, "new listings")
	statesFlag  = flag.Int("states", 0, "states for each graph")
)

func TestScope(t *testing.T) {
	debug.SetGCPercent(800)
	begin := time.Now()
	var states, trans int64
	cut := 0
	for i, g := range Graphs(*nFlag) {
		r := Search(g, Scope{Actions: *actionsFlag, Calls: 1, Crashes: *crashFlag, Listings: *listFlag, States: *statesFlag})
		states += r.States
		trans += r.Transitions
		if r.Cut {
			cut++
		}
		if r.Broken != "" {
			t.Errorf("%s: %s", r.Graph, r.Broken)
			for _, h := range r.History {
				t.Log("   ", h)
			}
			break
		}
		if i%10 == 0 {
			t.Log(i, r.Graph, r.States, r.Transitions, time.Since(begin))
		}
	}
	t.Log(states, trans, cut, time.Since(begin))
}
