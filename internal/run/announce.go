package run

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/ownergraph/ownergraph/internal/core/jsonread"
)

// announcedField is the field of a record that says that a collector has it: the time at which
// the first one began.
const announcedField = "announced"

// ErrUnannounced says that no collector has announced itself in a record.
var ErrUnannounced = errors.New("no collector has announced itself in it")

// Announced returns the time at which the first collector began that has the record. The error
// wraps ErrUnannounced without an announcement, and for one that cannot be read.
//
//test:by TestAnnounced
func (d Document) Announced() (at time.Time, err error) {
	field := d.Field(announcedField)
	if field == nil {
		return at, ErrUnannounced
	}
	var text string
	if err := jsonread.String(field, &text); err != nil {
		return at, fmt.Errorf("%w: %s: %w", ErrUnannounced, announcedField, err)
	}
	if at, err = time.Parse(time.RFC3339Nano, text); err != nil {
		return time.Time{}, fmt.Errorf("%w: %s: %.50q is no time", ErrUnannounced, announcedField, text)
	}
	return at, nil
}

// Announce returns the document with an announcement in place of any other one.
func (d Document) Announce(at time.Time) Document {
	return d.With(announcedField, strconv.AppendQuote(nil, at.UTC().Format(time.RFC3339)))
}
