package finalizer

import (
	"context"

	"github.com/ownergraph/ownergraph/graph"
)

// Handler does the work behind one finalizer for a marked object. For example, it frees a
// resource outside of the store that the object stands for. Nil says that the work is
// done, and the engine removes the finalizer. After an error the engine runs the handler
// again.
//
// One object may have several runs, one after another and at the same time:
//
//   - Two collectors on one store run the handler for the same object at the same time.
//     One collector does so only where a restore brings the object back during a run.
//   - The engine repeats a run after an error, a panic, a timeout, a crash, a shutdown and a
//     rewind. It also repeats a successful run while it still observes the finalizer.
//   - A run that ignores its context may go on while the next one begins, and after the
//     object has gone (ownergraph.Config.ShutdownTimeout).
//
// A handler must therefore be idempotent (proposal, "Finalizers") and safe for concurrent
// use. It names the resource by the object's UID, because a later object may have the same
// name. It returns nil for work that is already done, or that another run does at this
// moment. It returns soon after ctx ends. The example shows such a handler.
//
// The object is a copy. The handler may change it, and the engine ignores the change.
type Handler func(ctx context.Context, o graph.Object) error
