package exhaustive

import (
	"cmp"
	"slices"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
	"github.com/ownergraph/ownergraph/internal/proof/world"
)

// pasts numbers the states of the store with its ledger, from 1 on. For each it has the
// effects of writes, reads, listings and actions.
type pasts struct {
	words  *words
	kinds  []graph.KindInfo
	start  []graph.Object
	users  Users
	items  []past
	known  dict
	writes dict // by past and call
	wrote  []wrote
	acts   dict // by past and action
	listed *lists
	deeds  []oracle.Action // by number
	named  map[string]uint32
	hooks  hooks
}

// hooks, in tests, make a store break its contract.
type hooks struct {
	call   func(live *world.Store, c *engine.Call) // before a write is carried out
	event  func(e graph.Event) bool                // whether it is lost
	answer func(r *engine.Result)                  // to a read
}

type past struct {
	w       *world.World
	last    bool // the users have ended their actions
	actions []uint32
	line    string
	reads   dict     // by place: the result
	undone  bool     // the restore of all that users deleted was judged well
	lists   []uint32 // by kind
}

// wrote is the effect of a write or an action.
type wrote struct {
	past, result uint32
	events       []uint32
	changed      bool
	bad          error
}

func newPasts(w *world.World, start []graph.Object, users Users, words *words, l *lists) *pasts {
	return &pasts{
		words: words, kinds: w.Kinds, start: start, users: users, listed: l,
		items: make([]past, 1), wrote: make([]wrote, 1), deeds: make([]oracle.Action, 1), named: map[string]uint32{},
	}
}

// number returns the number of the past of a world.
func (p *pasts) number(w *world.World, last bool) uint32 {
	h := printer{hash: seed}
	h.flags(last)
	for _, o := range w.Store.Objects() {
		h.object(o)
		h.generation(o)
	}
	words := func(text string, flags uint64) {
		h.text(text)
		h.word(flags)
	}
	w.Ledger.Words(words)
	w.Store.Archived(words)
	if !last { // the next UID of a name depends on its former ones
		for _, u := range w.Store.Spent() {
			h.text(string(u))
		}
	}
	n := p.known.get(h.hash)
	if n == 0 {
		n = uint32(len(p.items))
		p.items = append(p.items, past{w: w, last: last})
		p.known.put(h.hash, n)
	}
	return n
}

// open returns a copy of the world of a past. It has one listener with the given calls
// in flight.
func (p *pasts) open(n uint32, calls ...world.InFlight) (*world.World, *world.Side) {
	w := *p.items[n].w
	w.Ledger = w.Ledger.Clone()
	side := &world.Side{Streams: make([]world.Stream, len(p.kinds)), Calls: calls}
	for k := range side.Streams {
		side.Streams[k].Begun = true
	}
	w.Sides = []*world.Side{side}
	return &w, side
}

// close numbers the effect on an opened past.
func (p *pasts) close(w *world.World, side *world.Side, last bool) wrote {
	out := wrote{bad: cmp.Or(w.Err(), judgeEntries(w))}
	for k, st := range side.Streams {
		for _, e := range st.Events {
			if p.hooks.event != nil && p.hooks.event(e) {
				continue
			}
			out.events = append(out.events, p.words.event(e, k))
		}
	}
	w.Sides = nil
	out.past = p.number(w, last)
	return out
}

// write carries out a call on the store.
func (p *pasts) write(n, call uint32) *wrote {
	h := hash(uint64(n)<<32 | uint64(call))
	i := p.writes.get(h)
	if i == 0 {
		w, side := p.open(n, world.InFlight{Call: p.words.calls[call]})
		if p.hooks.call != nil {
			p.hooks.call(&w.Store, &side.Calls[0].Call)
		}
		w.Commit(0, 0)
		out := p.close(w, side, p.items[n].last)
		out.result = p.words.result(side.Calls[0].Answer)
		i = p.note(&p.writes, h, out)
	}
	return &p.wrote[i]
}

// act makes a user's action on the store.
func (p *pasts) act(n, action uint32, last bool) *wrote {
	h := hash(uint64(n)<<32|uint64(action), uint64(btoi(last)))
	i := p.acts.get(h)
	if i == 0 {
		w, side := p.open(n)
		changed := w.Do(p.deeds[action])
		out := p.close(w, side, last)
		out.changed = changed
		i = p.note(&p.acts, h, out)
	}
	return &p.wrote[i]
}

func (p *pasts) note(d *dict, h uint64, out wrote) uint32 {
	i := uint32(len(p.wrote))
	p.wrote = append(p.wrote, out)
	d.put(h, i)
	return i
}

// actions returns the possible actions of a user.
func (p *pasts) actions(n uint32) []uint32 {
	x := &p.items[n]
	if x.actions == nil {
		for _, a := range alphabet(&x.w.Store, p.start, p.users) {
			x.actions = append(x.actions, p.deed(a))
		}
	}
	return x.actions
}

func (p *pasts) deed(a oracle.Action) uint32 {
	text := a.String()
	n, ok := p.named[text]
	if !ok {
		n = uint32(len(p.deeds))
		p.deeds, p.named[text] = append(p.deeds, a), n
	}
	return n
}

// read returns the number of the answer to a read.
func (p *pasts) read(n, call uint32) uint32 {
	x := &p.items[n]
	r := x.reads.get(hash(uint64(call)))
	if r == 0 {
		o, err := x.w.Store.Get(p.words.calls[call].Key)
		answer := engine.Result{Object: o, Err: err}
		if p.hooks.answer != nil {
			p.hooks.answer(&answer)
		}
		r = p.words.result(answer)
		x.reads.put(hash(uint64(call)), r)
	}
	return r
}

// listing returns the events of a listing of a kind.
func (p *pasts) listing(n uint32, kind int) uint32 {
	x := &p.items[n]
	if x.lists == nil {
		x.lists = slices.Repeat([]uint32{unknown}, len(p.kinds))
	}
	if x.lists[kind] == unknown {
		name := p.kinds[kind].Kind
		events := []uint32{p.words.event(graph.Event{Type: graph.ListBegun, Kind: name}, kind)}
		for _, o := range x.w.Store.Objects() {
			if o.Kind == name {
				events = append(events, p.words.event(graph.Event{Type: graph.Put, Object: o}, kind))
			}
		}
		events = append(events, p.words.event(graph.Event{Type: graph.ListEnded, Kind: name}, kind))
		x.lists[kind] = p.listed.number(events)
	}
	return x.lists[kind]
}

// end returns the objects of a past in the form of oracle.Line.
func (p *pasts) end(n uint32) string {
	x := &p.items[n]
	if x.line == "" {
		x.line = "= " + oracle.Line(x.w.Store.Objects())
	}
	return x.line[2:]
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
