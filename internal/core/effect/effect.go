// Package effect has the requests that the machines of the engine make of each other, as
// data. A machine appends them to a List. The engine carries all of them out in one
// function, in their order, as raft appends to its messages.
package effect

import (
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/queue"
)

// Type says which request an Effect is.
type Type uint8

const (
	// Unset is no request.
	Unset Type = iota
	// Look asks for a decision of Node, with Priority.
	Look
	// LookAt asks for a decision of Node at At, with Priority.
	LookAt
	// Wake asks for a decision of Node when the queue is short. With a waiting owner it asks for
	// its dependents too.
	Wake
	// Fan asks for decisions of the dependents of Node.
	Fan
	// WantFence asks for a fence that begins after After.
	WantFence
	// AwaitFence asks for a decision of Node when a fence passes.
	AwaitFence
	// WakeFence asks for decisions of all nodes that wait for a fence.
	WakeFence
	// Relist asks for a new listing of Kind.
	Relist
	// RelistAll asks for a new listing of every kind.
	RelistAll
	// Hold reports Node as held, for Reason and Doubt.
	Hold
	// Unhold takes the report back.
	Unhold
	// Revoke takes back the prepared calls that no worker has begun.
	Revoke
	// LookAtShare takes back these calls too, and looks at all objects: the share is another one.
	LookAtShare
	// Audit begins an audit.
	Audit
	// ReadHolder asks for a read of Key, the holder of the run Run. Node is the holder's.
	ReadHolder
	// ReturnRead takes back the read of the holder of the run Run.
	ReturnRead
	// Rewind takes every absence back: the store's history went backwards. The text
	// of Record says how.
	Rewind
	// Report reports Decision for the object Key at Version, which may be gone.
	Report
	// Exempt makes the brake let the cascade of the root Key pass.
	Exempt
	// Log keeps Record for the caller, which writes it.
	Log

	numTypes
)

var typeNames = [numTypes]string{
	"unset", "look", "look at", "wake", "fan", "want fence", "await fence", "wake fence", "relist", "relist all",
	"hold", "unhold", "revoke", "look at share", "audit",
	"read holder", "return read", "rewind", "report", "exempt", "log",
}

// String returns the type in lower case.
func (t Type) String() string {
	if t < numTypes {
		return typeNames[t]
	}
	return fmt.Sprintf("effect(%d)", uint8(t))
}

// Effect is one request. Fields that its Type does not name are zero. It is a value.
type Effect struct {
	Type     Type
	Priority queue.Priority
	Reason   policy.Reason
	Doubt    graph.Doubt
	Node     graph.NodeID
	At       time.Time
	After    seq.Stamp
	Kind     graph.Kind
	Key      graph.Key
	Run      uint32
	Version  graph.Version
	Decision *policy.Decision
	Record   *Record
}

// List collects effects in order, and keeps the lines of the log for the caller. The zero
// value is empty. A List is not safe for concurrent use.
type List struct {
	items []Effect
	lines kept
}

// Items returns the effects, the first one first. The list owns them until Reset.
func (l *List) Items() []Effect { return l.items }

// Empty reports whether there is no effect.
func (l *List) Empty() bool { return len(l.items) == 0 }

// Reset drops the effects and keeps a small buffer. The kept lines stay.
func (l *List) Reset() {
	if cap(l.items) > maxKept {
		l.items = nil
		return
	}
	clear(l.items)
	l.items = l.items[:0]
}

// maxKept bounds the buffer that Reset keeps.
const maxKept = 1024

// Look appends Look.
func (l *List) Look(id graph.NodeID, p queue.Priority) {
	l.items = append(l.items, Effect{Type: Look, Node: id, Priority: p})
}

// LookAt appends LookAt.
func (l *List) LookAt(id graph.NodeID, p queue.Priority, at time.Time) {
	l.items = append(l.items, Effect{Type: LookAt, Node: id, Priority: p, At: at})
}

// Wake appends Wake for each node.
func (l *List) Wake(ids ...graph.NodeID) {
	for _, id := range ids {
		l.items = append(l.items, Effect{Type: Wake, Node: id})
	}
}

// Fan appends Fan.
func (l *List) Fan(id graph.NodeID) { l.items = append(l.items, Effect{Type: Fan, Node: id}) }

// WantFence appends WantFence.
func (l *List) WantFence(after seq.Stamp) {
	l.items = append(l.items, Effect{Type: WantFence, After: after})
}

// AwaitFence appends AwaitFence.
func (l *List) AwaitFence(id graph.NodeID) {
	l.items = append(l.items, Effect{Type: AwaitFence, Node: id})
}

// Relist appends Relist.
func (l *List) Relist(kind graph.Kind) { l.items = append(l.items, Effect{Type: Relist, Kind: kind}) }

// Hold appends Hold.
func (l *List) Hold(id graph.NodeID, why policy.Reason, doubt graph.Doubt) {
	l.items = append(l.items, Effect{Type: Hold, Node: id, Reason: why, Doubt: doubt})
}

// Unhold appends Unhold.
func (l *List) Unhold(id graph.NodeID) { l.items = append(l.items, Effect{Type: Unhold, Node: id}) }

// Do appends an effect without operands: WakeFence, RelistAll, Revoke, LookAtShare or Audit.
func (l *List) Do(t Type) { l.items = append(l.items, Effect{Type: t}) }

// ReadHolder appends ReadHolder.
func (l *List) ReadHolder(id graph.NodeID, holder graph.Key, run uint32) {
	l.items = append(l.items, Effect{Type: ReadHolder, Node: id, Key: holder, Run: run})
}

// ReturnRead appends ReturnRead.
func (l *List) ReturnRead(run uint32) {
	l.items = append(l.items, Effect{Type: ReturnRead, Run: run})
}

// Rewind appends Rewind.
func (l *List) Rewind(cause string) {
	l.items = append(l.items, Effect{Type: Rewind, Record: &Record{Text: cause}})
}

// Report appends Report.
func (l *List) Report(k graph.Key, v graph.Version, d policy.Decision) {
	l.items = append(l.items, Effect{Type: Report, Key: k, Version: v, Decision: &d})
}

// Exempt appends Exempt.
func (l *List) Exempt(root graph.Key) { l.items = append(l.items, Effect{Type: Exempt, Key: root}) }

// Priority returns the priority of a node: owners that others wait for go before the bulk.
func Priority(n graph.Node) queue.Priority {
	if n.Waiting() || n.Orphaning() {
		return queue.High
	}
	return queue.Normal
}
