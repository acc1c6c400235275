// Package recordcheck tells a command whether a collector has the record that its user names, so
// that no command answers "paused" where nothing pauses.
package recordcheck

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/internal/core/pause"
	"github.com/ownergraph/ownergraph/internal/run"
)

// readRecord reads a record. A record that no version of this package understands has no error
// here: the collector pauses everything then, and its own error says more.
func readRecord(ctx context.Context, store ownergraph.Store, name string) (d run.Document, sound bool, err error) {
	records, is := ownergraph.As[ownergraph.Records](store)
	if !is { // the collector refuses the store
		return d, false, nil
	}
	r, err := records.ReadRecord(ctx, name)
	if err != nil {
		return d, false, err
	}
	d, err = run.ReadDocument(r.Value)
	return d, err == nil, nil
}

// Announced returns an error for a record that no collector has, such as a misspelt one. The
// remedy says how the user goes on all the same.
//
//test:by TestCheckRecord
func Announced(ctx context.Context, store ownergraph.Store, name, remedy string) error {
	d, sound, err := readRecord(ctx, store, name)
	if errors.Is(err, ownergraph.ErrNotFound) {
		err, sound = nil, true
	}
	if err == nil && sound {
		_, err = d.Announced()
	}
	switch {
	case errors.Is(err, run.ErrUnannounced):
		return fmt.Errorf("record %q: %w. A collector announces itself when it begins: check the name. %s", name, err, remedy)
	case err != nil:
		return fmt.Errorf("read record %q: %w", name, err)
	}
	return nil
}

// Paused returns an error for a pause that the record does not have.
//
//test:by TestCheckRecord
func Paused(ctx context.Context, store ownergraph.Store, name string, x engine.Extent) error {
	d, sound, err := readRecord(ctx, store, name)
	switch {
	case errors.Is(err, ownergraph.ErrNotFound):
		return fmt.Errorf("record %q: there is no such record, so it has no pause", name)
	case err != nil:
		return fmt.Errorf("read record %q: %w", name, err)
	case !sound:
		return nil
	}
	var list []pause.Pause
	if field := d.Field("pauses"); field != nil {
		if list, err = pause.ReadList(field); err != nil {
			return nil // as for a record that is not sound
		}
	}
	var has []string
	for _, p := range list {
		has = append(has, p.What.String())
	}
	switch {
	case slices.ContainsFunc(list, func(p pause.Pause) bool { return p.What == pause.Extent(x) }):
		return nil
	case len(has) == 0:
		return fmt.Errorf("record %q: it has no pause of %s, and no other one", name, x)
	}
	return fmt.Errorf("record %q: it has no pause of %s. Its pauses: %s", name, x, strings.Join(has, ", "))
}

// unrecorded is the error of a command that could not write its record.
type unrecorded struct{ error }

// Unrecorded returns the error of a collector that does not run and ends with its command. The
// collector's own text says that a pause is in force in it, and so it stops nothing.
//
//test:by TestUnrecorded
func Unrecorded(err error) error {
	if err == nil {
		return nil
	}
	return unrecorded{err}
}

func (u unrecorded) Error() string {
	return strings.Replace(u.error.Error(), ": in force here, and not recorded: ", ": not recorded: ", 1)
}

func (u unrecorded) Unwrap() error { return u.error }
