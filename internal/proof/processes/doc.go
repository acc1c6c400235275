// Package processes proves on a real store that several processes divide the objects (RULES, H1 and
// H2). Each process has one collector, and is a member of a group. The API server, etcd and Postgres
// are a [Site] each, in the tests of their modules.
//
//	processes.Prove(t, site, processes.SizeOfTests())
//
// [Prove] deletes cascades, first with three members. Then it kills one of them, stops another one
// and lets it go on, and starts a fourth, each in the middle of cascades. [Beside] runs a collector
// without a share beside two members.
//
// # Judgement
//
// Every object that had to go has gone, and all others are there. The members that live divide all
// UIDs. Package invariant judges each change of the store's history that the test did not make.
// Every write had a UID and a version, and the store refused none but for a state that had changed.
// Each object takes at most 1.02 writes while no member comes or goes, and 1.1 otherwise. Writes that
// meet a conflict count.
//
// # Figures
//
// The tests run a small share. With the flag -processes.whole they delete 200 cascades of 100
// dependents each, and print the figures:
//
//	GOWORK=off go -C internal/proof/e2e test -v -run 'TestShares$' . -processes.whole
//	GOWORK=off go -C adapters/etcd test -v -run 'TestGroupProcesses$' . -processes.whole
//	GOWORK=off go -C adapters/sql test -v -run 'TestGroupProcesses$' . -processes.whole
//
// The figures are objects a second of one, two and three processes, writes, reads and fences for each
// object, the time for which a lost part waits, and the memory of each process. The processes, the
// store and the test share one machine. The speeds therefore show the cost of the division, and no
// gain. Figures of different runs, or machines, do not compare.
package processes
