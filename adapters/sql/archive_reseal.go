package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// Resealed is the result of a page of Store.Reseal.
type Resealed struct {
	// Sealed is the number of entries of the page that have a new payload.
	Sealed int
	// Clear is the number of these whose payload was in the clear.
	Clear int
	// Kept are the entries of the page that stay as they are, because no identity opens their payloads. They are in the order of
	// their UIDs, and Unreadable has the reason.
	Kept []archive.Entry
	// More begins the next page, "" at the end.
	More string
}

// MaxReseal bounds the entries of a page of Store.Reseal, each of which the call opens and seals while it holds locks.
const MaxReseal = 100

// Reseal opens the sealed payloads of a page of entries by Sealing.Open, and seals them anew by Sealing.Seal, in one
// transaction. So entries get the recipients of now. It also seals the entries of a sealed kind that are in the clear, and counts them in Resealed.Clear. After is
// Resealed.More of the page before, "" for the first one. Limit is at most MaxReseal, and 0 stands for MaxReseal. After a crash
// a program begins anew, or with the last page.
//
// An entry whose payload does not open keeps it, and is in Resealed.Kept. So no entry is lost by the wrong identity. A new
// payload may be above MaxBytes.
//
// The database keeps former payloads for some time: in dead rows, in its log, and in backups.
//
// Errors: ErrRefused without an archive, without Sealing.Seal or Sealing.Open, and for a payload that cannot be sealed.
// ErrInvalid for a wrong page. With an error nothing is done.
//
//test:by TestReseal TestResealBeside
func (s *Store) Reseal(ctx context.Context, after string, limit int) (out Resealed, err error) {
	switch a := s.conf.Archive; {
	case a == nil:
		err = errNoArchive
	case a.Sealing.Seal == nil || a.Sealing.Open == nil:
		err = errors.New("Archive.Sealing: want Seal and Open")
	case limit < 0 || limit > MaxReseal:
		err = fmt.Errorf("limit: %d is not between 0 and %d: %w", limit, MaxReseal, graph.ErrInvalid)
	case after != "" && !isPlainText(after):
		err = fmt.Errorf("after: %.40q is not of a page: %w", after, graph.ErrInvalid)
	}
	if err != nil {
		return out, fmt.Errorf("reseal: %w: %w", graph.ErrRefused, err)
	}
	if err := ctx.Err(); err != nil {
		return out, fmt.Errorf("reseal: %w", err)
	}
	err = s.transact(ctx, func(ses *session) (err error) {
		out, err = ses.reseal(ctx, after, cmp.Or(limit, MaxReseal))
		return err
	})
	if err != nil {
		return Resealed{}, s.failed("reseal", "entries", err)
	}
	return out, nil
}

func (ses *session) reseal(ctx context.Context, after string, limit int) (out Resealed, err error) {
	kinds, err := ses.s.readKinds(ctx, &ses.c)
	if err != nil {
		return out, err
	}
	uids, err := ses.lockSealed(ctx, kinds, after, limit+1)
	if err != nil {
		return out, err
	}
	if len(uids) > limit {
		uids = uids[:limit]
		out.More = uids[limit-1]
	}
	for _, uid := range uids {
		x, err := ses.sealedEntry(ctx, kinds, uid)
		if err != nil {
			return out, err
		}
		if x.entry.Sealed {
			if err := x.open(ctx, ses.s); err != nil {
				x.entry.Unreadable = err.Error()
				out.Kept = append(out.Kept, x.entry)
				continue
			}
		}
		if err := ses.writeSealed(ctx, x); err != nil {
			return out, err
		}
		if out.Sealed++; !x.entry.Sealed {
			out.Clear++
		}
	}
	return out, nil
}

// lockSealed locks the next entries that are sealed, or that have a payload of a sealed kind. No purge and no restore has them
// meanwhile.
func (ses *session) lockSealed(ctx context.Context, kinds *kindSet, after string, limit int) (uids []string, err error) {
	numbers := []string{"0"}
	for _, kind := range ses.s.conf.Archive.Sealing.Kinds {
		numbers = append(numbers, strconv.FormatInt(kinds.number(kind), 10))
	}
	text := `SELECT a.uid FROM {archive} a WHERE a.uid > $1 AND (a.sealed IS NOT NULL OR a.kind IN (` + strings.Join(numbers, ", ") + `)) ORDER BY a.uid LIMIT ` + strconv.Itoa(limit) + `{locked}`
	err = ses.c.each(ctx, ses.s.archiveText(text), []any{after}, func(rows *sql.Rows) error {
		var uid string
		err := rows.Scan(&uid)
		uids = append(uids, uid)
		return err
	})
	return uids, err
}

// sealedEntry reads one entry with its payload, because a page of payloads may be too large for the program.
func (ses *session) sealedEntry(ctx context.Context, kinds *kindSet, uid string) (x *ended, err error) {
	text := strings.Replace(readEnded, "{sealed}", "a.sealed IS NOT NULL, a.sealed, a.payload", 1) + ` FROM {archive} a WHERE a.uid = $1`
	err = ses.c.each(ctx, ses.s.archiveText(text), []any{uid}, func(rows *sql.Rows) (err error) {
		x, err = scanEnded(rows, kinds)
		return err
	})
	if err == nil && x == nil {
		err = errRaced
	}
	return x, err
}

// writeSealed seals the open payload of an entry. A payload above the bound is sealed, too: the object is gone, so a refusal would
// keep it in the clear.
func (ses *session) writeSealed(ctx context.Context, x *ended) error {
	p := openPayload{x.labels, x.shape, x.payload}
	sealed, err := ses.s.conf.Archive.Sealing.SealPayload(ctx, x.entry.Object.Key, p.encode())
	if err != nil {
		return err
	}
	return ses.c.execOne(ctx, ses.s.archiveText(`UPDATE {archive} SET sealed = $1, size = $2, labels = '', payload = NULL WHERE uid = $3`), sealed, len(sealed), string(x.entry.Object.UID))
}
