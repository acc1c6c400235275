package engine

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/internal/inside"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/brake"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/history"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/policy"
)

// Brake limits the deletes of the engine (RULES, G5). The zero value limits nothing.
//
//test:by TestBrakeLimit TestBrakeWalk TestBrakeNames TestBrakeBucket TestBrakeApproval
//test:by TestBrakeRefusalLasts
type Brake struct {
	// PerCascade is the most deletes of one cascade without an approval. Before the first
	// delete the engine counts the objects below the root. It deletes none of them if there
	// are more. Zero is no limit.
	PerCascade int
	// Window is the most deletes of all cascades in Per. It is a bucket that begins empty and
	// fills evenly, so that restarts and many small cascades bring no further deletes. It delays,
	// and needs no approval. Both are zero without a window.
	Window int
	Per    time.Duration
	// AwaitSick makes the count wait for sick kinds, too. By default it waits for the listings under
	// way alone. BrakedCascade.Uncounted names the sick kinds that were never listed. When such a
	// kind is listed, the engine counts again. A kind that is not listed in 5 minutes is sick.
	//
	//test:by TestBrakeSickKinds
	AwaitSick bool
}

func (b Brake) validate() error {
	for _, f := range []struct {
		name, why string
		wrong     bool
	}{
		{"PerCascade", "negative", b.PerCascade < 0},
		{"Window", "negative", b.Window < 0},
		{"Per", "negative", b.Per < 0},
		{"Window", "zero with Per", b.Window == 0 && b.Per > 0},
		{"Per", "zero with Window", b.Window > 0 && b.Per == 0},
		{"AwaitSick", "set without PerCascade", b.AwaitSick && b.PerCascade == 0},
	} {
		if f.wrong {
			return fmt.Errorf("configure engine: Brake.%s: %s: %w", f.name, f.why, graph.ErrInvalid)
		}
	}
	return nil
}

// brakeView returns the lower machines for the brake.
func (e *Engine) brakeView() brake.View {
	return brake.View{Nodes: e.view(), Out: &e.effects, Now: e.now, Listed: e.brakeListed(), Gap: e.kinds.Gap()}
}

// brakeListed reports whether cascades can be counted: no listing is awaited.
func (e *Engine) brakeListed() bool {
	switch {
	case e.brake.IsListed():
		return true
	case e.cfg.Brake.AwaitSick:
		return e.kinds.AllListed()
	}
	return e.kinds.Countable()
}

// brakeDecision returns the decision that the brake makes of a decision to delete. The
// deletes of a sweep count for its holder.
func (e *Engine) brakeDecision(id graph.NodeID, in *policy.Facts, d policy.Decision, holder graph.Key) policy.Decision {
	switch {
	case e.brake.AwaitsRecord(): // the pause of the unread record keeps it
		e.brake.Leave(id)
		return d
	case d.Action == policy.Delete:
	case d.Action == policy.Wait, d.Action == policy.Verify:
		e.brake.Postpone(id)
		return d
	default:
		e.brake.Leave(id)
		return d
	}
	e.brake.SetReturned(e.kinds.Returned())
	var roots []graph.Key
	switch {
	case e.cfg.Brake.PerCascade == 0:
	case holder.UID != "":
		roots = e.countHeld(id, holder)
	default:
		roots = e.countRoots(id, in)
	}
	answer := e.brake.Judge(e.brakeView(), id, roots)
	e.carryOut()
	if refs := danglingAlone(in); answer == brake.Orphan && len(refs) > 0 {
		e.brake.Leave(id)
		return policy.Decision{Action: policy.Orphan, Reason: policy.CascadeRefused, Owners: refs}
	}
	return braked(answer, d)
}

// braked returns the decision for an answer of the brake. D is the decision to delete.
func braked(answer brake.Answer, d policy.Decision) policy.Decision {
	why := d.Reason
	switch answer {
	case brake.Go:
		return d
	case brake.NeedToken:
		why = policy.BrakeWindow
	case brake.NeedListings:
		why = policy.BrakeListing
	case brake.NeedRoom, brake.Held:
		why = policy.Braked
	case brake.Keep, brake.Orphan:
		why = policy.CascadeRefused
	}
	return policy.Decision{Action: policy.Wait, Reason: why}
}

// danglingAlone returns the dangling references of an object, or none if it has an owner
// that waits. A user can delete such an owner again with orphan.
func danglingAlone(in *policy.Facts) (refs []int) {
	for i := range in.Owners {
		switch f := &in.Owners[i]; {
		case f.Self:
		case in.ClassOf(f) != graph.Dangling:
			return nil
		default:
			refs = append(refs, i)
		}
	}
	return refs
}

// countHeld makes the brake count the cascade of a holder.
func (e *Engine) countHeld(id graph.NodeID, holder graph.Key) []graph.Key {
	roots := []graph.Key{holder}
	if e.brakeListed() && e.brake.TryReserve(id, roots) {
		var seeds []graph.NodeID
		if n, ok := e.graph.Lookup(holder); ok {
			seeds = append(seeds, n.ID())
		}
		e.brake.Begin(e.brakeView(), holder, seeds, e.sweeps.MembersOf(holder))
	}
	return roots
}

// countRoots returns the roots of an object, and makes the brake count their cascades. If some are
// not known, LeftOut is among them.
//
//test:by TestBrakeManyRoots TestBrakeLongNames TestBrakeUnknownRoot
func (e *Engine) countRoots(id graph.NodeID, in *policy.Facts) []graph.Key {
	number := e.history.RootOf(e.view(), id, in)
	if number <= history.Self || number != e.scratch.root { // most objects have the roots of the one before
		r := e.history.RootAt(e.graph.Node(id), number)
		if r.More > 0 || len(r.Keys) == 0 { // too many, or with names that are too long for the history
			r.Keys = append(r.Keys, brake.LeftOut())
		}
		e.scratch.root, e.scratch.roots = number, r.Keys
	}
	roots := e.scratch.roots
	if e.brakeListed() && e.brake.TryReserve(id, roots) {
		for _, k := range roots {
			if !e.brake.IsKnown(k) {
				e.brake.Begin(e.brakeView(), k, e.brakeSeeds(id, in, k), 0)
			}
		}
	}
	return roots
}

// brakeSeeds returns the nodes from which the objects of a cascade are counted: the root,
// and those owners of an object that have this root.
func (e *Engine) brakeSeeds(id graph.NodeID, in *policy.Facts, root graph.Key) (seeds []graph.NodeID) {
	if n, ok := e.graph.Lookup(root); ok {
		seeds = append(seeds, n.ID())
	}
	text := graph.Inside(inside.Key{}).AppendKey(nil, &root)
	for i := range in.Owners {
		o := e.view().OwnerID(id, i)
		if o == 0 || slices.Contains(seeds, o) {
			continue
		}
		if found, _, _ := e.history.Names(e.state(o).Root, func(k []byte) bool { return bytes.Equal(k, text) }); found {
			seeds = append(seeds, o)
		}
	}
	return seeds
}

// reportedCascade returns the cascade that a report of the brake is about, or nil.
func reportedCascade(m *brake.Machine, x effect.Effect) *BrakedCascade {
	if s, ok := m.StatusOf(x.Key); ok && x.Version == "" {
		b := brakedCascade(s)
		return &b
	}
	return nil
}

// isUndone reports whether the store has definitely not carried out a write.
func isUndone(o inflight.Outcome) bool {
	switch o {
	case inflight.Conflicted, inflight.Refused, inflight.Delayed, inflight.Unserved:
		return true
	}
	return false
}
