package storetest

import (
	"flag"
	"iter"
	"slices"
	"sync"
	"time"
)

// shrinking makes a case that fails smaller, by trying smaller forms of it one
// after another. Rapid shrinks draws, of which one decides what the next ones
// mean; this removes steps, and what remains means the same as before.
//
// It is for one goroutine. Held by TestShrink, TestModelShrinks and
// TestEngineShrinks.
type shrinking[C any] struct {
	// smaller yields smaller forms, the smallest first.
	smaller func(C) iter.Seq[C]
	// play runs a case, and reports whether it fails in the same way. It is called
	// from several goroutines if width is more than one.
	play func(C) (caught, bool)
	// width is how many cases run at once: where they wait, that costs nothing.
	width int
	until time.Time
	last  caught // of the case that shrink returns
}

// shrink returns a case that fails and of which no smaller form has failed, or
// the smallest one that time has allowed.
func (s *shrinking[C]) shrink(c C) C {
	for {
		next, found := s.step(c)
		if !found {
			return c
		}
		c = next
	}
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

// first plays cases at once, and returns the first one that fails, -1 if none
// does.
func (s *shrinking[C]) first(batch []C) int {
	if time.Now().After(s.until) {
		return -1
	}
	failures, failed := make([]caught, len(batch)), make([]bool, len(batch))
	var wg sync.WaitGroup
	for i, c := range batch {
		wg.Go(func() { failures[i], failed[i] = s.play(c) })
	}
	wg.Wait()
	i := slices.Index(failed, true)
	if i >= 0 {
		s.last = failures[i]
	}
	return i
}

// shrinkTime returns how long shrinking may take: what -rapid.shrinktime says.
func shrinkTime() time.Duration {
	if f := flag.Lookup("rapid.shrinktime"); f != nil {
		if d, err := time.ParseDuration(f.Value.String()); err == nil {
			return d
		}
	}
	return mostShrinking
}

const mostShrinking = 30 * time.Second

// without yields the list without some of it: without long stretches first, the
// last ones before the first ones, down to one element.
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

// withOther yields the list with one element replaced by each of its smaller
// forms.
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
