// Package oteltrace has the traces of an ownergraph.Collector for OpenTelemetry: a span for each
// call of the store, and for each run of a handler.
//
//	tracer := oteltrace.New(oteltrace.Config{Provider: provider})
//	store, config := tracer.Wrap(store, ownergraph.Config{})
//	collector, err := ownergraph.New(store, config)
//	...
//	tracer.Bind(collector)
//	go collector.Run(ctx)
//
// Without a Provider, Wrap returns its arguments. So tracing that is off costs nothing.
//
// # Spans
//
// The names are ownergraph.read, patch, delete, batch, fence, list, select, read_record,
// write_record and handle, each with that prefix. A call of the store has the kind client, and a
// run of a handler the kind internal. Each span begins a trace of its own, because a collector
// runs for long. The spans of the store and of the handler are children of it.
//
// # Cascades
//
// The first span of a cascade makes a span ownergraph.cascade for the root of the cascade, without
// a duration. Each span of a call has a link to the roots of its object. The roots are those of
// Collector.Roots. A tracer remembers Config.MaxRoots of them, and makes a new span for a root that
// it has forgotten.
//
// # Attributes
//
//	ownergraph.object.kind       the object of a call, or the kind of a listing or selection
//	ownergraph.object.scope
//	ownergraph.object.name
//	ownergraph.object.uid
//	ownergraph.root.kind         the root of a cascade, on its span and on the links to it
//	ownergraph.root.scope
//	ownergraph.root.name
//	ownergraph.root.uid
//	ownergraph.finalizer         the finalizer of a handler
//	ownergraph.result            ok, not_found, conflict, refused, invalid, kind_unknown, busy,
//	                             canceled, timeout or error
//	ownergraph.batch.failed      the writes of a batch that have another result than ok
//	db.operation.batch.size      the writes of a batch
//	error.type                   the result, of a span with the status Error
//
// A missing object and a conflict are answers of the store, and no errors. No attribute has labels,
// payloads or owners of an object. Each value has at most 512 bytes, and is valid UTF-8.
package oteltrace
