package sqlstore

// The tables of the archive have the same columns in both databases.
//
//   - {archive} has the entries. A time is in microseconds, and 0 stands for none. The column body has the last
//     state of the object, and finalizers those that it had before its mark, as of quoteTexts. A sealed payload is in
//     sealed, and labels and payload are empty then.
//   - {archive_owners} has the owners that an entry names. Leads says that the reference is no release
//     reference.
//   - {holds} has the holds of objects and entries, {trails} what a marked object needs for its entry.
//   - {payloads} has the tables of ArchiveConfig.Tables, and the kinds that are sealed. So no program removes a row without its
//     entry, or stores it in the clear. Source is the table with its column of UIDs, and config the whole Table as JSON, ''
//     for none.
//   - {archive_settings} has one row with the settings of archive.Config, of storedSettings as JSON.

// sqliteArchive makes version 4. Each marked object has a trail, also one from before the step. A user may have marked that,
// and engines had no words then. So its entry is explicit, and no restore of another object brings it back.
func sqliteArchive() []string {
	return []string{
		`CREATE TABLE IF NOT EXISTS {archive} (uid TEXT PRIMARY KEY, at INTEGER NOT NULL, until INTEGER NOT NULL, kind INTEGER NOT NULL,
		scope TEXT NOT NULL, name TEXT NOT NULL, pos INTEGER NOT NULL, seq INTEGER NOT NULL, body BLOB NOT NULL, finalizers TEXT NOT NULL,
		explicit INTEGER NOT NULL, orphaning INTEGER NOT NULL, cause BLOB NOT NULL, restored TEXT NOT NULL, restored_scope TEXT NOT NULL,
		restored_name TEXT NOT NULL, labels TEXT NOT NULL, shape TEXT, payload TEXT, size INTEGER NOT NULL, sealed BLOB) WITHOUT ROWID`,
		`CREATE INDEX IF NOT EXISTS {archive_at} ON {#archive} (at, uid)`,
		`CREATE TABLE IF NOT EXISTS {archive_owners} (owner TEXT NOT NULL, uid TEXT NOT NULL, leads INTEGER NOT NULL, PRIMARY KEY (owner, uid)) WITHOUT ROWID`,
		`CREATE INDEX IF NOT EXISTS {archive_owners_uid} ON {#archive_owners} (uid)`,
		`CREATE TABLE IF NOT EXISTS {holds} (uid TEXT NOT NULL, holder TEXT NOT NULL, reason TEXT NOT NULL, until INTEGER NOT NULL,
		kind TEXT NOT NULL, scope TEXT NOT NULL, name TEXT NOT NULL, protects INTEGER NOT NULL, PRIMARY KEY (uid, holder)) WITHOUT ROWID`,
		`CREATE TABLE IF NOT EXISTS {trails} (uid TEXT PRIMARY KEY, explicit INTEGER NOT NULL, orphaning INTEGER NOT NULL,
		cause BLOB NOT NULL, holder TEXT NOT NULL, finalizers TEXT NOT NULL) WITHOUT ROWID`,
		`CREATE TABLE IF NOT EXISTS {payloads} (kind TEXT PRIMARY KEY, source TEXT NOT NULL, config TEXT NOT NULL) WITHOUT ROWID`,
		`CREATE TABLE IF NOT EXISTS {archive_settings} (id INTEGER PRIMARY KEY CHECK (id = 1), config TEXT NOT NULL)`,
		`INSERT INTO {trails} (uid, explicit, orphaning, cause, holder, finalizers) SELECT uid, 1, 0, x'', '', '' FROM {objects}
		WHERE deleting AND (SELECT version FROM {meta} WHERE id = 1) = 3 ON CONFLICT DO NOTHING`,
		`UPDATE {meta} SET version = 4, kinds = random() & 9223372036854775807 WHERE id = 1 AND version = 3`,
	}
}

// postgresArchive makes version 4. The lock and the stamp do what those of postgresPolicies do. A payload that is
// too long has the size -1: see pgEntry.
func postgresArchive() []string {
	return []string{
		`LOCK TABLE {meta} IN ACCESS EXCLUSIVE MODE`, touchKinds,
		`CREATE TABLE IF NOT EXISTS {archive} (uid text COLLATE "C" PRIMARY KEY, at bigint NOT NULL, until bigint NOT NULL, kind integer NOT NULL,
		scope text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, pos bigint NOT NULL, seq bigint NOT NULL, body bytea NOT NULL, finalizers text NOT NULL,
		explicit boolean NOT NULL, orphaning boolean NOT NULL, cause bytea NOT NULL, restored text COLLATE "C" NOT NULL, restored_scope text COLLATE "C" NOT NULL,
		restored_name text COLLATE "C" NOT NULL, labels text NOT NULL, shape text, payload text, size integer NOT NULL CONSTRAINT ` + sizeConstraint + ` CHECK (size >= 0), sealed bytea)`,
		`CREATE INDEX IF NOT EXISTS {#archive_at} ON {archive} (at, uid)`,
		`CREATE TABLE IF NOT EXISTS {archive_owners} (owner text COLLATE "C" NOT NULL, uid text COLLATE "C" NOT NULL, leads boolean NOT NULL, PRIMARY KEY (owner, uid))`,
		`CREATE INDEX IF NOT EXISTS {#archive_owners_uid} ON {archive_owners} (uid)`,
		`CREATE TABLE IF NOT EXISTS {holds} (uid text COLLATE "C" NOT NULL, holder text COLLATE "C" NOT NULL, reason text NOT NULL, until bigint NOT NULL,
		kind text COLLATE "C" NOT NULL, scope text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, protects boolean NOT NULL, PRIMARY KEY (uid, holder))`,
		`CREATE TABLE IF NOT EXISTS {trails} (uid text COLLATE "C" PRIMARY KEY, explicit boolean NOT NULL, orphaning boolean NOT NULL,
		cause bytea NOT NULL, holder text COLLATE "C" NOT NULL, finalizers text NOT NULL)`,
		`CREATE TABLE IF NOT EXISTS {payloads} (kind text COLLATE "C" PRIMARY KEY, source text NOT NULL, config text NOT NULL)`,
		`CREATE TABLE IF NOT EXISTS {archive_settings} (id integer PRIMARY KEY CHECK (id = 1), config text NOT NULL)`,
		`INSERT INTO {trails} (uid, explicit, orphaning, cause, holder, finalizers) SELECT uid, true, false, '', '', '' FROM {objects}
		WHERE deleting AND (SELECT version FROM {meta} WHERE id = 1) = 3 ON CONFLICT DO NOTHING`,
		`UPDATE {meta} SET version = 4, kinds = floor(random() * 9007199254740992)::bigint WHERE id = 1 AND version = 3`,
	}
}

// sizeConstraint is the name of the constraint that refuses a payload above archive.Config.MaxBytes.
const sizeConstraint = `archive_max_bytes`
