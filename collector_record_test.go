package ownergraph_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/policy"
)

// A test bends the calls for a record.
type (
	readFunc  = func(do func() (ownergraph.Record, error)) (ownergraph.Record, error)
	writeFunc = func(do func() error) error
)

// recorded is a tapped store that keeps records, which a test can bend.
type recorded struct {
	*tap
	mu sync.Mutex
	// read and write, if set, stand in for a call. do makes it.
	read    readFunc
	write   writeFunc
	records map[string]ownergraph.Record
	n       int // versions so far
	reads   int
}

func newRecorded(t *testing.T, objects string) *recorded {
	return &recorded{tap: newTap(t, objects), records: map[string]ownergraph.Record{}}
}

func (s *recorded) ReadRecord(_ context.Context, name string) (ownergraph.Record, error) {
	do := func() (ownergraph.Record, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.reads++
		r, ok := s.records[name]
		if !ok {
			return r, ownergraph.ErrNotFound
		}
		return r, nil
	}
	s.mu.Lock()
	read := s.read
	s.mu.Unlock()
	if read != nil {
		return read(do)
	}
	return do()
}

func (s *recorded) WriteRecord(_ context.Context, name string, value []byte, version ownergraph.Version) (v ownergraph.Version, err error) {
	do := func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.records[name].Version != version {
			return ownergraph.ErrConflict
		}
		if v = version; bytes.Equal(value, s.records[name].Value) {
			return nil // as on an API server: the version stays
		}
		s.n++
		v = ownergraph.Version(fmt.Sprint(s.n))
		s.records[name] = ownergraph.Record{Value: value, Version: v}
		return nil
	}
	s.mu.Lock()
	write := s.write
	s.mu.Unlock()
	if write != nil {
		err = write(do)
		return v, err
	}
	err = do()
	return v, err
}

func (s *recorded) bendRead(read readFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read = read
}

func (s *recorded) bendWrite(write writeFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.write = write
}

// readsSoFar returns the number of reads.
func (s *recorded) readsSoFar() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reads
}

// set writes the record as a user.
func (s *recorded) set(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	s.records["gc"] = ownergraph.Record{Value: []byte(text), Version: ownergraph.Version(fmt.Sprint(s.n))}
}

func (s *recorded) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.records["gc"].Value)
}

var withRecord = ownergraph.Config{Record: "gc"}

// TestRecordNeedsThePower: a Config that asks for a record needs a store that keeps one.
func TestRecordNeedsThePower(t *testing.T) {
	_, err := ownergraph.New(plain{newTap(t, "")}, withRecord)
	if want := "configure collector: Record: the store has no Records: invalid"; !errors.Is(err, ownergraph.ErrInvalid) || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if _, err := ownergraph.New(newRecorded(t, ""), withRecord); err != nil {
		t.Error(err)
	}
}

// TestRecordSurvivesACrash: a pause outlives its collector, so a new one is paused before its
// first write. Without a record, or without the pause in it, nothing is paused.
func TestRecordSurvivesACrash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newRecorded(t, "a; b -> a; c/x/1 -> a")
		first := collectOn(t, s, s.tap, withRecord)
		first.idle()
		x := first.pauses(engine.Extent{Kind: "b"})
		if !x.Recorded {
			t.Errorf("the report is %+v, want a recorded pause", x)
		}
		if err := first.stop(); err != nil {
			t.Fatal(err)
		}
		s.delete(t, "a", ownergraph.Background)
		second := collectOn(t, s, s.tap, withRecord)
		if got := lines(second.idle()); got != "b: the engine is paused (kind b)" {
			t.Errorf("held:\n%s", got)
		}
		if x := second.Paused(); len(x) != 1 || !x[0].Recorded || x[0].Unread != "" {
			t.Errorf("paused: %+v", x)
		}
		s.contains(t, "b -> a")
		second.resumes(engine.Extent{Kind: "b"})
		second.idle()
		s.contains(t, "")
		if got, want := s.text(), `{"announced":"2000-01-01T00:00:00Z","pauses":[],"version":1,"writes":3}`; got != want {
			t.Errorf("the record is %s, want %s", got, want)
		}
	})
}

// TestRecordFirst: no write goes out before the first read of the record has succeeded, not
// even while it hangs.
func TestRecordFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newRecorded(t, "a; b -> a")
		s.delete(t, "a", ownergraph.Background)
		open := make(chan struct{})
		s.bendRead(func(do func() (ownergraph.Record, error)) (ownergraph.Record, error) {
			<-open
			return do()
		})
		r := collectOn(t, s, s.tap, withRecord)
		pass(time.Hour)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := r.WaitIdle(ctx); err == nil || !strings.Contains(err.Error(), "record not read") {
			t.Errorf("error %v, want that the record is not read", err)
		}
		s.contains(t, "b -> a")
		close(open)
		r.idle()
		s.contains(t, "")
	})
}

// TestRecordUnreadable: only ErrNotFound means that nothing is paused. After every other
// error, and with a malformed record, everything stays paused, and the report has the cause.
func TestRecordUnreadable(t *testing.T) {
	for _, c := range []struct {
		reason string
		err    error
		text   string
		why    string
	}{
		{"there is no record", ownergraph.ErrNotFound, "", ""},
		{"the record has other fields alone", nil, `{"version":1,"cascades":[]}`, ""},
		{"the store does not answer", errTest, "", `read record "gc": made by the test`},
		{"the store refuses the read", ownergraph.ErrRefused, "", `read record "gc": refused`},
		{"it is no JSON", nil, `paused`, `read record "gc": malformed: text: invalid character 'p' looking for beginning of value`},
		{"it is of another version", nil, `{"version":9}`, `read record "gc": malformed: version: found "9", want 1`},
		{"a pause is not understood", nil, `{"version":1,"pauses":[{"names":["a"]}]}`, `read record "gc": malformed: pauses: [0]."names": unknown field`},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newRecorded(t, "a; b -> a")
			s.delete(t, "a", ownergraph.Background)
			s.bendRead(func(func() (ownergraph.Record, error)) (ownergraph.Record, error) {
				return ownergraph.Record{Value: []byte(c.text), Version: "1"}, c.err
			})
			var log journal
			cfg := withRecord
			cfg.Logger = log.logger()
			r := collectOn(t, s, s.tap, cfg)
			held := r.idle()
			if c.why == "" {
				if s.contains(t, ""); len(held)+len(r.Paused()) > 0 {
					t.Errorf("%s: held %s", c.reason, lines(held))
				}
				return
			}
			s.contains(t, "b -> a")
			if len(held) != 1 || held[0].Reason != policy.Paused || held[0].LastError != c.why {
				t.Errorf("%s: held %+v, want %s", c.reason, held, c.why)
			}
			pass(time.Hour)
			if x := r.Paused(); len(x) != 1 || r.Stats().Pauses != 1 || x[0].Unread != c.why || x[0].What != everything || len(log.lines("record cannot be read")) != 1 || len(log.lines("msg=paused")) != 1 {
				t.Errorf("%s: paused %+v, and the log has\n%s", c.reason, x, log.lines(""))
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if err := r.Resume(ctx, everything); err == nil || c.err == nil && !strings.Contains(err.Error(), "malformed") {
				t.Errorf("%s: resume: error %v", c.reason, err)
			}
			s.bendRead(nil) // the user corrects it
			pass(time.Minute)
			r.idle()
			s.contains(t, "")
		})
	}
}

// TestRecordRetried: failed reads go on with backoff, and an idle collector reads every 10 s
// at most.
func TestRecordRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newRecorded(t, "")
		var fails atomic.Bool
		fails.Store(true)
		s.bendRead(func(do func() (ownergraph.Record, error)) (ownergraph.Record, error) {
			r, err := do()
			if fails.Load() {
				return r, errTest
			}
			return r, err
		})
		r := collectOn(t, s, s.tap, withRecord)
		pass(time.Minute)
		synctest.Wait()
		if n := s.readsSoFar(); n < 6 || n > 25 {
			t.Errorf("%d reads that failed within a minute, want 6 to 25", n)
		}
		fails.Store(false)
		pass(20 * time.Second)
		if len(r.Paused()) > 0 {
			t.Errorf("paused: %+v", r.Paused())
		}
		synctest.Wait()
		before := s.readsSoFar()
		fails.Store(true) // a known record that fails later changes nothing
		pass(time.Minute)
		fails.Store(false)
		pass(time.Minute)
		synctest.Wait()
		if n := s.readsSoFar() - before; n < 12 || n > 60 || len(r.Paused()) > 0 {
			t.Errorf("%d reads in two minutes, paused %v", n, r.Paused())
		}
	})
}

// TestRecordTogether: replicas that pause and resume at once keep the changes of the
// others, and every replica obeys within 10 s. Unknown fields stay.
func TestRecordTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newRecorded(t, "a; b/x/1 -> a; b/y/1 -> a; b/z/1 -> a")
		s.set(`{"version":1,"cascades":["kept"]}`)
		s.bendWrite(func(do func() error) error { pass(time.Millisecond); return do() })
		var all []*rig
		for range 3 {
			all = append(all, collectOn(t, s, s.tap, withRecord))
		}
		var done sync.WaitGroup
		for i, r := range all {
			done.Go(func() { r.pauses(engine.Extent{InScope: true, Scope: string("xyz"[i])}) })
		}
		done.Wait()
		pass(12 * time.Second)
		for i, r := range all {
			if x := r.Paused(); len(x) != 3 || r.Stats().Pauses != 3 || !x[0].Recorded || !x[1].Recorded || !x[2].Recorded {
				t.Errorf("replica %d: paused %+v, want the three pauses", i, x)
			}
		}
		s.delete(t, "a", ownergraph.Background)
		for _, r := range all {
			r.idle()
		}
		s.contains(t, "b/x/1 -> a; b/y/1 -> a; b/z/1 -> a")
		all[0].resumes(engine.Extent{InScope: true, Scope: "y"})
		pass(12 * time.Second)
		s.contains(t, "b/x/1 -> a; b/z/1 -> a")
		for i, scope := range []string{"x", "z"} {
			done.Go(func() { all[i].resumes(engine.Extent{InScope: true, Scope: scope}) })
		}
		done.Wait()
		pass(12 * time.Second)
		s.contains(t, "")
		if got, want := s.text(), `{"announced":"2000-01-01T00:00:00Z","cascades":["kept"],"pauses":[],"version":1,"writes":7}`; got != want {
			t.Errorf("the record is %s, want %s", got, want)
		}
	})
}

// TestRecordLateWrite: the write of a Resume that had no answer and comes late does not end a
// later pause, although that pause was in the record already.
func TestRecordLateWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newRecorded(t, "a; b -> a")
		r := collectOn(t, s, s.tap, withRecord)
		r.idle()
		r.pauses(everything)
		var late []func() error
		s.bendWrite(func(do func() error) error { late = append(late, do); return errTest })
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := r.Resume(ctx, everything); err == nil || len(r.Paused()) != 1 {
			t.Fatalf("error %v, paused %v, want that the pause stays", err, r.Paused())
		}
		s.bendWrite(nil)
		r.pauses(everything)
		for _, do := range late {
			if err := do(); !errors.Is(err, ownergraph.ErrConflict) {
				t.Errorf("a late write: error %v, want a conflict", err)
			}
		}
		pass(time.Minute)
		if x := r.Paused(); len(x) != 1 {
			t.Errorf("paused %v, want everything", x)
		}
	})
}

// TestRecordNotWritten: a pause that cannot be recorded is in force in its collector, and
// stays so while the record is read without it.
func TestRecordNotWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newRecorded(t, "a; b -> a")
		s.bendWrite(func(func() error) error { return ownergraph.ErrRefused })
		r := collectOn(t, s, s.tap, withRecord)
		r.idle()
		x, err := r.Pause(t.Context(), everything)
		if want := `pause everything: in force here, and not recorded: write record "gc": refused`; !errors.Is(err, ownergraph.ErrRefused) || err.Error() != want || x.Recorded {
			t.Errorf("error %v, report %+v, want %s", err, x, want)
		}
		s.delete(t, "a", ownergraph.Background)
		pass(time.Hour)
		s.contains(t, "b -> a")
		s.bendWrite(nil)
		r.resumes(everything)
		r.idle()
		s.contains(t, "")
	})
}

// TestRecordReadBeforeWrite: a read that began before a pause was recorded, and that ends
// after it, does not end the pause.
func TestRecordReadBeforeWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newRecorded(t, "")
		r := collectOn(t, s, s.tap, withRecord)
		r.idle()
		var slow atomic.Bool
		s.bendRead(func(do func() (ownergraph.Record, error)) (ownergraph.Record, error) {
			x, err := do()
			if slow.Load() {
				pass(5 * time.Second)
			}
			return x, err
		})
		for range 20 {
			slow.Store(true)
			pass(7 * time.Second) // a read may be under way
			r.pauses(everything)
			for range 10 {
				pass(time.Second)
				if len(r.Paused()) != 1 {
					t.Fatalf("paused %v, want everything", r.Paused())
				}
			}
			r.resumes(everything)
		}
	})
}

// TestRecordMalformedLater: a record that becomes malformed pauses everything, and so does
// nothing that merely fails.
func TestRecordMalformedLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newRecorded(t, "a; b -> a")
		r := collectOn(t, s, s.tap, withRecord)
		r.idle()
		s.set(`{"version":1,"pauses":"all"}`)
		pass(12 * time.Second)
		x := r.Paused()
		if len(x) != 1 || !strings.Contains(x[0].Unread, "malformed: pauses: found a string, want an array") {
			t.Errorf("paused %+v, want everything", x)
		}
		s.delete(t, "a", ownergraph.Background)
		r.idle()
		s.contains(t, "b -> a")
		if _, err := r.Pause(t.Context(), everything); err == nil || !strings.Contains(err.Error(), "malformed") {
			t.Errorf("error %v, want that the record is malformed", err)
		}
		s.set(`{"version":1}`)
		r.resumes(everything)
		r.idle()
		s.contains(t, "")
	})
}

// TestRecordPanics: a store that panics in a read fails that read. A read that hangs over
// the end of Run is named.
func TestRecordPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newRecorded(t, "a; b -> a")
		hang := make(chan struct{})
		defer close(hang)
		var panics atomic.Bool
		panics.Store(true)
		s.bendRead(func(do func() (ownergraph.Record, error)) (ownergraph.Record, error) {
			if panics.Load() {
				panic("no")
			}
			<-hang
			return do()
		})
		r := collectOn(t, s, s.tap, withRecord)
		r.idle()
		if x := r.Paused(); len(x) != 1 || x[0].Unread != `read record "gc": panic: no` {
			t.Errorf("paused %+v", x)
		}
		panics.Store(false)
		pass(time.Minute)
		if err := r.stop(); !errors.Is(err, ownergraph.ErrStuck) || !strings.Contains(err.Error(), "record") {
			t.Errorf("error %v, want the record's call", err)
		}
	})
}
