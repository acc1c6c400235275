package exhaustive

import (
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

// words numbers the messages between engines and the store, from 1 on: events, calls
// without their ids, and results. Equal messages have one number.
type words struct {
	events  []graph.Event
	kinds   []uint8 // of events, by number
	calls   []engine.Call
	results []engine.Result
	known   [3]dict
}

func newWords() words {
	return words{
		events: make([]graph.Event, 1), kinds: make([]uint8, 1),
		calls: make([]engine.Call, 1), results: make([]engine.Result, 1),
	}
}

func number[T any](d *dict, all *[]T, h uint64, x T) uint32 {
	n := d.get(h)
	if n == 0 {
		n = uint32(len(*all))
		*all = append(*all, x)
		d.put(h, n)
	}
	return n
}

// event numbers an event of the k-th kind. A fence has no token, since an engine
// hears only of its last one.
func (w *words) event(e graph.Event, k int) uint32 {
	e.Fence = 0
	p := printer{hash: seed}
	p.word(uint64(k))
	p.event(e, 0)
	p.generation(e.Object)
	n := number(&w.known[0], &w.events, p.hash, e)
	if int(n) == len(w.kinds) {
		w.kinds = append(w.kinds, uint8(k))
	}
	return n
}

func (w *words) marker(n uint32) bool { return w.events[n].Type == graph.FencePassed }

func (w *words) call(c engine.Call) uint32 {
	c.ID = 0
	p := printer{hash: seed}
	p.call(c)
	return number(&w.known[1], &w.calls, p.hash, c)
}

func (w *words) result(r engine.Result) uint32 {
	p := printer{hash: seed}
	p.answer(r)
	p.generation(r.Object)
	return number(&w.known[2], &w.results, p.hash, r)
}

func (p *printer) generation(o graph.Object) {
	p.word(uint64(o.Generation)<<32 | uint64(o.ObservedGeneration))
}
