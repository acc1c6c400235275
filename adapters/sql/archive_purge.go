package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// PurgeEntries drops the entries of the objects, or those that may go by now, and the holds that are over
// (archive.Store). It returns the number of entries. A purge of those that may go reads each entry without its payload,
// and drops them in transactions of purgeBatch entries. Those that an error has not reached are left for the next call.
//
// Errors: ErrRefused for an entry with a hold, which the error names. No entry is dropped then. An object that cannot lose its
// protection, because its entry cannot be written, is ErrRefused, too. All the rest is done then.
//
//test:by TestArchivePurge TestArchivePurgeAsEnded TestArchiveHoldOfLarge TestArchivePurgeChanged
func (s *Store) PurgeEntries(ctx context.Context, uids []graph.UID) (n int, err error) {
	if s.conf.Archive == nil {
		return 0, fmt.Errorf("purge entries: %w: %w", graph.ErrRefused, errNoArchive)
	}
	defer s.announce()
	var kept error
	err = s.retry(ctx, func() (err error) { kept, err = s.endHolds(ctx); return err })
	switch {
	case err != nil:
	case len(uids) == 0:
		n, err = s.purgeEnded(ctx)
	default:
		err = s.transact(ctx, func(ses *session) error {
			if _, err := ses.c.checkTables(ctx); err != nil {
				return err
			}
			n, err = ses.purgeOnes(ctx, sortedUIDs(uids))
			return err
		})
	}
	if err != nil {
		return n, s.failed("purge", "entries", err)
	}
	return n, kept
}

// purgeOnes locks the entries before it looks for their holds, so that no hold is put on meanwhile.
func (ses *session) purgeOnes(ctx context.Context, uids []string) (int, error) {
	var there []string
	err := ses.c.eachOf(ctx, ses.s.archiveText(`SELECT a.uid FROM {archive} a WHERE a.uid {list} ORDER BY a.uid{locked}`), uids, nil, func(rows *sql.Rows) error {
		var uid string
		err := rows.Scan(&uid)
		there = append(there, uid)
		return err
	})
	if err != nil {
		return 0, err
	}
	if key, by, err := ses.heldNow(ctx, there); err != nil || by != "" {
		return 0, cmp.Or(err, fmt.Errorf("purge %s: %q holds it: %w", name(key), by, graph.ErrRefused))
	}
	return ses.dropEntries(ctx, there)
}

// heldNow returns the first of the entries with a hold, and its holder. The holder is "" without one.
func (ses *session) heldNow(ctx context.Context, uids []string) (key graph.Key, by string, err error) {
	all, err := ses.holdsOf(ctx, uids)
	if err != nil || len(all) == 0 {
		return key, "", err
	}
	now, err := ses.clock(ctx)
	if err != nil {
		return key, "", err
	}
	for _, uid := range uids {
		x := all[graph.UID(uid)]
		for _, h := range x.list {
			if h.Until.IsZero() || h.Until.UnixMicro() > now {
				return x.key, h.By, nil
			}
		}
	}
	return key, "", nil
}

func (ses *session) clock(ctx context.Context) (now int64, err error) {
	_, err = ses.c.one(ctx, ses.s.archiveText(`SELECT {clock}`), nil, &now)
	return now, err
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
