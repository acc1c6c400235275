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
// One key stores one object: its metadata, its labels and the payload of its user. They
// change together, in one step. The default codec writes
//
//	ownergraph/objects/project/blue/site     kind, scope and name, as graph.Key.PlaceString
//	ownergraph/origin                        the cluster, and the epoch of the last restore
//	ownergraph/version                       the version of the keys and values, 1 if it is absent: see "Version"
//	ownergraph/.records/pause                a record of an engine (ownergraph.Records)
//	ownergraph/.members/collector-0          a member of a group: see "Groups"
//
// A part of a key with other bytes than A-Z a-z 0-9 . _ - is a quoted Go string. So no two
// places have one key. A value is one line of JSON, and then the
// payload as it is:
//
//	{"object":{...},"labels":{"tier":"gold"}}
//	the payload
//
// A value of an object with a policy (graph.OnDelete) begins with {"format":2, instead.
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
// A record's value is one line of JSON with its version, and then the record as it is. The
// version is random. To change a record by hand, change the version too. A codec may give no
// kind such keys, or keys of members.
//
// # Unreadable objects
//
// A value that the codec refuses holds its object alone, and never counts as absent. The kind is
// not sick, fences pass, and all other objects go on. Each call for the object returns an error
// that names key and field. A write returns ErrRefused too, because nothing was written.
//
// A watch reports the object as unmarked, with the finalizer of graph.UnreadableBecause. So the
// engine deletes neither the object nor its dependents. Held and Explain name the key and the
// cause, and Config.Logger has a line. The object has
//
//   - the UID that its last readable value had, or that a watch of this Store has reported, also
//     before a restore. Otherwise the watch makes one up.
//   - the references of its last readable value, as long as etcd keeps that value in its history.
//     The watch reads at most 8 former values of an object. It does so for 512 objects of one
//     listing or of one answer.
//   - no known references otherwise. It may then depend on each owner of its scope, and on each
//     global one. As long as such an owner ends by a foreground or an orphan deletion, the
//     watch reports a blocking reference to it, and the owner waits. Owners in other scopes do
//     not wait for it.
//     One such object of a scope has the references for all of them.
//
// An object without known references refers to itself in these reports. That never counts.
//
// The object returns with a readable value, and it ends with its key. Repair the value with
// etcdctl, or delete the key. Deleting the key is a deletion: the dependents go.
//
// Another UID in the value of the same key is such a fault too, if a watch of this Store has
// reported the object. A key gets another UID only after its removal. In a new Store, as after a
// restart of the process, the new UID counts.
//
// No object has a key that the codec cannot read as a place, or whose scope contradicts the
// kind. A watch reports such a key as an object whose name has the key, in the scope "?" if the
// kind is scoped. It holds itself alone.
//
// Select returns an error while a value of its kind cannot be read, because its labels are not
// known. So protections, guards and sweeps by labels wait for that kind.
//
// # Version
//
// This program knows the versions 1 and 2. Version 2 has policies: see "Policies". A later program
// that changes the form of keys or values first sets the key of the version. The version never falls. Each transaction that writes demands the version that the
// program has accepted, in one further condition and without a further request. Each listing
// and each fence reads it. So an upgrade shuts older programs out: their calls return
// ErrRefused with both versions, and their watches end. A program from before this check goes
// on. A codec may give no kind this key.
//
// # Policies
//
// A reference may have a policy (graph.OnDelete) on a prefix of version 2. Config.Policies is the step
// to it. The step is one write, before the first call of a Store. Take it when no older program is left:
//
//   - A program that knows version 1 alone is shut out, as under "Version".
//   - A program from before the version goes on. It refuses each value with "format":2, which holds
//     that object or its kind. It knows no Restrict. A codec of your own has to write such a value in a
//     form that this program refuses too.
//
// On a prefix of version 1 the store refuses a write that adds a policy, with ErrRefused, ErrInvalid and
// the name of the field. It keeps a release or a restrict that an older program stored there. Such a
// value gets the new format with its first write after the step. Such references begin to act in a
// collector with Config.Policies. Count them before the step: the command "ownergraph lint --store" does so.
//
// The store has level 2, so it refuses no deletion of a restricted object (RULES, E4). The engine deletes
// no restricted object, and a mark of one waits. A user's background deletion of an owner without
// finalizers goes through. Only a guard stops it.
//
// # Writes
//
// Each write is one transaction on the condition of the key's mod revision. The rules are
// those of package finalizer. An object has no grace period of its own, so DeleteOptions.GraceAtMost
// changes nothing. A write reads the object first. If another write comes
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
// the whole prefix. It keeps key, UID and revision of each object in memory, and the Store keeps
// those of the last watch that ended. A transaction
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
//   - a write does not demand the version of the prefix, because kine takes one condition. The
//     store reads the version at its first use, in each listing and fence, and by its watches.
//     A program without a watch is not shut out before its next start.
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
// # Groups
//
// A [Group] divides the work among collectors (package group), on this store or on another one.
// A member has a lease of etcd and a key under it. The key has the name, as a part of a key above,
// and the value is {"instance":"..."}. A Renew keeps the lease alive and writes the key again. That
// is a request and a transaction, also for 1,024 members. No request keeps a lease alive beside
// Renew. The user needs the rights to read and write the keys below the prefix and ".members/".
//
// A writer of such keys can stop a part of the work, and delete nothing. A key counts only with a
// lease, and for an hour after its last renewal. A group does not run on kine.
//
// # Promises
//
// In the words of package storetest the store lacks, on etcd and on kine:
//
//   - SickKinds: all kinds are in one range of keys. No kind is sick while others are well.
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
