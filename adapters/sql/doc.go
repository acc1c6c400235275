// Package sqlstore keeps objects in SQLite or Postgres, through database/sql. It is a Store
// of level 2, and of level 3 if Config.Strict is set. The caller brings the driver and the
// *sql.DB. It is tested with modernc.org/sqlite and with github.com/jackc/pgx/v5/stdlib.
//
//	db, err := sql.Open("sqlite", "file:app.db?_txlock=immediate&_pragma=journal_mode(WAL)"+
//		"&_pragma=busy_timeout(5000)&_pragma=foreign_keys(1)")
//	store, err := sqlstore.New(db, sqlstore.Config{Kinds: []ownergraph.KindInfo{{Kind: "team"}}})
//	err = store.Migrate(ctx)
//	collector, err := ownergraph.New(store, ownergraph.Config{})
//
// # Tables
//
// Migrate makes these tables. Config.Prefix and Config.Schema set other names.
//
//   - og_objects has a row for each object. Its uid is unique, so tables of the user can
//     refer to it. The body holds the owners, the finalizers and the numbers.
//   - og_owners has a row (uid, owner) for each UID of an owner. It is for queries of the user.
//   - og_log has a row for each change. Watches read it.
//   - og_records has the records of engines (ownergraph.Records). Its rows are no objects.
//   - og_kinds has the kinds, and og_meta has one row of settings. Postgres also has the
//     sequence og_seq.
//
// The tables of this package have version 2, by og_meta. Version 1 lacked og_records. Migrate
// upgrades them in one transaction, and a program of version 1 that runs meanwhile goes on.
// Without Migrate all calls work on tables of version 1, except those of records.
//
// Only the store writes its tables. A kind, a scope and a name are unique together. The key
// holds the bytes of the scope and the name. A key of 128 bytes or more ends with their
// SHA-256, because databases limit the length of an indexed key. So two names with different
// bytes are two names, in any collation. The store keeps
// text byte by byte. It refuses text that graph.Validate refuses, with ErrRefused and
// ErrInvalid: control characters, invalid UTF-8, and more than Config.Limits.Text bytes.
// Migrate refuses a Postgres database with another encoding than UTF8.
//
// # Data of the user
//
// A table of the user refers to an object, and its rows go in the same transaction:
//
//	CREATE TABLE photos (uid text PRIMARY KEY REFERENCES og_objects (uid) ON DELETE CASCADE, data bytea)
//
// [Store.Tx] writes objects inside of a transaction of the user. A row and its ownership
// then commit together or not at all. A constraint or trigger of the user may refuse a
// deletion. The error wraps ErrRefused, and the object stays.
//
// # Owner references
//
// The store resolves the scope of a reference as adapters/memory does. A reference to a kind
// that is not served is Unresolved. The store resolves a reference when it writes the
// reference, and never again.
//
// The body also holds graph.Owner.OnDelete. A body with such a policy has a format of its
// own, which an earlier version of this package cannot read.
//
// # Errors
//
//   - If the database aborts a transaction for another one, the store repeats it. That is
//     SQLSTATE 40001 or 40P01, and SQLITE_BUSY or SQLITE_LOCKED. After Config.RetryLimit
//     repetitions the error has a RetryAfter, and nothing is done.
//   - A full disk, a read-only database and a timeout of a statement are errors with a
//     RetryAfter, if the server has answered so.
//   - A constraint, a trigger or a missing right is ErrRefused.
//   - Every other error of a write has an unknown outcome. So has each error of COMMIT that
//     is no answer of the server, and each shutdown.
//
// Without an answer the store never asks the driver whether a retry is safe.
//
// # Order
//
// If a write begins after the commit of another one, every watch reports it after that one,
// and its version is higher. This holds for different objects too. Two writes at the same
// time have either order. The changes of one object keep the order of their commits. A
// transaction of the user at the level REPEATABLE READ keeps only the order of each object.
//
// On SQLite there is one writer, and the log counts its commits. A watch also sees the
// writes of other processes, because it polls the log.
//
// On Postgres a change has the number of its transaction and a number of a sequence. A watch
// reads only below the oldest running transaction (pg_snapshot_xmin), and so misses none. A
// notification only wakes it. Progress is the position that a watch has read. ListEnded has
// no version there.
//
// # Watches
//
// A watch holds no lock, no transaction and no connection while its sink runs. A listing is
// read in pages of 4,096 rows. The log then repeats the changes since the first page, and
// ListEnded comes after these. So a long transaction on Postgres holds up the end of a listing,
// too. Every watch cuts the log once a minute. A watch that is further behind lists every kind anew.
//
// # Restores
//
// After a restore from a backup call [Store.Restored], before any other program uses the
// database. It gives every object a version above all former ones, and begins an epoch that
// all watches announce.
//
// A store also finds a restore by itself, if it has watched before the restore. Each change
// in the log has a random mark. A watch compares the mark of the last change that it has
// read. A change above the counters of the server shows a dump of another server. In both
// cases the watch begins an epoch. A store that begins after the restore of a file finds
// nothing, because everything that it could compare was restored too.
//
// Two writes that ran at the same time have versions without a meaningful order. So a fallen
// version cannot show a restore to a moment between two such commits.
//
// # Level 3
//
// With Config.Strict the store refuses a new reference to an owner that does not exist, and
// to one that is being deleted with the propagation foreground or orphan. Creating, adding,
// moving and updating are treated alike. A write may keep an old reference, and may stop its
// blocking. So the set of dependents of such an owner only shrinks from its mark on.
//
// On Postgres the writer of a reference locks the owner FOR SHARE, and a deletion locks it
// FOR UPDATE, in the order of the UIDs. The locks last until the commit. A transaction of
// the user locks in the order of its calls, so it may meet a deadlock. The store makes the
// UIDs, so an owner always exists before a reference to it. The check therefore takes place
// at once, also in a transaction of the user. References to kinds that the store does not
// serve are unresolved and not refused.
//
// # The conformance kit
//
// The store passes storetest and storetest/linear on both databases. It lacks one promise:
// SickKinds. One kind is never out of reach while others are in reach.
//
// # Advice for SQLite
//
//   - Use WAL (_pragma=journal_mode(WAL)) and busy_timeout. Otherwise readers and writers wait
//     for each other.
//   - Begin transactions as immediate ones (_txlock=immediate). A deferred transaction that
//     reads first may fail when it writes.
//   - Set _pragma=foreign_keys(1), if tables of the user refer to og_objects.
//   - SQLite has one writer at a time. Commit many writes in one transaction.
//   - With synchronous(NORMAL) a power cut may take the last commits back. That is a restore.
//     Use synchronous(FULL), which is the default, where collectors must not forget.
//
// # Advice for Postgres
//
//   - A long transaction that writes holds every watch and every fence back, also one in
//     another database of the server. Set idle_in_transaction_session_timeout.
//   - Connect to the primary only. Treat a failover that may lose commits as a restore.
//   - Keep the level READ COMMITTED.
//   - Polling costs one statement in Config.Poll for each watch. Config.Channel and
//     Config.Wait shorten the latency, and cost throughput of commits.
//   - Two programs with different clocks are no problem, except that LogAge is by their clocks.
package sqlstore
