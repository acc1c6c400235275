package engine

import (
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/plan"
)

// CallID names one call of one engine. Ids rise, and the engine uses none again.
type CallID uint64

// CallType is the type of a call.
type CallType uint8

const (
	// CallUnset is no call.
	CallUnset CallType = iota
	// CallRead asks Store.Get for the object at Key.
	CallRead
	// CallPatch asks Store.Patch for Change.
	CallPatch
	// CallDelete asks Store.Delete for Options.
	CallDelete
	// CallFence asks Fencer.Fence for a token.
	CallFence
	// CallList asks Lister.List for a new listing of Kind, or starts the watch anew. Without a Kind
	// it asks for the set of kinds. The engine wants that after it refused a set, and after a sign
	// of a rewind if no fence covers the set. The new watch then reports the set again.
	CallList
	// CallHandle runs the handler of Finalizer on Object.
	CallHandle
	// CallSelect asks LabelSelector.Select for Select.
	CallSelect
	// CallJudge asks for the verdict about the guarded root at Key: see ownergraph.Judge.
	CallJudge
)

var callNames = [...]string{"unset", "read", "patch", "delete", "fence", "list", "handle", "select", "judge"}

// String returns the call type in lower case.
func (t CallType) String() string {
	if int(t) < len(callNames) {
		return callNames[t]
	}
	return fmt.Sprintf("call(%d)", uint8(t))
}

// typeFor returns the type of calls with the purpose.
func typeFor(p inflight.Purpose) CallType {
	return [...]CallType{
		inflight.Read: CallRead, inflight.Reread: CallRead, inflight.ReadHolder: CallRead,
		inflight.Patch: CallPatch, inflight.Delete: CallDelete, inflight.Fence: CallFence,
		inflight.List: CallList, inflight.Handle: CallHandle, inflight.Select: CallSelect,
		inflight.Judge: CallJudge,
	}[p]
}

// Lane returns the lane of calls of the type.
func (t CallType) Lane() Lane {
	switch {
	case t == CallUnset:
		return LaneUnset
	case t <= CallDelete:
		return LaneStore
	case t == CallHandle:
		return LaneHandler
	}
	return LaneControl
}

// Lane groups calls. Calls of different lanes do not wait for each other.
type Lane uint8

const (
	// LaneUnset is no lane.
	LaneUnset Lane = iota
	// LaneStore is for reads and writes.
	LaneStore
	// LaneHandler is for handlers, which may take a long time.
	LaneHandler
	// LaneControl is for fences, listings and selections.
	LaneControl
)

// String returns the lane in lower case.
func (l Lane) String() string {
	return [...]string{"unset", "store", "handler", "control"}[l&3]
}

// Call is one operation that the engine wants done outside. It is data: the caller of Next
// carries it out and reports the result with Done. Fields that the type does not name are
// zero. The receiver owns a Call.
type Call struct {
	ID   CallID
	Type CallType
	Key  graph.Key // read, patch, delete, handle, judge

	Precondition graph.Precondition  // patch
	Change       graph.Change        // patch
	Options      graph.DeleteOptions // delete

	Kind   graph.Kind          // list
	Select graph.SelectRequest // select

	Finalizer string       // handle
	Object    graph.Object // handle

	// Timeout bounds the time of the call. After it the outcome is unknown.
	Timeout time.Duration

	// Alone says that the call goes in no batch, because the last try took too long.
	Alone bool
	// Revision is that of the engine when Next returned the call: see Engine.Revision.
	Revision uint64
}

// Result is the result of a call: Object of a read, Selected of a selection, Fence of a
// fence, Verdict of a judgement, or Err. Fence is the store's token.
type Result struct {
	Object   graph.Object
	Selected graph.SelectPage
	Fence    uint64
	Verdict  plan.Verdict
	Err      error
}

// String describes the call, as in "delete pod/ns/a@u".
func (c *Call) String() string {
	switch c.Type {
	case CallFence:
		return c.Type.String()
	case CallList:
		return c.Type.String() + " " + string(c.Kind)
	case CallHandle:
		return fmt.Sprintf("%s %q of %s", c.Type, c.Finalizer, c.Key)
	case CallSelect:
		return fmt.Sprintf("%s %s by %q", c.Type, c.Select.Kind, c.Select.Selector)
	}
	return c.Type.String() + " " + c.Key.String()
}
