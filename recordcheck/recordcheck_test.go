package recordcheck

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/engine"
)

// oneRecord is a store with one record. A text that is "" is no record.
type oneRecord struct {
	ownergraph.Store
	text string
	err  error
}

func (s oneRecord) ReadRecord(context.Context, string) (ownergraph.Record, error) {
	if s.err == nil && s.text == "" {
		return ownergraph.Record{}, ownergraph.ErrNotFound
	}
	return ownergraph.Record{Value: []byte(s.text), Version: "1"}, s.err
}

func (oneRecord) WriteRecord(context.Context, string, []byte, ownergraph.Version) (ownergraph.Version, error) {
	return "", errors.New("a check writes nothing")
}

// TestCheckRecord: a record that no collector has and a pause that a record lacks are named, with
// the way to go on. A malformed record is left to the collector, which pauses everything.
func TestCheckRecord(t *testing.T) {
	const sound = `{"version":1,"announced":"2026-01-02T03:04:05Z","pauses":[{"kind":"team"},{"scope":""}]}`
	for _, c := range []struct {
		text              string
		err               error
		announced, paused string
		reason            string
	}{
		{sound, nil, "", "", "a record of a collector, with the pause"},
		{"", nil, "no collector has announced itself in it. A collector announces itself when it begins: check the name. Go on.", "there is no such record", "a misspelt name"},
		{`{"version":1,"pauses":[{"all":true},{"scope":"s"}]}`, nil, "no collector has announced itself in it. ", "it has no pause of kind team. Its pauses: everything, scope s", "the collector has crashed before its announcement"},
		{`{"version":1,"announced":7}`, nil, "announced: found a number, want a string. A collector", "it has no pause of kind team, and no other one", "a malformed announcement"},
		{`{"version":2}`, nil, "", "", "a malformed record"},
		{`{"version":1,"announced":"2026-01-02T03:04:05Z","pauses":7}`, nil, "", "", "malformed pauses"},
		{"", errors.New("down"), `read record "app": down`, `read record "app": down`, "a store that does not answer"},
	} {
		s := oneRecord{text: c.text, err: c.err}
		check := func(what string, err error, want string) {
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %s: error %v, want %q", c.reason, what, err, want)
			}
		}
		check("announced", Announced(t.Context(), s, "app", "Go on."), c.announced)
		check("paused", Paused(t.Context(), s, "app", engine.Extent{Kind: "team"}), c.paused)
	}
	if err := Announced(t.Context(), struct{ ownergraph.Store }{}, "app", ""); err != nil {
		t.Errorf("a store without records: %v", err)
	}
}

// TestUnrecorded: a pause that is not in the record stops nothing once its command has ended. The
// error names the cause of the last try, also if the time of the command ends.
func TestUnrecorded(t *testing.T) {
	for _, c := range []struct {
		refused error
		want    string
	}{
		{ownergraph.ErrRefused, `pause everything: not recorded: write record "gc": refused`},
		{errors.New("disk full"), `pause everything: not recorded: context deadline exceeded; last error: write record "gc": disk full`},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, want := c.refused, c.want
			store, err := memory.New(memory.Config{})
			if err != nil {
				t.Fatal(err)
			}
			collector, err := ownergraph.New(unwritable{store, c}, ownergraph.Config{ObserveOnly: true, Record: "gc"})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			_, err = collector.Pause(ctx, engine.Extent{All: true})
			if err = Unrecorded(err); err == nil || err.Error() != want || errors.Is(err, ownergraph.ErrRefused) != (c == ownergraph.ErrRefused) {
				t.Errorf("error %v, want %s", err, want)
			}
		})
	}
	if err := Unrecorded(nil); err != nil {
		t.Error(err)
	}
}

// unwritable is a store whose records cannot be written. A write takes a time, so that a context may
// end within it.
type unwritable struct {
	*memory.Store
	err error
}

func (u unwritable) WriteRecord(ctx context.Context, _ string, _ []byte, _ ownergraph.Version) (ownergraph.Version, error) {
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case <-time.After(7 * time.Second):
		return "", u.err
	}
}
