// Package hook shows the calls of a store, and the runs of handlers, to an observer. The
// adapters for metrics and traces observe by it. A wrapped store keeps the contract and all
// optional powers of the store.
package hook

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph"
)

// Type is the type of an observed call.
type Type uint8

const (
	// Unset is no call.
	Unset Type = iota
	// Read is Store.Get.
	Read
	// Patch is Store.Patch.
	Patch
	// Delete is Store.Delete.
	Delete
	// Batch is Batcher.Batch. Its writes are in Writes.
	Batch
	// Fence is Fencer.Fence.
	Fence
	// List is Lister.List.
	List
	// Select is LabelSelector.Select.
	Select
	// ReadRecord is Records.ReadRecord.
	ReadRecord
	// WriteRecord is Records.WriteRecord.
	WriteRecord
	// Handle is a run of a handler.
	Handle

	numTypes
)

var typeNames = [numTypes]string{"unset", "read", "patch", "delete", "batch", "fence", "list", "select", "read_record", "write_record", "handle"}

// String returns the type in lower case.
func (t Type) String() string {
	if t < numTypes {
		return typeNames[t]
	}
	return fmt.Sprintf("call(%d)", uint8(t))
}

// Types returns all types of calls, without Unset.
func Types() (all []Type) {
	for t := Unset + 1; t < numTypes; t++ {
		all = append(all, t)
	}
	return all
}

// Call is one observed call. Fields that its Type does not name are zero. The observer keeps
// none of its lists, because they belong to the caller of the store.
type Call struct {
	Type      Type
	Key       ownergraph.Key     // read, patch, delete, handle
	Kind      ownergraph.Kind    // list, select
	Finalizer string             // handle
	Writes    []ownergraph.Write // batch
	Results   []error            // batch, at its end: one for each write, or none

	// Begun and State are for the observer.
	Begun time.Time
	State any
}

// Observer observes calls. Several goroutines may call its methods at once.
type Observer interface {
	// Begin begins a call. The call gets the returned context.
	Begin(ctx context.Context, c *Call) context.Context
	// End ends a call, with its error and the context of Begin. ErrNoAnswer is the error of a
	// call that has ended its goroutine, or that has panicked. ErrResults is that of a batch
	// without an error that has another number of results than writes.
	End(ctx context.Context, c *Call, err error)
}

// Watcher is an Observer that observes the watch too.
type Watcher interface {
	// Watched receives each batch of events before the sink does. It keeps nothing of it.
	Watched(batch []ownergraph.Event)
}

var (
	// ErrNoAnswer is the error of a call that did not return.
	ErrNoAnswer = errors.New("ended without an answer")
	// ErrResults is the error of a batch whose results do not fit its writes.
	ErrResults = errors.New("another number of results than writes")
)
