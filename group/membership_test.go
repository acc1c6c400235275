package group_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/group"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/share"
)

// A renewal and a lease of the default Config.
const (
	renewal = group.DefaultRenew
	lease   = group.DefaultLease
)

// TestRunJoinsWhenSynced: a collector becomes a member when every kind is listed, and not before.
// The order of the two starts does not count.
func TestRunJoinsWhenSynced(t *testing.T) {
	for _, c := range []struct {
		first  bool
		reason string
	}{
		{true, "the membership begins first"},
		{false, "the collector begins first"},
	} {
		synctest.Test(t, func(t *testing.T) {
			store, co := newStore(t), &leases{}
			listed := make(chan struct{})
			store.setWatch(func(ctx context.Context) error {
				select {
				case <-listed:
				case <-ctx.Done():
				}
				return ctx.Err()
			})
			r := newRig(t, store, co, group.Config{Name: "a"})
			if c.first {
				runs(t, r.Run)
				r.expect(time.Hour, group.StateOut, share.None(), "the collector does not run")
				if s := r.Status(); s.Reason != "Run has not begun" || s.Gap != share.All() {
					t.Errorf("%v, gap %v: want the reason and the gap", s, s.Gap)
				}
				runs(t, r.c.Run)
			} else {
				runs(t, r.c.Run)
				runs(t, r.Run)
			}
			r.expect(time.Hour, group.StateOut, share.None(), c.reason)
			if n := co.count(""); n > 0 {
				t.Errorf("%s: %d calls of the coordinator before the listing, want none", c.reason, n)
			}
			close(listed)
			r.expect(group.MaxLook, group.StateMember, share.All(), c.reason)
			r.expect(time.Hour, group.StateMember, share.All(), "it renews")
		})
	}
}

// TestTwoMembers: two members divide the UIDs. The second one takes all after the first has left,
// and at the end of the lease after the first has crashed.
func TestTwoMembers(t *testing.T) {
	for _, c := range []struct {
		leave  func(context.Context) error
		before time.Duration // the first one's set has no member
		reason string
	}{
		{nil, renewal, "the first member leaves"},
		{failing, lease + renewal, "the first member crashes: it cannot leave"},
	} {
		synctest.Test(t, func(t *testing.T) {
			store, co := newStore(t), &leases{leave: c.leave}
			first, second := newRig(t, store, co, group.Config{Name: "a"}).start(), newRig(t, store, co, group.Config{Name: "b"}).start()
			of := func(name string) share.Set {
				set, err := share.Of(name, []string{"a", "b"})
				if err != nil {
					t.Fatal(err)
				}
				return set
			}
			first.expect(2*renewal, group.StateMember, of("a"), "two members")
			second.expect(0, group.StateMember, of("b"), "two members")
			if err := first.stop(); err != nil {
				t.Errorf("%s: %v", c.reason, err)
			}
			first.expect(0, group.StateOut, share.None(), c.reason)
			second.expect(c.before, group.StateMember, share.All(), c.reason)
		})
	}
}

// TestCoordinatorFails: a member keeps its set until the lease ends, while its renewals fail or
// hang. No renewal goes on past the end. The member comes back with the coordinator.
func TestCoordinatorFails(t *testing.T) {
	for _, c := range []struct {
		renew  func(context.Context) error
		reason string
	}{
		{failing, "the coordinator is away"},
		{hanging, "the coordinator hangs until its context ends"},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, newStore(t), &leases{}, group.Config{Name: "a"}).start()
			r.expect(0, group.StateMember, share.All(), "the coordinator works")
			r.co.hold(c.renew, nil)
			r.expect(lease-1, group.StateMember, share.All(), c.reason+": the lease is in force")
			r.expect(1, group.StateLost, share.None(), c.reason+": the lease has ended")
			r.expect(time.Hour, group.StateLost, share.None(), c.reason)
			if s := r.Status(); s.Err == nil || s.Reason != s.Err.Error() || s.Gap != share.All() {
				t.Errorf("%s: %v, error %v, gap %v: want the error, and a gap of all", c.reason, s, s.Err, s.Gap)
			}
			r.co.hold(nil, nil)
			r.expect(lease+renewal, group.StateMember, share.All(), c.reason+" no longer")
		})
	}
}

// TestAnswersLost: the renewals of a member take effect, and their answers are lost. It has no share, and
// so the other member has all of it for most of the time.
func TestAnswersLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		co := &leases{}
		a := newRig(t, newStore(t), co, group.Config{Name: "a"}).start()
		b := newRig(t, newStore(t), co, group.Config{Name: "b"}).start()
		<-time.After(time.Minute)
		synctest.Wait()
		co.lose("a")
		<-time.After(time.Minute)
		whole, seconds := 0, 600
		for range seconds {
			<-time.After(time.Second)
			synctest.Wait()
			if w := a.writes(); w != share.None() {
				t.Fatalf("a member without an answer writes to %v", w)
			}
			if b.writes() == share.All() {
				whole++
			}
		}
		if whole < seconds/2 {
			t.Errorf("the other member has all for %d of %d s, want more than the half", whole, seconds)
		}
		co.lose("")
		<-time.After(time.Minute)
		synctest.Wait()
		if v, w := a.writes(), b.writes(); v == share.None() || v.Or(w) != share.All() {
			t.Errorf("the answers come again, and the members write to %v and %v, want a part each", v, w)
		}
	})
}

// TestLostRenewalCostsNothing: one renewal without an answer does not cost the share, even with
// the longest time between renewals.
func TestLostRenewalCostsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newStore(t), &leases{}, group.Config{Name: "a", Renew: lease / 2}).start()
		r.expect(0, group.StateMember, share.All(), "the coordinator works")
		var calls atomic.Int32
		r.co.hold(func(ctx context.Context) error {
			if calls.Add(1) > 1 {
				return nil
			}
			return hanging(ctx)
		}, nil)
		for range 4 {
			r.expect(lease/4, group.StateMember, share.All(), "the next renewal has time enough")
		}
		if n := calls.Load(); n < 2 {
			t.Errorf("%d renewals, want one that hangs and one after it", n)
		}
	})
}

// TestPauseGivesUp: a pause of everything gives the share up within a renewal, and ends the lease.
// A resume takes the share again. A pause of a kind changes nothing.
func TestPauseGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newStore(t), &leases{}, group.Config{Name: "a"}).start()
		r.expect(0, group.StateMember, share.All(), "no pause")
		pause := func(what engine.Extent) {
			if _, err := r.c.Pause(t.Context(), what); err != nil {
				t.Fatal(err)
			}
		}
		pause(engine.Extent{Kind: "a"})
		r.expect(time.Hour, group.StateMember, share.All(), "a pause of one kind")
		pause(engine.Extent{All: true})
		r.expect(renewal, group.StateOut, share.None(), "a pause of everything")
		renewed := r.co.count("renew")
		r.expect(time.Hour, group.StateOut, share.None(), "a pause of everything")
		if s := r.Status(); s.Reason != "everything is paused" || r.co.count("leave") != 1 || r.co.count("renew") != renewed {
			t.Errorf("%v; calls %q: want one leave, and no renewal after it", s, r.co.calls)
		}
		if err := r.c.Resume(t.Context(), engine.Extent{All: true}); err != nil {
			t.Fatal(err)
		}
		r.expect(renewal, group.StateMember, share.All(), "a resume")
	})
}

// TestWatchDown: a collector whose watch is down gives its share up until all is listed again.
func TestWatchDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newStore(t), &leases{}, group.Config{Name: "a"}).start()
		r.expect(0, group.StateMember, share.All(), "the watch is up")
		r.store.setWatch(failing)
		r.store.cut()
		r.expect(renewal, group.StateOut, share.None(), "the watch is down")
		r.expect(time.Hour, group.StateOut, share.None(), "the watch is down")
		if s := r.Status(); s.Reason != "the watch is down" || r.co.count("leave") != 1 {
			t.Errorf("%v, calls %q: want the reason, and one leave", s, r.co.calls)
		}
		r.store.setWatch(nil)
		r.expect(time.Minute, group.StateMember, share.All(), "the watch is up again")
	})
}

// TestSickKinds: a sick kind keeps a collector out for a minute, and costs a member nothing. If all
// kinds are sick, the member gives its share up.
func TestSickKinds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		faults := store.Store.Inside(inside.Key{})
		if err := faults.Sicken("b", "no disk"); err != nil {
			t.Fatal(err)
		}
		r := newRig(t, store, &leases{}, group.Config{Name: "a"}).start()
		r.expect(group.Patience-group.MaxLook, group.StateOut, share.None(), "the kind may become well")
		if want := "kinds that are not listed: b (no disk)"; r.Status().Reason != want {
			t.Errorf("reason %q, want %q", r.Status().Reason, want)
		}
		r.expect(2*group.MaxLook, group.StateMember, share.All(), "the collector works on the other kinds")
		r.expect(time.Hour, group.StateMember, share.All(), "the collector works on the other kinds")
		_ = faults.Sicken("a", "no disk")
		_ = faults.Sicken("c", "no disk")
		r.expect(renewal, group.StateOut, share.None(), "it works on no kind")
		for _, kind := range []ownergraph.Kind{"a", "b", "c"} {
			_ = faults.Recover(kind)
		}
		r.expect(renewal, group.StateMember, share.All(), "all kinds are well")
	})
}

// TestUnknownRecord: a collector that cannot read its record is no member.
func TestUnknownRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		if _, err := store.WriteRecord(t.Context(), "r", []byte("no JSON"), ""); err != nil {
			t.Fatal(err)
		}
		r := newRigOf(t, store, &leases{}, group.Config{Name: "a"}, ownergraph.Config{Record: "r"}).start()
		r.expect(time.Minute, group.StateOut, share.None(), "everything is paused until the record is known")
		if s := r.Status(); !strings.HasPrefix(s.Reason, "the record is unknown: ") {
			t.Errorf("reason %q, want that the record is unknown", s.Reason)
		}
		rec, err := store.ReadRecord(t.Context(), "r")
		if err == nil {
			_, err = store.WriteRecord(t.Context(), "r", []byte(`{"version": 1}`), rec.Version)
		}
		if err != nil {
			t.Fatal(err)
		}
		r.expect(time.Minute, group.StateMember, share.All(), "the record is read")
	})
}

// TestTaken: of two members of one name the later one gets the error, and writes nothing. The first
// goes on. The second takes the name at the end of the first.
func TestTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, co := newStore(t), &leases{}
		first := newRig(t, store, co, group.Config{Name: "a"}).start()
		first.expect(0, group.StateMember, share.All(), "it is alone")
		second := newRig(t, store, co, group.Config{Name: "a"}).start()
		for range 100 {
			second.expect(time.Second, group.StateJoining, share.None(), "the name is taken")
			first.expect(0, group.StateMember, share.All(), "it was first")
		}
		if s := second.Status(); !errors.Is(s.Err, group.ErrTaken) || s.Reason != `renew the lease of "a": another collector has this name` {
			t.Errorf("%v, error %v: want ErrTaken", s, s.Err)
		}
		if err := first.stop(); err != nil {
			t.Fatal(err)
		}
		second.expect(renewal, group.StateMember, share.All(), "the name is free")
	})
}
