package exhaustive

import (
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/internal/proof/world"
)

const seed = 0x2545f4914f6cdd1d

// fingerprint stands for a state: the store with its past, the streams, the calls in
// flight, the engine, and the rest of the scope.
func (s *search) fingerprint(x *state) uint64 {
	p := &printer{hash: seed}
	s.left(p, x)
	p.word(uint64(x.switches)<<8 | uint64(x.turn))
	for i, side := range x.w.Sides {
		p.word(x.unreported[i])
		p.side(side)
		p.pending(x.judging[i])
	}
	return p.hash
}

func (p *printer) side(side *world.Side) {
	p.fences(side.Sets, newest(side))
	p.flags(len(side.Asked) > 0)
	for _, st := range side.Streams {
		p.fences(st.Fences, newest(side))
		p.word(uint64(len(st.Events)))
		for _, e := range st.Events {
			p.event(e, newest(side))
		}
	}
	for _, c := range side.Calls {
		p.call(c.Call)
		p.flags(c.Committed)
		p.answer(c.Answer)
	}
	p.word(probe.Fingerprint(side.Engine, nil))
}

// left adds the parts that a crash of the engine leaves. Once no action is left, it
// adds the end states that the actions permit instead of the actions, since nothing
// else depends on them.
func (s *search) left(p *printer, x *state) {
	p.word(uint64(x.crashes)<<32 | uint64(x.listings)<<24 | uint64(x.waits)<<16 | uint64(x.used)<<8 | uint64(len(x.actions)))
	p.word(uint64(x.rewinds)<<32 | uint64(x.outages)<<24 | x.down)
	p.word(uint64(x.pauses)<<8 | uint64(x.moves))
	if x.used < s.scope.Actions {
		for _, a := range x.actions {
			p.word(uint64(a.Verb))
			p.object(a.Object)
		}
	} else {
		p.word(s.judge.permitted(x.actions).number)
	}
	for _, o := range x.w.Store.Objects() {
		p.object(o)
	}
	words := func(text string, flags uint64) {
		p.text(text)
		p.word(flags)
	}
	x.w.Ledger.Words(words)
	x.w.Store.Archived(words)
	for _, c := range x.w.Zombies {
		p.call(c)
	}
}

// printer feeds words into a hash.
type printer struct{ hash uint64 }

func (p *printer) word(x uint64) {
	h := (p.hash ^ x) * 0x9e3779b97f4a7c15
	p.hash = h ^ h>>29
}

func (p *printer) text(s string) {
	h := uint64(len(s))
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	p.word(h)
}

func (p *printer) flags(fs ...bool) {
	x := uint64(1)
	for _, f := range fs {
		x <<= 1
		if f {
			x |= 1
		}
	}
	p.word(x)
}

// key adds name and UID. No two kinds of a graph share a name.
func (p *printer) key(k graph.Key) {
	p.text(k.Name)
	p.text(string(k.UID))
}

func (p *printer) object(o graph.Object) {
	p.key(o.Key)
	p.text(string(o.Version))
	p.word(uint64(len(o.Owners))<<16 | uint64(len(o.Finalizers)))
	p.flags(o.Deleting)
	for _, r := range o.Owners {
		p.owner(r)
	}
	for _, f := range o.Finalizers {
		p.text(f)
	}
}

func (p *printer) owner(r graph.Owner) {
	p.key(r.Key)
	p.flags(r.Block, r.Unresolved)
	if r.OnDelete != graph.OnDeleteUnset {
		p.word(uint64(r.OnDelete))
	}
}

// newest returns the last fence that was begun and is not over. The number of later
// fences stands for a fence.
func newest(s *world.Side) (id uint64) {
	for _, set := range s.Sets {
		id = max(id, set)
	}
	for _, st := range s.Streams {
		for _, f := range st.Fences {
			id = max(id, f)
		}
		for _, e := range st.Events {
			id = max(id, e.Fence)
		}
	}
	return id
}

func (p *printer) fences(ids []uint64, newest uint64) {
	p.word(uint64(len(ids)))
	for _, id := range ids {
		p.word(newest - id)
	}
}

func (p *printer) event(e graph.Event, newest uint64) {
	p.word(uint64(e.Type))
	switch e.Type {
	case graph.FencePassed:
		p.word(newest - e.Fence)
	case graph.Put:
		p.object(e.Object)
	case graph.Gone:
		p.key(e.Key)
	}
}

// call adds a read or a write, without its id.
func (p *printer) call(c engine.Call) {
	p.word(uint64(c.Type)<<32 | uint64(c.Options.Propagation))
	p.key(c.Key)
	p.text(string(c.Precondition.Version))
	p.text(string(c.Options.Precondition.Version))
	p.text(c.Change.DropFinalizer)
	if cause := c.Options.Cause; cause != nil { // the root has no effect on a restore
		p.text("cause " + string(cause.Holder.UID))
	}
	if c.Change.AddFinalizer != "" {
		p.text("+" + c.Change.AddFinalizer)
	}
	p.word(uint64(len(c.Change.DropOwners))<<16 | uint64(len(c.Change.Unblock)))
	for _, r := range c.Change.DropOwners {
		p.owner(r)
	}
	for _, r := range c.Change.Unblock {
		p.owner(r)
	}
}

func (p *printer) answer(r engine.Result) {
	p.object(r.Object)
	if r.Err != nil {
		p.text(r.Err.Error())
	}
}
