// Package theirs is the other side of the benchmark: the garbage collector of
// Kubernetes, with the workers, queues, discovery and REST mapping that
// kube-controller-manager gives it, over the benchmark's server.
//
// It reaches the collector's unexported parts through Inside, which the bridge
// file of package upstream implements where upstream's package is built.
//
// Where the two could be measured differently, upstream gets the better of it:
// its informers cost nothing (events are handed over decoded, and kept by a cache
// only where memory is weighed), the client's throttle is off, and what a read
// returns is shared instead of decoded.
package theirs
