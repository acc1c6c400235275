// Command figures measures what a cascade costs on a real API server: with the
// collector of this module, with that of kube-controller-manager, and with a bare
// loop that only sends the writes. Run it in this module, outside of the
// workspace:
//
//	GOWORK=off go run ./figures
//
// It starts etcd and kube-apiserver (see package server), or uses a server that
// -url, -token and -pid name. Each side runs in a process of its own, this
// program again, with as many workers, and without a throttle of its own. Sides
// take turns. Requests are counted in the client's transport, and writes compared
// with the server's own metrics. After every run the objects that are left are
// compared with what has to be left: a row whose end is not "same" says nothing.
//
// Columns: objects is how many go or are freed, besides their owner. get, patch
// and delete are requests for each of them; lists, watches and discovery are how
// many there were at all: those of a fence, for ours. objects/s is the median of
// the rounds, up to the moment when another client has seen the last event.
// server is the CPU time of kube-apiserver for each object, own that of the side.
//
// Starts: ready is when all kinds are listed, quiet when the last request was
// sent that is neither a watch nor discovery. Resident memory is that after a
// forced garbage collection, and at most before it; each is what it grows by for
// an object. The heap's "at most" is a multiple of what is needed in the end.
//
// Figures of different runs, or machines, do not compare. Ratios of one run do.
package main
