// Package server is the store that both collectors work on: in the process, with
// the rules of package finalizer, a lock for each kind, and a latency for each
// request. It knows neither of them. An object is held with its view, the form in
// which a collector's client would have decoded it, so that neither side pays
// for a conversion when it reads.
//
// It shares its objects and views with whoever reads them; they are never
// changed. It is no adapter: what the benchmark does not need is left out.
package server
