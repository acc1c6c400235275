package ownergraph

import (
	"fmt"
	"iter"
)

// kindCounts counts the kinds that take part, by what decisions ask of all of them.
// A decision that walked the kinds instead would cost as much as there are kinds.
type kindCounts struct {
	part   int // they take part
	sick   int // these cannot be watched, too
	unseen int // these are sick, or not listed
}

func (c *kindCounts) add(k kindMind, n int) {
	if !k.part {
		return
	}
	c.part += n
	if k.sick != "" {
		c.sick += n
	}
	if k.sick != "" || !k.listed {
		c.unseen += n
	}
}

// setKind is the one place that writes to the table of kinds, so that the counts
// follow it. Held by TestKindsAreSetInOnePlace and invariant E10.
func (e *Engine) setKind(name Kind, k kindMind) {
	was := e.kinds[name]
	e.counted.add(was, -1)
	e.counted.add(k, 1)
	if f := &e.fence; f.open[name] {
		f.well += well(k) - well(was)
	}
	e.kinds[name] = k
}

// dropKind takes a kind out of the table.
func (e *Engine) dropKind(name Kind) {
	e.counted.add(e.kinds[name], -1)
	delete(e.kinds, name)
}

// well is 1 for a kind that can be watched.
func well(k kindMind) int {
	if k.sick != "" {
		return 0
	}
	return 1
}

// allKinds yields every kind that is known, and counts the steps: see looked.
func (e *Engine) allKinds() iter.Seq2[Kind, kindMind] {
	return func(yield func(Kind, kindMind) bool) {
		for name, k := range e.kinds {
			e.looked++
			if !yield(name, k) {
				return
			}
		}
	}
}

// checkKinds counts the kinds anew.
func (e *Engine) checkKinds() error {
	var c kindCounts
	for _, k := range e.kinds {
		c.add(k, 1)
	}
	if c != e.counted {
		return fmt.Errorf("E10: the kinds count as %+v, want %+v", e.counted, c)
	}
	f, healthy := &e.fence, 0
	for name := range f.open {
		if name != "" {
			healthy += well(e.kinds[name])
		} else if !e.kindsLost {
			healthy++
		}
	}
	if f.id != 0 && healthy != f.well {
		return fmt.Errorf("E10: the fence waits for %d kinds that are well, want %d", f.well, healthy)
	}
	return nil
}
