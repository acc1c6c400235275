package ownergraph_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

// TestLossesStarveNoEnd: writes to one kind get no answer. A deletion of another kind still
// ends within an hour (R8), at each level, and with slow listings and fences.
func TestLossesStarveNoEnd(t *testing.T) {
	starveEnd(t, ownergraph.Level1, time.Second, 10*time.Second) // a listing takes 1 s
	starveEnd(t, ownergraph.Level2, 4*time.Second, 10*time.Second)
	starveEnd(t, ownergraph.Level2, 12*time.Second, 10*time.Second)
	starveEnd(t, ownergraph.Level2, 12*time.Second, time.Second)
}

func starveEnd(t *testing.T, level ownergraph.Level, slow, fails time.Duration) {
	s := newStepped(t, ownergraph.Config{Level: level}, "a", "b", "o")
	bs := func() {
		for i := range 1000 {
			s.put(fmt.Sprintf("b/%d#1 -> a", i))
		}
	}
	bs()
	type later struct {
		at time.Time
		c  engine.Call
	}
	var open []later
	losses := 0
	for step := range 36000 { // an hour
		if step == 300 {
			s.put("o#1~[foregroundDeletion]")
		}
		s.now = s.now.Add(100 * time.Millisecond)
		rest := open[:0:0]
		for _, x := range open {
			switch {
			case s.now.Before(x.at):
				rest = append(rest, x)
			case x.c.Type == engine.CallFence:
				s.pass(uint64(x.c.ID))
			case x.c.Type == engine.CallList:
				s.see(begun(x.c.Kind))
				if x.c.Kind == "b" {
					bs()
				} else if x.c.Kind == "o" && step > 300 {
					s.put("o#1~[foregroundDeletion]")
				}
				s.see(ended(x.c.Kind))
			default:
				losses++
				s.done(x.c, errNoAnswer)
			}
		}
		open = rest
		for _, lane := range []engine.Lane{engine.LaneControl, engine.LaneStore} {
			for lane == engine.LaneControl || len(open) < 20 {
				c := s.next(lane)
				if c.Type == engine.CallUnset {
					break
				}
				switch {
				case c.Type == engine.CallFence, c.Type == engine.CallList:
					s.done(c, nil)
					open = append(open, later{s.now.Add(slow), c})
				case c.Type == engine.CallRead && c.Key.Kind == "a":
					s.done(c, graph.ErrNotFound)
				case c.Type == engine.CallRead:
					s.answer(c, "b/"+c.Key.Name+"#1 -> a")
				case c.Type == engine.CallPatch && c.Key.Kind == "o":
					t.Logf("level %v, fence or listing %v, write %v: o ended after %v", level, slow, fails, s.now.Sub(time.Unix(0, 0)))
					return
				default: // a webhook of kind b is down
					open = append(open, later{s.now.Add(fails + time.Duration(len(open))*fails/100), c})
				}
			}
		}
	}
	st := s.e.Stats()
	t.Errorf("level %v, fence or listing %v, write %v: o has not ended in an hour: %d losses, %d fences begun, %d passed, %d listings",
		level, slow, fails, losses, st.Calls.Of(engine.CallFence), st.Fences.Passed, st.Calls.Of(engine.CallList))
}
