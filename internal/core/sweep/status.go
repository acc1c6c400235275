package sweep

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
)

// Status is the progress of a run. It shares nothing with the sweeps.
type Status struct {
	Holder                            graph.Key
	Finalizer                         string
	Gone, Halted                      bool
	Members, MembersGone, MembersLeft int
	Phases                            []int // members left by phase
	Open                              int   // the number of phases that may delete
	Kinds                             []KindCount
	Held, Blocked                     int
	Sample                            []graph.NodeID // some of the held and the blocked members
	Waves                             int
}

// KindCount is a number of objects of a kind.
type KindCount struct {
	Kind  graph.Kind
	Count int
}

// Statuses returns the progress of at most limit runs, by holder.
func (sw *Sweeps) Statuses(limit int) []Status {
	ids := sw.sorted()
	out := make([]Status, 0, min(max(limit, 0), len(ids)))
	for _, id := range ids[:cap(out)] {
		out = append(out, sw.status(sw.runs[id]))
	}
	return out
}

// StatusOf returns the progress of the first run of a holder.
func (sw *Sweeps) StatusOf(id graph.NodeID) (Status, bool) {
	for i := range sw.plans {
		if r := sw.runs[sw.of[runKey{id, i}]]; r != nil {
			return sw.status(r), true
		}
	}
	return Status{}, false
}

// MembersOf returns the number of members of a holder that are left, as far as its runs have
// counted them.
func (sw *Sweeps) MembersOf(holder graph.Key) (n int) {
	for _, r := range sw.runs {
		if r.holder.Key == holder {
			n = max(n, r.members)
		}
	}
	return n
}

func (sw *Sweeps) status(r *run) Status {
	return Status{
		Holder: r.holder.Key, Finalizer: sw.plans[r.plan].Sweep().Finalizer, Gone: r.node == 0,
		Members: r.total, MembersGone: r.gone, Phases: slices.Clone(r.left), Open: r.open,
		Held: r.held, Blocked: r.blocked, Waves: r.waves, Halted: r.halted, MembersLeft: r.members,
		Kinds: r.kindCounts(), Sample: slices.Clone(r.sample),
	}
}

// kindCounts counts the members that are left by kind, sorted.
func (r *run) kindCounts() (out []KindCount) {
	for _, k := range slices.Sorted(maps.Keys(r.kinds)) {
		out = append(out, KindCount{k, r.kinds[k]})
	}
	return out
}

// Names names the causes that hold the sweep of a holder.
func (sw *Sweeps) Names(v View, id graph.NodeID) (out []string) {
	o := v.Graph.Node(id).Object()
	if v.State(id).Reason == policy.SweepUnserved {
		if kind := sw.hiddenHolder(v, id, o); kind != "" {
			out = append(out, string(kind))
		}
	}
	for i, p := range sw.plans {
		if !p.IsHolder(o) {
			continue
		}
		switch r := sw.runs[sw.of[runKey{id, i}]]; v.State(id).Reason {
		case policy.HolderUnfit:
			if err := p.Fit(o); err != nil {
				out = append(out, err.Error())
			}
		case policy.HolderUnguarded:
			out = append(out, p.Sweep().Finalizer)
		case policy.SweepUnserved:
			for _, k := range p.Kinds() {
				if !v.Kinds.Part(k) {
					out = append(out, string(k))
				}
			}
		case policy.NeedMembers:
			if r != nil {
				out = append(out, sw.leftNames(r)...)
				out = append(out, sw.unselected(v, r)...)
			}
		case policy.NeedSelect:
			if r != nil {
				out = append(out, sw.unselected(v, r)...)
			}
		}
	}
	return out
}

// leftNames names the kinds of the members that are left, the kinds with the most members
// first.
func (sw *Sweeps) leftNames(r *run) (out []string) {
	kinds := r.kindCounts()
	slices.SortStableFunc(kinds, func(a, b KindCount) int { return cmp.Compare(b.Count, a.Count) })
	for _, k := range kinds[:min(len(kinds), maxNames)] {
		out = append(out, string(k.Kind)+": "+strconv.Itoa(k.Count)+" left")
	}
	return out
}

// Rivals names the other owners and holders with a claim on a member.
func (sw *Sweeps) Rivals(v View, id graph.NodeID) (out []string) {
	n := v.Graph.Node(id)
	o := n.Object()
	for i := range n.Owners() {
		if c, _ := n.Inside(inside.Key{}).OwnerClass(i); c != graph.Dangling && !n.Inside(inside.Key{}).SelfOwner(i) && len(out) < maxNames {
			out = append(out, n.OwnerAt(i).String())
		}
	}
	for i := range sw.plans {
		for claim := range sw.claims(v, i, id, o, false) {
			for at, h := range sw.claimants(v, i, o, claim) {
				if !isMarked(v, at, &h) && len(out) < maxNames {
					out = append(out, h.Key.String())
				}
			}
		}
	}
	return out
}

// NeedLabels names the first field of the sweeps that depends on labels, "" without one.
func (sw *Sweeps) NeedLabels() string {
	if len(sw.labels.rules) == 0 {
		return ""
	}
	a, field := sw.labels.rules[0], "Selector"
	s := sw.plans[a.plan].Sweep()
	if s.Members[a.members].Label != "" {
		field = "Label"
	}
	return fmt.Sprintf("Sweeps[%d]: finalizer %q: Members[%d].%s", a.plan, s.Finalizer, a.members, field)
}
