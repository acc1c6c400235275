package ownergraph

import (
	"fmt"
	"iter"
	"slices"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// labels is what selections have shown of objects that are in the graph. UID and
// version say which labels an object has, for ever (but for a rewind), so that a
// mark of the version that is judged is the truth however old the answer is. That
// an object has none takes a selection without it that began after the version
// was known: at that instant, or since, it had none, or was of a later version,
// which no write that is conditioned on this one touches.
type labels struct {
	asks  []ask // the members that depend on labels
	marks map[markKey]mark
	selects
}

// ask is one of the Members of a plan.
type ask struct{ plan, members int }

// markKey names what an ask, by its index, has shown of a node.
type markKey struct {
	node observed.NodeID
	ask  int
}

// mark says that a node matched.
type mark struct {
	version Version
	value   string    // of the label that was asked for
	began   seq.Stamp // the newest selection that showed it
}

func newLabels(plans []*finalizer.Plan) labels {
	l := labels{marks: map[markKey]mark{}}
	for i, p := range plans {
		for _, m := range p.LabelledMembers() {
			l.asks = append(l.asks, ask{i, m})
		}
	}
	l.passes = map[passKey]pass{}
	return l
}

func (l *labels) clone() labels {
	c := *l
	c.marks, c.passes = cloneMap(l.marks), cloneMap(l.passes)
	c.wanted = slices.Clone(l.wanted)
	return c
}

// forget takes back everything that was shown. An answer that is under way will
// count for nothing.
func (l *labels) forget() {
	clear(l.marks)
	clear(l.passes)
	l.selects = selects{passes: l.passes}
}

// needLabels returns which of the sweeps depends on labels, and by which field,
// "" if none does.
func (c *clearings) needLabels() string {
	if len(c.labels.asks) == 0 {
		return ""
	}
	a, field := c.labels.asks[0], "Selector"
	s := c.plans[a.plan].Sweep()
	if s.Members[a.members].Label != "" {
		field = "Label"
	}
	return fmt.Sprintf("Sweeps[%d]: finalizer %q: Members[%d].%s", a.plan, s.Finalizer, a.members, field)
}

// claims yields what a node names as its holders, by its labels too, as far as
// they are known: of exactly the object's version, or, to count it until somebody
// says otherwise, of a former one.
func (e *Engine) claims(plan int, id observed.NodeID, o Object, former bool) iter.Seq[finalizer.Claim] {
	all := e.clear.plans[plan].ClaimsBy(o, func(members int) (string, bool) {
		m, is := e.clear.labels.marks[markKey{id, slices.Index(e.clear.labels.asks, ask{plan, members})}]
		return m.value, is && (former || m.version == o.Version)
	})
	return func(yield func(finalizer.Claim) bool) {
		for c := range all {
			e.looked++
			if !yield(c) {
				return
			}
		}
	}
}

// told reports whether the labels of an object at its version are known, as far
// as anybody's membership depends on them. If not, they are asked for.
func (e *Engine) told(id observed.NodeID, o Object) bool {
	told, l := true, &e.clear.labels
	for i, a := range l.asks {
		if !e.clear.plans[a.plan].NeedsLabels(a.members, o) {
			continue
		}
		k := passKey{i, o.Kind}
		m, is := l.marks[markKey{id, i}]
		if after := max(e.state(id).Known, m.began); is && m.version != o.Version || !is && l.passes[k].began <= after {
			told = false
			e.wantSelect(k, after)
		}
	}
	return told
}

func (e *Engine) toldHolder(id observed.NodeID, o Object) {
	if id != 0 { // a ghost's labels are nobody's
		e.told(id, o)
	}
}

// hint notes that the graph shows a version of which only the labels say whether it
// belongs to a holder that it names otherwise. They are asked for, and until they are
// known the holder is not taken to hold nothing.
func (e *Engine) hint(id observed.NodeID, n observed.Node) {
	c := &e.clear
	if len(c.labels.asks) == 0 || len(c.runs) == 0 {
		return
	}
	o := n.Object()
	for i, a := range c.labels.asks {
		p := c.plans[a.plan]
		if p.Sweep().Members[a.members].By == finalizer.ByLabel || !p.NeedsLabels(a.members, o) {
			continue
		}
		for claim := range p.ClaimsBy(o, func(members int) (string, bool) { return "", members == a.members }) {
			if claim.Members == a.members && !claim.Shadow && e.hintBy(a.plan, o, claim) && !o.Deleting {
				e.wantSelect(passKey{i, o.Kind}, e.state(id).Known)
			}
		}
	}
}

// hintBy does so for the holders that a claim names, and reports whether there are
// any.
func (e *Engine) hintBy(plan int, o Object, claim finalizer.Claim) (any bool) {
	at := e.seq.Stamp()
	for _, r := range e.clear.runs {
		if r.plan == plan && e.clear.plans[plan].Holds(r.holder, o, claim) {
			r.hinted, any = at, true
		}
	}
	return any
}

// refute drops what was shown of former versions of a node by selections that a
// later one, begun after this version was known, did not confirm.
func (e *Engine) refute(id observed.NodeID) {
	l, n := &e.clear.labels, e.graph.Node(id)
	for i := range l.asks {
		k := markKey{id, i}
		m, is := l.marks[k]
		if is && m.version != n.Version() && l.passes[passKey{i, n.Kind()}].began > max(m.began, e.state(id).Known) {
			delete(l.marks, k)
		}
	}
}

// unmark forgets a node that is gone.
func (e *Engine) unmark(id observed.NodeID) {
	for i := range e.clear.labels.asks {
		delete(e.clear.labels.marks, markKey{id, i})
	}
}

// labelled reports whether a selection has shown the labels of this version.
func (e *Engine) labelled(id observed.NodeID, v Version) bool {
	for i := range e.clear.labels.asks {
		if m, is := e.clear.labels.marks[markKey{id, i}]; is && m.version == v {
			return true
		}
	}
	return false
}

// show takes one object of an answer. It reports whether the graph shows it at
// that version.
func (e *Engine) show(i int, o LabelMatch, began seq.Stamp) bool {
	n, ok := e.graph.Lookup(o.Key)
	if !ok || n.State() != observed.Observed {
		return false
	}
	id, k := n.ID(), markKey{n.ID(), i}
	m, is := e.clear.labels.marks[k]
	gap := m.version != o.Version && m.began < e.clear.labels.passes[passKey{i, n.Kind()}].began // a selection has not shown it since
	if _, holder := e.clear.known[id]; holder && o.Version == n.Version() && (!is || m.value != o.Value || gap) {
		e.clear.lapsed = max(e.clear.lapsed, e.state(id).Known) // it is another one's at this version, and contests nothing of that one's
		e.yield()
	}
	if !is || m.version != n.Version() { // else it is true for ever
		m.version, m.value = o.Version, o.Value
	}
	m.began = began
	e.clear.labels.marks[k] = m
	e.enlist(id)
	if len(e.clear.members[id]) > 0 {
		e.work.Add(id, priority(n))
	}
	return n.Version() == o.Version
}

// sweptNames returns the names of the holders that a plan sweeps.
func (e *Engine) sweptNames(plan int) map[string]bool {
	names := make(map[string]bool, len(e.clear.runs))
	for _, r := range e.clear.runs {
		if r.plan == plan {
			names[r.holder.Name] = true
		}
	}
	return names
}

// matters reports whether an object of an answer, of which the graph does not show
// the same version, may belong to a holder that is being swept: to one of the names.
func (e *Engine) matters(i int, o LabelMatch, swept map[string]bool) bool {
	a := e.clear.labels.asks[i]
	p := e.clear.plans[a.plan]
	by := p.Sweep().Members[a.members].By
	known := Object{Key: o.Key}
	if n, ok := e.graph.Lookup(o.Key); ok && n.State() == observed.Observed {
		known = n.Object()
	} else if by == finalizer.ByOwner || by == finalizer.ByFunc {
		return true
	}
	for claim := range p.ClaimsBy(known, func(int) (string, bool) { return o.Value, true }) {
		if claim.Members == a.members && swept[claim.Name] {
			return true
		}
	}
	return false
}

// selected reports whether for every kind a selection that began after the moment
// has shown who belongs to a holder by labels, all of which the graph knew. If
// not, it is asked for.
func (e *Engine) selected(r *clearing, after seq.Stamp) bool {
	all, l := true, &e.clear.labels
	for i, a := range l.asks {
		if a.plan != r.plan {
			continue
		}
		for name, k := range e.kinds.All() {
			e.looked++
			switch {
			case !e.clear.plans[a.plan].Takes(a.members, name):
				continue
			case !k.Part:
				all = all && !e.hidesMembers(r, a, name)
				continue
			}
			at := passKey{i, name}
			switch p := l.passes[at]; {
			case p.began <= after:
				e.wantSelect(at, after)
				all = false
			case p.unmet: // the watch will bring it
				e.wantSelect(at, p.began)
				all = false
			}
		}
	}
	return all
}

// hidesMembers reports whether a kind that is not served has an object which may be the
// holder's by its labels: no selection can say so (R8). Past mostLooked nodes one is
// taken to be there.
func (e *Engine) hidesMembers(r *clearing, a ask, name Kind) bool {
	if e.kinds.Ignored(name) {
		return false
	}
	p, looked := e.clear.plans[a.plan], 0
	for id := range e.graph.OfKind(name) {
		n := e.graph.Node(id)
		e.looked++
		if looked++; looked > mostLooked {
			return true
		}
		if n.State() != observed.Observed || r.holder.Scope != "" && n.Scope() != r.holder.Scope {
			continue
		}
		if p.NeedsLabels(a.members, n.Object()) {
			return true
		}
	}
	return false
}
