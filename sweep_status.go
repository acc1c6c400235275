package ownergraph

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/policy"
)

// SweepStatus is how far the sweep of one holder is. It is a value; the receiver
// owns it.
type SweepStatus struct {
	Holder    Key
	Finalizer string
	// Gone says that the holder itself is gone: it was deleted before it carried
	// the finalizer.
	Gone bool
	// Members were seen so far, MembersGone of them are gone, MembersLeft are
	// not. What ceased to be a member is neither.
	Members, MembersGone, MembersLeft int
	// Phases counts what is left by phase, the last one being what no phase
	// takes. Open is how many of the phases may delete.
	Phases []int
	Open   int
	// Kinds counts what is left by kind, sorted.
	Kinds []KindCount
	// Blocked members are held, and By says by what: at most 8 of them, by key.
	Blocked int
	By      []Held
	// Waves is how often members had to wait for a proof that the holder was
	// there when they were. It rises when somebody goes on creating them.
	Waves int
	// Halted says that nothing is deleted for now; the holder's own entry in
	// Held says why.
	Halted bool
}

// KindCount is how many objects there are of a kind.
type KindCount struct {
	Kind  Kind
	Count int
}

// Sweeps returns how far the sweeps are that are under way, at most limit of
// them, by holder.
func (e *Engine) Sweeps(limit int) []SweepStatus {
	ids := e.clear.sorted()
	out := make([]SweepStatus, 0, min(max(limit, 0), len(ids)))
	for _, id := range ids[:cap(out)] {
		out = append(out, e.sweepStatus(e.clear.runs[id]))
	}
	return out
}

func (e *Engine) sweepStatus(r *clearing) SweepStatus {
	s := SweepStatus{
		Holder: r.holder.Key, Finalizer: e.clear.plans[r.plan].Sweep().Finalizer, Gone: r.node == 0,
		Members: r.total, MembersGone: r.gone, Phases: slices.Clone(r.left), Open: r.open,
		Blocked: r.blocked, Waves: r.waves, Halted: r.halted, MembersLeft: r.members,
		Kinds: r.kindCounts(),
	}
	for _, id := range r.sample {
		s.By = append(s.By, e.heldAt(id))
	}
	slices.SortFunc(s.By, func(a, b Held) int { return a.Key.Compare(b.Key) })
	return s
}

// kindCounts counts what is left by kind, sorted.
func (r *clearing) kindCounts() (out []KindCount) {
	for _, k := range slices.Sorted(maps.Keys(r.kinds)) {
		out = append(out, KindCount{k, r.kinds[k]})
	}
	return out
}

// sweepOf returns how far the first sweep of a holder is, nil without one.
func (e *Engine) sweepOf(id observed.NodeID) *SweepStatus {
	for i := range e.clear.plans {
		if r := e.clear.runs[e.clear.of[runKey{id, i}]]; r != nil {
			s := e.sweepStatus(r)
			return &s
		}
	}
	return nil
}

// sweepNames names what holds a holder's sweep.
func (e *Engine) sweepNames(id observed.NodeID) (out []string) {
	o := e.graph.Node(id).Object()
	if e.state(id).Reason == policy.SweepUnserved {
		if kind := e.veiled(id, o); kind != "" {
			out = append(out, string(kind))
		}
	}
	for i, p := range e.clear.plans {
		if !p.IsHolder(o) {
			continue
		}
		switch r := e.clear.runs[e.clear.of[runKey{id, i}]]; e.state(id).Reason {
		case policy.HolderUnfit:
			if err := p.Fit(o); err != nil {
				out = append(out, err.Error())
			}
		case policy.HolderUnguarded:
			out = append(out, p.Sweep().Finalizer)
		case policy.SweepUnserved:
			for _, k := range p.Kinds() {
				if !e.kinds.Part(k) {
					out = append(out, string(k))
				}
			}
		case policy.NeedMembers, policy.NeedConfirmation:
			if r != nil {
				out = append(out, e.leftNames(r)...)
				out = append(out, e.unselected(r)...)
			}
		case policy.NeedSelect:
			if r != nil {
				out = append(out, e.unselected(r)...)
			}
		}
	}
	return out
}

// leftNames says what is left of a sweep, the kinds with the most members first.
func (e *Engine) leftNames(r *clearing) (out []string) {
	kinds := r.kindCounts()
	slices.SortStableFunc(kinds, func(a, b KindCount) int { return cmp.Compare(b.Count, a.Count) })
	for _, k := range kinds[:min(len(kinds), mostDetail)] {
		out = append(out, string(k.Kind)+": "+strconv.Itoa(k.Count)+" left")
	}
	return out
}

// Sweeps returns how far the sweeps are that are under way, at most limit of
// them, by holder.
func (c *Collector) Sweeps(limit int) []SweepStatus {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.engine.Sweeps(limit)
}

// reportedSweep is sweepOf where somebody wants to see it.
func (e *Engine) reportedSweep(id observed.NodeID) *SweepStatus {
	if e.cfg.OnDecision == nil {
		return nil
	}
	return e.sweepOf(id)
}

// rivalNames names who else has a claim on a member.
func (e *Engine) rivalNames(id observed.NodeID) (out []string) {
	n := e.graph.Node(id)
	o := n.Object()
	for i := range n.Owners() {
		if c, _ := n.OwnerClass(i); c != observed.Dangling && !n.SelfOwner(i) && len(out) < mostDetail {
			out = append(out, n.OwnerAt(i).String())
		}
	}
	for i := range e.clear.plans {
		for claim := range e.claims(i, id, o, false) {
			for _, h := range e.claimants(i, o, claim) {
				if !h.Deleting && len(out) < mostDetail {
					out = append(out, h.Key.String())
				}
			}
		}
	}
	return out
}

// validateSweeps checks what one sweep alone cannot show.
func (c Config) validateSweeps() error {
	seen := map[string]bool{}
	for i, s := range c.Sweeps {
		bad := func(cause string) error {
			return fmt.Errorf("configure engine: Sweeps[%d]: finalizer %q: %s: %w", i, s.Finalizer, cause, ErrInvalid)
		}
		p, err := finalizer.NewPlan(s)
		switch {
		case err != nil:
			return fmt.Errorf("configure engine: Sweeps[%d]: %w", i, err)
		case seen[s.Finalizer]:
			return bad("another sweep has it")
		case s.Confirm != "" && (seen[s.Confirm] || c.Handlers[s.Confirm] != nil):
			return bad("its Confirm is somebody else's")
		case c.Handlers[s.Finalizer] != nil:
			return bad("a handler has it")
		}
		for _, k := range p.Kinds() {
			if slices.Contains(c.Ignore, k) {
				return bad(fmt.Sprintf("kind %q takes no part", k))
			}
		}
		seen[s.Finalizer] = true
		if s.Confirm != "" {
			seen[s.Confirm] = true
		}
	}
	return nil
}
