// Package world has a store, its watches, its users and one or more engines in one
// thread. The caller chooses every interleaving: the next event, the next call, the
// completion of a call, the crash of an engine. Text scenarios, properties, the
// simulator and the exhaustive run drive it.
//
// The store follows the rules of package finalizer. Each kind has a stream of its
// own for each engine. A stream is ordered, and delayed on its own. A listing is a
// snapshot with an end. A new listing discards the events of the stream under way.
//
// A read answers with the object at the time at which the engine handed it out. That
// is the weakest answer that a store may give. A page of a selection answers with
// the objects at the time of the first page. A write takes effect when it completes.
package world
