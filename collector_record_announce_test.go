package ownergraph_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
)

// TestRecordAnnounced: a collector that writes announces itself in its record once, and keeps
// everything else of the record. A malformed announcement is replaced, and pauses nothing.
func TestRecordAnnounced(t *testing.T) {
	const now = `"announced":"2000-01-01T00:00:00Z"`
	for _, c := range []struct {
		was, want string
		cfg       ownergraph.Config
		reason    string
	}{
		{"", `{` + now + `,"pauses":[],"version":1,"writes":1}`, withRecord, "the first collector of a record"},
		{`{"version":1,"pauses":[{"kind":"x"}],"other":1}`, `{` + now + `,"other":1,"pauses":[{"kind":"x"}],"version":1,"writes":1}`, withRecord,
			"a user has paused before the first start"},
		{`{"version":1,"announced":"1999-01-01T00:00:00Z"}`, `{"version":1,"announced":"1999-01-01T00:00:00Z"}`, withRecord, "another collector, which may have stopped"},
		{`{"version":1,"announced":[]}`, `{` + now + `,"pauses":[],"version":1,"writes":1}`, withRecord, "a malformed announcement"},
		{"", "", ownergraph.Config{Record: "gc", ObserveOnly: true}, "a collector that only observes has nothing to pause"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newRecorded(t, "a; b -> a")
			if c.was != "" {
				s.set(c.was)
			}
			r := collectOn(t, s, s.tap, c.cfg)
			r.idle()
			pass(time.Hour)
			if got := s.text(); got != c.want {
				t.Errorf("%s: the record is %s, want %s", c.reason, got, c.want)
			}
			if x := r.Paused(); len(x) > 0 && x[0].Unread != "" {
				t.Errorf("%s: paused: %+v", c.reason, x)
			}
		})
	}
}

// TestRecordAnnouncementRefused: a collector that may not write its record tries it once, and
// works. After an error that may pass it tries again, also when the write was done all the same,
// as before a crash.
func TestRecordAnnouncementRefused(t *testing.T) {
	for _, c := range []struct {
		err           error
		done          bool
		tries         int
		reason, state string
	}{
		{ownergraph.ErrRefused, false, 1, "no right to write", ""},
		{errTest, false, 3, "an error that passes", "announced"},
		{errTest, true, 1, "a write without an answer", "announced"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s, tries := newRecorded(t, "a; b -> a"), 0
			s.bendWrite(func(do func() error) error {
				if tries++; tries == 3 {
					return do()
				}
				if c.done {
					_ = do()
				}
				return fmt.Errorf("write: %w", c.err)
			})
			r := collectOn(t, s, s.tap, withRecord)
			r.idle()
			pass(time.Hour)
			s.delete(t, "a", ownergraph.Background)
			r.idle()
			s.contains(t, "")
			if got := s.text() != ""; tries != c.tries || got != (c.state != "") {
				t.Errorf("%s: %d tries, want %d; the record is %q", c.reason, tries, c.tries, s.text())
			}
		})
	}
}
