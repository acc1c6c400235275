package sqlstore

import (
	"context"
	"database/sql"

	"github.com/ownergraph/ownergraph/graph"
)

// anchor is a change that a watch has read. Its mark is random, so another history has
// another mark at its place. The zero anchor is none.
type anchor struct {
	at   position
	mark int64
}

// change is one row of the log.
type change struct {
	at   position
	mark int64
	what int
	kind int64
	key  graph.Key // without the kind
	body []byte
}

// look is the result of one look at the log. One statement reads it. On Postgres another one reads
// the bound before: see postgres_bound.go.
type look struct {
	stamp         int64 // of the kinds
	start         int64 // of the server
	system        int64 // the system identifier of the server, 0 if it is unknown
	epoch, reason string
	floor         int64    // changes below are deleted
	moment        position // every change below it is committed, and was there to read
	present       position // above each change that is committed
	writer        writer   // for which the moment waits
	beyond        bool     // there are changes that are not below moment
	ahead         bool     // there are changes above the present: they are of another server
	anchored      bool     // the anchor is there, with its mark
	tip           anchor   // the last change below moment
	changes       []change
}

// isBroken reports whether the history of a reader is not the history of the database. The
// reader knows the changes below next, and the anchor was one of them.
func (l *look) isBroken(next position, a anchor) bool {
	kept := l.floor <= a.at.pos
	return l.ahead || l.present.compare(next) < 0 || kept && a != (anchor{}) && !l.anchored
}

func (t *sqliteTables) look(ctx context.Context, c *conn, from position, a anchor, limit int) (*look, error) {
	l := &look{stamp: stampNone}
	err := c.each(ctx, t.text["look"], []any{a.at.pos, from.pos, limit}, func(rows *sql.Rows) error {
		var moment, anchored, tip, pos, mark, what, kind sql.NullInt64
		var uid, scope, name sql.NullString
		var body []byte
		if err := rows.Scan(&l.stamp, &l.epoch, &l.reason, &l.floor, &moment, &anchored, &tip, &pos, &mark, &what, &kind, &uid, &scope, &name, &body); err != nil {
			return err
		}
		l.moment.pos, l.present.pos, l.ahead = moment.Int64, moment.Int64, !moment.Valid // an emptied log is another history
		l.tip = anchor{position{pos: moment.Int64 - 1}, tip.Int64}
		l.anchored = anchored.Valid && anchored.Int64 == a.mark
		if pos.Valid {
			l.changes = append(l.changes, change{position{pos: pos.Int64}, mark.Int64, int(what.Int64), kind.Int64,
				graph.Key{Scope: scope.String, Name: name.String, UID: graph.UID(uid.String)}, body})
		}
		return nil
	})
	if err == nil {
		err = checkStamp(l.stamp)
	}
	return l, err
}

// furthest is the furthest look of a store. It stays in the process, so that a restore of
// the database cannot take it back.
type furthest struct {
	next   position
	anchor anchor
}

// remember keeps the furthest look of all watches.
func (s *Store) remember(next position, a anchor) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if next.compare(s.seen.next) > 0 {
		s.seen = furthest{next, a}
	}
}

func (s *Store) remembered() furthest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen
}

// lookAt looks at the log.
func (s *Store) lookAt(ctx context.Context, from position, a anchor) (l *look, err error) {
	err = s.onOne(ctx, func(ses *session) (err error) { // a look has two statements on Postgres
		l, err = s.tables.look(ctx, &ses.c, from, a, maxChanges)
		return err
	})
	return l, err
}
