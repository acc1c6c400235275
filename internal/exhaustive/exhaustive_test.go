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
	waitFlag    = flag.Int("waits", 0, "waits")
	callFlag    = flag.Int("calls", 1, "calls")
	statesFlag  = flag.Int("states", 0, "states for each graph")
	stepFlag    = flag.Int("step", 1, "every so many graphs")
	lateFlag    = flag.Bool("late", false, "")
	goon        = flag.Bool("goon", false, "")
)

func TestScope(t *testing.T) {
	debug.SetGCPercent(800)
	begin := time.Now()
	var states, trans int64
	cut := 0
	for i, g := range Graphs(*nFlag, 0) {
		if i%*stepFlag != 0 {
			continue
		}
		r := Search(g, Scope{Actions: *actionsFlag, Calls: *callFlag, Crashes: *crashFlag, Listings: *listFlag, Waits: *waitFlag, States: *statesFlag, Late: *lateFlag})
		states += r.States
		trans += r.Transitions
		if r.Cut {
			cut++
		}
		if r.Broken != nil {
			t.Errorf("%s: %s\n%s", r.Graph, r.Broken, r.History)
			if !*goon {
				break
			}
		}
	}
	t.Log(states, trans, cut, time.Since(begin))
}
