package engine

import (
	"log/slog"

	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/sweep"
)

// carryOut carries out the effects that machines have returned, in their order. Carrying
// one out may append others, which follow. It is the only place that does so.
func (e *Engine) carryOut() {
	if e.scratch.carrying || e.effects.Empty() {
		return
	}
	e.scratch.carrying = true
	for i := 0; i < len(e.effects.Items()); i++ {
		e.do(e.effects.Items()[i])
	}
	e.scratch.carrying = false
	e.effects.Reset()
}

// do carries out one effect.
func (e *Engine) do(x effect.Effect) {
	switch x.Type {
	case effect.Look:
		e.work.Add(x.Node, x.Priority)
	case effect.LookAt:
		e.work.AddAt(x.Node, x.Priority, x.At)
	case effect.Wake:
		e.fanout.Wake(x.Node)
	case effect.Fan:
		e.fanout.Push(e.view(), x.Node)
	case effect.WantFence:
		if !e.share.IsNone() {
			e.fence.Want(x.After, e.now)
		}
	case effect.AwaitFence:
		e.fence.Await(x.Node, e.edit(x.Node))
	case effect.WakeFence:
		e.wakeFence()
	case effect.Relist:
		e.kinds.WantList(x.Kind)
	case effect.RelistAll:
		e.kinds.WantLists()
	case effect.Hold:
		e.hold(x.Node, x.Reason, x.Doubt)
	case effect.Unhold:
		e.unhold(x.Node, false)
		e.held.Open.Note(x.Node, e.state(x.Node).Call == 0, e.now)
	case effect.Revoke:
		e.revokePrepared()
	case effect.LookAtShare:
		lookAtShare(e)
	case effect.Audit:
		e.auditSoon()
	case effect.ReadHolder:
		e.readHolder(x.Node, x.Key, x.Run)
	case effect.ReturnRead:
		e.sweeps.ReturnRead(e.sweepView(), sweep.RunID(x.Run))
	case effect.Rewind:
		e.rewind(x.Record.Text)
	case effect.Report:
		if e.cfg.OnDecision != nil {
			e.cfg.OnDecision(DecisionEvent{Key: x.Key, Version: x.Version, Decision: *x.Decision, Cascade: reportedCascade(&e.brake, x)})
		}
	case effect.Exempt:
		e.brake.Exempt(e.brakeView(), x.Key)
	case effect.Log:
		e.effects.KeepDue(*x.Record, e.now)
	default:
		e.fail("N11: effect %v is not known", x.Type)
	}
}

// endStep ends each method that may have effects or lines of the log.
func (e *Engine) endStep() {
	e.carryOut()
	if e.cfg.Logger == nil {
		return
	}
	e.effects.KeepLate(e.now)
	for _, r := range e.effects.TakeLines() {
		writeLine(e.cfg.Logger, r)
	}
}

// KeepLog makes the engine keep the lines of its log for TakeLog: the driver writes them itself, because
// it has a lock while a step runs.
func (d driver) KeepLog() { d.e.cfg.Logger = nil }

// WriteLine writes one line of the log.
func (insider) WriteLine(cfg Config, r effect.Record) { writeLine(cfg.Logger, r) }

// writeLine writes one line of the log.
func writeLine(to *slog.Logger, r effect.Record) {
	switch r.Level {
	case effect.Error:
		to.Error(r.Text, r.Args...)
	case effect.Debug:
		to.Debug(r.Text, r.Args...)
	case effect.Info:
		to.Info(r.Text, r.Args...)
	default:
		to.Warn(r.Text, r.Args...)
	}
}
