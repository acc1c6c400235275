package ownergraph

import (
	"context"
	"errors"
	"time"
)

// A collector that writes announces itself in its record, when it begins. So a command can tell
// the record of a program from a misspelt one. The announcement stays after the collector, since
// a pause binds the next one, too. No decision rests on it.

// wantsAnnouncement reports whether this collector has to announce itself in a record. A malformed
// announcement counts as none.
func (c *Collector) wantsAnnouncement(x *content) bool {
	if c.cfg.ObserveOnly || c.record.unannounced {
		return false
	}
	_, err := x.document.Announced()
	return err != nil
}

// announce writes the record with the announcement, and with what the brake has for it. A store
// that refuses the write is not asked again: the record then binds the collector all the same.
//
// Held by TestRecordAnnounced and TestRecordAnnouncementRefused.
func (c *Collector) announce(ctx context.Context, found *content) error {
	found.document = found.document.Announce(time.Now())
	err := c.noteUnwritten(c.writeRecord(ctx, found, found.pauses))
	if errors.Is(err, ErrRefused) || errors.Is(err, ErrInvalid) {
		c.record.unannounced = true
		return nil
	}
	return err
}
