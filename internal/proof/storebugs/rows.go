package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"golang.org/x/text/unicode/norm"
)

const columns = "kind, coalesce(scope, ''), name, uid, version, deleting, grace, generation, observed, owners, finalizers"

// find reads the live object at a place. Its errors tell three cases apart: a kind
// that is not served, a kind that is out of reach, and an absent object.
func (t *tx) find(verb string, key graph.Key) (graph.Object, error) {
	if err := t.serves(verb, key); err != nil {
		return graph.Object{}, err
	}
	where, args := t.s.place(key)
	var o graph.Object
	err := t.rows("SELECT "+columns+" FROM objects WHERE "+where+" LIMIT 1", args, func(scan func(...any) error) (err error) {
		o, err = t.s.scan(scan)
		return err
	})
	switch {
	case err != nil:
		return graph.Object{}, fmt.Errorf("%s %s: %w", verb, key, err)
	case o.UID == "":
		return graph.Object{}, missing(verb, key)
	}
	return o, nil
}

func (t *tx) serves(verb string, key graph.Key) error {
	var served bool
	var sick string
	err := t.row("SELECT served, sick FROM kinds WHERE kind = ?", []any{key.Kind}, &served, &sick)
	switch {
	case errors.Is(err, sql.ErrNoRows) || err == nil && !served:
		return fmt.Errorf("%s %s: %w", verb, key, graph.ErrKindUnknown)
	case err != nil:
		return fmt.Errorf("%s %s: %w", verb, key, err)
	case sick != "" && !t.s.has(SickIsEmpty):
		return fmt.Errorf("%s %s: kind is out of reach: %s", verb, key, sick)
	case sick != "":
		return missing(verb, key)
	}
	return nil
}

// place returns the condition on a place, and its arguments.
func (s *Store) place(key graph.Key) (string, []any) {
	key = s.spelled(key)
	switch s.bug {
	case JoinedKeys:
		return "kind || '/' || scope || '/' || name = ?", []any{string(key.Kind) + "/" + key.Scope + "/" + key.Name}
	case PatternNames:
		return "kind = ? AND scope = ? AND name LIKE ?", []any{key.Kind, key.Scope, key.Name}
	case EmptyIsNull:
		return "kind = ? AND scope IS NULLIF(?, '') AND name = ?", []any{key.Kind, key.Scope, key.Name}
	}
	return "kind = ? AND scope = ? AND name = ?", []any{key.Kind, key.Scope, key.Name}
}

// spelled returns the key as the store keeps it. A correct store keeps it
// unchanged.
func (s *Store) spelled(key graph.Key) graph.Key {
	switch s.bug {
	case NormalisedNames:
		key.Name = norm.NFC.String(key.Name)
	case NamesCutAtNUL:
		key.Name, _, _ = strings.Cut(key.Name, "\x00")
	case ShortNames:
		key.Name = key.Name[:min(len(key.Name), 63)]
	}
	return key
}

func (s *Store) scan(scan func(...any) error) (o graph.Object, err error) {
	var version int64
	var owners, finalizers string
	if err := scan(&o.Kind, &o.Scope, &o.Name, &o.UID, &version, &o.Deleting, &o.GraceSeconds, &o.Generation, &o.ObservedGeneration, &owners, &finalizers); err != nil {
		return o, err
	}
	o.Version = graph.Version(strconv.FormatInt(version, 10))
	return o, errors.Join(json.Unmarshal([]byte(owners), &o.Owners), json.Unmarshal([]byte(finalizers), &o.Finalizers))
}

// put stores an object under the number.
func (t *tx) put(o graph.Object, number int64) error {
	owners, err := json.Marshal(o.Owners)
	if err != nil {
		return err
	}
	finalizers, err := json.Marshal(o.Finalizers)
	if err != nil {
		return err
	}
	if err := t.drop(o.Key); err != nil {
		return err
	}
	key, scope := t.s.spelled(o.Key), any(o.Scope)
	if t.s.has(EmptyIsNull) && o.Scope == "" {
		scope = nil
	}
	return t.exec("INSERT INTO objects VALUES (?,?,?,?,?,?,?,?,?,?,?)", key.Kind, scope, key.Name, o.UID, number, o.Deleting,
		o.GraceSeconds, o.Generation, o.ObservedGeneration, string(owners), string(finalizers))
}

// stored returns the references as the store keeps them. A correct store keeps all,
// in their order.
func (s *Store) stored(owners []graph.Owner) []graph.Owner {
	switch {
	case s.has(CutOwners) && len(owners) > 100:
		return owners[:100]
	case s.has(OwnersByName):
		var out []graph.Owner
		seen := map[graph.Key]bool{}
		for _, r := range owners {
			if !seen[r.Place()] {
				out = append(out, r)
			}
			seen[r.Place()] = true
		}
		return out
	}
	return owners
}

func (t *tx) drop(key graph.Key) error {
	where, args := t.s.place(key)
	return t.exec("DELETE FROM objects WHERE "+where, args...)
}

// drawNumber draws the number of a change. The lock of the transaction gives the
// numbers the order of the commits.
func (t *tx) drawNumber() (int64, error) {
	if number := t.drawnBefore; number != 0 {
		t.drawnBefore = 0
		return number, nil
	}
	if t.s.has(NumbersPerProcess) {
		return t.s.memo.count(t)
	}
	err := t.row("UPDATE state SET seq = seq + 1 RETURNING seq", nil, &t.number)
	return t.number, err
}

// drawBeforehand draws a number in a transaction of its own, for
// NumbersBeforeCommit.
func (s *Store) drawBeforehand(ctx context.Context) (number int64, err error) {
	if !s.has(NumbersBeforeCommit) {
		return 0, nil
	}
	t, err := s.begin(ctx, "IMMEDIATE")
	if err != nil {
		return 0, err
	}
	defer t.close()
	if number, err = t.drawNumber(); err != nil {
		return 0, err
	}
	return number, t.commit()
}

// log appends a change.
func (t *tx) log(kind graph.EventType, of graph.Kind, body string) error {
	number, err := t.drawNumber()
	if err != nil {
		return err
	}
	return t.logAs(number, kind, of, body)
}

func (t *tx) logAs(number int64, what graph.EventType, of graph.Kind, body string) error {
	if t.s.has(ShortLog) {
		if err := t.exec("DELETE FROM changes WHERE seq <= ?", number-500); err != nil {
			return err
		}
	}
	return t.exec("INSERT INTO changes VALUES (?, ?, ?, ?)", number, what, of, body)
}
