// Package share divides the work on one store among its collectors (RULES, H1).
//
// Any number of collectors may run on one store. Without shares each of them does all the
// work, and the store refuses what another was faster with. With shares each collector
// observes every object and writes to the objects of its own [Set]. The sets may overlap,
// leave gaps and move at any time: a gap delays work, an overlap costs refused writes, and
// no object is deleted wrongly, because every write names the UID and the version.
//
// # Sets
//
// A [Set] has some of the 4,096 slots of the UIDs. The slot of a UID is the upper 12 bits of
// its hash, FNV-1a with 64 bits. The server-side sharding of Kubernetes has the same hash and
// ranges of it (KEP-5866). The zero Set is All. A collector with None is a hot standby: it
// has observed everything, and writes as soon as its set is another.
//
//	collector, err := ownergraph.New(store, ownergraph.Config{Share: share.None()})
//	...
//	err = collector.SetShare(share.All()) // take over
//
// # Members
//
// [Of] gives each member of a group its set. It needs no more than the names of the members,
// so members that know the same names agree without a word. It uses rendezvous hashing, of
// Thaler and Ravishankar (1996): if a member goes, only its slots move, and if one comes, only
// slots to it do. On average that is 1/n of the slots.
//
// Package group tells the names, by leases in Kubernetes, etcd, a database or one process.
package share
