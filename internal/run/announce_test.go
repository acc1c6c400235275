package run

import (
	"errors"
	"testing"
	"time"
)

// TestAnnounced: a record without a sound announcement is of no collector, and a new one takes the
// place of a malformed one.
func TestAnnounced(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	const none = "no collector has announced itself in it"
	for _, c := range []struct{ text, want, reason string }{
		{`{"version":1,"announced":"2026-01-02T03:04:05Z"}`, "", "a collector has begun"},
		{`{"version":1,"announced":"2026-01-02T05:04:05+02:00","pauses":[1]}`, "", "another zone of time"},
		{`{"version":1}`, none, "no announcement"},
		{`{"version":1,"announced":null}`, none + ": announced: found null, want a string", "null is no time"},
		{`{"version":1,"announced":{"at":1}}`, none + ": announced: found an object, want a string", "another form"},
		{`{"version":1,"announced":"soon"}`, none + `: announced: "soon" is no time`, "a word"},
	} {
		d, err := ReadDocument([]byte(c.text))
		if err != nil {
			t.Fatalf("%s: %v", c.reason, err)
		}
		got, err := d.Announced()
		switch {
		case c.want == "" && (err != nil || !got.Equal(at)):
			t.Errorf("%s: %v, %v", c.reason, got, err)
		case c.want != "" && (err == nil || err.Error() != c.want || !errors.Is(err, ErrUnannounced) || !got.IsZero()):
			t.Errorf("%s: %v, %v, want %s", c.reason, got, err, c.want)
		}
		if got, err := d.Announce(at).Announced(); err != nil || !got.Equal(at) {
			t.Errorf("%s: announced anew: %v, %v", c.reason, got, err)
		}
	}
}
