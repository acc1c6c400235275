package sweep

import (
	"iter"
	"slices"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/core/sweep/plan"
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
	version graph.Version
	value   string    // of the label that was asked for
	began   seq.Stamp // the newest selection that showed it
}

func newLabels(plans []*plan.Plan) labels {
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

// claims yields what a node names as its holders, by its labels too, as far as
// they are known: of exactly the object's version, or, to count it until somebody
// says otherwise, of a former one.
func (sw *Sweeps) claims(v View, index int, id observed.NodeID, o graph.Object, former bool) iter.Seq[plan.Claim] {
	all := sw.plans[index].ClaimsBy(o, func(members int) (string, bool) {
		m, is := sw.labels.marks[markKey{id, slices.Index(sw.labels.asks, ask{index, members})}]
		return m.value, is && (former || m.version == o.Version)
	})
	return func(yield func(plan.Claim) bool) {
		for c := range all {
			sw.looked++
			if !yield(c) {
				return
			}
		}
	}
}

// missingLabels returns the selections that would show the labels of an object at its
// version, as far as a membership depends on them. Without one the labels are known.
func (sw *Sweeps) missingLabels(v View, id observed.NodeID, o graph.Object) (missing []selectWant) {
	l := &sw.labels
	for i, a := range l.asks {
		if !sw.plans[a.plan].NeedsLabels(a.members, o) {
			continue
		}
		k := passKey{i, o.Kind}
		m, is := l.marks[markKey{id, i}]
		if after := max(v.State(id).Known, m.began); is && m.version != o.Version || !is && l.passes[k].began <= after {
			missing = append(missing, selectWant{k, after})
		}
	}
	return missing
}

// wantHolderLabels wants the missing labels of a holder. The labels of a holder that is
// gone decide nothing.
func (sw *Sweeps) wantHolderLabels(v View, id observed.NodeID, o graph.Object) {
	if id != 0 {
		sw.wantSelects(v, sw.missingLabels(v, id, o))
	}
}

// hint notes that the graph shows a version of which only the labels say whether it
// belongs to a holder that it names otherwise. They are asked for, and until they are
// known the holder is not taken to hold nothing.
func (sw *Sweeps) labelsChanged(v View, id observed.NodeID, n observed.Node) {
	if len(sw.labels.asks) == 0 || len(sw.runs) == 0 {
		return
	}
	o := n.Object()
	for i, a := range sw.labels.asks {
		p := sw.plans[a.plan]
		if p.Sweep().Members[a.members].By == finalizer.ByLabel || !p.NeedsLabels(a.members, o) {
			continue
		}
		for claim := range p.ClaimsBy(o, func(members int) (string, bool) { return "", members == a.members }) {
			if claim.Members == a.members && !claim.Shadow && sw.changedFor(v, a.plan, o, claim) && !o.Deleting {
				sw.wantSelect(v, passKey{i, o.Kind}, v.State(id).Known)
			}
		}
	}
}

// hintBy does so for the holders that a claim names, and reports whether there are
// any.
func (sw *Sweeps) changedFor(v View, plan int, o graph.Object, claim plan.Claim) (any bool) {
	at := v.Stamps.Stamp()
	for _, r := range sw.runs {
		if r.plan == plan && sw.plans[plan].Holds(r.holder, o, claim) {
			r.hinted, any = at, true
		}
	}
	return any
}

// refute drops what was shown of former versions of a node by selections that a
// later one, begun after this version was known, did not confirm.
func (sw *Sweeps) dropStale(v View, id observed.NodeID) {
	l, n := &sw.labels, v.Graph.Node(id)
	for i := range l.asks {
		k := markKey{id, i}
		m, is := l.marks[k]
		if is && m.version != n.Version() && l.passes[passKey{i, n.Kind()}].began > max(m.began, v.State(id).Known) {
			delete(l.marks, k)
		}
	}
}

// unmark forgets a node that is gone.
func (sw *Sweeps) dropMatches(v View, id observed.NodeID) {
	for i := range sw.labels.asks {
		delete(sw.labels.marks, markKey{id, i})
	}
}

// labelled reports whether a selection has shown the labels of this version.
func (sw *Sweeps) labelled(id observed.NodeID, version graph.Version) bool {
	for i := range sw.labels.asks {
		if m, is := sw.labels.marks[markKey{id, i}]; is && m.version == version {
			return true
		}
	}
	return false
}

// show takes one object of an answer. It reports whether the graph shows it at
// that version.
func (sw *Sweeps) recordMatch(v View, i int, o graph.LabelMatch, began seq.Stamp) bool {
	n, ok := v.Graph.Lookup(o.Key)
	if !ok || n.State() != observed.Observed {
		return false
	}
	id, k := n.ID(), markKey{n.ID(), i}
	m, is := sw.labels.marks[k]
	gap := m.version != o.Version && m.began < sw.labels.passes[passKey{i, n.Kind()}].began // a selection has not shown it since
	if _, holder := sw.known[id]; holder && o.Version == n.Version() && (!is || m.value != o.Value || gap) {
		sw.staleAt = max(sw.staleAt, v.State(id).Known) // it is another one's at this version, and contests nothing of that one's
		sw.retryContested(v)
	}
	if !is || m.version != n.Version() { // else it is true for ever
		m.version, m.value = o.Version, o.Value
	}
	m.began = began
	sw.labels.marks[k] = m
	sw.updateMember(v, id)
	if len(sw.members[id]) > 0 {
		v.Out.Look(id, effect.Priority(n))
	}
	return n.Version() == o.Version
}

// sweptNames returns the names of the holders that a plan sweeps.
func (sw *Sweeps) sweptNames(v View, plan int) map[string]bool {
	names := make(map[string]bool, len(sw.runs))
	for _, r := range sw.runs {
		if r.plan == plan {
			names[r.holder.Name] = true
		}
	}
	return names
}

// matters reports whether an object of an answer, of which the graph does not show
// the same version, may belong to a holder that is being swept: to one of the names.
func (sw *Sweeps) matters(v View, i int, o graph.LabelMatch, swept map[string]bool) bool {
	a := sw.labels.asks[i]
	p := sw.plans[a.plan]
	by := p.Sweep().Members[a.members].By
	known := graph.Object{Key: o.Key}
	if n, ok := v.Graph.Lookup(o.Key); ok && n.State() == observed.Observed {
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

// missingSelects returns the selections that would show the members of a holder by labels:
// each of them begins after the moment. Ok reports that complete selections have shown
// the members of all kinds, and the graph had them all. A kind that is not served may hide
// members. Then ok is false, and a selection of that kind is not among the missing ones.
func (sw *Sweeps) missingSelects(v View, r *run, after seq.Stamp) (missing []selectWant, ok bool) {
	ok = true
	l := &sw.labels
	for i, a := range l.asks {
		if a.plan != r.plan {
			continue
		}
		for name, k := range v.Kinds.All() {
			sw.looked++
			switch {
			case !sw.plans[a.plan].Takes(a.members, name):
				continue
			case !k.Part:
				ok = ok && !sw.hidesMembers(v, r, a, name)
				continue
			}
			at := passKey{i, name}
			switch p := l.passes[at]; {
			case p.began <= after:
				missing = append(missing, selectWant{at, after})
			case p.unmet: // the watch will bring it
				missing = append(missing, selectWant{at, p.began})
			}
		}
	}
	return missing, ok && len(missing) == 0
}

// hidesMembers reports whether a kind that is not served has an object which may be the
// holder's by its labels: no selection can say so (R8). Past maxLooked nodes one is
// taken to be there.
func (sw *Sweeps) hidesMembers(v View, r *run, a ask, name graph.Kind) bool {
	if v.Kinds.Ignored(name) {
		return false
	}
	p, looked := sw.plans[a.plan], 0
	for id := range v.Graph.OfKind(name) {
		n := v.Graph.Node(id)
		sw.looked++
		if looked++; looked > maxLooked {
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
