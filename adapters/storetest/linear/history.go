package linear

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/ownergraph/ownergraph/graph"
)

// history has the recorded calls of one object, in the order of their begins.
type history []call

// split groups the calls by object, sorted by place.
func split(calls []call) []history {
	slices.SortFunc(calls, func(a, b call) int {
		return cmp.Or(a.place.Compare(b.place), cmp.Compare(a.begun, b.begun))
	})
	var list []history
	for i, c := range calls {
		if i == 0 || calls[i-1].place != c.place {
			list = append(list, nil)
		}
		at := len(list) - 1
		list[at] = append(list[at], c)
	}
	return list
}

// maxJudging bounds the search for an order of one history. The search is short,
// except where most outcomes are unknown.
const maxJudging = time.Minute

// judge returns whether the history is linearizable: Ok, Illegal, or Unknown if the
// search takes too long.
func (h history) judge() porcupine.CheckResult {
	var ops []porcupine.Operation
	for _, c := range h {
		op := porcupine.Operation{ClientId: c.client, Input: c, Call: c.begun, Return: c.ended}
		if c.unknown() {
			op.Return = math.MaxInt64
		}
		// A read without an answer proves nothing.
		if c.verb != get || !c.unknown() {
			ops = append(ops, op)
		}
	}
	return porcupine.CheckOperationsTimeout(model(), ops, maxJudging)
}

// shrink returns a shorter history that is not linearizable either, in which each
// call is needed. It cuts the history at the earliest end of a call that shows the
// failure. Then it removes calls that did nothing and prove nothing.
func (h history) shrink() history {
	for _, end := range h.ends() {
		if cut := h.until(end); cut.judge() == porcupine.Illegal {
			h = cut
			break
		}
	}
	for i := len(h) - 1; i >= 0; i-- {
		if !h[i].idle() {
			continue
		}
		if rest := slices.Delete(slices.Clone(h), i, i+1); rest.judge() == porcupine.Illegal {
			h = rest
		}
	}
	return h
}

func (h history) ends() []int64 {
	var list []int64
	for _, c := range h {
		list = append(list, c.ended)
	}
	slices.Sort(list)
	return list
}

// until returns the history as it was right after the end. The calls that had not
// ended have no outcome yet.
func (h history) until(end int64) history {
	var list history
	for _, c := range h {
		if c.ended > end {
			c.err, c.got = errPending, graph.Object{}
		}
		if c.begun < end {
			list = append(list, c)
		}
	}
	return list
}

// idle reports whether the call changed nothing. The history without such a call
// proves no more than the history with it.
func (c call) idle() bool { return c.verb == get || c.err != nil && !c.unknown() }
