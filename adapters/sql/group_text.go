package sqlstore

// The statements of groups are the same in both dialects, but for the clock and the locks. They
// are not prepared: a member renews every few seconds.
const (
	// memberHolds says that the lease of the row o is in force. A lease has one end, by the
	// clock of the database. If that clock goes back by more than the lease, the end does not
	// count: otherwise the part of a dead member would wait for as long.
	memberHolds = `o.until > {clock} AND o.until - {clock} <= 2 * (o.until - o.renewed)`

	// renewMember reads the clock again after the wait for a row that another transaction has
	// locked. So no later renewal has an earlier end.
	renewMember = `INSERT INTO {members} AS o (grp, name, instance, renewed, until)
		SELECT $1, $2, $3, {clock}, {clock} + $4 FROM {meta} m WHERE m.id = 1 AND {stamp} >= 0
		ON CONFLICT (grp, name) DO UPDATE SET instance = excluded.instance, renewed = {clock}, until = {clock} + $4
		WHERE o.instance = excluded.instance OR NOT ({holds})`

	// removeOver is for all groups, and follows renewMember. It passes by the rows that another
	// member has locked, so that no two members wait for each other. A row that was renewed
	// meanwhile holds again. The row of the member itself stays, however short its lease is.
	removeOver = `DELETE FROM {members} AS o WHERE NOT ({holds}) AND NOT (o.grp = $1 AND o.name = $2) AND (o.grp, o.name) IN
		(SELECT o.grp, o.name FROM {members} o WHERE NOT ({holds}) ORDER BY o.until, o.grp, o.name LIMIT 100 {unlocked})
		AND EXISTS (SELECT 1 FROM {meta} m WHERE m.id = 1 AND {stamp} >= 0)`

	readMembers = `SELECT o.name, o.instance, {clock} - o.renewed FROM {members} o WHERE o.grp = $1 AND (o.name = $2 OR {holds}) ORDER BY o.name LIMIT $3`

	removeMember = `DELETE FROM {members} WHERE grp = $1 AND name = $2 AND instance = $3
		AND EXISTS (SELECT 1 FROM {meta} m WHERE m.id = 1 AND {stamp} >= 0)`
)

// clockText is the clock of the database, in milliseconds. On SQLite that is the clock of the
// machine, which all processes of the file share.
func clockText(d Dialect) string {
	if d == Postgres {
		return `(extract(epoch FROM clock_timestamp()) * 1000)::bigint`
	}
	return `CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)`
}
