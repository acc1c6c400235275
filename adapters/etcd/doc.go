// Package etcdstore is an ownergraph.Store on etcd v3, and on kine. It has level 2.
//
//	client, err := clientv3.New(clientv3.Config{Endpoints: []string{"127.0.0.1:2379"}})
//	store, err := etcdstore.New(client, etcdstore.Config{
//		Kinds: []graph.KindInfo{{Kind: "team"}, {Kind: "project", Scoped: true}},
//	})
//	collector, err := ownergraph.New(store, ownergraph.Config{})
//
// # Keys and values
//
// One key holds one object: its metadata, its labels and the payload of its user. They
// change together, in one step. The default codec writes
//
//	ownergraph/objects/project/blue/site     kind, scope and name, as graph.Key.PlaceString
//	ownergraph/origin                        the cluster, and the epoch of the last restore
//	ownergraph/.records/pause                a record of an engine (ownergraph.Records)
//
// A part of a key with other bytes than A-Z a-z 0-9 . _ - is a quoted Go string. So no two
// places have one key. A value is one line of JSON, and then the
// payload as it is:
//
//	{"object":{...},"labels":{"tier":"gold"}}
//	the payload
//
// The object is in the form of graph.Object.MarshalJSON. The version is the key's mod
// revision, and no part of the value. A control plane that has keys and values of its own
// writes a Codec. Its codec keeps the whole value of before as the payload, and Encode sets
// the metadata in it.
//
// A key and its value fit into one request of etcd, which is 1.5 MiB by default. The store
// refuses a larger object with ErrInvalid: see Config.MaxBytes. Names are UTF-8 without
// control characters, of at most 1,024 bytes: see graph.Validate. The store normalises no
// text and folds no case.
//
// A value that cannot be decoded is damaged, and never absent. A call for its object
// returns an error that names key and field. A watch reports the kind as sick, also if the
// key cannot be decoded. It looks again when the first damaged key changes. Repair the
// value with etcdctl, or delete the key.
//
// A record's value is one line of JSON with its version, and then the record as it is. The
// version is random. To change a record by hand, change the version too. A codec may give no
// kind such keys.
//
// # Writes
//
// Each write is one transaction on the condition of the key's mod revision. The rules are
// those of package finalizer. A write reads the object first. If another write comes
// between, the transaction answers with the new value, and the store applies the rules
// again, at most 64 times. So a precondition that fails is ErrConflict, without another
// read. The lease of a key stays. When it ends, etcd deletes the key in
// spite of finalizers, so give objects no leases.
//
// A background deletion of an object that a watch of this Store has reported needs no read.
// The watch remembers whether anything holds the object at its version, and the transaction
// demands that version.
//
// A batch is one transaction with a nested one for each write, at most 127. Etcd counts
// them against --max-txn-ops, which is 128 by default. A conflict of one write changes
// nothing for its neighbours.
//
// A transaction without an answer has an unknown outcome. Its error wraps no sentinel. The
// client never sends such a transaction twice. ErrRefused is the answer only if the server
// judges before it writes: without the right to write, and for a request that is too large.
// "Database space exceeded" is an unknown outcome, because etcd may have done the write. In
// an outage a call waits until its context ends, as calls of etcd's client do.
//
// # Owner references
//
// The store keeps a reference as the writer gave it, except for its scope. If the owner's
// kind is scoped and the reference has no scope, the owner is in the dependent's scope. If
// the dependent is global, the reference is Unresolved. A reference to a kind that is not
// served is Unresolved too.
//
// # Watch
//
// A watch lists all kinds at one revision, page by page, and then follows the changes of
// the whole prefix. It keeps key, UID and revision of each object in memory. A transaction
// gives several keys one revision. The watch takes a revision as reached only after all of
// its events, so it never resumes in the middle of one.
//
//   - A broken connection: the watch resumes at the next revision, without a new listing.
//     It gives up after Config.ResumeWithin and returns an error.
//   - Compaction: if the server has forgotten what the watch needs, the watch lists every
//     kind anew. So it does if the server forgets the revision of a listing between pages.
//   - A slow sink: the server waits for the watch by the stream's flow control, and no
//     writer waits. The watch keeps one answer of the server in memory.
//   - A member without a leader ends the stream. The watch resumes as after a broken
//     connection.
//
// A fence is a linearizable read of the present revision. Each watch of the same Store
// passes it when it has reached that revision. The watch asks the server for its progress
// until then. Watches of another Store, such as in another process, do not report it.
//
// Select reads all objects of the kind, because etcd has no index of labels.
//
// # Restore
//
// Stop the collectors and all users before a restore. Then
//
//  1. restore with etcdutl snapshot restore --bump-revision 1000000000 --mark-compacted,
//     and with a new --initial-cluster-token,
//  2. start the cluster and call Store.Restored,
//  3. start the collectors and the users.
//
// The bumped revision gives no new object a version from before. A restored object still
// has its version of the backup. A deletion that was sent before the restore could remove
// it, although its owner is back. Restored writes every object again, so that such a
// deletion is ErrConflict. It also stores an epoch, which every watch announces.
//
// The store finds two signs of a restore without Restored, and announces them with an epoch
// too. The keys were written in a cluster with another identity. Or the revision is below
// one that this Store has observed. Then versions are not raised. Clusters with the same
// token and the same addresses of peers have the same identity, so give each restore a new
// token. Without token, bump and Restored, nothing shows a restore whose revision has
// risen again above the last observed one.
//
// # Servers
//
// The servers need etcd 3.5.8 or later, for the progress of fences. Where authentication is
// on, they need 3.5.33, 3.6.14, 3.7.1 or later. The store asks before its first use and at
// the begin of each watch. It returns ErrRefused with the version of the server. Its user
// needs the rights to read and write the prefix. Rights to a part of it do not suffice.
//
// # Kine
//
// Set Config.Kine on kine. The store then uses only transactions that create, update or
// delete one key. The tests run kine 0.17.5 on SQLite. On kine
//
//   - there are no batches: MaxBatch is 0.
//   - the answer to a write may have the revision of another one. So Create, Update and Label
//     read the key once more. If another write has followed by then, they return an error, and
//     their outcome is unknown.
//   - a fence may take as long as kine needs to report its progress.
//   - a write whose commit failed in the database may look like a lost race. If the value
//     is the one that was to be written, the outcome is unknown, and no conflict.
//   - compaction deletes the newest revision if it is a removal, and the revision falls.
//     Keep --compact-min-retain at its default of 1,000. Otherwise watches announce
//     restores that never happened.
//   - authentication and the version of the server are not checked, since kine has none.
//   - there is no etcdutl. Restore the database as a whole, and call Restored.
//
// # Promises
//
// In the words of package storetest the store lacks, on etcd and on kine:
//
//   - SickKinds: all kinds are in one range of keys. A kind is sick only by a damaged
//     value, and calls for its other objects succeed meanwhile.
//   - ChangingKinds: Config.Kinds has all kinds for the life of the Store.
//
// It keeps all other promises. Rewinds and RaisedVersions need the steps under "Restore".
//
// # Advice
//
//   - Run one Store in each process, and give it to the Collector and to the users. Its
//     watch saves the reads of deletions.
//   - Set DialKeepAliveTime and DialKeepAliveTimeout of the client. Without them, a watch
//     waits on a connection that a network dropped without a word.
//   - Keep payloads small. A patch reads and writes the whole value, and etcd keeps each
//     version until compaction.
//   - Let etcd compact by --auto-compaction-retention. A longer retention than the longest
//     pause of a collector saves a listing.
//   - Defragment after large cascades, one member at a time.
//   - On a full database etcd refuses writes but not deletions. Deletions that mark an
//     object are writes.
package etcdstore
