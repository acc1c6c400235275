package engine

import (
	"cmp"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/evidence"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
	"github.com/ownergraph/ownergraph/internal/core/guards"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/internal/core/seed"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/share"
)

// Fork is an Engine on a seed, with the rights of a forecast of this module. See Engine.Inside.
type Fork struct {
	Driver
	fork
}

// fork has the methods of a Fork beside those of a Driver.
type fork struct{ e *Engine }

// Fork returns an engine of the same settings that starts with a seed. Its store keeps the contract
// and answers at once. It reports no decision, makes no audit, has no history, and its brake counts no
// deletes of a time.
func (insider) Fork(cfg Config, s *seed.Seed) (Fork, error) {
	cfg.ObserveOnly, cfg.CompareVersions, cfg.OnDecision = false, nil, nil
	cfg.AuditEvery, cfg.History = century, -1
	cfg.MaxRetryAfter = century // the last answer of the store about an unknown object
	cfg.Brake.Window, cfg.Brake.Per = 0, 0
	cfg.Share = share.All() // a plan tells what the collectors do together
	cfg.tuning.Order = 0    // and is the same each time
	e, err := New(cfg.Level, cfg)
	if err != nil {
		return Fork{}, err
	}
	e.cfg.Misplaced = len(s.Parts) // no audit decides the others
	if s.Labels.Any() {
		e.guards.Labels.Recall(s.Protections())
	}
	if e.guards.Members.Any() {
		e.guards.Members.Restore(cmp.Or(s.Members, &guards.Shown{}))
	}
	d := insider{e}.Driver()
	d.KeepLog()
	return Fork{d, fork{e}}, nil
}

// Load observes the events that list the parts of the seed. Afterwards the fork calls sent for each
// decision that a call of the store carries out.
func (f fork) Load(s *seed.Seed, events []graph.Event, sent func(inflight.Sent)) error {
	e := f.e
	for i := range s.Parts {
		p := &s.Parts[i]
		if p.State == excerpt.Absent {
			e.absent.Add(p.Object.Key)
		}
		if p.Orphaned {
			e.orphaned.Add(p.Object.Key, p.End)
		}
		for _, owner := range p.Shown {
			e.orphaned.Show(p.Object.UID, owner)
		}
	}
	err := insider{e}.ObserveAll(s.Now, events)
	e.sweeps.Recall(e.sweepView(), s.Sweeps)
	e.brake.Recall(e.brakeView(), s.Brake)
	e.cfg.onCall = sent
	return err
}

// Rests is the time without progress after which the fork waits for nothing but the outside.
func (f fork) Rests() time.Duration {
	return time.Minute + max(2*f.e.cfg.AwaitTimeout, f.e.cfg.AcknowledgeWithin, f.e.cfg.FenceWait)
}

// FailForGood takes the failure of a handler's run that is not tried again.
func (f fork) FailForGood(now time.Time, id CallID, err error) {
	f.e.tick(now)
	if x, ok := f.e.calls.Take(uint64(id)); ok {
		f.e.handlerDone(id, &x, err, true)
	}
	f.e.endStep()
}

// HoldUnread holds the objects that still wait for an owner which the store cannot tell.
func (f fork) HoldUnread(owner graph.Key, err error) {
	if n, ok := f.e.graph.Lookup(owner); ok {
		f.e.holdUnreadable(n.ID(), err, false)
	}
}

// ReportOf returns the report of an object that the fork holds, or that a mark makes wait.
func (f fork) ReportOf(n graph.Node, marked bool) (h Held, held bool) {
	if !marked && !f.e.held.Has(n.ID()) {
		return Held{}, false
	}
	return reports(f).heldAt(n.ID()), true
}

// ReasonOf returns the last reason about an object, or unset.
func (f fork) ReasonOf(k graph.Key) policy.Reason {
	n, ok := f.e.graph.Lookup(k)
	if !ok {
		return policy.ReasonUnset
	}
	return f.e.state(n.ID()).Reason
}

// OrderOf returns the guard whose phases order the deletion of a root, or -1.
func (f fork) OrderOf(o *graph.Object) int { return f.e.order.GuardOf(o) }

// RuleOf returns the rule that protects an object, or "". Unknown says that labels may protect it,
// and are not known.
func (f fork) RuleOf(o *graph.Object) (rule string, unknown bool) {
	return f.e.guards.Protection(f.e.guardView(), o)
}

// MemberText names the matches that make an object a member of sweeps by its labels.
func (f fork) MemberText(k graph.Key) string { return f.e.guards.Members.Text(k) }

// HasSweeps reports whether there is a sweep. Holders returns the holders of a node, and Unfit a
// function that reports whether a holder does not fit.
func (f fork) HasSweeps() bool { return f.e.sweeps.Any() }
func (f fork) Holders(id graph.NodeID) []graph.NodeID {
	return f.e.sweeps.HoldersOf(f.e.sweepView(), id)
}
func (f fork) Unfit() func(graph.NodeID) bool { return f.e.sweeps.Unfit(f.e.sweepView()) }

// DependsOnLabels reports whether labels may make an object a member of a sweep, and BoundsSweep
// whether the sweep of a holder ends at a scope.
func (f fork) DependsOnLabels(o graph.Object) bool { return f.e.sweeps.DependsOnLabels(o) }
func (f fork) BoundsSweep(o graph.Object) bool     { return len(f.e.sweeps.InScope(o)) > 0 }

// IsUnproven reports whether an object refers to an owner that is proven neither present nor absent.
func (f fork) IsUnproven(k graph.Key) bool {
	n, ok := f.e.graph.Lookup(k)
	return ok && evidence.IsUnproven(f.e.view(), n, f.e.kinds.Rewound())
}
