package sim

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/share"
)

// This file judges the brakes of engines that have shares (RULES, H3).

// span is a time in which the window of an engine has one size. The next span ends it.
type span struct {
	began  time.Time
	window int
}

// partOf returns the limit of an engine: that of its Config times the size of its set, rounded up.
func (s *sim) partOf(side, limit int) int {
	if s.parts == nil || limit == 0 {
		return limit
	}
	return max((limit*s.parts[side].set.Len()+share.Slots-1)/share.Slots, 1)
}

// resize notes that the window of an engine has another size.
func (s *sim) resize(side int) {
	if s.lives == nil {
		return
	}
	x := &s.lives[side]
	if n := s.partOf(side, x.brake.Window); n != x.spans[len(x.spans)-1].window {
		x.spans = append(x.spans, span{s.clock(x), n})
	}
}

// judgeSum judges the deletes of a cascade by all engines together. With disjoint sets that stay they
// exceed the limit by less than the number of engines. An engine that crashes counts anew.
func (s *sim) judgeSum(limit int) error {
	if !s.o.sharing.static || limit == 0 {
		return nil
	}
	sums := map[graph.Key]int{}
	for i := range s.lives {
		if s.parts[i].crashes > 0 {
			return nil
		}
		for k, n := range s.lives[i].handed {
			sums[k] += *n
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(sums), graph.Key.Compare) {
		if n := sums[k]; n >= limit+len(s.lives) {
			return fmt.Errorf("G5: %d engines hand out %d deletes of the cascade of %s, the limit is %d", len(s.lives), n, k, limit)
		}
	}
	return nil
}
