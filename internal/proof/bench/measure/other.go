package measure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/bench/server"
	"github.com/ownergraph/ownergraph/internal/proof/bench/workload"
)

// quiet is longer than the longest wait of either side before another try.
const quiet = 1100 * time.Second

// startRow starts a collector on objects in random order, none of which may be
// collected. It runs in a bubble of time, so that a long tail costs no real time.
func startRow(side Side, p Params) (Metrics, error) {
	w := workload.Trees(p.N)
	c := cascade{Params: p, world: w, order: workload.Shuffled(w.Len(), 5), left: w.Len()}
	c.want = func(o graph.Object) string {
		if o.Deleting || len(o.Finalizers) > 0 {
			return "should be as it was"
		}
		return ""
	}
	s := load(side, c)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	begun := time.Now()
	one, err := side.Start(ctx, s, How{Workers: p.Workers})
	if err != nil {
		return nil, err
	}
	var before server.Counts
	for n := s.Counts(); ; n = s.Counts() {
		<-time.After(quiet)
		if n == before && n == s.Counts() {
			break
		}
		before = n
	}
	err = errors.Join(one.Settled(ctx, w.Len()), c.check(s))
	tail := max(before.Last.Sub(begun), 0)
	return Metrics{"requests": float64(before.Total()) / float64(p.N), "tail s": tail.Seconds()}, errors.Join(err, one.Stop())
}

// InBubble reports whether a row has to run in a bubble of time.
func InBubble(p Params) bool { return p.Row == "start" }

// RunBubble is Run in a bubble of time. Bubbles belong to tests, so the process becomes
// a test, and ends.
func RunBubble(out io.Writer, side Side, p Params) {
	test := func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			if err := Run(out, side, p); err != nil {
				fmt.Fprintln(os.Stderr, err)
				t.Fail()
			}
		})
	}
	all := func(string, string) (bool, error) { return true, nil }
	testing.Main(all, []testing.InternalTest{{Name: p.Row, F: test}}, nil, nil)
}

// queueRow measures add, get and done.
func queueRow(side Side, p Params) (Metrics, error) {
	side.Queue(p.Workers, p.N/10, p.Product)() // warm
	run, m := side.Queue(p.Workers, p.N, p.Product), Metrics{}
	took := newMeter()
	took.begin()
	run()
	took.end()
	took.per(p.N, m, "cycle")
	return m, nil
}
