package engine

import (
	"fmt"
	"time"

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
	return brake.View{Nodes: e.view(), Out: &e.effects, Now: e.now, Listed: e.brakeListed(), Gap: e.kinds.Gap(), Returned: e.kinds.Returned()}
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

// brakeNote is the judgement of the brake about one decision, with what its commit needs.
type brakeNote struct {
	brake.Judgement                 // of a delete, without an answer for another decision
	decision        policy.Decision // without the brake
	postpones       bool            // the object cannot be decided now
	holds           bool            // the root is the holder of a sweep
	fixes           bool            // the commit fixes the roots in the history
}

// judgeBrake returns the decision that the brake makes of a decision to delete, and notes what
// commitBrake does. The deletes of a sweep count for its holder. It changes the cache alone, which may
// be nil. The time may be later than that of the engine.
//
//test:by TestJudgeBrakeIsPure
func (e *Engine) judgeBrake(now time.Time, id graph.NodeID, in *policy.Facts, d policy.Decision, holder graph.Key, cache *history.RootCache, n *brakeNote) policy.Decision {
	*n = brakeNote{decision: d, holds: holder.UID != ""}
	if e.brake.AwaitsRecord() || d.Action != policy.Delete { // the pause of the unread record keeps it
		n.postpones = !e.brake.AwaitsRecord() && (d.Action == policy.Wait || d.Action == policy.Verify)
		return d
	}
	var roots []graph.Key
	switch {
	case e.cfg.Brake.PerCascade == 0:
	case n.holds:
		roots = []graph.Key{holder}
	default:
		roots, n.fixes = e.history.AskRoots(e.view(), id, in, brake.LeftOut(), cache)
	}
	n.Judgement = e.brake.Judge(brake.View{Nodes: e.view(), Now: now, Listed: e.brakeListed(), Returned: e.kinds.Returned()}, id, roots)
	return n.settled(in)
}

// commitBrake carries the judgement of the brake out, and returns the decision. D is the decision of
// judgeBrake, which came just before. A cascade that is counted in the commit may change it.
func (e *Engine) commitBrake(id graph.NodeID, in *policy.Facts, d policy.Decision, n *brakeNote) policy.Decision {
	switch {
	case n.postpones:
		e.brake.Postpone(id)
		return d
	case n.Answer == brake.AnswerUnset:
		e.brake.Leave(id)
		return d
	}
	v, changes := e.brakeView(), n.fixes || n.Begins
	if n.fixes {
		n.Judgement = e.brake.Judge(v, id, e.history.FixRoots(e.view(), id, in, brake.LeftOut(), &e.scratch.roots))
	}
	e.brake.Commit(v, id, &n.Judgement, func(root graph.Key) ([]graph.NodeID, int) {
		if n.holds {
			return e.history.SeedsOf(e.view(), id, nil, root), e.sweeps.MembersOf(root)
		}
		return e.history.SeedsOf(e.view(), id, in, root), 0
	})
	e.carryOut()
	if changes {
		d = n.settled(in)
	}
	if d.Action == policy.Orphan {
		e.brake.Leave(id)
	}
	return d
}

// settled returns the decision for the answer of the brake.
func (n *brakeNote) settled(in *policy.Facts) policy.Decision {
	if n.Answer == brake.Orphan {
		if refs := danglingAlone(in); len(refs) > 0 {
			return policy.Decision{Action: policy.Orphan, Reason: policy.CascadeRefused, Owners: refs}
		}
	}
	return braked(n.Answer, n.decision)
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
