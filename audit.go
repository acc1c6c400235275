package ownergraph

import (
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/queue"
)

// audit walks the whole graph from time to time and has every object that
// something could happen to looked at again. It makes no request of its own:
// it repairs what a fault of the engine or of a store's notices left behind,
// and counts that.
type audit struct {
	under bool
	at    graph.NodeID
	next  time.Time
}

// auditSoon has everything looked at again as soon as there is time.
func (e *Engine) auditSoon() {
	e.audit.under, e.audit.at = true, 1
}

// stepAudit goes on with an audit or begins one that is due. It reports whether
// it did anything.
func (e *Engine) stepAudit() bool {
	a := &e.audit
	if a.next.IsZero() {
		a.next = e.now.Add(e.cfg.AuditEvery)
	}
	if !a.under && !e.now.Before(a.next) {
		e.auditSoon()
	}
	if !a.under {
		return false
	}
	for n := 0; n < slice && e.work.Ready() < lowWater && int(a.at) < len(e.nodes); n++ {
		e.auditNode(a.at)
		a.at++
	}
	if int(a.at) >= len(e.nodes) {
		a.under, a.next = false, e.now.Add(e.cfg.AuditEvery)
		e.counts.Audits++
	}
	return true
}

func (e *Engine) auditNode(id graph.NodeID) {
	if !e.graph.InUse(id) || e.graph.Node(id).State() != graph.Observed {
		return
	}
	if n := e.graph.Node(id); n.Owners() > 0 || n.View().Deleting {
		e.nodes[id].audited = true
		e.work.Add(id, queue.Low)
	}
}

// countAudit counts a write that nothing but the audit has led to.
func (e *Engine) countAudit(m *mind) {
	if m.audited {
		e.counts.AuditRepairs++
	}
}
