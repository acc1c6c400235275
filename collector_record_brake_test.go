package ownergraph_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// recordedBraking is a brake with a record.
func recordedBraking(perCascade int) ownergraph.Config {
	cfg := braking(perCascade)
	cfg.Record = "gc"
	return cfg
}

func hour(n int) engine.BrakeApproval {
	return engine.BrakeApproval{Until: time.Now().Add(time.Hour), AtMost: n}
}

// decisions is a list of events, for OnDecision.
type decisions struct {
	mu   sync.Mutex
	list []string
}

func (d *decisions) note(x engine.DecisionEvent) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if x.Version == "" {
		d.list = append(d.list, fmt.Sprintf("%s %s %s", x.Key, x.Action, x.Reason.Code()))
	}
}

func (d *decisions) take() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := strings.Join(d.list, "; ")
	d.list = nil
	return out
}

// TestRecordedBrake: trips, approvals and refusals outlive their collector. A restart neither
// forgets a trip nor counts a cascade anew.
func TestRecordedBrake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newRecorded(t, crowd("a", 30)+"; "+crowd("b", 30)+"; "+crowd("c", 30)+"; "+crowd("d", 30))
		first := collectOn(t, s, s.tap, recordedBraking(10))
		first.idle()
		for _, name := range []string{"a", "b", "c", "d"} {
			s.delete(t, name, graph.Background)
		}
		first.idle()
		if err := first.ApproveCascade(t.Context(), keyOf(t, "a"), hour(40)); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(first.RefuseCascade(t.Context(), keyOf(t, "b"), engine.KeepHeld),
			first.ApproveCascade(t.Context(), keyOf(t, "d"), hour(25))); err != nil {
			t.Fatal(err)
		}
		first.idle()
		if n := first.count("delete"); n != 55 {
			t.Fatalf("%d deletes", n)
		}
		pass(time.Second) // the trip of d is written
		if err := first.stop(); err != nil {
			t.Fatal(err)
		}
		cfg := recordedBraking(29) // c alone would trip again, and d has 5 objects left
		var events decisions
		cfg.OnDecision = events.note
		second := collectOn(t, s, s.tap, cfg)
		if held := second.idle(); len(held) != 65 || s.count("delete") != 55 {
			t.Errorf("%d held, %d deletes", len(held), s.count("delete"))
		}
		if got := events.take(); got != "" {
			t.Errorf("the restart reports %q", got)
		}
		want := "[b/b: more than 29 objects, the limit is 29, refused: keep c/c: more than 29 objects, the limit is 29 " +
			"d/d: 0 deletes were approved and handed out, the limit is 29]"
		if got := fmt.Sprint(second.Braked(9)); got != want {
			t.Errorf("braked %s, want %s", got, want)
		}
		if n, err := second.ApproveBraked(t.Context(), hour(30)); n != 3 || err != nil {
			t.Errorf("approved %d, %v", n, err)
		}
		if held := second.idle(); len(held) != 0 {
			t.Errorf("%d held", len(held))
		}
	})
}

// TestTripBeforeRecord: a crash between a trip and its write loses the trip. The next collector
// counts the rest, as after a crash before the trip. So each collector deletes no more of a cascade
// than the limit, and none of a cascade that is still beyond it.
func TestTripBeforeRecord(t *testing.T) {
	for _, c := range []struct {
		first, later int // objects below the owner: at its end, and after the first deletes
		one, two     int // deletes until the crash, and in all
		reason       string
	}{
		{30, 0, 0, 0, "the count trips again"},
		{10, 5, 10, 15, "as many objects are left as the limit allows"},
		{10, 30, 10, 10, "more objects are left than the limit allows"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newRecorded(t, crowd("a", c.first))
			s.bendWrite(func(func() error) error { return errTest })
			r := collectOn(t, s, s.tap, recordedBraking(10))
			r.idle()
			a := keyOf(t, "a")
			stored, err := s.Get(t.Context(), a)
			if err != nil {
				t.Fatal(err)
			}
			s.delete(t, "a", graph.Background)
			r.idle()
			for i := range c.later {
				o := ownergraph.Object{Key: ownergraph.Key{Kind: "pod", Name: fmt.Sprint("later", i)}, Owners: []ownergraph.Owner{{Key: stored.Key}}}
				if _, err := s.Create(t.Context(), o); err != nil {
					t.Fatal(err)
				}
			}
			r.idle()
			if n, braked := s.count("delete"), r.Braked(9); n != c.one || len(braked) != 1 || s.text() != "" {
				t.Fatalf("%d deletes, braked %v, record %q: %s", n, braked, s.text(), c.reason)
			}
			if err := r.stop(); err != nil {
				t.Fatal(err)
			}
			s.bendWrite(nil)
			collectOn(t, s, s.tap, recordedBraking(10)).idle()
			if n := s.count("delete"); n != c.two {
				t.Errorf("%d deletes after the restart, want %d: %s", n, c.two, c.reason)
			}
		})
	}
}

// TestRecordedAnswerOfAnother: a collector that does not run answers by the record alone. The
// one that runs obeys within 10 s and reports the answer.
func TestRecordedAnswerOfAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newRecorded(t, crowd("a", 30)+"; "+crowd("b", 30))
		var events decisions
		cfg := recordedBraking(10)
		cfg.OnDecision = events.note
		r := collectOn(t, s, s.tap, cfg)
		r.idle()
		s.delete(t, "a", graph.Background)
		s.delete(t, "b", graph.Background)
		r.idle()
		pass(time.Second)
		if got := events.take(); got != "a wait Braked; b wait Braked" {
			t.Errorf("reported %q", got)
		}
		answers := func() *ownergraph.Collector {
			c, err := ownergraph.New(s, recordedBraking(10))
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		if err := answers().ApproveCascade(t.Context(), keyOf(t, "x"), hour(30)); !errors.Is(err, ownergraph.ErrNotFound) {
			t.Errorf("of an unknown cascade: %v", err)
		}
		if err := answers().ApproveCascade(t.Context(), keyOf(t, "a"), hour(30)); err != nil {
			t.Fatal(err)
		}
		if n, err := answers().RefuseBraked(t.Context(), engine.OrphanHeld); n != 1 || err != nil {
			t.Fatalf("refused %d, %v", n, err)
		}
		pass(12 * time.Second)
		r.idle()
		if n, m := s.count("delete"), s.count("patch"); n != 30 || m != 30 {
			t.Errorf("%d deletes, %d patches", n, m)
		}
		if got := events.take(); got != "a keep DeletionApproved; b orphan CascadeRefused" {
			t.Errorf("reported %q", got)
		}
		if x := r.Stats().Brake; x != (engine.BrakeStats{Trips: 2, Approvals: 1, Refusals: 1}) {
			t.Errorf("stats %+v", x)
		}
	})
}

// TestRecordedTogether: replicas that write the record at once keep the facts of each other,
// and a pause at the same time.
func TestRecordedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newRecorded(t, crowd("a", 30)+"; "+crowd("b", 30)+"; "+crowd("c", 30))
		var all []*rig
		for range 3 {
			all = append(all, collectOn(t, s, s.tap, recordedBraking(10)))
		}
		all[0].idle()
		s.bendWrite(func(do func() error) error { pass(time.Millisecond); return do() })
		for _, name := range []string{"a", "b", "c"} {
			s.delete(t, name, graph.Background)
		}
		pass(12 * time.Second)
		var done sync.WaitGroup
		for i, r := range all {
			done.Go(func() {
				if err := r.RefuseCascade(t.Context(), keyOf(t, string("abc"[i])), engine.KeepHeld); err != nil {
					t.Error(err)
				}
			})
		}
		done.Go(func() { all[0].pauses(engine.Extent{Kind: "pod"}) })
		done.Wait()
		pass(12 * time.Second)
		for i, r := range all {
			for _, b := range r.Braked(9) {
				if b.Refused != engine.KeepHeld {
					t.Errorf("replica %d: %s", i, b)
				}
			}
			if len(r.Braked(9)) != 3 || len(r.Paused()) != 1 {
				t.Errorf("replica %d: braked %v, paused %v", i, r.Braked(9), r.Paused())
			}
		}
		if n := s.count("delete"); n != 0 {
			t.Errorf("%d deletes", n)
		}
	})
}

// TestRecordedUnreadable: a record whose cascades are not understood pauses everything. An
// engine without a limit of cascades does not look at them.
func TestRecordedUnreadable(t *testing.T) {
	for _, c := range []struct {
		limit, left int
		reason      string
	}{
		{1, 1, "the trip of a cascade may be there"},
		{0, 0, "nothing can be braked"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newRecorded(t, crowd("a", 1))
			s.delete(t, "a", graph.Background)
			s.set(`{"version":1,"cascades":["?"]}`)
			r := collectOn(t, s, s.tap, recordedBraking(c.limit))
			held := r.idle()
			if len(held) != c.left || c.left > 0 && (held[0].Reason != policy.Paused || held[0].LastError != `read record "gc": malformed: cascades: [0]: found a string, want an object`) {
				t.Errorf("%s: held %+v", c.reason, held)
			}
		})
	}
}

// TestRecordedAnswerNotWritten: an answer that cannot be recorded is in force in its
// collector, and the record gets it later. The log names the error once.
func TestRecordedAnswerNotWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newRecorded(t, crowd("a", 30))
		s.bendWrite(func(func() error) error { return ownergraph.ErrRefused })
		var log journal
		cfg := recordedBraking(10)
		cfg.Logger = log.logger()
		r := collectOn(t, s, s.tap, cfg)
		r.idle()
		s.delete(t, "a", graph.Background)
		r.idle()
		pass(time.Hour)
		if got := log.lines("record cannot be written"); len(got) != 1 {
			t.Errorf("logged %q", got)
		}
		err := r.RefuseCascade(t.Context(), keyOf(t, "a"), engine.OrphanHeld)
		if want := `refuse cascade a: in force here, and not recorded: write record "gc": refused`; !errors.Is(err, ownergraph.ErrRefused) || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
		r.idle()
		if n := s.count("patch"); n != 30 {
			t.Errorf("%d patches", n)
		}
		s.bendWrite(nil)
		pass(time.Minute)
		if !strings.Contains(s.text(), `"state":"orphan"`) {
			t.Errorf("the record is %s", s.text())
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		s.bendRead(func(func() (ownergraph.Record, error)) (ownergraph.Record, error) {
			return ownergraph.Record{}, errTest
		})
		idle, err := ownergraph.New(s, recordedBraking(10))
		if err != nil {
			t.Fatal(err)
		}
		if err := idle.ApproveCascade(ctx, keyOf(t, "a"), hour(1)); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want the end of the context", err)
		}
		if _, err := idle.ApproveBraked(t.Context(), hour(1)); err == nil || !strings.Contains(err.Error(), errTest.Error()) {
			t.Errorf("error %v, want that the record is not read", err)
		}
	})
}

// TestRecordedBound: the record stays within its bound, and the log names each cascade that is
// held and left out. It has room for pauses, too.
func TestRecordedBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long := strings.Repeat("n", 900)
		objects := ""
		for i := range 20 {
			objects += crowd(fmt.Sprint("a/", i, "-", long), 3) + "; "
		}
		s := newRecorded(t, strings.TrimSuffix(objects, "; "))
		var log journal
		cfg := recordedBraking(1)
		cfg.Logger = log.logger()
		r := collectOn(t, s, s.tap, cfg)
		r.idle()
		for i := range 20 {
			s.delete(t, fmt.Sprint("a/", i, "-", long), graph.Background)
		}
		r.idle()
		pass(time.Minute)
		n := strings.Count(s.text(), `"tripped"`)
		if len(s.text()) > 33<<10 || n < 12 || n == 20 || len(log.lines("leaves out a cascade that is held")) != 20-n {
			t.Errorf("%d bytes with %d cascades, logged %d", len(s.text()), n, len(log.lines("leaves out")))
		}
		writes := s.text()
		pass(time.Hour)
		if s.text() != writes {
			t.Error("a full record is written again")
		}
		r.pauses(everything)
		if n := len(r.Braked(99)); n != 20 {
			t.Errorf("%d braked", n)
		}
	})
}
