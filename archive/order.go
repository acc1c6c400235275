package archive

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// order fills in the members, each after all its owners in the set (RULES, A4).
func (b *builder) order(s *Set, members []int32) {
	ring := 0
	for _, group := range rings(b.parts, members) {
		number := 0
		if len(group) > 1 {
			ring++
			number = ring
		}
		slices.SortFunc(group, func(x, y int32) int {
			return b.parts[x].entry.Object.Key.Compare(b.parts[y].entry.Object.Key)
		})
		for _, i := range group {
			p := &b.parts[i]
			m := Member{Entry: p.entry, Root: p.root, Ring: number, Owners: b.ownersOf(p)}
			if m.Scope, m.Name = p.entry.Object.Scope, p.entry.Object.Name; b.r.Rename != nil {
				m.Scope, m.Name = b.r.Rename(p.entry.Object.Key)
			}
			s.Members = append(s.Members, m)
		}
	}
}

// ownersOf returns the references of the new object: to members, to restored owners and to other owners that are
// there. All others are left out for good. So is a reference of the object to itself, because no store knows a UID
// before it makes the object.
func (b *builder) ownersOf(p *part) (out []graph.Owner) {
	own := len(p.refs)
	if p.entry.Cause.Holder.UID != "" {
		own-- // the holder is no owner of the object
	}
	for i, r := range p.refs[:own] {
		switch at := p.at[i]; {
		case !b.isThere(p, i):
			continue
		case at >= 0 && b.parts[at].back:
			r = b.moved(r, b.parts[at].entry.Restored)
		case at >= 0:
			r = b.moved(r, b.parts[at].entry.Object.Key)
		}
		out = append(out, r)
	}
	return out
}

// moved returns a reference to a former object as one to a later one. A reference with other coordinates than the former
// object had keeps them: it named no object before, and it names none afterwards.
func (b *builder) moved(r graph.Owner, to graph.Key) graph.Owner {
	if r.UID == to.UID {
		return r
	}
	if at, ok := b.index[r.UID]; ok && b.parts[at].entry.Object.Place() != r.Place() {
		r.UID = to.UID
		return r
	}
	r.Key, r.Unresolved = to, false
	return r
}

// rings returns the strongly connected components of some parts, by their references to each other. A component is
// after those that it refers to. It gives each part the number of its component.
//
// That is Tarjan's algorithm ("Depth-first search and linear graph algorithms", 1972), with a stack of its own in place
// of recursion. The parts are tried by their keys, so the order is the same for each order of the entries.
func rings(parts []part, of []int32) (out [][]int32) {
	t := tarjan{parts: parts, in: make([]bool, len(parts)), low: make([]int32, len(parts)), number: make([]int32, len(parts))}
	of = slices.Clone(of)
	slices.SortFunc(of, func(x, y int32) int { return parts[x].entry.Object.Key.Compare(parts[y].entry.Object.Key) })
	for _, i := range of {
		t.in[i] = true
	}
	for _, i := range of {
		if t.number[i] == 0 {
			t.visit(i)
		}
	}
	return t.out
}

// tarjan is the state of one run. A number of 0 is that of a part without a visit, and low is 0 for one whose component
// is complete.
type tarjan struct {
	parts       []part
	in          []bool
	number, low []int32
	count       int32
	stack       []int32 // the parts without a complete component
	path        []frame
	out         [][]int32
}

// frame is a visit under way: the part, and its next reference.
type frame struct {
	part int32
	next int
}

func (t *tarjan) visit(from int32) {
	t.enter(from)
	for len(t.path) > 0 {
		f := &t.path[len(t.path)-1]
		if p := &t.parts[f.part]; f.next < len(p.at) {
			at := p.at[f.next]
			f.next++
			switch {
			case at < 0 || !t.in[at]:
			case t.number[at] == 0:
				t.enter(at)
			case t.low[at] != 0:
				t.low[f.part] = min(t.low[f.part], t.number[at])
			}
			continue
		}
		t.leave(f.part)
	}
}

func (t *tarjan) enter(i int32) {
	t.count++
	t.number[i], t.low[i] = t.count, t.count
	t.stack, t.path = append(t.stack, i), append(t.path, frame{part: i})
}

// leave ends the visit of a part. If it was the first one of its component, that is complete.
func (t *tarjan) leave(i int32) {
	t.path = t.path[:len(t.path)-1]
	if len(t.path) > 0 {
		above := t.path[len(t.path)-1].part
		t.low[above] = min(t.low[above], t.low[i])
	}
	if t.low[i] != t.number[i] {
		return
	}
	at := len(t.stack) - 1
	for t.stack[at] != i {
		at--
	}
	ring := slices.Clone(t.stack[at:])
	t.stack = t.stack[:at]
	for _, p := range ring {
		t.low[p], t.parts[p].ring = 0, int32(len(t.out))
	}
	t.out = append(t.out, ring)
}
