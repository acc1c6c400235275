package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// kind is a row of the table of kinds.
type kind struct {
	info   graph.KindInfo
	served bool
	sick   string // the reason why it is out of reach, or ""
}

func (s *Store) readKinds(ctx context.Context) ([]kind, error) {
	t, err := s.begin(ctx, "DEFERRED")
	if err != nil {
		return nil, err
	}
	defer t.close()
	return t.kinds()
}

func (t *tx) kinds() (list []kind, err error) {
	err = t.rows("SELECT kind, scoped, no_owner, served, sick FROM kinds ORDER BY kind", nil, func(scan func(...any) error) error {
		var k kind
		err := scan(&k.info.Kind, &k.info.Scoped, &k.info.NoOwner, &k.served, &k.sick)
		list = append(list, k)
		return err
	})
	return list, err
}

// AddKind serves a kind, for the first time or again.
func (s *Store) AddKind(ctx context.Context, info graph.KindInfo) error {
	return s.change(ctx, "add kind", func(t *tx) error {
		if err := t.exec("INSERT INTO kinds VALUES (?, ?, ?, 1, '') ON CONFLICT DO UPDATE SET served = 1", info.Kind, info.Scoped, info.NoOwner); err != nil {
			return err
		}
		return t.log(graph.KindsKnown, info.Kind, "")
	})
}

// RemoveKind stops serving a kind. Its objects stay.
func (s *Store) RemoveKind(ctx context.Context, name graph.Kind) error {
	return s.change(ctx, "remove kind", func(t *tx) error {
		if err := t.exec("UPDATE kinds SET served = 0 WHERE kind = ?", name); err != nil {
			return err
		}
		return t.log(graph.KindsKnown, name, "")
	})
}

// Sicken takes a kind out of reach. With an empty reason it ends that.
func (s *Store) Sicken(ctx context.Context, name graph.Kind, reason string) error {
	return s.change(ctx, "sicken", func(t *tx) error {
		if err := t.exec("UPDATE kinds SET sick = ? WHERE kind = ?", reason, name); err != nil {
			return err
		}
		return t.log(graph.KindSick, name, "")
	})
}

// Compact deletes the log of changes. The fences have a log of their own, and stay.
func (s *Store) Compact(ctx context.Context) error {
	return s.change(ctx, "compact", func(t *tx) error {
		if err := t.forget(); err != nil {
			return err
		}
		if s.has(CompactionLosesFences) {
			return t.exec("DELETE FROM fences")
		}
		return nil
	})
}

// forget empties the log, and stores the number of the last deleted change.
func (t *tx) forget() error {
	if err := t.exec("DELETE FROM changes"); err != nil {
		return err
	}
	return t.exec("UPDATE state SET log_start = seq")
}

// Backup returns all stored objects.
func (s *Store) Backup(ctx context.Context) (list []graph.Object, number int64, err error) {
	t, err := s.begin(ctx, "DEFERRED")
	if err != nil {
		return nil, 0, err
	}
	defer t.close()
	if list, err = t.objects(""); err != nil {
		return nil, 0, err
	}
	return list, number, t.row("SELECT seq FROM state", nil, &number)
}

func (t *tx) objects(of graph.Kind) (list []graph.Object, err error) {
	query, args := "SELECT "+columns+" FROM objects ORDER BY kind, scope, name", []any{}
	if of != "" {
		query, args = "SELECT "+columns+" FROM objects WHERE kind = ? ORDER BY scope, name", []any{of}
		if t.s.has(ListingCut) {
			query += " LIMIT 1000"
		}
	}
	err = t.rows(query, args, func(scan func(...any) error) error {
		o, err := t.s.scan(scan)
		list = append(list, o)
		return err
	})
	return list, err
}

// Restore replaces all stored objects by a backup. Numbers do not go back, and
// every object gets a new version. The restore has an epoch, which all watches of
// all handles announce.
func (s *Store) Restore(ctx context.Context, list []graph.Object, number int64) error {
	return s.change(ctx, "restore", func(t *tx) error {
		if err := t.exec("DELETE FROM objects"); err != nil {
			return err
		}
		if s.has(VersionsGoBack) {
			if err := t.exec("UPDATE state SET seq = ?", number); err != nil {
				return err
			}
		}
		for _, o := range list {
			if err := t.restore(o); err != nil {
				return err
			}
		}
		if err := t.rewind(number); err != nil {
			return err
		}
		return t.forget()
	})
}

func (t *tx) restore(o graph.Object) error {
	if t.s.has(VersionsNotRaised) || t.s.has(VersionsGoBack) {
		version, err := strconv.ParseInt(string(o.Version), 10, 64)
		if err != nil {
			return fmt.Errorf("restore %s: %w", o.Key, err)
		}
		return t.put(o, version)
	}
	_, err := t.carryOut(finalizer.Outcome{Effect: finalizer.Stored, Object: o})
	return err
}

// rewind stores the epoch of the restore.
func (t *tx) rewind(number int64) error {
	epoch := rand.Text()
	switch t.s.bug {
	case SameEpoch:
		epoch = "restored"
	case EpochOfBackup:
		epoch = fmt.Sprintf("restored to change %d", number)
	case RewindUntold:
		return nil
	}
	if _, err := t.drawNumber(); err != nil {
		return err
	}
	return t.exec("UPDATE state SET epoch = ?, reason = ?", epoch, fmt.Sprintf("restored to change %d", number))
}
