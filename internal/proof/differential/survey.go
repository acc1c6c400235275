package main

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// survey is the outcome of many histories.
type survey struct {
	histories, equal, explained int
	classes                     map[string]int
	unexplained                 []string

	// All at once: our ends that the specification does not permit, the number of
	// theirs, and the number of theirs in histories that ended alike action by action.
	oursOutside                []string
	theirsOutside, theirsAlone int
}

// String returns the figures in a line each, and the unexplained differences.
func (s *survey) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d histories, action by action: %d equal, %d with documented deviations, %d unexplained\n",
		s.histories, s.equal, s.explained, len(s.unexplained))
	for _, name := range slices.Sorted(maps.Keys(s.classes)) {
		fmt.Fprintf(&b, "  %-12s %d\n", name, s.classes[name])
	}
	fmt.Fprintf(&b, "all at once, not permitted: %d ends of ours; %d of Kubernetes, %d of them in histories that are equal above\n",
		len(s.oursOutside), s.theirsOutside, s.theirsAlone)
	for _, w := range slices.Concat(s.unexplained, s.oursOutside) {
		fmt.Fprintf(&b, "\n%s\n", w)
	}
	return b.String()
}

func (s *survey) failed() bool { return len(s.unexplained)+len(s.oursOutside) > 0 }

// take runs the first n histories of a seed in bubbles. As many run at once as there
// are processors.
func take(t *testing.T, seed uint64, n int) *survey {
	hush()
	s := &survey{classes: map[string]int{}}
	var mu sync.Mutex
	var next atomic.Uint64
	t.Run("histories", func(t *testing.T) {
		for range runtime.GOMAXPROCS(0) {
			t.Run("lane", func(t *testing.T) {
				t.Parallel()
				for i := next.Add(1) - 1; i < uint64(n); i = next.Add(1) - 1 {
					r, err := examine(t, drawHistory(seed, i))
					if err != nil {
						t.Errorf("history %d of seed %d: %v", i, seed, err)
						return
					}
					mu.Lock()
					s.add(r)
					mu.Unlock()
				}
			})
		}
	})
	return s
}

// result is the outcome of one history.
type result struct {
	verdict
	ours, theirs overlap
}

func examine(t *testing.T, h history) (r result, err error) {
	j := judge{between(t, runOurs, runUpstream)}
	if r.verdict, err = j.judge(h); err != nil {
		return r, err
	}
	if r.ours, err = rushed(t, runOurs, h); err != nil {
		return r, err
	}
	if !r.ours.permitted {
		shrink(h, func(h history) bool {
			o, err := rushed(t, runOurs, h)
			wrong := err == nil && !o.permitted
			if wrong {
				r.ours = o
			}
			return wrong
		})
	}
	r.theirs, err = rushed(t, runUpstream, h)
	return r, err
}

func rushed(t *testing.T, run collect, h history) (overlap, error) {
	return inBubble(t, func(ctx context.Context) (overlap, error) { return rush(ctx, run, h) })
}

// between returns a function that runs a history on two sides.
func between(t *testing.T, ours, theirs collect) func(history) (outcome, error) {
	return func(h history) (outcome, error) {
		return inBubble(t, func(ctx context.Context) (outcome, error) { return drive(ctx, ours, theirs, h) })
	}
}

func (s *survey) add(r result) {
	s.histories++
	switch {
	case r.bad != nil:
		s.unexplained = append(s.unexplained, r.bad.String())
	case len(r.classes) == 0:
		s.equal++
	default:
		s.explained++
		for _, name := range r.classes {
			s.classes[name]++
		}
	}
	if !r.ours.permitted {
		s.oursOutside = append(s.oursOutside, r.ours.String())
	}
	if !r.theirs.permitted {
		s.theirsOutside++
		if r.bad == nil && len(r.classes) == 0 {
			s.theirsAlone++
		}
	}
}
