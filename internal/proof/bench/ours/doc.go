// Package ours is our side of the benchmark. It has the engine, the graph alone, the
// Collector, and the queue as the Collector uses it.
package ours
