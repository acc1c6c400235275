package sqlstore

import (
	"context"
	"database/sql"
	"strings"
)

// withoutPolicies makes the statements for tables before policySchema.
func withoutPolicies(text string) string {
	return strings.NewReplacer("{restricted}", ", false", "{+restricts}", "", "{plain}", "").Replace(text)
}

// The parts of statements for tables with policySchema. Two arrays have the rows of {restricts}: the UIDs
// of dependents and those of owners. The first row of an owner changes the row of the owner, too.
const (
	pgFree = `
		y AS (DELETE FROM {restricts} w USING unnest({freed}::text[], {freedby}::text[]) AS u(owner, uid) WHERE w.uid = u.uid AND w.owner = u.owner),`
	pgRestrict = `
		x AS (INSERT INTO {restricts} (owner, uid) SELECT * FROM unnest({is}::text[], {by}::text[]) ON CONFLICT DO NOTHING),
		f AS (UPDATE {objects} b SET restricted = true WHERE b.uid = ANY ({is}::text[]) AND NOT b.restricted),`
	// The same for one dependent, if o has its row.
	pgFreeOne = `
		y AS (DELETE FROM {restricts} w USING o WHERE w.uid = {by} AND w.owner = ANY ({freed}::text[])),`
	pgRestrictOne = `
		x AS (INSERT INTO {restricts} (owner, uid) SELECT u, {by} FROM o, unnest({is}::text[]) u ON CONFLICT DO NOTHING),
		f AS (UPDATE {objects} b SET restricted = true FROM o WHERE b.uid = ANY ({is}::text[]) AND NOT b.restricted),`
)

// postgresPolicyTexts are statements for tables with policySchema. A plain deletion leaves an object with a
// policy to the statements that know its owners. In a strict store it leaves an object that another one
// may restrict, too: the look for that needs a statement after the lock.
func postgresPolicyTexts(strict bool) map[string]string {
	plain := ` AND substring(o.body FROM 1 FOR 1) = '\x01'`
	if strict {
		plain += ` AND NOT o.restricted`
	}
	texts := map[string]string{
		"restricting": `SELECT o.id, o.kind, o.uid, o.scope, o.name, o.pos, o.seq, o.body FROM {restricts} w JOIN {objects} o ON o.uid = w.uid
		WHERE w.owner = $1 AND w.uid > $2 ORDER BY w.uid LIMIT $3`,
		"unrestricted": `SELECT EXISTS (SELECT 1 FROM {objects} WHERE uid = ANY ($1::text[]) AND NOT restricted)`,
	}
	one, many := postgresTexts(), postgresManyTexts()
	for name, text := range map[string]string{
		"find": one["find"], "findlocked": one["findlocked"], "plain": one["plain"], "findall": many["findall"], "plainall": many["plainall"],
		"create":    strings.NewReplacer("{by}", "$4::text", "{is}", "$13").Replace(with(one["create"], pgRestrictOne)),
		"change":    strings.NewReplacer("{by}", "o.uid", "{freed}", "$13", "{is}", "$14").Replace(with(one["change"], pgFreeOne+pgRestrictOne)),
		"remove":    strings.NewReplacer("{by}", "o.uid", "{freed}", "$7").Replace(with(one["remove"], pgFreeOne)),
		"createall": strings.NewReplacer("{by}", "$13", "{is}", "$14").Replace(with(many["createall"], pgRestrict)),
		"changeall": strings.NewReplacer("{freedby}", "$11", "{freed}", "$12", "{by}", "$13", "{is}", "$14").Replace(with(many["changeall"], pgFree+pgRestrict)),
		"removeall": strings.NewReplacer("{freedby}", "$4", "{freed}", "$5").Replace(with(many["removeall"], pgFree)),
	} {
		texts[name] = strings.NewReplacer("{restricted}", ", o.restricted", "{plain}", plain).Replace(text)
	}
	list := make(map[string]string, len(texts))
	for name, text := range texts {
		list[name+withPolicies] = text
	}
	return list
}

// with puts parts of policies into a statement.
func with(text, parts string) string { return strings.Replace(text, "{+restricts}", parts, 1) }

// unrestricted reads rows before they are locked. A row that is restricted stays so.
func (t *postgresTables) unrestricted(ctx context.Context, c *conn, uids []string) (is bool, err error) {
	if c.policies {
		_, err = c.one(ctx, t.text["unrestricted"+withPolicies], []any{uids}, &is)
	}
	return is, err
}

// restricting asks for the level of a transaction of the user. The store begins its own ones as READ
// COMMITTED, so that each statement has a view of its own.
func (t *postgresTables) restricting(ctx context.Context, c *conn, owner, after string, limit int, add func(*row) error) (current bool, err error) {
	if c.users {
		if _, err := c.one(ctx, t.text["level"], nil, &current, new(bool)); err != nil || !current {
			return false, err
		}
	}
	err = c.each(ctx, t.text["restricting"+withPolicies], []any{owner, after, limit}, func(rows *sql.Rows) error { return scanRow(rows, false, add) })
	return true, err
}
