package sqlstore

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// withArchive ends the name of a statement that also writes the words of its objects, and their entries.
const withArchive = "@"

// withoutEntries makes the statements of a store without an archive, and those of objects without words.
func withoutEntries(text string) string {
	return strings.NewReplacer("{+o}", "", "{+d}", "", "{+archive}", "").Replace(text)
}

// pgClock is the time of the server, in microseconds.
const pgClock = `(extract(epoch FROM clock_timestamp()) * 1000000)::bigint`

// The parts of statements that write entries. They are for tables with archiveSchema.
const (
	// pgWords are the words of the write: arrays, or those of the one object.
	pgWords = `
		ew AS (SELECT * FROM unnest({1}::text[], {2}::boolean[], {3}::boolean[], {4}::bytea[], {5}::text[], {6}::text[], {7}::bigint[], {8}::bytea[])
			AS x(uid, explicit, orphaning, cause, holder, finalizers, keep, body)),`
	pgWordsOfOne = `
		ew AS (SELECT o.uid, {1}::boolean AS explicit, false AS orphaning, {2}::bytea AS cause, {3}::text AS holder, '' AS finalizers, {4}::bigint AS keep, ''::bytea AS body FROM o),`
	// pgSealedWords also have the sealed payloads, and the shapes of their rows. Both are empty for other objects.
	pgSealedWords = `
		ew AS (SELECT * FROM unnest({1}::text[], {2}::boolean[], {3}::boolean[], {4}::bytea[], {5}::text[], {6}::text[], {7}::bigint[], {8}::bytea[], {12}::bytea[], {13}::text[])
			AS x(uid, explicit, orphaning, cause, holder, finalizers, keep, body, sealed, shape)),`
	// pgPayload is the payload of an entry with its size. pgSealed has that of a sealed kind, and nothing of it in the clear.
	pgPayload, pgSize = `o.labels, v.shape, v.payload, NULL`, `octet_length(o.labels) + coalesce(octet_length(v.payload), 0)`
	pgSealed          = `CASE WHEN x.sealed = '' THEN o.labels ELSE '' END, CASE WHEN x.sealed = '' THEN v.shape ELSE nullif(x.shape, '') END, v.payload, nullif(x.sealed, '')`
	pgSealedSize      = `CASE WHEN x.sealed = '' THEN ` + pgSize + ` ELSE octet_length(x.sealed) END`

	pgEnd = `
		et AS (DELETE FROM {trails} t USING o WHERE t.uid = o.uid RETURNING t.uid, t.explicit, t.orphaning, t.cause, t.holder, t.finalizers),`
	// pgNames are the owners of entries, from arrays or from the rows that go. A plain deletion knows no owners, and its
	// object has no policies.
	pgNames = `SELECT u.owner, u.uid, u.leads FROM unnest({9}::text[], {10}::text[], {11}::boolean[]) AS u(uid, owner, leads)`
	pgOwned = `SELECT d.owner, d.uid, true FROM d JOIN ew ON ew.uid = d.uid WHERE d.owner <> d.uid`
	// pgGone are the objects that go with their words, which are o, x and t. The planner expects one object, and would compare each
	// object with all words. A full join is never such a loop. The condition takes the rows away that a plain join leaves out,
	// and is one from which the planner does not conclude that (TestArchiveWordsPlan).
	pgGone   = `o FULL JOIN ew x ON x.uid = o.uid FULL JOIN et t ON t.uid = o.uid`
	pgIsGone = `coalesce(o.uid, '') <> '' AND coalesce(x.uid, '') <> ''`
	// A payload above the bound has the size -1, which a constraint refuses. So the object stays. A marked object without a trail was
	// marked by a program that kept none: maybe by a user.
	pgEntry = `
		ee AS (INSERT INTO {archive} (uid, at, until, kind, scope, name, pos, seq, body, finalizers, explicit, orphaning, cause,
				restored, restored_scope, restored_name, labels, shape, payload, sealed, size)
			SELECT o.uid, k.at, CASE WHEN e.explicit AND x.keep > 0 THEN k.at + x.keep ELSE 0 END, o.kind, o.scope, o.name, o.pos, o.seq,
				CASE WHEN x.body = '' THEN o.body ELSE x.body END, coalesce(t.finalizers, x.finalizers), e.explicit, x.orphaning OR coalesce(t.orphaning, false),
				CASE WHEN x.cause = '' THEN coalesce(t.cause, '') ELSE x.cause END, '', '', '', {entry},
				CASE WHEN e.size > {most} THEN -1 ELSE e.size END
			FROM ` + pgGone + ` FULL JOIN ({rows}) v ON v.uid = o.uid CROSS JOIN (SELECT ` + pgClock + ` AS at) k
				CROSS JOIN LATERAL (SELECT x.explicit OR coalesce(t.explicit, o.deleting) AS explicit, {size} AS size) e
			WHERE ` + pgIsGone + `
			ON CONFLICT (uid) DO UPDATE SET at = excluded.at, until = excluded.until, kind = excluded.kind, scope = excluded.scope, name = excluded.name,
				pos = excluded.pos, seq = excluded.seq, body = excluded.body, finalizers = excluded.finalizers, explicit = excluded.explicit,
				orphaning = excluded.orphaning, cause = excluded.cause, restored = '', restored_scope = '', restored_name = '', labels = excluded.labels,
				shape = excluded.shape, payload = excluded.payload, sealed = excluded.sealed, size = excluded.size),
		en AS (INSERT INTO {archive_owners} (owner, uid, leads)
			SELECT g.owner, g.uid, bool_or(g.leads) FROM ({names} UNION ALL
				SELECT CASE WHEN x.cause = '' THEN coalesce(t.holder, '') ELSE x.holder END, x.uid, true FROM ` + pgGone + ` WHERE ` + pgIsGone + `) g(owner, uid, leads)
			WHERE g.owner <> '' GROUP BY g.owner, g.uid ON CONFLICT (owner, uid) DO UPDATE SET leads = excluded.leads),`
	// pgTrail adds words to trails. The finalizers are those before the mark, so the first ones stay.
	pgTrail = `
		et AS (INSERT INTO {trails} AS t (uid, explicit, orphaning, cause, holder, finalizers)
			SELECT x.uid, x.explicit, x.orphaning, x.cause, x.holder, x.finalizers
			FROM unnest({1}::text[], {2}::boolean[], {3}::boolean[], {4}::bytea[], {5}::text[], {6}::text[]) AS x(uid, explicit, orphaning, cause, holder, finalizers) JOIN o ON o.uid = x.uid
			ON CONFLICT (uid) DO UPDATE SET explicit = t.explicit OR excluded.explicit, orphaning = t.orphaning OR excluded.orphaning,
				cause = CASE WHEN excluded.cause = '' THEN t.cause ELSE excluded.cause END, holder = CASE WHEN excluded.cause = '' THEN t.holder ELSE excluded.holder END
			RETURNING t.uid),`
	// pgNote locks the objects, so that no removal of them misses the words.
	pgNote = `WITH o AS (SELECT o.uid FROM {objects} o JOIN unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS u(id, pos, seq) ON o.id = u.id AND o.pos = u.pos AND o.seq = u.seq
			WHERE EXISTS (SELECT 1 FROM {meta} m WHERE {stamp} >= 0) ORDER BY o.uid FOR UPDATE OF o),{+archive}
		z AS (SELECT 1) SELECT uid, 0, 0 FROM et, z`
)

// withEntries returns a statement that also writes words and entries. Its further arguments are behind those of
// the text.
func withEntries(c Config, name, text string, sealed bool) string {
	name = strings.TrimSuffix(name, withPolicies)
	parts, words, entry, size := pgTrail, pgWords, pgPayload, pgSize
	if sealed {
		words, entry, size = pgSealedWords, pgSealed, pgSealedSize
	}
	switch name {
	case "remove", "removeall":
		parts = words + pgEnd + pgRows(c, false) + strings.Replace(pgEntry, "{names}", pgNames, 1)
	case "plainall":
		parts = pgWords + pgEnd + pgRows(c, false) + strings.Replace(pgEntry, "{names}", pgOwned, 1)
	case "plain":
		parts = pgWordsOfOne + pgEnd + pgRows(c, false) + strings.Replace(pgEntry, "{names}", pgOwned, 1)
	}
	parts = strings.NewReplacer("{most}", strconv.Itoa(c.Archive.Bound()), "{rows}", pgAllRows(c, false), "{entry}", entry, "{size}", size).Replace(parts)
	return withNumbers(strings.NewReplacer("{+o}", ", o.seq, o.body, o.labels, o.deleting", "{+d}", " RETURNING w.uid, w.owner", "{+archive}", parts).Replace(text))
}

// withNumbers gives the further arguments of a statement the numbers behind the others.
func withNumbers(text string) string {
	argument, further := regexp.MustCompile(`\$[0-9]+`), regexp.MustCompile(`\{[0-9]+\}`)
	last := 0
	for _, arg := range argument.FindAllString(text, -1) {
		n, _ := strconv.Atoi(arg[1:])
		last = max(last, n)
	}
	return further.ReplaceAllStringFunc(text, func(arg string) string {
		n, _ := strconv.Atoi(arg[1 : len(arg)-1])
		return "$" + strconv.Itoa(last+n)
	})
}

// pgEarly finds the triggers of users that run before the deletion of an object. A trigger that runs afterwards, as that of
// a foreign key, does no harm.
const pgEarly = `SELECT 1 FROM pg_trigger g WHERE g.tgrelid = '{objects}'::regclass AND NOT g.tgisinternal AND g.tgenabled <> 'D' AND g.tgtype & 10 = 10`

// pgRows reads the rows of the user, one part for each kind that is sealed or not. The lock is needed: another transaction may have changed
// the row since the statement began. The conversion of the UID, which is ASCII, takes its collation away, so that
// the index on the user's column serves. OFFSET 0 is as in plainall. The row is u.*, because u alone may be a column.
//
// A statement no longer sees a row that its own trigger has changed or deleted. Row-level security would hide a row, and the foreign key would delete it without a trace. So the parts named es fail then: they
// convert a text with the reason to a number. They have no rows.
//
//test:by TestArchiveRowChanges TestArchiveRowPlan TestArchiveHiddenLater TestArchiveEarlyTrigger TestArchiveColumnNames
func pgRows(c Config, sealed bool) string {
	var b strings.Builder
	for i, kind := range c.rowKinds(sealed) {
		t := c.Archive.Tables[kind]
		table := t.place(c, t.Name)
		fmt.Fprintf(&b, `
		ev%[1]d AS (SELECT o.uid, r.payload, %[2]s AS shape FROM o CROSS JOIN LATERAL (SELECT row_to_json(u.*)::text AS payload FROM %[3]s u
			WHERE u.%[4]s = encode(convert_to(o.uid, 'UTF8'), 'escape') OFFSET 0 FOR UPDATE) r WHERE o.kind = (SELECT id FROM {kinds} WHERE kind = %[5]s)),
		es%[1]d AS (SELECT o.uid FROM o WHERE CASE WHEN o.kind <> (SELECT id FROM {kinds} WHERE kind = %[5]s) THEN false
			WHEN row_security_active(to_regclass(%[6]s)) THEN (%[7]s || o.uid)::integer = 0
			WHEN EXISTS (`+pgEarly+`) THEN (%[8]s || o.uid)::integer = 0 ELSE false END),`,
			i, pgColumns(table), table, quoteName(t.UID), quoteText(string(kind)), quoteText(table), quoteText("row-level security may hide rows of "+table+" from the role: uid "),
			quoteText(c.names().Replace("a BEFORE DELETE trigger of {objects} may change a row before the archive has it: uid ")))
	}
	return b.String()
}

func pgAllRows(c Config, sealed bool) string {
	parts := []string{`SELECT NULL::text AS uid, NULL::text AS payload, NULL::text AS shape WHERE false`}
	for i := range c.rowKinds(sealed) {
		parts = append(parts, fmt.Sprintf(`SELECT uid, payload, shape FROM ev%d UNION ALL SELECT uid, NULL, NULL FROM es%[1]d`, i))
	}
	return strings.Join(parts, ` UNION ALL `)
}

// pgType is the name of a column's type. It has the schema of a type of the user, whatever the search_path is.
const pgType = `(SELECT CASE WHEN y.typnamespace <> 'pg_catalog'::regnamespace AND pg_type_is_visible(y.oid) THEN y.typnamespace::regnamespace || '.' ELSE '' END
			FROM pg_type y WHERE y.oid = a.atttypid) || format_type(a.atttypid, a.atttypmod)`

// pgColumns is the shape of a table: its columns with their types, as JSON.
func pgColumns(table string) string {
	return `(SELECT json_object_agg(a.attname, ` + pgType + ` ORDER BY a.attnum)::text FROM pg_attribute a
			WHERE a.attrelid = to_regclass(` + quoteText(table) + `) AND a.attnum > 0 AND NOT a.attisdropped)`
}

// archivedColumns are the arrays of words.
type archivedColumns struct {
	uids, holders, finalizers []string
	explicit, orphaning       []bool
	causes, bodies            [][]byte
	keeps                     []int64
	named, owners             []string // the names of the entries
	leads                     []bool
	sealed                    [][]byte
	shapes                    []string
	seals                     bool // an object is sealed
}

// addWords adds the words of a row, if it has some. Known says that the row is the last state of the object.
func (c *columns) addWords(r *row, known bool) {
	w, a := r.words, &c.archived
	if w == nil {
		return
	}
	body := []byte{}
	if known {
		body = encodeBody(&r.object)
		for _, n := range namesOf(&r.object) {
			a.named, a.owners, a.leads = append(a.named, string(r.object.UID)), append(a.owners, n.owner), append(a.leads, n.leads)
		}
	}
	a.sealed, a.shapes, a.seals = append(a.sealed, bytesOf(w.sealed)), append(a.shapes, w.shape), a.seals || w.seals
	a.uids, a.holders, a.finalizers = append(a.uids, string(r.object.UID)), append(a.holders, w.holder), append(a.finalizers, w.finalizers)
	a.explicit, a.orphaning = append(a.explicit, w.explicit), append(a.orphaning, w.orphaning)
	a.causes, a.bodies, a.keeps = append(a.causes, bytesOf(w.cause)), append(a.bodies, body), append(a.keeps, w.keep)
}

// bytesOf returns bytes that no driver takes for NULL.
func bytesOf(b []byte) []byte { return append([]byte{}, b...) }

func (c *columns) endings() []any {
	a := &c.archived
	return []any{a.uids, a.explicit, a.orphaning, a.causes, a.holders, a.finalizers, a.keeps, a.bodies}
}

func (c *columns) namings() []any {
	return []any{c.archived.named, c.archived.owners, c.archived.leads}
}

func (c *columns) noted() []any {
	a := &c.archived
	return []any{a.uids, a.explicit, a.orphaning, a.causes, a.holders, a.finalizers}
}

func (t *postgresTables) noteTrail(ctx context.Context, c *conn, r *row) (bool, error) {
	n, err := t.note(ctx, c, []*row{r})
	return n == 1, err
}

// noteTrails adds the words of rows that are locked.
func (t *postgresTables) noteTrails(ctx context.Context, c *conn, list []*row) error {
	n, err := t.note(ctx, c, list)
	if err == nil && n != len(list) {
		err = errRaced
	}
	return err
}

func (t *postgresTables) note(ctx context.Context, c *conn, list []*row) (int, error) {
	var x columns
	for _, r := range list {
		x.add(r)
		x.addWords(r, false)
	}
	at, err := t.written(ctx, c, "noteall"+withArchive, append([]any{x.ids, x.pos, x.seq}, x.noted()...)...)
	return len(at), err
}
