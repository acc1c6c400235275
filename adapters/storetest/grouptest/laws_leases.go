package grouptest

import (
	"time"

	"github.com/ownergraph/ownergraph/group"
)

func lawsOfLeases() []law {
	return []law{
		{name: "lease/age", run: (*trial).age, why: "a status shows a dead member as one that works, or the other way round"},
		{name: "lease/ends", run: (*trial).ends, why: "the part of a crashed member waits for ever"},
		{name: "lease/not-early", run: (*trial).notEarly, why: "two members have one part, although both renew in time"},
		{name: "lease/prolonged", run: (*trial).prolonged, why: "a member that renews in time loses its part"},
		{name: "lease/of-each", run: (*trial).ofEach, why: "members with other settings lose their parts early"},
		{name: "lease/changed", run: (*trial).changed, why: "a member that shortens its lease blocks its part for the former time"},
		{name: "lease/begun-again", run: (*trial).begunAgain, why: "a member that was stopped for a while never works again"},
	}
}

// rounding is the precision of an age.
const rounding = 10 * time.Millisecond

// age: the age of a member is not above the time since the begin of its Renew, and not below the
// time since another member has seen that. It begins anew with a renewal.
func (t *trial) age() {
	a, b := t.two()
	x, y := member("x"), member("y")
	for range 2 {
		renewed := a.renew(x, long)
		first := b.renew(y, long)
		t.checkAge(renewed, x, renewed, renewed)
		t.checkAge(first, x, renewed, first)
		t.wait(t.lease / 2)
		t.checkAge(b.renew(y, long), x, renewed, first)
	}
}

// checkAge compares the age of a member with the times of its Renew, and of the look that saw it first.
func (t *trial) checkAge(l look, m group.Member, renewed, seen look) {
	t.Helper()
	least, most := l.begun.Sub(seen.ended), l.ended.Sub(renewed.begun)
	found, ok := l.find(m.Name)
	if !ok || found.Age < 0 || found.Age < least-rounding || found.Age > most+rounding {
		t.breach("the age of %q is %s (there: %t), want %s to %s", m.Name, found.Age, ok, max(0, least), most)
	}
}

// ends: a member without renewals is gone some time after its lease.
func (t *trial) ends() {
	a, b := t.two()
	x, y := member("x"), member("y")
	a.renew(x, t.lease)
	t.poll("the lease of x ends", t.lease, func() bool {
		_, there := b.renew(y, long).find(x.Name)
		return !there
	})
}

// notEarly: a member without renewals is there until the end of its lease at least, whatever
// the others do.
func (t *trial) notEarly() {
	a, b := t.two()
	x, y := member("x"), member("y")
	renewed := a.renew(x, t.lease)
	for {
		l := b.renew(y, long)
		if !l.early(renewed, t.lease) {
			return
		}
		if !l.has(x) {
			t.breach("the lease of x is over %s after the begin of its Renew, want %s at least", l.ended.Sub(renewed.begun), t.lease)
		}
		t.wait(t.lease / 20)
	}
}

// prolonged: each Renew begins the whole time of the lease anew.
func (t *trial) prolonged() {
	a, b := t.two()
	x, y := member("x"), member("y")
	for range 4 {
		renewed := a.renew(x, t.lease)
		t.wait(t.lease * 3 / 5)
		if l := b.renew(y, long); !l.has(x) && l.early(renewed, t.lease) {
			t.breach("x is gone, although it has renewed %s before", l.ended.Sub(renewed.begun))
		}
	}
}

// ofEach: a lease has the time of its own member. A shorter one of another member does not count.
func (t *trial) ofEach() {
	a, b := t.two()
	x, y, z := member("x"), member("y"), member("z")
	twice := 2 * t.lease
	renewed := a.renew(x, twice)
	a.renew(z, t.lease)
	for {
		l := b.renew(y, t.lease)
		if !l.early(renewed, twice) {
			return
		}
		if !l.has(x) {
			t.breach("the lease of x is over after %s, want %s at least", l.ended.Sub(renewed.begun), twice)
		}
		t.wait(t.lease / 10)
	}
}

// changed: a member renews with a shorter time than before. That counts from then on.
func (t *trial) changed() {
	a, b := t.two()
	x, y := member("x"), member("y")
	a.renew(x, long)
	renewed := a.renew(x, t.lease)
	t.poll("the shorter lease of x ends", t.lease, func() bool {
		l := b.renew(y, long)
		if !l.has(x) && l.early(renewed, t.lease) {
			t.breach("the shorter lease of x is over %s after its begin, want %s at least", l.ended.Sub(renewed.begun), t.lease)
		}
		return !l.has(x)
	})
}

// begunAgain: a member whose lease is over renews, and is there again.
func (t *trial) begunAgain() {
	a, b := t.two()
	x, y := member("x"), member("y")
	a.renew(x, t.lease)
	t.poll("the lease of x ends", t.lease, func() bool { return !b.renew(y, long).has(x) })
	t.shows(a.renew(x, long), x, y)
	t.shows(b.renew(y, long), x, y)
}
