package group_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph/group"
	"github.com/ownergraph/ownergraph/share"
)

// many is a group in one bubble, each member with a collector and a store of its own.
type many struct {
	t       *testing.T
	co      *leases
	members []*rig
}

// join adds a member that begins to run a little after the one before, as machines do.
func (m *many) join() *rig {
	r := newRig(m.t, newStore(m.t), m.co, group.Config{Name: fmt.Sprintf("member-%02d", len(m.members))}).start()
	m.members = append(m.members, r)
	<-time.After(71 * time.Millisecond)
	return r
}

// sets returns the slots that some member writes to, and the number that several write to.
func (m *many) sets() (all share.Set, twice int) {
	all = share.None()
	for _, r := range m.members {
		w := r.writes()
		twice += all.And(w).Len()
		all = all.Or(w)
	}
	return all, twice
}

// gap returns the time for which a slot has no member, from now on, and the most slots without one.
func (m *many) gap(most time.Duration) (lasts time.Duration, slots int) {
	for at := time.Duration(0); at < most; at += 100 * time.Millisecond {
		<-time.After(100 * time.Millisecond)
		synctest.Wait()
		all, _ := m.sets()
		if missing := share.Slots - all.Len(); missing > 0 {
			lasts, slots = at+100*time.Millisecond, max(slots, missing)
		}
	}
	return lasts, slots
}

// TestGroupOf64: 64 members divide the slots, and need one renewal each in its time. The part of a
// crashed member waits for at most a lease and a renewal, and a newcomer takes its part alone. No more
// than 1.3/n of the slots move.
func TestGroupOf64(t *testing.T) {
	const n = 64
	synctest.Test(t, func(t *testing.T) {
		m := &many{t: t, co: &leases{}}
		for range n {
			m.join()
		}
		<-time.After(time.Minute)
		synctest.Wait()
		if all, twice := m.sets(); all != share.All() || twice > 0 {
			t.Fatalf("the members write to %d slots, and %d of them twice; want each slot once", all.Len(), twice)
		}
		before := m.co.count("renew")
		<-time.After(time.Minute)
		calls := m.co.count("renew") - before
		if calls > n*13 {
			t.Errorf("%d renewals a minute, want one of each member in 5 s", calls)
		}

		m.co.hold(nil, failing)
		crashed := m.members[17]
		lost := crashed.writes()
		_ = crashed.stop()
		m.co.hold(nil, nil)
		lasts, slots := m.gap(time.Minute)
		if lasts > 20*time.Second || slots != lost.Len() {
			t.Errorf("%d slots without a member for %v, want the %d of the crashed one for at most a lease and a renewal", slots, lasts, lost.Len())
		}

		was := make([]share.Set, len(m.members))
		for i, r := range m.members {
			was[i] = r.writes()
		}
		began := time.Now()
		comes := m.join()
		waits := time.Duration(0)
		for comes.writes() == share.None() {
			<-time.After(100 * time.Millisecond)
			synctest.Wait()
			waits = time.Since(began)
		}
		<-time.After(time.Minute)
		synctest.Wait()
		moved := 0
		for i, w := range was {
			now := m.members[i].writes()
			if left := w.And(now); left != now {
				t.Errorf("member %d has slots of another one besides the newcomer", i)
			}
			moved += w.Len() - now.Len()
		}
		if all, twice := m.sets(); all != share.All() || twice > 0 || moved != comes.writes().Len() || moved*10*n > share.Slots*13 {
			t.Errorf("%d slots move to the newcomer of %d, %d are written to, %d twice", moved, comes.writes().Len(), all.Len(), twice)
		}
		t.Logf("%d members: %d renewals a minute; the %d slots of a crashed member wait for %v; a newcomer writes after %v, and %d slots move to it",
			n, calls, lost.Len(), lasts, waits, moved)
	})
}
