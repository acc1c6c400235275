package sweep

import (
	"iter"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/selecting"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/core/sweep/plan"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// labels has the matches that selections have shown for objects of the graph. UID and
// version fix the labels of an object, until a rewind. So a match of the judged version is
// true, however old the answer is.
//
// The absence of a match takes a selection without the object that began after the version was
// known. At that instant, or since, the object had no such label, or had a later version. No
// write that is conditioned on the judged version touches a later one.
type labels struct {
	rules   []labelRule // the members that depend on labels
	matches map[matchKey]match
	selects
}

// labelRule is one of the Members of a plan that depend on labels.
type labelRule struct{ plan, members int }

// matchKey names the match of a node with a rule, by the rule's index.
type matchKey struct {
	node graph.NodeID
	rule int
}

// match says that selections have shown a node.
type match struct {
	version graph.Version
	value   string    // of the label in the request
	began   seq.Stamp // the newest selection that showed it
}

func newLabels(plans []*plan.Plan) labels {
	l := labels{matches: map[matchKey]match{}}
	for i, p := range plans {
		for _, m := range p.LabelledMembers() {
			l.rules = append(l.rules, labelRule{i, m})
		}
	}
	l.selections = map[selecting.Key]selection{}
	return l
}

func (l *labels) clone() labels {
	c := *l
	c.matches, c.selections = cloneMap(l.matches), cloneMap(l.selections)
	c.wanted = slices.Clone(l.wanted)
	return c
}

// forget drops all matches. An answer that is under way will not count.
func (l *labels) forget() {
	clear(l.matches)
	clear(l.selections)
	l.selects = selects{selections: l.selections}
}

// claims yields the claims of a node on its holders, also by its known labels. Known labels
// are those of exactly the object's version. With former, the labels of a former version count
// too, until a selection shows others.
func (sw *Sweeps) claims(v View, index int, id graph.NodeID, o graph.Object, former bool) iter.Seq[plan.Claim] {
	all := sw.plans[index].ClaimsBy(o, func(members int) (string, bool) {
		rule := slices.Index(sw.labels.rules, labelRule{index, members})
		if value, is, known := v.shown(rule, o.Key); known {
			return value, is
		}
		m, is := sw.labels.matches[matchKey{id, rule}]
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

// missingLabels returns the selections that would show the labels of an object at its version,
// as far as a membership depends on them. With an empty result the labels are known.
func (sw *Sweeps) missingLabels(v View, id graph.NodeID, o graph.Object) (missing []selectWant) {
	l := &sw.labels
	for i, a := range l.rules {
		if _, _, known := v.shown(i, o.Key); known || !sw.plans[a.plan].NeedsLabels(a.members, o) {
			continue
		}
		k := selecting.Key{Rule: i, Kind: o.Kind}
		m, is := l.matches[matchKey{id, i}]
		if after := max(v.State(id).Known, m.began); is && m.version != o.Version || !is && l.selections[k].began <= after {
			missing = append(missing, selectWant{k, after})
		}
	}
	return missing
}

// MayBelong reports whether unknown labels may make an object a member of a run. The function tells
// which holders count, with 0 for one that is gone. With more than maxLooked runs the answer is yes.
//
//test:by TestMayBelong
func (sw *Sweeps) MayBelong(v View, id graph.NodeID, counts func(holder graph.NodeID) bool) bool {
	if len(sw.labels.rules) == 0 || len(sw.runs) == 0 {
		return false
	}
	o := v.Graph.Node(id).Object()
	for _, missing := range sw.missingLabels(v, id, o) {
		if len(sw.runs) > maxLooked {
			return true
		}
		a := sw.labels.rules[missing.key.Rule]
		for _, r := range sw.runs {
			if r.plan == a.plan && !r.over && counts(r.node) && sw.mayName(a, o, r.holder) {
				return true
			}
		}
	}
	return false
}

// mayName reports whether an object names a holder by a rule, with some labels.
func (sw *Sweeps) mayName(a labelRule, o, holder graph.Object) bool {
	p := sw.plans[a.plan]
	if p.Sweep().Members[a.members].By == guard.ByLabel {
		return holder.Scope == "" || holder.Scope == o.Scope
	}
	for c := range p.ClaimsBy(o, func(members int) (string, bool) { return "", members == a.members }) {
		if c.Members == a.members && p.Names(holder, o, c) {
			return true
		}
	}
	return false
}

// DependsOnLabels reports whether the holders of an object depend on its labels.
func (sw *Sweeps) DependsOnLabels(o graph.Object) bool {
	return slices.ContainsFunc(sw.labels.rules, func(a labelRule) bool { return sw.plans[a.plan].NeedsLabels(a.members, o) })
}

// missingOfHolder is missingLabels for a holder. The labels of a holder that is gone decide nothing.
func (sw *Sweeps) missingOfHolder(v View, id graph.NodeID, o graph.Object) []selectWant {
	if id == 0 {
		return nil
	}
	return sw.missingLabels(v, id, o)
}

// noteLabels notes that the graph shows a version for which only the labels tell the
// membership: by its other parts the object names a holder. The sweeps want these labels.
// Until they are known, the run of that holder does not end.
func (sw *Sweeps) noteLabels(v View, id graph.NodeID, n graph.Node) {
	if len(sw.labels.rules) == 0 || len(sw.runs) == 0 {
		return
	}
	o := n.Object()
	for i, a := range sw.labels.rules {
		p := sw.plans[a.plan]
		if p.Sweep().Members[a.members].By == guard.ByLabel && !o.Deleting && sw.hasForeign(v, a.plan) && p.NeedsLabels(a.members, o) {
			sw.wantSelect(v, selecting.Key{Rule: i, Kind: o.Kind}, v.State(id).Known)
		}
		if _, _, known := v.shown(i, o.Key); known || p.Sweep().Members[a.members].By == guard.ByLabel || !p.NeedsLabels(a.members, o) {
			continue
		}
		for claim := range p.ClaimsBy(o, func(members int) (string, bool) { return "", members == a.members }) {
			if claim.Members == a.members && !claim.Shadow && sw.noteLabelsChanged(v, a.plan, o, claim) && (!o.Deleting || n.Inside(inside.Key{}).MarkWithheld()) { // a marked object goes soon, unless its mark is withheld
				sw.wantSelect(v, selecting.Key{Rule: i, Kind: o.Kind}, v.State(id).Known)
			}
		}
	}
}

// hasForeign reports whether the holder of a run is of another share. The engine of that share alone
// selects after its last fence, and it cannot delete the own objects that it finds then.
func (sw *Sweeps) hasForeign(v View, plan int) bool {
	if v.Foreign == nil {
		return false
	}
	for _, r := range sw.runs {
		if r.plan == plan && r.node != 0 && !r.over && v.Foreign(r.node) {
			return true
		}
	}
	return false
}

// noteLabelsChanged notes such a version in the runs of the holders that a claim names. It
// reports whether there is one.
func (sw *Sweeps) noteLabelsChanged(v View, plan int, o graph.Object, claim plan.Claim) (noted bool) {
	at := v.Stamps.Stamp()
	for _, r := range sw.runs {
		if r.plan == plan && sw.plans[plan].Names(r.holder, o, claim) {
			r.labelsChanged, noted = at, true
		}
	}
	return noted
}

// dropStale drops the matches of former versions of a node that a later selection did not
// confirm. That selection began after the present version was known.
func (sw *Sweeps) dropStale(v View, id graph.NodeID) {
	l, n := &sw.labels, v.Graph.Node(id)
	for i := range l.rules {
		k := matchKey{id, i}
		m, is := l.matches[k]
		if is && m.version != n.Version() && l.selections[selecting.Key{Rule: i, Kind: n.Kind()}].began > max(m.began, v.State(id).Known) {
			delete(l.matches, k)
		}
	}
}

// dropMatches forgets a node that is gone.
func (sw *Sweeps) dropMatches(v View, id graph.NodeID) {
	for i := range sw.labels.rules {
		delete(sw.labels.matches, matchKey{id, i})
	}
}

// hasMatch reports whether a selection has shown the labels of this version.
func (sw *Sweeps) hasMatch(id graph.NodeID, version graph.Version) bool {
	for i := range sw.labels.rules {
		if m, is := sw.labels.matches[matchKey{id, i}]; is && m.version == version {
			return true
		}
	}
	return false
}

// recordMatch takes one object of an answer. It reports whether the graph has the object at
// that version.
func (sw *Sweeps) recordMatch(v View, i int, o graph.LabelMatch, began seq.Stamp) bool {
	n, ok := v.Graph.Lookup(o.Key)
	if !ok || n.State() != graph.Observed {
		return false
	}
	id, k := n.ID(), matchKey{n.ID(), i}
	m, is := sw.labels.matches[k]
	gap := m.version != o.Version && m.began < sw.labels.selections[selecting.Key{Rule: i, Kind: n.Kind()}].began // a selection has not shown it since
	if _, holder := sw.known[id]; holder && o.Version == n.Version() && (!is || m.value != o.Value || gap) {
		sw.staleAt = max(sw.staleAt, v.State(id).Known) // at this version another holder has it, and it contests none of that one's members
		sw.retryContested(v)
	}
	if !is || m.version != n.Version() { // otherwise it stays true
		m.version, m.value = o.Version, o.Value
	}
	m.began = began
	sw.labels.matches[k] = m
	sw.updateMember(v, id)
	if len(sw.members[id]) > 0 {
		v.Out.Look(id, effect.Priority(n))
	}
	return n.Version() == o.Version
}

// holderNames returns the names of the holders with a run of the plan.
func (sw *Sweeps) holderNames(v View, plan int) map[string]bool {
	names := make(map[string]bool, len(sw.runs))
	for _, r := range sw.runs {
		if r.plan == plan {
			names[r.holder.Name] = true
		}
	}
	return names
}

// mayBeMember reports whether an object of an answer may be a member of a holder with one of
// the names. The graph does not have the object at the same version.
func (sw *Sweeps) mayBeMember(v View, i int, o graph.LabelMatch, names map[string]bool) bool {
	a := sw.labels.rules[i]
	p := sw.plans[a.plan]
	by := p.Sweep().Members[a.members].By
	known := graph.Object{Key: o.Key}
	if n, ok := v.Graph.Lookup(o.Key); ok && n.State() == graph.Observed {
		known = n.Object()
	} else if by == guard.ByOwner || by == guard.ByFunc {
		return true
	}
	for claim := range p.ClaimsBy(known, func(int) (string, bool) { return o.Value, true }) {
		if claim.Members == a.members && names[claim.Name] {
			return true
		}
	}
	return false
}

// missingSelects returns the selections that would show the members of a holder by labels.
// Each of them begins after the moment. Ok reports that complete selections have shown the
// members of all kinds, and the graph had them all. A kind that is not served may hide
// members. Then ok is false without a missing selection.
func (sw *Sweeps) missingSelects(v View, r *run, after seq.Stamp) (missing []selectWant, ok bool) {
	ok = true
	l := &sw.labels
	for i, a := range l.rules {
		if a.plan != r.plan {
			continue
		}
		for name, k := range v.Kinds.All() {
			sw.looked++
			switch {
			case !sw.plans[a.plan].Takes(a.members, name) || v.Shown != nil && v.Shown.Selected(i, name):
				continue
			case !k.Part:
				ok = ok && !sw.hidesMembers(v, r, a, name)
				continue
			}
			at := selecting.Key{Rule: i, Kind: name}
			switch p := l.selections[at]; {
			case p.began <= after:
				missing = append(missing, selectWant{at, after})
			case p.unmet: // the watch will bring it
				missing = append(missing, selectWant{at, p.began})
			}
		}
	}
	return missing, ok && len(missing) == 0
}

// hidesMembers reports whether a kind that is not served has an object which may be a member
// of the holder by its labels. No selection can show that (R8). With more than maxLooked nodes
// the answer is yes.
func (sw *Sweeps) hidesMembers(v View, r *run, a labelRule, name graph.Kind) bool {
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
		if n.State() != graph.Observed || r.holder.Scope != "" && n.Scope() != r.holder.Scope {
			continue
		}
		if p.NeedsLabels(a.members, n.Object()) {
			return true
		}
	}
	return false
}

// LabelRules returns the rules by labels, in their order.
func (sw *Sweeps) LabelRules() (out []selecting.Rule) {
	for _, a := range sw.labels.rules {
		p := sw.plans[a.plan]
		r := selecting.Rule{
			Takes: func(k graph.Kind) bool { return p.Takes(a.members, k) },
			Needs: func(o graph.Object) bool { return p.NeedsLabels(a.members, o) },
		}
		r.Selector, r.Label = p.Select(a.members, nil)
		out = append(out, r)
	}
	return out
}

// HasMembersByLabel reports whether objects of the kind have members by labels.
func (sw *Sweeps) HasMembersByLabel(kind graph.Kind) bool {
	return slices.ContainsFunc(sw.labels.rules, func(a labelRule) bool { return sw.plans[a.plan].Sweep().Holder == kind })
}
