package storetest

import (
	"flag"
	"iter"
	"slices"
	"sync"
	"time"
)

// shrinking makes a failing case smaller. It tries smaller forms of the case one
// after another. Rapid shrinks draws, and one draw decides the meaning of the next
// ones. This type removes steps, and the remaining steps keep their meaning.
//
// It is for one goroutine.
//
//test:by TestShrink TestShrinkByChance TestModelShrinks TestEngineShrinks
type shrinking[C any] struct {
	// smaller yields smaller forms, the smallest first.
	smaller func(C) iter.Seq[C]
	// runCase runs a case, and reports whether it fails in the same way. If width
	// is more than one, several goroutines call it.
	runCase func(C) (caseFailure, bool)
	// width is the number of cases that run at once. Most cases wait, and waiting
	// costs nothing.
	width int
	// rounds is the number of times that every smaller form of a case runs and passes
	// before the case is the smallest. A case whose result depends on timing passes
	// by chance. Zero means one.
	rounds int
	until  time.Time
	last   caseFailure // of the case that shrink returns
}

// shrink returns a failing case without a smaller failing form, or the smallest
// case found in time.
func (s *shrinking[C]) shrink(c C) C {
	for passed := 0; passed < max(1, s.rounds); {
		next, found := s.step(c)
		if !found {
			passed++
			continue
		}
		c, passed = next, 0
	}
	return c
}

func (s *shrinking[C]) step(c C) (C, bool) {
	var batch []C
	for small := range s.smaller(c) {
		if batch = append(batch, small); len(batch) < s.width {
			continue
		}
		if i := s.first(batch); i >= 0 {
			return batch[i], true
		}
		batch = batch[:0]
	}
	if i := s.first(batch); i >= 0 {
		return batch[i], true
	}
	return c, false
}

// first runs cases at once, and returns the index of the first failing one, or -1.
func (s *shrinking[C]) first(batch []C) int {
	if time.Now().After(s.until) {
		return -1
	}
	failures, failed := make([]caseFailure, len(batch)), make([]bool, len(batch))
	var wg sync.WaitGroup
	for i, c := range batch {
		wg.Go(func() { failures[i], failed[i] = s.runCase(c) })
	}
	wg.Wait()
	i := slices.Index(failed, true)
	if i >= 0 {
		s.last = failures[i]
	}
	return i
}

// shrinkTime returns the time for shrinking: the value of -rapid.shrinktime.
func shrinkTime() time.Duration {
	if f := flag.Lookup("rapid.shrinktime"); f != nil {
		if d, err := time.ParseDuration(f.Value.String()); err == nil {
			return d
		}
	}
	return maxShrinking
}

const maxShrinking = 30 * time.Second

// without yields the list without a part of it. Long parts come first, down to one
// element, and of each length the last part comes first.
func without[E any](list []E) iter.Seq[[]E] {
	return func(yield func([]E) bool) {
		for n := len(list); n >= 1; n /= 2 {
			for end := len(list); end > 0; end -= n {
				begin := max(0, end-n)
				rest := append(append([]E(nil), list[:begin]...), list[end:]...)
				if !yield(rest) {
					return
				}
			}
		}
	}
}

// withOther yields the list with one element replaced by each of its smaller forms.
func withOther[E any](list []E, smaller func(E) []E) iter.Seq[[]E] {
	return func(yield func([]E) bool) {
		for i := len(list) - 1; i >= 0; i-- {
			for _, x := range smaller(list[i]) {
				next := append([]E(nil), list...)
				next[i] = x
				if !yield(next) {
					return
				}
			}
		}
	}
}
