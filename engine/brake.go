package engine

import (
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/brake"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/evidence"
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
	// are more. Zero is no limit. An engine with a share deletes its part of this number, rounded
	// up, and counts all objects.
	PerCascade int
	// Window is the most deletes of all cascades in Per. It is a bucket that begins empty and
	// fills evenly, so that restarts and many small cascades bring no further deletes. It delays,
	// and needs no approval. An engine with a share has its part. Both are zero without a window.
	Window int
	Per    time.Duration
	// AwaitSick makes the count wait for sick kinds, too. By default it waits for the listings under
	// way alone. BrakedCascade.Uncounted names the sick kinds that were never listed. When such a
	// kind is listed, the engine counts again. A kind that is not listed in 5 minutes is sick.
	//
	//test:by TestBrakeSickKinds
	AwaitSick bool
}

func (b Brake) settings() brake.Settings {
	return brake.Settings{PerCascade: b.PerCascade, Window: b.Window, Per: b.Per}
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
	brake.Judgement      // of a delete, without an answer for another decision
	postpones       bool // the object cannot be decided now
	holds           bool // the root is the holder of a sweep
	fixes           bool // the history has still to fix the roots
}

// judgeBrake judges a decision to delete. The deletes of a sweep count for its holder. An object whose
// write is under way is counted already.
func (j *judgement) judgeBrake(e *Engine) {
	n := &j.notes.brake
	*n = brakeNote{holds: j.holder.UID != ""}
	j.notes.passed.brake = true
	switch {
	case e.brake.AwaitsRecord(): // the pause of the unread record keeps it
		return
	case j.d.Action != policy.Delete:
		n.postpones = j.d.Action == policy.Wait || j.d.Action == policy.Verify
		return
	case e.state(j.id).Call != 0 || e.isExpected(e.graph.Node(j.id)): // so only an explanation asks
		return
	}
	var roots []graph.Key
	switch {
	case e.cfg.Brake.PerCascade == 0:
	case n.holds:
		roots = []graph.Key{j.holder}
	case j.fixed != nil:
		roots = j.fixed
	default:
		roots, n.fixes = e.history.AskRoots(e.view(), j.id, j.in, brake.LeftOut(), &j.roots)
	}
	n.Judgement = e.brake.Judge(e.brakeView(), j.id, roots)
	j.notes.answer = n.Answer
	if n.Answer == brake.Orphan {
		if refs := evidence.DanglingAlone(j.in); len(refs) > 0 {
			j.d = policy.Decision{Action: policy.Orphan, Reason: policy.CascadeRefused, Owners: refs}
			return
		}
	}
	j.d = evidence.Withhold(j.in, e.set, &j.lists, j.d, n.Answer.Decide(j.d))
}

// tryCount does what a judgement lacks, and reports whether the object is judged again: the history fixes
// its roots, or the counts of its cascades begin. A small cascade is counted at once.
func (j *judgement) tryCount(e *Engine) bool {
	n := &j.notes.brake
	switch {
	case !j.notes.passed.brake, !n.fixes && !n.Begins:
		return false
	case n.fixes:
		j.fixed = e.history.FixRoots(e.view(), j.id, j.in, brake.LeftOut(), &j.roots)
		return true
	}
	e.brake.Begin(e.brakeView(), &n.Judgement, func(root graph.Key) ([]graph.NodeID, int) {
		if n.holds {
			return e.history.SeedsOf(e.view(), j.id, nil, root), e.sweeps.MembersOf(root)
		}
		return e.history.SeedsOf(e.view(), j.id, j.in, root), 0
	})
	e.carryOut()
	return true
}

// commitBrake takes note of the judgement of the brake.
func (j *judgement) commitBrake(e *Engine) {
	switch n := &j.notes.brake; {
	case n.postpones:
		e.brake.Postpone(j.id)
	case n.Answer == brake.AnswerUnset:
		e.brake.Leave(j.id)
	default:
		e.brake.Commit(e.brakeView(), j.id, &n.Judgement)
		e.carryOut()
		if j.d.Action == policy.Orphan {
			e.brake.Leave(j.id)
		}
	}
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
