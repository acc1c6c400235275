package archive

import (
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// Ended returns the entries that may be purged at this time, sorted (RULES, A6). The entries are all of a store, or
// those that hang together. Ends reports whether the object with the UID is marked, and has not ended, as World.Ends does.
// [Purge] has the rule.
//
//test:by TestEnded
func Ended(entries []Entry, now time.Time, ends func(graph.UID) bool) []graph.UID {
	var p Purge
	for i := range entries {
		e := &entries[i]
		over := !e.Until.IsZero() && !now.Before(e.Until)
		p.Add(Term{UID: e.Object.UID, Explicit: e.Explicit, Over: over, Restored: e.IsRestored()})
		if e.IsHeld(now) {
			p.Hold(e.Object.UID)
		}
		for _, r := range e.references() {
			p.Refer(e.Object.UID, r.UID, leads(r.OnDelete))
			if ends != nil && ends(r.UID) {
				p.Mark(r.UID)
			}
		}
	}
	var out []graph.UID
	for _, t := range p.Ended() {
		out = append(out, t.UID)
	}
	slices.Sort(out)
	return out
}

// Term has the facts in an entry that decide when it may go.
type Term struct {
	UID      graph.UID
	Explicit bool
	// Over: the time of an explicit entry is over.
	Over     bool
	Restored bool
}

// Purge finds the entries that may go (RULES, A6). It has the facts of all entries of a store, or of those that hang
// together, in any order. Its memory is about 200 bytes for an entry. The zero value is empty. One goroutine uses it.
//
//   - An explicit entry stays until its time is over and no hold is left.
//   - A cascade entry stays as long as its references lead to an explicit one that stays, or a hold is on it. A release
//     reference leads nowhere.
//   - A cascade entry stays, too, as long as its references lead to a marked object. The entry of that one comes later: a
//     foreground owner ends after its dependents, and the holder of a sweep after its members.
//   - A restored entry stays, too, as long as one that stays and was not restored names it. Otherwise that one would
//     not find the new object.
//
//test:by TestEnded TestPurgeOrder adapters/sql.TestArchivePurgeAsEnded
type Purge struct {
	nodes []purgeNode
	at    map[graph.UID]int32
	edges []purgeEdge
}

// purgeNode is an entry, or an object that an entry names.
type purgeNode struct {
	Term
	entry, held, marked bool
	stays               bool
	first               int32 // of its edges
}

// purgeEdge is a reference from the entry below to the owner above.
type purgeEdge struct {
	above, below int32
	leads        bool
}

// Add adds an entry.
func (p *Purge) Add(t Term) {
	n := &p.nodes[p.node(t.UID)]
	n.Term, n.entry = t, true
}

// Refer adds a reference of an entry to an owner, or to the holder of the sweep that deleted the object. Leads is false
// for a release reference.
func (p *Purge) Refer(uid, owner graph.UID, leads bool) {
	p.edges = append(p.edges, purgeEdge{above: p.node(owner), below: p.node(uid), leads: leads})
}

// Hold says that a hold is on the entry.
func (p *Purge) Hold(uid graph.UID) { p.nodes[p.node(uid)].held = true }

// Mark says that the object is marked, and has not ended.
func (p *Purge) Mark(uid graph.UID) { p.nodes[p.node(uid)].marked = true }

func (p *Purge) node(uid graph.UID) int32 {
	i, ok := p.at[uid]
	if !ok {
		if p.at == nil {
			p.at = map[graph.UID]int32{}
		}
		i = int32(len(p.nodes))
		p.at[uid] = i
		p.nodes = append(p.nodes, purgeNode{Term: Term{UID: uid}})
	}
	return i
}

// Ended returns the entries that may go. An entry comes after those that it hangs from, except in a ring. So a program may
// drop them in several transactions in this order. If an entry has changed meanwhile, all that hang from it are still there.
func (p *Purge) Ended() []Term {
	p.sort()
	p.spread()
	named := make([]bool, len(p.nodes))
	for _, e := range p.edges {
		below := &p.nodes[e.below]
		named[e.above] = named[e.above] || below.entry && below.stays && !below.Restored
	}
	w := purgeWalk{Purge: p, seen: make([]bool, len(p.nodes))}
	for i := range p.nodes {
		n := &p.nodes[i]
		w.seen[i] = !n.entry || n.stays || named[i] && n.Restored
	}
	return w.run()
}

// sort puts the edges of a node beside each other.
func (p *Purge) sort() {
	slices.SortFunc(p.edges, func(a, b purgeEdge) int { return int(a.above) - int(b.above) })
	at := 0
	for i := range p.nodes {
		p.nodes[i].first = int32(at)
		for at < len(p.edges) && p.edges[at].above == int32(i) {
			at++
		}
	}
}

// hanging returns the edges to the cascade entries that hang from a node.
func (p *Purge) hanging(i int32) []purgeEdge {
	end := len(p.edges)
	if int(i)+1 < len(p.nodes) {
		end = int(p.nodes[i+1].first)
	}
	return p.edges[p.nodes[i].first:end]
}

// hangs reports whether a cascade entry hangs from the owner of an edge.
func (p *Purge) hangs(e purgeEdge) bool {
	below := &p.nodes[e.below]
	return e.leads && below.entry && !below.Explicit
}

// spread finds the entries that stay: first those by their own terms, then all that hang from them. A hold on a cascade entry
// keeps that one alone.
func (p *Purge) spread() {
	var todo []int32
	for i := range p.nodes {
		n := &p.nodes[i]
		n.stays = false
		if n.marked || n.entry && n.Explicit && (!n.Over || n.held) {
			todo = append(todo, int32(i))
		}
	}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		p.nodes[i].stays = true
		for _, e := range p.hanging(i) {
			if p.hangs(e) && !p.nodes[e.below].stays {
				todo = append(todo, e.below)
			}
		}
	}
	for i := range p.nodes {
		p.nodes[i].stays = p.nodes[i].stays || p.nodes[i].held
	}
}
