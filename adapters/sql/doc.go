// Package sqlstore keeps objects in SQLite or Postgres, through database/sql. It is a Store
// of level 2, and of level 3 if Config.Strict is set. The caller brings the driver and the
// *sql.DB. The conformance kit runs with modernc.org/sqlite, github.com/mattn/go-sqlite3,
// github.com/jackc/pgx/v5/stdlib and github.com/lib/pq (1.12 or newer). Another driver needs
// Config.Dialect, if New does not know the name of its type.
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
//     refer to it. The body has the owners, the finalizers and the numbers.
//   - og_owners has a row (uid, owner) for each UID of an owner. It is for queries of the user.
//   - og_log has a row for each change. Watches read it.
//   - og_records has the records of engines (ownergraph.Records). Its rows are no objects.
//   - og_kinds has the kinds, and og_meta has one row of settings. Postgres also has the
//     sequence og_seq.
//
// [Store.Adopt] makes a further table, og_adopted, and [Store.Group] makes og_members. Both have no
// version, so programs of each version work beside them.
//
// The tables of this package have version 2 or 3, by og_meta. Version 1 lacked og_records. Version 3 is
// that of Config.Policies: see "Policies". It adds og_restricts, with a row (owner, uid) for each
// reference that restricts its owner, and on Postgres the column og_objects.restricted. Migrate
// upgrades them in one transaction. It reads the version first: on current tables it writes
// nothing and takes no lock, so each start of a program may call it.
// Without Migrate all calls work on tables of version 1, except those of records.
//
// Each statement that writes, and each page of a listing, demands a version that the program
// knows. So an upgrade shuts older programs out, also those that never call Migrate. Their
// calls return ErrRefused with both versions. A program from before this check goes on until version 3.
//
// Writes follow the rules of package finalizer. An object has no grace period of its own, so
// DeleteOptions.GraceAtMost changes nothing.
//
// Only the store writes its tables. A kind, a scope and a name are unique together. The key
// has the bytes of the scope and the name. A key of 128 bytes or more ends with their
// SHA-256, because databases limit the length of an indexed key. So two names with different
// bytes are two names, in any collation. The store keeps
// text byte by byte. It refuses text that graph.Validate refuses, with ErrRefused and
// ErrInvalid: control characters, invalid UTF-8, and more than Config.Limits.Text bytes.
// The store refuses a Postgres database with another encoding than UTF8.
//
// # Servers
//
// A SQLite database in memory works with db.SetMaxOpenConns(1), for a test. With more connections
// each one has a database of its own, so the store refuses it. With Config.Schema that is the
// attached database.
//
// The store asks Postgres before the first use. It refuses PostgreSQL before 14, and each
// server without transaction numbers in the order of the commits. YugabyteDB, CockroachDB,
// Greenplum and the workers of Citus are such servers. The error is ErrRefused and names the
// missing property. Behind Citus use tables that Citus does not distribute, on its coordinator.
//
// A standby may lag. A read there proves nothing, so each call that meets one is an error with
// a RetryAfter that names it. Postgres refuses some writes there by itself (SQLSTATE 25006). Their
// error names a standby as one of its causes. A pool with several hosts needs
// target_session_attrs=primary.
// A connection to a former primary stays in the pool until db.SetConnMaxLifetime ends it.
//
// Two servers with two system identifiers (pg_control_system) have two histories. If a
// connection leads to another one than before, the store stops: each call returns ErrRefused
// with both identifiers. That ends when all connections agree, or by [Store.Restored]. If they
// agree on the other server, its data are a restored dump, and the store begins an epoch.
// A role without EXECUTE on pg_control_system does not see this.
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
// # Existing tables
//
// [Store.Adopt] creates objects for the rows of existing tables, and writes the UIDs into a column
// of them. A declaration names the table, the columns of the key, the name and the owners. Programs
// that do not know this package go on meanwhile. Each further run follows the rows that they have
// inserted, moved and deleted. docs/adopt-sql.md has the steps, and ExampleStore_Adopt runs them.
//
// A row is wrong if it has no name, names an owner that is not in the table, or has the UID of no
// object. Adopt reports it and goes on. The object of such a row has no owner, so that no deletion
// takes it along. These limits hold:
//
//   - A key is one column. A kind has one table, and a table has one kind.
//   - An owner is global or in the scope of its dependent, as the engine demands.
//   - The name and the scope of an object do not follow those of its row.
//   - On Postgres a policy may hide rows from the role (row-level security). Then Adopt is refused.
//   - On Postgres a batch locks its rows, and its longest wait for a lock is a second. After five
//     tries Adopt returns an error with a RetryAfter.
//   - A program without a watch calls Compact after a long run, because each object is in the log.
//
// # Foreign keys of the user
//
// A cascade removes rows, and a foreign key between two tables of the user may refuse that.
// [Store.Constraints] finds the keys that a removal of an object meets. So does Migrate with a
// Config.Logger, and "ownergraph lint --store". A plan has an assumption for each kind whose
// removals meet such a key. It tells rows of dependents that are still there from all other rows.
//
// Take teams and projects, whose rows go with their objects, and a column projects.team_id that
// refers to teams. Each project has its team as an owner. These are the ends of a deletion of a team:
//
//	ON DELETE of team_id     background   orphan                       foreground
//	NO ACTION, RESTRICT      refused      the team stays marked        passes
//	SET NULL, a NULL column  passes       passes                       passes
//	SET NULL, NOT NULL       refused      the team stays marked        passes
//	CASCADE                  passes       the projects lose their rows passes
//
// A foreground deletion removes those dependents first whose references block (graph.Owner.Block).
// The other ones go while the store refuses the owner, and the Collector tries again. A row refuses
// each deletion if its own object stays, or if it has none. A deferred constraint refuses at the
// commit. CASCADE between tables of objects takes a row away from its object before the finalizers
// of the object have run.
//
// So declare SET NULL on a column that takes NULL. For a column that is NOT NULL delete in the
// foreground, by Config.Propagation, with blocking references. Orphans cannot exist there.
//
// The effect follows from the catalog, so it is certain for empty tables, too. The kind of a table
// does not: Constraints reads the kinds of the objects of 1,000 rows. Triggers and CHECK constraints
// of the user may refuse more. With SET DEFAULT the default may name a row, which passes.
//
// # Old code
//
// A program that does not know the store deletes the row of an object, and the object stays with
// its finalizers. Or it inserts a row without a UID. [Store.InstallTriggers] makes triggers that
// refuse both, a changed UID, and a changed owner without the reference. The errors name the
// remedy. The store itself passes, because it removes the object before the row goes. CASCADE between
// two tables of objects is refused then, too. Call it after the tables of the user are there.
// [Store.RemoveTriggers] drops the triggers.
//
// On SQLite, INSERT OR REPLACE deletes a row without the triggers, unless recursive_triggers is on.
// On Postgres the owner of a table executes its cascades, so that role reads og_objects and og_owners.
//
// # Tables by hand
//
// [Schema] has the statements of each version of the tables, and [TriggerText] those of triggers. Those of
// version 3 are the step of policies: see "Policies". Those of version 4 are the step of the archive: see "Archive".
// The command "ownergraph schema" prints them, for goose, Flyway, Atlas or a person. They give what
// Migrate gives. Then the role of the program needs no right to create anything: SELECT, INSERT,
// UPDATE and DELETE on the tables, and USAGE on the sequences. Two calls remain. The program still
// calls Migrate at its start, which serves the kinds. Adopt creates og_adopted, with the rights of Migrate.
// A program with groups needs og_members, too: [GroupText] and "ownergraph schema --groups" have it.
//
// Execute the statements of one version in one transaction. A tool that splits a file at ";" has to
// take a trigger or a function as one statement. With --goose the command marks each statement.
//
// # Groups
//
// [Store.Group] divides the work among collectors (package group), on this store or on another one.
// Call it after Migrate. The first call of any program makes the table og_members. So a new program with
// a group runs beside old programs, as in a rolling update. Without the right to create a table the
// call is ErrRefused with the statement.
//
// A member has a row of og_members. Its lease ends by the clock of the database, so the clocks of the
// members do not matter. If that clock jumps, leases end early or late once, which costs conflicts or
// time. A Renew is one transaction of six statements. The rows are not in the log of changes, so no
// watch reads them. A member that crashed has its row until the next renewal of any member after the
// end of its lease.
//
// A writer of this table can stop a part of the work, for an hour at most with one row, and delete
// nothing. A restore brings former rows back. They are over as soon as their ends are. After a restore from
// before the table, the renewals fail until a program calls Group, as each start does.
//
// # Owner references
//
// The store resolves the scope of a reference as adapters/memory does. A reference to a kind
// that is not served is Unresolved. The store resolves a reference when it writes the
// reference, and never again.
//
// # Policies
//
// A database begins to use the policies of references (graph.Owner.OnDelete) by a named step: a
// Migrate with Config.Policies. Before it the store refuses each new reference with a policy. The error
// wraps ErrRefused and ErrInvalid, and names the field and the step. A reference from before stays: former
// programs have stored the policies release and restrict, and decided as if there were none.
//
//   - End the programs of former versions first. They would delete an object that has release references
//     alone.
//   - Count what begins to act, with [Store.Policies] or the command "ownergraph lint --store".
//   - Set Config.Policies and ownergraph.Config.Policies of all programs.
//
// The step upgrades the tables to version 3. So the check of the version shuts former programs out. Those
// from before this check read on, and the tables refuse each of their writes to objects: the mark of a
// change in og_log is negative from version 3 on, and that of such a program is not.
// A program that knows version 3 works on both versions, also if another program takes the step while
// it runs. The step waits for all transactions that have used the tables, and all calls wait for it. It
// reads each object once. A transaction of the user may be too long for it: see Migrate.
//
// The body has the policies. A body with a policy has a format of its own (3), which no former program
// can read. A former program had another one (2), which is still read. So an update that keeps a
// policy makes the object unreadable for a former program, also before the step.
//
// Below level 3 the store keeps the policies, and refuses nothing because of them. A background
// deletion of an owner without finalizers then ends it, whatever refers to it with restrict. Only a guard
// stops that (package guard).
//
// # Archive
//
// With Config.Archive the store keeps an entry of each object that ends (package archive):
//
//	c.Archive = &sqlstore.ArchiveConfig{
//		Config: archive.Config{Keep: 30 * 24 * time.Hour},
//		Tables: map[graph.Kind]sqlstore.Table{"photo": {Name: "photos"}},
//	}
//
// The transaction that removes the object writes the entry, by each way: Delete, Patch, Update, Batch, a [Tx]
// and Adopt. If the entry cannot be written, the object stays, as with a full disk.
//
// The payload of an object is its labels. For a kind of ArchiveConfig.Tables it is also the row of that table
// with the UID of the object. The store reads the row before the object goes, in the same transaction. So let a
// foreign key remove the row, or delete the object before the row. An object without a row has an entry without one.
//
//   - On Postgres the row is JSON, by row_to_json. The statement that removes the object locks the row and takes it.
//     A BEFORE DELETE trigger on the table of objects could take the row away first, so such a removal is refused.
//     The role needs SELECT and UPDATE on the table for that, and INSERT for a restore.
//     A json value null comes back as NULL, and an array begins with the number 1.
//     Blanks around a json value go. The restore refuses a zero character in json that is in an array or in a type of the user.
//   - On SQLite it is JSON, too. A blob is {"blob": base64}, and a real number {"real": text}, so that both come
//     back exactly. Migrate refuses a file in UTF-16.
//   - A restore inserts the row with the new UID. Each column of Table.Owners that has a UID follows a restored owner. All
//     other columns have their former values, and generated columns are computed anew.
//   - A column that has gone, or has another type, makes the entry unreadable, and so does a new column that needs a value.
//     Entry.Unreadable names these columns. Other new columns get their defaults.
//   - Rows of other tables that go with the row, by ON DELETE CASCADE, are no part of the entry.
//   - Row-level security that may hide the row from the role refuses the removal.
//   - An entry that was edited by hand, or is of another database or a later version, is unreadable by itself. The others
//     stay as they are.
//
// A database begins to use an archive by a named step: a Migrate with Config.Archive, which makes version 4 of
// the tables after the step of policies. From then on a program without Config.Archive neither reads nor
// writes, because its removals would leave no entry. The step waits as that of policies does. An object that was marked
// before it may have been deleted by a user, so its entry is explicit. All processes have
// to agree on Config.Archive, and the database has its settings. Each Migrate with other settings updates them. It refuses
// settings that keep less, and names the field:
//
//   - A table of ArchiveConfig.Tables is missing, or another one. To give a table up, delete its row of og_payloads, and
//     restart the programs.
//   - A kind that the store serves would be left out (archive.KindConfig.Off). Delete the row of og_archive_settings before.
//
// A program that does not know the settings opens the store with those of [StoredArchive]. Its Migrate only checks them.
//
// The table og_archive has the entries, and og_archive_owners the owners that they name. Marked objects have rows in og_trails
// for their entries. Three more tables are og_holds, og_payloads and og_archive_settings.
//
// Create a table of ArchiveConfig.Tables after Migrate, because it refers to og_objects. Until all of them are there
// no object goes on Postgres, and none of the kind on SQLite.
//
// Times are by the clock of the server on Postgres, and by that of the program on SQLite, in microseconds. A purge
// is one transaction, and reads the whole archive. Deletions do not wait for it.
//
// # Sealed payloads
//
// A payload may hold secrets, and each reader of og_archive has them. ArchiveConfig.Sealing encrypts the payloads of named
// kinds, for example by adapters/age:
//
//	c.Archive.Sealing = ageseal.New(ageseal.Config{Kinds: []graph.Kind{"token"}, Recipients: recipients})
//
// The labels and the row of such an object are encrypted together, because labels may tell as much as the row. The column
// sealed has them, and labels and payload are empty. The names and types of the columns stay in the clear, in the column shape. A
// restore compares them with the table, and with those that were encrypted.
//
//   - The removal of such an object is a transaction: it locks the object and the row, reads both, and then removes the object with
//     the sealed payload. So the archive never has the payload in the clear, nor its dead rows and its part of the log of
//     Postgres. A deletion takes three statements, and one in a batch is no plain deletion. Other kinds pay nothing.
//   - A program without Sealing.Open lists and holds sealed entries, and restores none. With it Entries opens each sealed payload of a page,
//     because a restore has to know before its first write. That takes about 0.25 ms for each entry with age.
//   - Programs on one database have to seal the same kinds. Migrate notes them in og_payloads, and refuses a program that lacks
//     one. A program that ran before goes on until its restart, so restart all of them. A kind that already has a row there
//     needs what a given-up table needs: delete the row, and restart the programs.
//   - Entries from before stay in the clear, and cannot be restored, because a person could put a forged payload in the place of a sealed
//     one that way. [Store.Reseal] seals them. It also seals old entries for new recipients.
//   - MaxBytes bounds the sealed payload, which is some 290 bytes larger with age.
//
// # Readers of the archive
//
// [ReaderText] has the statements of a role of Postgres that reads the archive, and "ownergraph schema --archive --reader ROLE" prints
// them. The role reads the view og_archive_entries. It sees an entry only with the right to SELECT from the table of the kind, and
// no entry of a table with row-level security for it. The programs go on with og_archive, where no policy hides an entry from
// them.
//
// The rights on the archive follow those of now. A role that may read the table reads the entries of all former rows. SQLite has
// no roles: each user with the right to read the file reads the archive. Seal the payloads there.
//
// # Errors
//
//   - If the database aborts a transaction for another one, the store repeats it. That is
//     SQLSTATE 40001 or 40P01, and SQLITE_BUSY or SQLITE_LOCKED. After Config.RetryLimit
//     repetitions the error has a RetryAfter, and nothing is done.
//   - A full disk and a read-only database are errors with a RetryAfter, if the server has
//     answered so.
//   - A write that exceeds statement_timeout, lock_timeout, transaction_timeout or
//     idle_in_transaction_session_timeout has a RetryAfter, too. Its error wraps
//     context.DeadlineExceeded. Nothing is done.
//   - On SQLite a write waits for the one writer. The time of a Collector's call runs from the
//     end of that wait (ownergraph.BeginCall). A write that gets no turn, or that the end of its
//     call breaks off before COMMIT, has a RetryAfter, and nothing is done.
//   - A constraint, a trigger or a missing right is ErrRefused.
//   - Every other error of a write has an unknown outcome. So has each error of COMMIT that
//     is no answer of the server, and each shutdown.
//
// Without an answer the store never asks the driver whether a retry is safe.
//
// # Order
//
// If a write begins after the commit of another one, every watch reports it after that one,
// and its version is higher. This is true for different objects too. Two writes at the same
// time have either order. The changes of one object keep the order of their commits. A
// transaction of the user at the level REPEATABLE READ keeps only the order of each object. Its
// first write needs the right to UPDATE og_kinds. If an epoch or an upgrade is younger than its
// snapshot, that write fails with SQLSTATE 40001, and the user begins the transaction anew.
//
// On SQLite there is one writer, and the log counts its commits. A watch also sees the
// writes of other processes, because it polls the log.
//
// On Postgres a change has the number of its transaction and a number of a sequence. A watch
// reads only below the oldest transaction that may write to the log, and so misses none. Such
// a transaction has the lock RowExclusiveLock of og_log (pg_locks). Other transactions do not
// count. A notification only wakes the watch. Progress is the position that a watch has read.
// ListEnded has no version there.
//
// # Watches
//
// A watch has no lock, no transaction and no connection while its sink runs. A listing is
// read in pages of 4,096 rows. The log then repeats the changes since the first page, and
// ListEnded comes after these. So a long transaction on Postgres delays the end of a listing,
// too. Every watch cuts the log once a minute, beside its reports. A watch that is further behind
// lists every kind anew. Store.FailedCompactions and Config.Logger show a failure of that: the
// log grows then. On SQLite never delete the last row of og_log. An emptied log costs a new epoch.
// On Postgres a program of an older version in a transaction with an old snapshot, from before an epoch,
// writes below the log. The next compaction finds that, and begins an epoch.
//
// If one transaction delays a watch for 10 seconds, the watch reports every kind as sick
// ([graph.KindSick]). The reason names the transaction: the pid, the application, its state, and
// since when it is open, or the name of a prepared transaction. The log of the collector, Held
// and the metric of sick kinds have it. The kinds recover when the transaction ends.
//
// On Postgres a transaction with the lock ACCESS EXCLUSIVE of a table of the store delays each read,
// as ALTER TABLE and VACUUM FULL do. So a watch breaks a read off after 10 seconds, names the
// transaction, and reads again. A watch that has not reported its kinds yet cannot name it. A read
// that has no answer for an unknown reason makes the kinds sick, too.
//
// # Slow writes
//
// The Collector deletes in batches of at most 500 objects, and each batch is a transaction. It
// begins with 4 objects. A batch grows as long as it takes at most about a second longer than a
// single write. It shrinks if it takes longer, and to its half if it exceeds a limit of time. A
// single write that exceeds such a limit is held with its error, and tried again more and more
// slowly. Stats.Batches has the sizes, and the alert OwnergraphBatchesShrink of adapters/prometheus
// reports small ones.
//
// A foreign key of the user needs an index. Without it each deletion reads the whole table of the
// user. [Store.Constraints] finds such a key, and so does "ownergraph lint --store".
//
// A transaction of the user that locks the row of an object delays the deletion of that object.
// A batch on Postgres passes by the locked rows of og_objects, and deletes them last. If the user
// locks a row that goes with an object, the neighbours wait until the batch exceeds a limit. So set
// lock_timeout. Then the batch is halved until the object is alone.
//
// On SQLite the writers of one process leave the database free for 120 ms after each second. So
// another process with a busy_timeout gets its turn.
//
// # Restores
//
// After a restore from a backup call [Store.Restored], before any other program uses the
// database. It gives every object a version above all former ones, and begins an epoch that
// all watches announce.
//
// A store also finds a restore by itself, if it has watched before the restore. Each change
// in the log has a random mark. A watch compares the mark of the last change that it has
// read. A change above the counters of the server shows a dump of another server. So does
// another system identifier. In these cases the store begins an epoch, if all connections of
// its pool lead to one primary. A store that begins after the restore of a file finds
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
// blocking. So the set of dependents with resolved references to such an owner only shrinks
// from its mark on. An unresolved reference leaves the kind or the scope of its owner open.
//
// On Postgres the writer of a reference locks the owner FOR SHARE, and a deletion locks it
// FOR UPDATE, in the order of the UIDs. The locks last until the commit. A transaction of
// the user locks in the order of its calls, so it may meet a deadlock. The store makes the
// UIDs, so an owner always exists before a reference to it. The check therefore takes place
// at once, also in a transaction of the user. References to kinds that the store does not
// serve are unresolved and not refused.
//
// The store refuses each deletion of an unmarked object that another object restricts, with each
// propagation, by users and engines: by Delete, in a Batch, and in a [Tx]. An object restricts its
// owner if it refers to its UID with graph.OnDeleteRestrict, at its coordinates or unresolved. A marked
// object restricts only while a guard or protection holds its mark. The error is a
// *graph.RestrictedError, which wraps ErrRestricted and ErrRefused. It names the first of at most 64
// such objects. Adopt keeps such an object of a row that has gone, and reports it.
//
// The store also refuses a new reference with restrict to an owner with any mark. A changed policy
// is a new reference. An unresolved one locks the objects with its UID, and is refused alike.
//
// The look for the restricting objects comes after the lock of the owner, in a statement of its own. It is
// needed only if a reference has ever restricted the owner. The first such reference changes the row
// of the owner (og_objects.restricted), so that a deletion at the same time finds that out. Another
// deletion takes as many statements as without policies. A [Tx] at a level above READ
// COMMITTED has an older view than its locks. It deletes no object that an object has ever restricted: the
// error wraps ErrRefused and names the level.
//
// These ways are not covered. An object of a kind that is not served restricts, though no watch shows
// it. A statement of the user on the tables of the store is no deletion. A former mark stays: a
// restricted object that was marked below level 3 goes on, as the engine decides.
//
// The order of the commits decides. A reference and the deletion of its owner that run at the
// same time have either order in a watch on Postgres: the end may come before the reference. A
// fence that began after both has both.
//
// # The conformance kit
//
// The store passes storetest and storetest/linear on both databases. It lacks one promise:
// SickKinds. One kind is never out of reach while others are in reach.
//
// # Advice for SQLite
//
//   - The settings below are those of modernc.org/sqlite. github.com/mattn/go-sqlite3 has
//     _journal_mode=WAL, _busy_timeout=5000, _foreign_keys=1 and _txlock=immediate.
//   - Use WAL (_pragma=journal_mode(WAL)) and busy_timeout. Otherwise readers and writers wait
//     for each other.
//   - Begin transactions as immediate ones (_txlock=immediate). A deferred transaction that
//     reads first may fail when it writes.
//   - Set _pragma=foreign_keys(1), if tables of the user refer to og_objects.
//   - SQLite has one writer at a time. Commit many writes in one transaction. A Collector has
//     two calls under way.
//   - With synchronous(NORMAL) a power cut may take the last commits back. That is a restore.
//     Use synchronous(FULL), which is the default, where collectors must not forget.
//
// # Advice for Postgres
//
//   - A long transaction that wrote objects delays every watch and every fence, and so
//     does a prepared one. A process that is stopped in the middle of a write has such a
//     transaction. Set idle_in_transaction_session_timeout, also in the DSN of collectors.
//     Transactions that wrote only other tables delay nothing.
//   - Connect to the primary only: see "Servers". Treat a failover that may lose commits as a
//     restore.
//   - Prefer the level READ COMMITTED. At the other levels a [Tx] takes up to six statements
//     more for its first write.
//   - Behind pgbouncer with pool_mode=transaction, set default_query_exec_mode=exec in the DSN
//     of pgx. Its default mode keeps prepared statements in a session, which clients share
//     there. The error of such a call names that.
//   - Polling costs two statements in Config.Poll for each watch. Config.Channel and
//     Config.Wait shorten the latency, and cost throughput of commits.
//   - Two programs with different clocks are no problem, except that LogAge is by their clocks.
package sqlstore
