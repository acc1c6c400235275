// Package theirs is the other side of the benchmark: the garbage collector of
// Kubernetes. It has the workers, queues, discovery and REST mapping that
// kube-controller-manager gives it, over the benchmark's server. Side.Mapper can give
// it a simpler REST mapper.
//
// It reaches the collector's unexported parts through Inside. The bridge file of
// package upstream implements Inside where upstream's package is built.
//
// If the two sides could be measured differently, upstream has the advantage. Its
// informers cost nothing: events come decoded, and a cache keeps them only in the
// memory row. The client's throttle is off. The result of a read is shared and needs no
// decoding.
package theirs
