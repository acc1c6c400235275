package archive

import (
	"cmp"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// part is an entry of the world, in a computation.
type part struct {
	entry   *Entry
	refs    []graph.Owner // that count
	at      []int32       // the part of each owner, -1 without an entry
	root    bool
	back    bool    // restored, and its object is there
	ends    bool    // restored, and its object is marked
	next    int32   // the part of the object that a restore has made from it, which has ended too, or -1
	found   bool    // it is a candidate, or it is back below a root
	in      bool    // it is in the set so far
	reached bool    // a root leads to it inside of the set
	large   bool    // its ring is too large
	ring    int32   // by number, of the candidates
	below   []int32 // the parts that name it
}

// builder computes one restore set.
type builder struct {
	w       *World
	r       *Request
	parts   []part
	index   map[graph.UID]int32
	ends    []int32 // of follow
	found   []int32 // the parts with found, in the order of their finding
	refused []Left  // roots without a part
}

func newBuilder(w *World, r *Request) *builder {
	b := &builder{w: w, r: r, parts: make([]part, 0, len(w.Entries)), index: make(map[graph.UID]int32, len(w.Entries))}
	for i := range w.Entries {
		e := &w.Entries[i]
		if _, twice := b.index[e.Object.UID]; twice {
			continue
		}
		b.index[e.Object.UID] = int32(len(b.parts))
		b.parts = append(b.parts, part{entry: e, refs: e.references(), next: -1})
	}
	made := map[graph.UID]int32{} // by the UIDs of restored objects that have no entry
	for i := range b.parts {
		p := &b.parts[i]
		if !p.entry.IsRestored() {
			continue
		}
		if at, ended := b.index[p.entry.Restored.UID]; ended && at != int32(i) {
			p.next = at
			continue
		}
		made[p.entry.Restored.UID] = int32(i)
		p.back = w.Lives(p.entry.Restored.UID)
		p.ends = !p.back && w.Ends != nil && w.Ends(p.entry.Restored.UID)
	}
	b.follow()
	for i := range b.parts {
		p := &b.parts[i]
		for _, o := range p.refs {
			at, ok := b.index[o.UID]
			if !ok {
				at, ok = made[o.UID]
			}
			if ok {
				at = b.last(at)
			}
			if !ok || at == int32(i) {
				at = -1
			} else {
				b.parts[at].below = append(b.parts[at].below, int32(i))
			}
			p.at = append(p.at, at)
		}
	}
	b.takeRoots(r.Roots)
	return b
}

// takeRoots finds the parts of the roots. One that came back is a root by its last entry.
func (b *builder) takeRoots(uids []graph.UID) {
	refuse := func(x Left) {
		same := func(y Left) bool { return y.Entry.Object.UID == x.Entry.Object.UID }
		if !slices.ContainsFunc(b.refused, same) {
			b.refused = append(b.refused, x)
		}
	}
	for _, uid := range uids {
		first, ok := b.index[uid]
		if !ok {
			why := Purged
			if b.w.Lives(uid) || b.w.Ends != nil && b.w.Ends(uid) {
				why = NotEnded
			}
			refuse(Left{Entry: &Entry{Object: graph.Object{Key: graph.Key{UID: uid}}}, Why: why})
			continue
		}
		last := b.last(first)
		p := &b.parts[last]
		// An engine may have deleted the new object because of the former deletion. A user's deletion is not undone.
		endedToo := last != first && !p.entry.IsRestored() && !p.entry.Explicit
		if p.back || p.ends || endedToo || !b.parts[first].entry.IsRestored() {
			p.root = true
			continue
		}
		refuse(Left{Entry: b.parts[first].entry, Why: EndedAgain})
	}
}

// follow leads each part to the last entry of its object, which may have come back and ended several times. The parts of a ring,
// which forged entries may make, lead to one of them.
func (b *builder) follow() {
	const unknown = -1
	b.ends = make([]int32, len(b.parts))
	for i := range b.ends {
		b.ends[i] = unknown
	}
	var path []int32
	for i := range b.parts {
		at := int32(i)
		for path = path[:0]; b.ends[at] == unknown && b.parts[at].next >= 0; at = b.parts[at].next {
			path, b.ends[at] = append(path, at), at // a ring ends here
		}
		end := at
		if b.ends[at] != unknown {
			end = b.ends[at]
		}
		b.ends[at] = end
		for _, of := range path {
			b.ends[of] = end
		}
	}
}

// last returns the last entry of the object of a part.
func (b *builder) last(at int32) int32 { return b.ends[at] }

// leads reports whether a reference with the policy leads from a member to a root (RULES, A2).
func leads(p graph.OnDelete) bool { return p != graph.OnDeleteRelease }

// mayCome reports whether a part that hangs below a member may be one. A user's deletion is not undone.
func (p *part) mayCome() bool {
	return !p.entry.IsRestored() && (p.root || !p.entry.Explicit && p.entry.Unreadable == "")
}

// collect finds the candidates, which the roots may have taken along. Parts that are back lead on.
func (b *builder) collect() {
	for i := range b.parts {
		if p := &b.parts[i]; p.root && (p.back || p.mayCome()) {
			p.found, b.found = true, append(b.found, int32(i))
		}
	}
	for at := 0; at < len(b.found); at++ {
		for _, d := range b.parts[b.found[at]].below {
			if p := &b.parts[d]; !p.found && (p.back || p.mayCome()) && p.leadsTo(b.found[at]) {
				p.found, b.found = true, append(b.found, d)
			}
		}
	}
	for _, i := range b.found {
		b.parts[i].in = true
	}
}

// leadsTo reports whether a reference of the part leads to an owner.
func (p *part) leadsTo(owner int32) bool {
	return p.leadsToAny(func(at int32) bool { return at == owner })
}

func (p *part) leadsToAny(owner func(at int32) bool) bool {
	for i, at := range p.at {
		if leads(p.refs[i].OnDelete) && owner(at) {
			return true
		}
	}
	return false
}

// decide takes the candidates out that lack an owner, and those that no root leads to, ring after ring. Owners come
// first, so each ring is decided once. A part outside of rings is a ring of one. The roots stay.
func (b *builder) decide() {
	for _, ring := range rings(b.parts, b.found) {
		if len(ring) > MaxRing {
			for _, i := range ring {
				p := &b.parts[i]
				p.large, p.in = true, p.in && p.back
			}
			continue
		}
		for again := true; again; {
			again = b.expel(ring)
			again = b.unreach(ring) || again
			again = again && len(ring) > 1
		}
	}
}

// expel takes the candidates of a ring out that miss a property.
func (b *builder) expel(ring []int32) (changed bool) {
	for _, i := range ring {
		if p := &b.parts[i]; p.in && !p.root && !p.back {
			if why, _ := b.lacks(p); why != 0 {
				p.in, changed = false, true
			}
		}
	}
	return changed
}

// unreach takes the parts of a ring out that no root leads to inside of the set.
func (b *builder) unreach(ring []int32) (changed bool) {
	var todo []int32
	reach := func(i int32) { b.parts[i].reached, todo = true, append(todo, i) }
	for _, i := range ring {
		b.parts[i].reached = false
	}
	for _, i := range ring {
		p := &b.parts[i]
		outside := func(at int32) bool { return at >= 0 && b.parts[at].in && b.parts[at].reached }
		if p.in && !p.reached && (p.root || p.leadsToAny(outside)) {
			reach(i)
		}
	}
	for at := 0; at < len(todo); at++ {
		for _, d := range b.parts[todo[at]].below {
			if p := &b.parts[d]; p.in && !p.reached && p.ring == b.parts[todo[at]].ring && p.leadsTo(todo[at]) {
				reach(d)
			}
		}
	}
	for _, i := range ring {
		if p := &b.parts[i]; p.in && !p.reached {
			p.in, changed = false, true
		}
	}
	return changed
}

// isThere reports whether the owner of a reference lives, was restored, or comes back.
func (b *builder) isThere(p *part, i int) bool {
	if at := p.at[i]; at >= 0 {
		return b.parts[at].in || b.parts[at].back
	}
	return b.w.Lives(p.refs[i].UID)
}

// lacks returns the property that a part misses, and the owner, or 0 (RULES, A2). An orphan-deleted owner has dropped
// the reference.
func (b *builder) lacks(p *part) (why Why, owner graph.Owner) {
	counted, kept, last := 0, false, graph.Owner{}
	for i, r := range p.refs {
		there := b.isThere(p, i)
		dropped := !there && p.at[i] >= 0 && b.parts[p.at[i]].entry.Orphaning
		switch {
		case r.OnDelete == graph.OnDeleteRelease, dropped && r.OnDelete != graph.OnDeleteRestrict:
		case r.OnDelete == graph.OnDeleteUnset:
			if counted, kept = counted+1, kept || there; !there {
				last = r
			}
		case there:
		case r.OnDelete == graph.OnDeleteRestrict:
			return RestrictMissing, r
		default:
			return CascadeMissing, r
		}
	}
	if counted > 0 && !kept {
		return OwnersMissing, last
	}
	return 0, graph.Owner{}
}

// result returns the set, with the entries that stay away.
func (b *builder) result() (s Set) {
	s.Refused = b.refused
	var members []int32
	for i := range b.parts {
		p := &b.parts[i]
		switch {
		case p.back && (p.in || p.root), p.next >= 0:
		case p.root && p.ends:
			s.Ending = append(s.Ending, p.entry.Restored)
		case p.root:
			if x, refused := b.refuse(p); refused {
				s.Refused = append(s.Refused, x)
			}
			members = append(members, int32(i))
		case p.in:
			members = append(members, int32(i))
		case p.ends && p.leadsToAny(func(at int32) bool { return at >= 0 && b.parts[at].found }):
			s.Ending = append(s.Ending, p.entry.Restored)
		default:
			if x, below := b.left(p); below {
				s.Left = append(s.Left, x)
			}
		}
	}
	b.order(&s, members)
	sortKeys(s.Ending)
	former := map[*Entry][]graph.UID{}
	for i := range b.parts {
		k, p := b.parts[i].entry.Object.Key, &b.parts[b.last(int32(i))]
		switch {
		case p.back && (p.in || p.root):
			s.Back = append(s.Back, graph.Relink{From: k, To: p.entry.Restored})
		case k != p.entry.Object.Key:
			former[p.entry] = append(former[p.entry], k.UID)
		}
	}
	slices.SortFunc(s.Back, func(a, b graph.Relink) int { return a.From.Compare(b.From) })
	for i := range s.Members {
		m := &s.Members[i]
		m.Former = former[m.Entry]
		slices.Sort(m.Former)
	}
	for _, list := range [][]Left{s.Left, s.Refused} {
		slices.SortFunc(list, func(a, b Left) int {
			return cmp.Or(a.Entry.Object.Key.Compare(b.Entry.Object.Key), cmp.Compare(a.Why, b.Why))
		})
	}
	return s
}

// refuse judges a root that is no object yet (RULES, A3).
func (b *builder) refuse(p *part) (Left, bool) {
	why, owner := b.lacks(p)
	switch {
	case p.entry.Unreadable != "":
		return Left{p.entry, PayloadUnreadable, graph.Owner{}}, true
	case p.large:
		return Left{p.entry, RingTooLarge, graph.Owner{}}, true
	case why != 0 && !b.r.Detach:
		return Left{p.entry, why, owner}, true
	}
	return Left{}, false
}

// left returns why a part stays away, and whether it hangs below the set at all.
func (b *builder) left(p *part) (Left, bool) {
	if !p.leadsToAny(func(at int32) bool { return at >= 0 && b.parts[at].found }) || p.entry.IsRestored() {
		return Left{}, false
	}
	why, owner := b.lacks(p)
	switch {
	case p.entry.Explicit:
		why, owner = UserDeleted, graph.Owner{}
	case p.entry.Unreadable != "":
		why, owner = PayloadUnreadable, graph.Owner{}
	case p.large:
		why, owner = RingTooLarge, graph.Owner{}
	case why == 0:
		why = Unreached
	}
	return Left{p.entry, why, owner}, true
}
