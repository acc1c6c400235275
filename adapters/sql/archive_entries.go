package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

var errNoArchive = errors.New("the store has no archive: set Config.Archive")

// HasArchive reports whether the store has Config.Archive (archive.Store).
func (s *Store) HasArchive() bool { return s.conf.Archive != nil }

// archiveText puts names and the dialect into a statement of the archive: {clock} is the present time, and {list}
// compares with a list of texts.
func (s *Store) archiveText(text string) string {
	clock, list := pgClock, `= ANY ($1::text[])`
	if s.conf.Dialect == SQLite {
		clock, list = strconv.FormatInt(time.Now().UnixMicro(), 10), `IN (SELECT value FROM json_each($1))`
	}
	text = strings.NewReplacer("{clock}", clock, "{list}", list).Replace(text)
	if s.conf.Dialect == SQLite {
		text = strings.NewReplacer("$", "?", "{locked}", "").Replace(text)
	}
	return s.conf.names().Replace(strings.ReplaceAll(text, "{locked}", " FOR UPDATE"))
}

// Entries returns a page of entries (archive.Store). Entry.Unreadable names the columns of a table that have
// changed since, and the part of a row that was edited by hand, or is of another database or a later version. It says why the
// program cannot open a sealed payload: with Sealing.Open each one is read and opened for that. Such an entry hides no
// other one, and no restore brings it back.
//
// Errors: ErrRefused and ErrInvalid for a query that is too long, or has an After of another one.
//
//test:by TestArchiveEntries TestArchiveChangedColumns TestArchiveForged TestSealedRefused
func (s *Store) Entries(ctx context.Context, q archive.Query) (page archive.Page, err error) {
	if err := errors.Join(ctx.Err(), q.Check()); err != nil {
		return page, err
	}
	named := len(q.UIDs)+len(q.Owners) > 0
	from := endPlace{uid: q.After}
	switch {
	case !named:
		from, err = parsePlace(q.After)
	case !isPlainText(q.After):
		err = badAfter(q.After)
	}
	if err != nil || s.conf.Archive == nil {
		return page, err
	}
	err = s.retry(ctx, func() error {
		return s.onOne(ctx, func(ses *session) (err error) {
			page, err = ses.entries(ctx, q, from)
			return err
		})
	})
	if err != nil {
		return archive.Page{}, readFailed("read", "entries", err)
	}
	return page, nil
}

func (ses *session) entries(ctx context.Context, q archive.Query, from endPlace) (page archive.Page, err error) {
	kinds, err := ses.s.readKinds(ctx, &ses.c)
	if err != nil {
		return page, err
	}
	w := selection{s: ses.s}
	if err := w.add(q, kinds, from); err != nil || w.none {
		return page, err
	}
	limit, named := cmp.Or(q.Limit, archive.MaxPage), len(q.UIDs)+len(q.Owners) > 0
	text := strings.Replace(readEnded, "{sealed}", ses.s.sealedColumns(), 1) + w.of(q, limit+1)
	var list []*ended
	if err := ses.c.each(ctx, ses.s.archiveText(text), w.args, func(rows *sql.Rows) error {
		x, err := scanEnded(rows, kinds)
		if err == nil {
			x.judge(ctx, ses.s)
		}
		list = append(list, x)
		return err
	}); err != nil {
		return page, err
	}
	if len(list) > limit {
		list = list[:limit]
		last := &list[limit-1].entry
		page.More = string(last.Object.UID)
		if !named {
			page.More = endPlace{list[limit-1].at, page.More}.String()
		}
	}
	page.Entries, err = ses.complete(ctx, list)
	return page, err
}

// complete adds what the rows of the entries do not have: their holds, and whether the payloads fit.
func (ses *session) complete(ctx context.Context, list []*ended) (out []archive.Entry, err error) {
	known, uids := newShapes(&ses.c), []string(nil)
	if err := ses.nameOwners(ctx, list); err != nil {
		return nil, err
	}
	for _, x := range list {
		why, err := known.unreadable(ctx, x.entry.Object.Kind, x.shape)
		if err != nil {
			return nil, err
		}
		x.entry.Unreadable = cmp.Or(x.entry.Unreadable, why)
		uids = append(uids, string(x.entry.Object.UID))
		out = append(out, x.entry)
	}
	held, err := ses.holdsOf(ctx, uids)
	for i := range out {
		out[i].Holds = held[out[i].Object.UID].list
	}
	return out, err
}

// endPlace is the place of an entry in the order of pages: the newest end first.
type endPlace struct {
	at  int64
	uid string
}

func (p endPlace) String() string { return strconv.FormatInt(p.at, 10) + "/" + p.uid }

func badAfter(text string) error {
	return fmt.Errorf("read entries: After: %.40q is not of a page: %w: %w", text, graph.ErrRefused, graph.ErrInvalid)
}

func parsePlace(text string) (p endPlace, err error) {
	if text == "" {
		return p, nil
	}
	at, uid, ok := strings.Cut(text, "/")
	if p.at, err = strconv.ParseInt(at, 10, 64); !ok || err != nil || !isPlainText(uid) {
		return endPlace{}, badAfter(text)
	}
	p.uid = uid
	return p, nil
}

// selection is the condition of a query.
type selection struct {
	s      *Store
	parts  []string // of the entry
	owners string   // the references of the owners, as n
	below  []string // of the reference
	alone  bool     // there is one owner
	args   []any
	none   bool // nothing matches
}

func whereAll(conditions []string) string {
	if len(conditions) == 0 {
		return ""
	}
	return ` WHERE ` + strings.Join(conditions, ` AND `)
}

// of returns the rest of a statement that reads some entries of a query. The entries below owners are found by the index of
// the owners first, and then one by one: each other plan may read the whole archive. Without another condition no page
// reads the entries of the next ones.
func (w *selection) of(q archive.Query, some int) string {
	limit := ` LIMIT ` + strconv.Itoa(some)
	switch {
	case len(q.UIDs) > 0 && len(q.Owners) == 0:
		return ` FROM {archive} a` + whereAll(w.parts) + ` ORDER BY a.uid` + limit
	case len(q.Owners) == 0:
		return ` FROM {archive} a` + whereAll(w.parts) + ` ORDER BY a.at DESC, a.uid` + limit
	}
	below, order := `SELECT DISTINCT n.uid FROM `, ` ORDER BY n.uid`
	if w.alone {
		below, order = `SELECT n.uid FROM `, ` ORDER BY n.owner, n.uid`
	}
	below += w.owners + whereAll(w.below)
	if len(w.parts) == 0 {
		below += order + limit
	}
	one := `CROSS JOIN {archive} a ON a.uid = x.uid` + whereAll(w.parts)
	if w.s.conf.Dialect == Postgres {
		conditions := strings.Join(append([]string{`a.uid = x.uid`}, w.parts...), ` AND `)
		one = `CROSS JOIN LATERAL (SELECT * FROM {archive} a WHERE ` + conditions + ` OFFSET 0) a`
	}
	return ` FROM (` + below + `) x ` + one + ` ORDER BY x.uid` + limit
}

// with adds a condition, in which @ stands for the argument.
func (w *selection) with(list *[]string, condition string, arg any) {
	w.args = append(w.args, arg)
	*list = append(*list, strings.ReplaceAll(condition, "@", "$"+strconv.Itoa(len(w.args))))
}

// arguments adds a list of UIDs, one alone as a text. Text that no UID has matches nothing.
func (w *selection) arguments(uids []graph.UID) (at string, one bool, err error) {
	var texts []string
	for _, uid := range uids {
		if isPlainText(string(uid)) {
			texts = append(texts, string(uid))
		}
	}
	w.none = w.none || len(texts) == 0
	var arg any
	if one = len(texts) == 1; one {
		arg = texts[0]
	} else {
		arg, err = w.s.list(texts)
	}
	w.args = append(w.args, arg)
	return "$" + strconv.Itoa(len(w.args)), one, err
}

// among adds the condition on the UIDs of the entries.
func (w *selection) among(uids []graph.UID) error {
	if len(uids) == 0 {
		return nil
	}
	at, one, err := w.arguments(uids)
	switch {
	case one:
		w.parts = append(w.parts, `a.uid = `+at)
	case w.s.conf.Dialect == Postgres:
		w.parts = append(w.parts, `a.uid = ANY (`+at+`::text[])`)
	default:
		w.parts = append(w.parts, `a.uid IN (SELECT value FROM json_each(`+at+`))`)
	}
	return err
}

// under adds the condition on the owners, and on the page. The join makes both databases look each owner up by the index.
// Postgres would read all references instead without statistics, or if most of them name one owner. The range makes it expect few
// for each owner, and the inner SELECT makes it expect few owners. Otherwise it compiles the statement, which takes longer than its work.
// Of one owner it would sort all references for each page, because it expects few. So its condition is a range, for
// which it expects many, and takes the order of the index.
//
//test:by TestArchiveOwnersPlan
func (w *selection) under(owners []graph.UID, after string) (err error) {
	if len(owners) == 0 {
		return nil
	}
	at := ""
	at, w.alone, err = w.arguments(owners)
	switch {
	case w.alone && w.s.conf.Dialect == Postgres:
		w.owners = `{archive_owners} n`
		w.with(&w.below, `n.owner <= `+at+` AND (n.owner, n.uid) > (`+at+`, @)`, after)
		return err
	case w.alone:
		w.owners, w.below = `{archive_owners} n`, []string{`n.owner = ` + at}
	case w.s.conf.Dialect == Postgres:
		w.owners = `unnest((SELECT ` + at + `::text[])) o CROSS JOIN LATERAL
			(SELECT m.uid FROM {archive_owners} m WHERE m.owner = o AND m.owner >= o AND m.owner <= o OFFSET 0) n`
	default:
		w.owners = `json_each(` + at + `) o CROSS JOIN {archive_owners} n ON n.owner = o.value`
	}
	if after != "" {
		w.with(&w.below, `n.uid > @`, after)
	}
	return err
}

func (w *selection) add(q archive.Query, kinds *kindSet, from endPlace) error {
	err := errors.Join(w.among(q.UIDs), w.under(q.Owners, q.After))
	if q.Explicit {
		w.parts = append(w.parts, `a.explicit`)
	}
	if q.Unrestored {
		w.parts = append(w.parts, `a.restored = ''`)
	}
	if q.Kind != "" {
		w.with(&w.parts, `a.kind = @`, kinds.number(q.Kind))
	}
	for _, x := range []struct{ condition, text string }{{`a.scope = @`, q.Scope}, {`a.name = @`, q.Name}} {
		if x.text != "" {
			w.with(&w.parts, x.condition, x.text)
			w.none = w.none || !utf8.ValidString(x.text) || strings.ContainsRune(x.text, 0)
		}
	}
	if !q.Before.IsZero() {
		w.with(&w.parts, `a.at < @`, q.Before.Add(time.Microsecond-time.Nanosecond).UnixMicro())
	}
	switch {
	case q.After == "" || len(q.Owners) > 0:
	case len(q.UIDs) > 0:
		w.with(&w.parts, `a.uid > @`, from.uid)
	default:
		w.with(&w.parts, `a.at <= @`, from.at)
		w.args = append(w.args, from.uid)
		w.parts = append(w.parts, fmt.Sprintf(`(a.at < $%d OR a.uid > $%d)`, len(w.args)-1, len(w.args)))
	}
	return err
}

// Extent returns the size of the archive (archive.Store).
//
//test:by TestArchivePurge
func (s *Store) Extent(ctx context.Context) (x archive.Extent, err error) {
	if err := ctx.Err(); err != nil || s.conf.Archive == nil {
		return x, err
	}
	var oldest sql.NullInt64
	err = s.retry(ctx, func() error {
		return s.onOne(ctx, func(ses *session) error {
			if _, err := ses.c.checkTables(ctx); err != nil {
				return err
			}
			_, err := ses.c.one(ctx, s.archiveText(`SELECT count(*), count(nullif(a.restored, '')), coalesce(sum(a.size), 0), min(a.at) FROM {archive} a`), nil,
				&x.Entries, &x.Restored, &x.Bytes, &oldest)
			return err
		})
	})
	if oldest.Valid {
		x.Oldest = time.UnixMicro(oldest.Int64)
	}
	if err != nil {
		return archive.Extent{}, readFailed("read", "the extent of the archive", err)
	}
	return x, nil
}

// sortedUIDs returns UIDs each once, sorted: the order of the locks.
func sortedUIDs(uids []graph.UID) []string {
	list := make([]string, 0, len(uids))
	for _, uid := range uids {
		if isPlainText(string(uid)) {
			list = append(list, string(uid))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
