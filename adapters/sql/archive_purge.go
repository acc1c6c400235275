package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// The conditions are those of archive.Ended. Now is the time of the transaction. Each marked object has a trail.
const (
	purgeWith = `WITH RECURSIVE stays(uid) AS (
		SELECT a.uid FROM {archive} a WHERE a.explicit AND (a.until = 0 OR a.until > {now} OR EXISTS (SELECT 1 FROM {holds} h WHERE h.uid = a.uid AND (h.until = 0 OR h.until > {now})))
		UNION SELECT n.uid FROM {trails} t JOIN {archive_owners} n ON n.owner = t.uid JOIN {archive} d ON d.uid = n.uid WHERE n.leads AND NOT d.explicit
		UNION SELECT n.uid FROM stays s JOIN {archive_owners} n ON n.owner = s.uid JOIN {archive} d ON d.uid = n.uid WHERE n.leads AND NOT d.explicit),
		kept(uid) AS (SELECT uid FROM stays UNION SELECT h.uid FROM {holds} h WHERE h.until = 0 OR h.until > {now}),
		named(uid) AS (SELECT n.owner FROM {archive_owners} n JOIN kept k ON k.uid = n.uid JOIN {archive} d ON d.uid = n.uid WHERE d.restored = '')
		`
	purgeWhere = `a.uid NOT IN (SELECT k.uid FROM kept k) AND (a.restored = '' OR a.uid NOT IN (SELECT n.uid FROM named n))`
)

// PurgeEntries drops the entries of the objects, or those that may go by now, and the holds that are over
// (archive.Store). It returns the number of entries.
//
// Errors: ErrRefused for an entry with a hold, which the error names. No entry is dropped then. An object that cannot lose its
// protection, because its entry cannot be written, is ErrRefused, too. All the rest is done then.
//
//test:by TestArchivePurge TestArchivePurgeAsEnded TestArchiveHoldOfLarge
func (s *Store) PurgeEntries(ctx context.Context, uids []graph.UID) (n int, err error) {
	if s.conf.Archive == nil {
		return 0, fmt.Errorf("purge entries: %w: %w", graph.ErrRefused, errNoArchive)
	}
	defer s.announce()
	var kept error
	err = s.retry(ctx, func() (err error) { kept, err = s.endHolds(ctx); return err })
	if err == nil {
		err = s.transact(ctx, func(ses *session) error {
			if _, err := ses.c.checkTables(ctx); err != nil {
				return err
			}
			if len(uids) == 0 {
				n, err = ses.purgeEnded(ctx)
			} else {
				n, err = ses.purgeOnes(ctx, sortedUIDs(uids))
			}
			return err
		})
	}
	if err != nil {
		return 0, s.failed("purge", "entries", err)
	}
	return n, kept
}

// purgeOnes locks the entries before it looks for their holds, so that no hold is put on meanwhile.
func (ses *session) purgeOnes(ctx context.Context, uids []string) (int, error) {
	keys := map[graph.UID]graph.Key{}
	kinds, err := ses.s.readKinds(ctx, &ses.c)
	if err != nil {
		return 0, err
	}
	err = ses.c.eachOf(ctx, ses.s.archiveText(`SELECT a.uid, a.kind, a.scope, a.name FROM {archive} a WHERE a.uid {list} ORDER BY a.uid{locked}`), uids, nil, func(rows *sql.Rows) error {
		var k graph.Key
		var kind any // SQLite keeps any type, and a bad row has to go, too
		err := rows.Scan(&k.UID, &kind, &k.Scope, &k.Name)
		number, _ := kind.(int64)
		k.Kind = kinds.byID[number].info.Kind
		keys[k.UID] = k
		return err
	})
	if err != nil {
		return 0, err
	}
	held, err := ses.holdsOf(ctx, uids)
	if err != nil {
		return 0, err
	}
	now, err := ses.clock(ctx)
	if err != nil {
		return 0, err
	}
	for _, uid := range uids {
		for _, h := range held[graph.UID(uid)].list {
			if k, ok := keys[graph.UID(uid)]; ok && (h.Until.IsZero() || h.Until.UnixMicro() > now) {
				return 0, fmt.Errorf("purge %s: %q holds it: %w", name(k), h.By, graph.ErrRefused)
			}
		}
	}
	return ses.dropEntries(ctx, uids)
}

func (ses *session) clock(ctx context.Context) (now int64, err error) {
	if ses.s.conf.Dialect == SQLite {
		return time.Now().UnixMicro(), nil
	}
	_, err = ses.c.one(ctx, `SELECT `+pgClock, nil, &now)
	return now, err
}

// purgeEnded locks the entries that may go, and looks again. A hold or a restore that came first keeps its entries.
func (ses *session) purgeEnded(ctx context.Context) (int, error) {
	now, err := ses.clock(ctx)
	if err != nil {
		return 0, err
	}
	uids, err := ses.findEnded(ctx, now)
	switch {
	case err != nil:
		return 0, err
	case ses.s.conf.Dialect == SQLite: // it has one writer
		return ses.dropEntries(ctx, uids)
	}
	lock := ses.s.archiveText(`SELECT a.uid FROM {archive} a WHERE a.uid {list} ORDER BY a.uid{locked}`)
	if err := ses.c.eachOf(ctx, lock, uids, nil, func(*sql.Rows) error { return nil }); err != nil {
		return 0, err
	}
	again, err := ses.findEnded(ctx, now)
	if err != nil {
		return 0, err
	}
	return ses.dropEntries(ctx, without(again, without(again, uids))) // those that are locked
}

// findEnded returns the UIDs of the entries that may go at a time.
func (ses *session) findEnded(ctx context.Context, now int64) (uids []string, err error) {
	text := strings.ReplaceAll(purgeWith+`SELECT a.uid FROM {archive} a WHERE `+purgeWhere+` ORDER BY a.uid`, "{now}", strconv.FormatInt(now, 10))
	err = ses.c.each(ctx, ses.s.conf.names().Replace(text), nil, func(rows *sql.Rows) error {
		var uid string
		err := rows.Scan(&uid)
		uids = append(uids, uid)
		return err
	})
	return uids, err
}

func (ses *session) dropEntries(ctx context.Context, uids []string) (int, error) {
	if len(uids) == 0 {
		return 0, nil
	}
	list, err := ses.s.list(uids)
	if err != nil {
		return 0, err
	}
	if _, err := ses.c.exec(ctx, ses.s.archiveText(`DELETE FROM {archive_owners} WHERE uid {list}`), list); err != nil {
		return 0, err
	}
	r, err := ses.c.exec(ctx, ses.s.archiveText(`DELETE FROM {archive} WHERE uid {list}`), list)
	if err != nil {
		return 0, err
	}
	n, err := r.RowsAffected()
	return int(n), err
}
