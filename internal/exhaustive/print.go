package exhaustive

import (
	"github.com/ownergraph/ownergraph/graph"
)

// fingerprint stands for a state: the store, the streams, the calls under way,
// the engine, and what is left of the scope, with the actions done so far.
func (s *search) fingerprint(x *state) uint64 {
	p := &printer{hash: 0x2545f4914f6cdd1d}
	p.word(uint64(x.crashes)<<16 | uint64(x.listings)<<8 | uint64(x.waits))
	p.word(uint64(len(x.side().Sets))<<8 | uint64(x.cold))
	if len(x.actions) < s.scope.Actions || s.scope.Order {
		p.word(uint64(len(x.actions)))
		for _, a := range x.actions {
			p.word(uint64(a.Verb))
			p.object(a.Object)
		}
	} else {
		p.word(s.permitted(x.actions).id)
	}
	for _, o := range x.w.Store.Objects() {
		p.object(o)
	}
	side := x.side()
	for _, st := range side.Streams {
		p.word(uint64(len(st.Events))<<1 | b(st.Begun))
		p.word(uint64(len(st.Fences)))
		for _, e := range st.Events {
			p.word(uint64(e.Type))
			p.object(e.Object)
			p.key(e.Key)
		}
	}
	for _, c := range side.Calls {
		p.word(uint64(c.Type))
		p.key(c.Key)
		p.text(string(c.Precondition.Version) + string(c.Options.Precondition.Version))
		p.object(c.Answer.Object)
		p.word(b(c.Answer.Err != nil))
		p.word(uint64(c.Options.Propagation))
		p.text(c.Change.DropFinalizer)
		for _, r := range c.Change.DropOwners {
			p.key(r.Key)
		}
		p.word(uint64(len(c.Change.Unblock)))
	}
	for _, c := range x.w.Zombies {
		p.word(uint64(c.Type))
		p.key(c.Key)
		p.text(string(c.Precondition.Version) + string(c.Options.Precondition.Version))
		p.text(c.Change.DropFinalizer)
	}
	x.w.Ledger.Words(func(text string, flags uint64) {
		p.text(text)
		p.word(flags)
	})
	p.word(side.Engine.Fingerprint(nil))
	return p.hash
}

type printer struct{ hash uint64 }

func b(f bool) uint64 {
	if f {
		return 1
	}
	return 0
}

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

func (p *printer) key(k graph.Key) {
	p.text(k.Name)
	p.text(string(k.UID))
}

func (p *printer) object(o graph.Object) {
	p.key(o.Key)
	p.text(string(o.Version))
	p.word(b(o.Deleting)<<32 | uint64(len(o.Owners))<<16 | uint64(len(o.Finalizers)))
	for _, r := range o.Owners {
		p.key(r.Key)
		p.word(b(r.Block))
	}
	for _, f := range o.Finalizers {
		p.text(f)
	}
}
