// Package run makes a program of a clientgo.Store and an ownergraph.Collector:
// it observes or acts, alone or while it holds a lease, tells of what is held by
// Kubernetes Events, and answers for its health.
//
//	err := run.Run(ctx, restConfig, run.Config{Act: true})
//
// The zero Config observes and writes nothing. To act is opted into, since in
// most clusters kube-controller-manager collects already: two collectors on one
// server are safe, and twice the work.
//
// It is a package of its own so that the Store alone links no typed client and
// no informer, which client-go's leader election brings along. Held by
// TestStoreLinksNoTypedClient. examples/collector is a program of one file
// around it. In a manager of controller-runtime a Program is a runnable:
// mgr.Add(manager.RunnableFunc(program.Run)).
//
// # One of several
//
// With Config.Lease a Program collects while it holds that Lease, by client-go's
// leader election, and stands by otherwise. It gives the Lease up after its last
// write, so that the next one need not wait for the Lease to run out. Where it
// cannot renew it in time it stops and Run returns ErrLeaseLost: whoever runs
// the program starts it anew. Held by TestLease and TestLeaseLost.
//
// Safety never rests on the Lease, which no clock and no network makes exact:
// every write is conditioned on the version that was judged, and any number of
// collectors may work on one server at once. It saves requests and memory.
//
// # What it tells
//
// Events, if Config.Events is set, are about the object that is held, with the
// constant of package policy as their reason: "OwnerUnknown", "NeedFinalizers".
// A reference that nobody can resolve is told of at once, everything else if it
// has been held for Config.HeldAfter. One event tells of one reason of one
// object; it is not repeated before it has run out, not even by another program
// or after a restart, since its name follows from what it says. Two are sent in
// a second at most, after a first 50, and what does not fit is dropped and said
// later, at the engine's next audit or the next look at what is held, which
// takes in the first 1,000 objects by key and at most a thousandth of the engine's
// time. The engine waits for nothing else of that. Held by TestEvents,
// TestEventsBounded and TestHeldEvents.
//
// Kinds that cannot be watched are logged with the reason, and when they
// recover. Users of controller-runtime pass their logger through FromLogr.
//
// # Health and metrics
//
// Program.Handler serves, and Config.Listen has Run serve by itself, in plain
// HTTP and without asking who it is that asks:
//
//	/healthz  200 while the engine answers
//	/readyz   200 while it stands by, or every kind is listed; otherwise 503 and
//	          the kinds that are not, one a line, with the reason
//	/metrics  ownergraph.Stats and the health of the kinds, in Prometheus' text
//	          format
//
// # Rights
//
// rbac.yaml, beside this file, has the least rights as roles to be bound one by
// one: to observe (get, list, watch), to act (patch, delete), to end namespaces by
// a sweep (update on namespaces/finalize), for Events, and for the Lease. What is
// missing is logged at the start, by verb and resource, and Program.Missing returns
// it. A kind that may not be listed is sick, with the server's words as the reason,
// and nothing else is. Held by TestRights and TestRightMissing.
package run
