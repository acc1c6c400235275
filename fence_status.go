package ownergraph

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// FenceStatus is how far the fence under way is. It is a value; the receiver owns it.
type FenceStatus struct {
	// Since is when it began, the zero time if none is under way.
	Since time.Time
	// Open is how many kinds have still to pass it, the set of kinds too. Kinds are the
	// first 8 of them, sorted; "" is the set of kinds.
	Open  int
	Kinds []Kind
	// Lost is how many fences before it were lost, in a row: a kind that is well did not
	// report in time that it has passed.
	Lost int
}

// fenceStatus says how far the fence under way is.
func (e *Engine) fenceStatus() FenceStatus {
	f := &e.fence
	s := FenceStatus{Lost: f.lost}
	if f.id != 0 {
		s.Since, s.Open, s.Kinds = f.started, len(f.open), firstKinds(f.open)
	}
	return s
}

// firstKinds returns the first 8 kinds of a set, sorted.
func firstKinds(set map[Kind]bool) []Kind {
	var out []Kind
	for k := range maps.Keys(set) {
		if at, _ := slices.BinarySearch(out, k); at < mostDetail {
			out = slices.Insert(out[:min(len(out), mostDetail-1)], at, k)
		}
	}
	return out
}

// kindNames names kinds, with words for the set of kinds.
func kindNames(kinds []Kind) []string {
	out := make([]string, len(kinds))
	for i, k := range kinds {
		if out[i] = string(k); k == "" {
			out[i] = "the set of kinds"
		}
	}
	return out
}

// loseFence gives the fence under way up, which well kinds should have passed by now.
// Objects that wait for it are looked at again, and reported as held until one passes.
func (e *Engine) loseFence() {
	f := &e.fence
	f.lost++
	e.counts.LostFences++
	f.late = firstKinds(f.open)
	e.cfg.Logger.Warn("fence lost", "kinds", strings.Join(kindNames(f.late), ", "), "count", len(f.open), "waited", e.now.Sub(f.started))
	for _, name := range slices.Sorted(maps.Keys(f.open)) {
		if k := e.kinds[name]; k.waiting != nil {
			e.wakes = append(e.wakes, slices.Sorted(maps.Keys(k.waiting))...)
			k.waiting = nil
			e.setKind(name, k)
		}
	}
	e.wakeFence()
}
