package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// held are the holds of an object or an entry. Protects says that they have put the finalizer of protection on the
// object.
type held struct {
	list     []archive.Hold
	key      graph.Key
	protects bool
}

// holdsOf reads the holds of some UIDs, sorted by holder.
func (ses *session) holdsOf(ctx context.Context, uids []string) (map[graph.UID]held, error) {
	out := map[graph.UID]held{}
	text := ses.s.archiveText(`SELECT h.uid, h.holder, h.reason, h.until, h.kind, h.scope, h.name, h.protects FROM {holds} h WHERE h.uid {list} ORDER BY h.uid, h.holder`)
	err := ses.c.eachOf(ctx, text, uids, nil, func(rows *sql.Rows) error {
		var h archive.Hold
		var key graph.Key
		var until int64
		var protects bool
		if err := rows.Scan(&key.UID, &h.By, &h.Reason, &until, &key.Kind, &key.Scope, &key.Name, &protects); err != nil {
			return err
		}
		if until != 0 {
			h.Until = time.UnixMicro(until)
		}
		x := out[key.UID]
		out[key.UID] = held{append(x.list, h), key, x.protects || protects}
		return nil
	})
	return out, err
}

// HoldEntry puts a hold on an entry or a living object (archive.Store). A hold of the same holder is replaced. A living
// unmarked object gets the finalizer of protection in the same transaction, and its entry inherits the hold. The
// end of a hold has microseconds.
//
// Errors: ErrNotFound if there is neither, ErrRefused and ErrInvalid for a hold without a holder, one that is too
// long, and one above archive.MaxHolds.
//
//test:by TestArchiveHolds
func (s *Store) HoldEntry(ctx context.Context, key graph.Key, h archive.Hold) error {
	isText := func(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }
	switch cause := h.Flaw(); {
	case s.conf.Archive == nil:
		return fmt.Errorf("hold %s: %w: %w", name(key), graph.ErrRefused, errNoArchive)
	case cause != "":
		return refused("hold", key, "hold", cause)
	case !isText(h.By), !isText(h.Reason):
		return refused("hold", key, "hold", "By or Reason is no text")
	}
	defer s.announce()
	err := s.transact(ctx, func(ses *session) error { return ses.hold(ctx, key, h) })
	return s.failed("hold", name(key), err)
}

// hold locks the object or the entry first, so that no removal and no purge misses the hold.
func (ses *session) hold(ctx context.Context, key graph.Key, h archive.Hold) error {
	live, err := ses.lockHeld(ctx, "hold", key)
	if err != nil {
		return err
	}
	all, err := ses.holdsOf(ctx, []string{string(key.UID)})
	if err != nil {
		return err
	}
	had := all[key.UID]
	others := len(slices.DeleteFunc(had.list, func(x archive.Hold) bool { return x.By == h.By }))
	if others >= archive.MaxHolds {
		return refused("hold", key, "hold", fmt.Sprintf("more than %d holds", archive.MaxHolds))
	}
	add := live != nil && !live.object.Deleting && !live.object.HasFinalizer(graph.FinalizerProtect)
	until := int64(0)
	if !h.Until.IsZero() {
		until = h.Until.UnixMicro()
	}
	_, err = ses.c.exec(ctx, ses.s.archiveText(`INSERT INTO {holds} (uid, holder, reason, until, kind, scope, name, protects) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (uid, holder) DO UPDATE SET reason = excluded.reason, until = excluded.until, protects = excluded.protects`),
		string(key.UID), h.By, h.Reason, until, string(key.Kind), key.Scope, key.Name, add || had.protects)
	if err != nil || !add {
		return err
	}
	_, err = ses.apply(ctx, "hold", key, ses.s.patchRule(graph.Precondition{UID: key.UID}, graph.Change{AddFinalizer: graph.FinalizerProtect}))
	return err
}

// lockHeld locks the living object of a hold, or its entry. The row is nil for an entry.
func (ses *session) lockHeld(ctx context.Context, verb string, key graph.Key) (*row, error) {
	was := ses.locked
	ses.locked = true
	live, err := ses.find(ctx, verb, key)
	ses.locked = was
	switch {
	case err == nil && live.object.UID == key.UID:
		return live, nil
	case err != nil && !errors.Is(err, graph.ErrNotFound) && !errors.Is(err, graph.ErrKindUnknown):
		return nil, err
	}
	n := 0
	if isPlainText(string(key.UID)) {
		err = ses.c.eachOf(ctx, ses.s.archiveText(`SELECT a.uid FROM {archive} a WHERE a.uid {list}{locked}`), []string{string(key.UID)}, nil, func(*sql.Rows) error { n++; return nil })
	}
	if n == 0 && (err == nil || errors.Is(err, graph.ErrNotFound) || errors.Is(err, graph.ErrKindUnknown)) {
		err = fmt.Errorf("%s %s: neither an object nor an entry: %w", verb, name(key), graph.ErrNotFound)
	}
	return nil, err
}

// EndHold takes a hold off (archive.Store). The finalizer of protection goes with the last one, if a hold has put
// it on.
//
// Errors: ErrNotFound without such a hold.
//
//test:by TestArchiveHolds
func (s *Store) EndHold(ctx context.Context, key graph.Key, by string) error {
	if s.conf.Archive == nil {
		return fmt.Errorf("end hold of %s: %w: %w", name(key), graph.ErrRefused, errNoArchive)
	}
	defer s.announce()
	err := s.transact(ctx, func(ses *session) error {
		return ses.endHold(ctx, key, func(h archive.Hold) bool { return h.By == by }, by)
	})
	return s.failed("end hold of", name(key), err)
}

// endHold takes the holds of an object off that are over.
func (ses *session) endHold(ctx context.Context, key graph.Key, over func(archive.Hold) bool, by string) error {
	const verb = "end hold of"
	live, err := ses.lockHeld(ctx, verb, key)
	if err != nil && !errors.Is(err, graph.ErrNotFound) {
		return err
	}
	all := map[graph.UID]held{}
	if isPlainText(string(key.UID)) {
		if all, err = ses.holdsOf(ctx, []string{string(key.UID)}); err != nil {
			return err
		}
	}
	had := all[key.UID]
	left := len(had.list)
	for _, h := range had.list {
		if over(h) {
			left--
			if _, err := ses.c.exec(ctx, ses.s.archiveText(`DELETE FROM {holds} WHERE uid = $1 AND holder = $2`), string(key.UID), h.By); err != nil {
				return err
			}
		}
	}
	switch {
	case left == len(had.list):
		return fmt.Errorf("%s %s: %.80q has none: %w", verb, name(key), by, graph.ErrNotFound)
	case left > 0 || live == nil || !had.protects || !live.object.HasFinalizer(graph.FinalizerProtect):
		return nil
	}
	_, err = ses.apply(ctx, verb, key, ses.s.patchRule(graph.Precondition{UID: key.UID}, graph.Change{DropFinalizer: graph.FinalizerProtect}))
	return err
}

// endHolds takes the holds off whose time is over, each object in a transaction of its own. An object that cannot lose its
// protection keeps its holds, and the others go on: no object may stop the expiry of all. Kept is the error of the first such one.
func (s *Store) endHolds(ctx context.Context) (kept, err error) {
	var list []graph.Key
	var now int64
	text := s.archiveText(`SELECT h.uid, min(h.kind), min(h.scope), min(h.name), {clock} FROM {holds} h WHERE h.until <> 0 AND h.until <= {clock} GROUP BY h.uid ORDER BY h.uid`)
	err = s.onOne(ctx, func(ses *session) error {
		list = nil
		if _, err := ses.c.checkTables(ctx); err != nil {
			return err
		}
		return ses.c.each(ctx, text, nil, func(rows *sql.Rows) error {
			var k graph.Key
			err := rows.Scan(&k.UID, &k.Kind, &k.Scope, &k.Name, &now)
			list = append(list, k)
			return err
		})
	})
	slices.SortFunc(list, func(a, b graph.Key) int { return cmp.Compare(a.UID, b.UID) })
	for _, k := range list {
		if err != nil {
			break
		}
		over := func(h archive.Hold) bool { return !h.Until.IsZero() && h.Until.UnixMicro() <= now }
		err = s.transact(ctx, func(ses *session) error { return ses.endHold(ctx, k, over, "") })
		switch refused := s.failed("end hold of", name(k), err); {
		case errors.Is(refused, graph.ErrRefused):
			kept, err = cmp.Or(kept, refused), nil
		case errors.Is(err, graph.ErrNotFound):
			err = nil // another call was first
		}
	}
	return kept, err
}
