// Command figures measures the cost of a cascade on a real API server. It compares the
// collector of this module, that of kube-controller-manager, and a bare loop that only
// sends the writes. Run it in this module, outside of the workspace:
//
//	GOWORK=off go run ./figures
//
// It starts etcd and kube-apiserver (see package server), or uses the server of -url,
// -token and -pid. Each side is this program again, in a process of its own. It has the
// same number of workers, and no throttle of its own. The sides take turns. The
// client's transport counts requests, and the server's own metrics confirm the writes.
// After every run the objects that are left are compared with the required ones. Ignore
// a row whose end is not "same".
//
// The benchmark in internal/proof/bench measures an in-process server instead. It has the
// time and the memory of the engine alone, which this command does not measure again.
//
// Columns of cascades: objects is the number of objects that go or are freed, besides
// their owner. get, patch and delete are requests for each of them. lists, watches and
// discovery are requests in all. For ours they are those of a fence. objects/s is the
// median of the rounds, up to the moment when another client has seen the last event.
// server is the CPU time of kube-apiserver for each object, and own that of the side.
//
// Columns of starts: ready is the time until all kinds are listed. quiet is the time of
// the last request that is neither a watch nor discovery. Resident memory is that after
// a forced garbage collection, and "at most" that before it. each is its growth for an
// object. The heap's "at most" is a multiple of the memory needed in the end.
//
// Figures of different runs, or machines, do not compare. Ratios of one run do.
package main
