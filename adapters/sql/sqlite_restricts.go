package sqlstore

import (
	"context"
	"database/sql"
)

// withPolicies ends the name of a statement for tables with policySchema.
const withPolicies = "*"

// nameFor returns the name of a statement for the tables of the call.
func nameFor(c *conn, name string) string {
	if c.policies {
		return name + withPolicies
	}
	return name
}

// sqlitePolicyTexts are statements for tables with policySchema. A plain deletion leaves an object with a
// policy to the statements that know its owners. In a strict store it leaves a restricted one, too.
func sqlitePolicyTexts(strict bool) map[string]string {
	const isRestricted = `EXISTS (SELECT 1 FROM {restricts} w WHERE w.owner = o.uid)`
	plain := sqliteManyTexts()["plainall"] + ` AND substr(o.body, 1, 1) = x'01'`
	if strict {
		plain += ` AND NOT ` + isRestricted
	}
	return map[string]string{
		"find" + withPolicies: `SELECT {stamp}, o.id, o.uid, o.pos, o.body, o.labels, ` + isRestricted + ` FROM {meta} m
		LEFT JOIN {objects} o ON o.kind = ?1 AND o.place = ?2 WHERE m.id = 1`,
		"plainall" + withPolicies:   plain,
		"restrict" + withPolicies:   `INSERT INTO {restricts} (uid, owner) VALUES (?1, ?2) ON CONFLICT DO NOTHING`,
		"unrestrict" + withPolicies: `DELETE FROM {restricts} WHERE uid = ?1 AND owner = ?2`,
		"restricting" + withPolicies: `SELECT o.id, o.kind, o.uid, o.scope, o.name, o.pos, 0, o.body FROM {restricts} w JOIN {objects} o ON o.uid = w.uid
		WHERE w.owner = ?1 AND w.uid > ?2 ORDER BY w.uid LIMIT ?3`,
	}
}

// unrestricted is always false, because SQLite has one writer.
func (t *sqliteTables) unrestricted(context.Context, *conn, []string) (bool, error) {
	return false, nil
}

func (t *sqliteTables) restricting(ctx context.Context, c *conn, owner, after string, limit int, add func(*row) error) (bool, error) {
	err := c.each(ctx, t.text["restricting"+withPolicies], []any{owner, after, limit}, func(rows *sql.Rows) error { return scanRow(rows, false, add) })
	return true, err
}
