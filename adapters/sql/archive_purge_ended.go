package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// purgeBatch is the number of entries that one transaction of a purge drops. It bounds the wait of other writers.
const purgeBatch = 500

// purgeFacts is one statement, so all facts are of one moment. The kinds of its rows are those of purgeFact.
const purgeFacts = `SELECT 1, a.uid, '', ` + purgeTerm + ` FROM {archive} a
	UNION ALL SELECT 2, n.uid, n.owner, n.leads, n.leads, n.leads FROM {archive_owners} n
	UNION ALL SELECT 3, h.uid, '', h.protects, h.protects, h.protects FROM {holds} h WHERE h.until = 0 OR h.until > {clock}
	UNION ALL SELECT 4, t.uid, '', t.explicit, t.explicit, t.explicit FROM {trails} t`

// purgeTerm has the columns of an archive.Term.
const purgeTerm = `a.explicit, a.until <> 0 AND a.until <= {clock}, a.restored <> ''`

// The kinds of the rows of purgeFacts.
const (
	factEntry = iota + 1
	factReference
	factHold
	factMarked // it has a trail
)

// errPurgeChanged says that an entry was held or restored after the purge had read it.
var errPurgeChanged = errors.New("an entry has changed since the purge began")

// purgeEnded drops the entries that may go, those first that others hang from. A hold or a restore that came first keeps
// its entry, and all that hang from it. The purge then reads everything anew.
func (s *Store) purgeEnded(ctx context.Context) (n int, err error) {
	for range s.conf.RetryLimit + 1 {
		var ended []archive.Term
		if ended, err = s.findEnded(ctx); err != nil {
			return n, err
		}
		for batch := range slices.Chunk(ended, purgeBatch) {
			var dropped int
			err = s.transact(ctx, func(ses *session) error {
				dropped, err = ses.dropEnded(ctx, batch)
				return err
			})
			if err != nil {
				break
			}
			n += dropped
		}
		if !errors.Is(err, errPurgeChanged) {
			return n, err
		}
	}
	return n, &notDone{cause: err, after: maxPause}
}

// findEnded returns the entries that may go, in the order of archive.Purge.
func (s *Store) findEnded(ctx context.Context) (ended []archive.Term, err error) {
	err = s.retry(ctx, func() error {
		return s.onOne(ctx, func(ses *session) error {
			if _, err := ses.c.checkTables(ctx); err != nil {
				return err
			}
			var p archive.Purge
			if err := ses.c.each(ctx, s.archiveText(purgeFacts), nil, func(rows *sql.Rows) error { return scanFact(rows, &p) }); err != nil {
				return err
			}
			ended = p.Ended()
			return nil
		})
	})
	return ended, err
}

func scanFact(rows *sql.Rows, p *archive.Purge) error {
	var what int
	var t archive.Term
	var owner graph.UID
	if err := rows.Scan(&what, &t.UID, &owner, &t.Explicit, &t.Over, &t.Restored); err != nil {
		return err
	}
	switch what {
	case factEntry:
		p.Add(t)
	case factReference:
		p.Refer(t.UID, owner, t.Explicit)
	case factHold:
		p.Hold(t.UID)
	case factMarked:
		p.Mark(t.UID)
	}
	return nil
}

// dropEnded locks the entries, and then looks again. On Postgres a statement that has waited for a lock does not see the hold for
// which it waited.
func (ses *session) dropEnded(ctx context.Context, batch []archive.Term) (int, error) {
	if _, err := ses.c.checkTables(ctx); err != nil {
		return 0, err
	}
	uids, was := make([]string, len(batch)), make(map[graph.UID]archive.Term, len(batch))
	for i, t := range batch {
		uids[i], was[t.UID] = string(t.UID), t
	}
	if ses.s.conf.Dialect == Postgres { // SQLite has one writer
		lock := ses.s.archiveText(`SELECT a.uid FROM {archive} a WHERE a.uid {list} ORDER BY a.uid{locked}`)
		if err := ses.c.eachOf(ctx, lock, uids, nil, func(*sql.Rows) error { return nil }); err != nil {
			return 0, err
		}
	}
	err := ses.c.eachOf(ctx, ses.s.archiveText(`SELECT a.uid, `+purgeTerm+` FROM {archive} a WHERE a.uid {list}`), uids, nil, func(rows *sql.Rows) error {
		var t archive.Term
		err := rows.Scan(&t.UID, &t.Explicit, &t.Over, &t.Restored)
		if err == nil && t != was[t.UID] {
			err = fmt.Errorf("%s: %w", t.UID, errPurgeChanged)
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	if key, by, err := ses.heldNow(ctx, uids); err != nil || by != "" {
		return 0, cmp.Or(err, fmt.Errorf("%s: %q holds it: %w", name(key), by, errPurgeChanged))
	}
	return ses.dropEntries(ctx, uids)
}
