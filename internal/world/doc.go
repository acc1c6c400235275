// Package world is a store, its watches, its users and one or more engines in
// one thread, where every interleaving is a choice of the caller: what is
// delivered next, which call is handed out, when it lands, when an engine
// crashes. Text scenarios, properties and the exhaustive run drive it.
//
// The store's rules are those of package finalizer. Each kind has a stream of
// its own for each engine, ordered within and delayed on its own. A listing is a
// snapshot with an end; beginning one loses what was under way. A read answers
// what the store held when it was handed out, the weakest answer that a store
// may give; a page of a selection what it held when the first one was. A write
// happens when it lands.
package world
