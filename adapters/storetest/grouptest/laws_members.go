package grouptest

import (
	"slices"
	"sync"

	"github.com/ownergraph/ownergraph/group"
)

func lawsOfMembers() []law {
	return []law{
		{name: "members/self", basic: true, run: (*trial).self, why: "a member that is not in its own list has no part"},
		{name: "members/others", basic: true, run: (*trial).others, why: "two members have the same part, and each write is refused once"},
		{name: "members/sorted", basic: true, run: (*trial).sorted, why: "a list with a double gives no parts at all"},
		{name: "members/groups", run: (*trial).groups, why: "the members of another group get parts that they do not work on"},
		{name: "members/own-slice", run: (*trial).ownSlice, why: "a caller that changes its list changes that of another"},
		{name: "members/concurrent", run: (*trial).concurrent, why: "members that join together lose each other, and share a part"},
	}
}

// self: Renew returns the member itself.
func (t *trial) self() {
	a, _ := t.two()
	m := member("a")
	for range 2 {
		t.shows(a.renew(m, long), m)
	}
}

// others: two members in two processes see each other, and so do two of one process.
func (t *trial) others() {
	a, b := t.two()
	x, y, z := member("x"), member("y"), member("z")
	a.renew(x, long)
	t.shows(b.renew(y, long), x, y)
	t.shows(a.renew(x, long), x, y)
	t.shows(b.renew(z, long), x, y, z)
	t.shows(b.renew(y, long), x, y, z)
}

// sorted: the members are in the order of the bytes of their names, each once, however often
// and in which order they renew.
func (t *trial) sorted() {
	a, b := t.two()
	var all []group.Member
	for _, name := range []string{"m10", "m2", "m-1", "m1", "m.1", "l", "n"} {
		all = append(all, member(name))
	}
	for round := range 2 {
		for i, m := range all {
			l := [...]process{a, b}[(i+round)%2].renew(m, long)
			if round > 0 {
				t.shows(l, all...)
			}
		}
		slices.Reverse(all)
	}
}

// groups: two groups of one system do not see each other. Each name is free in each of them.
func (t *trial) groups() {
	a, _ := t.two()
	b, _ := t.two()
	x, y := member("x"), member("x")
	a.renew(x, long)
	t.shows(b.renew(y, long), y)
	t.shows(a.renew(x, long), x)
	b.leave(y)
	t.shows(a.renew(x, long), x)
}

// ownSlice: the caller may change the result of a Renew, which later results do not show. No
// later Renew changes it.
func (t *trial) ownSlice() {
	a, b := t.two()
	x, y := member("x"), member("y")
	a.renew(x, long)
	first := b.renew(y, long)
	for i := range first.members {
		first.members[i] = group.Member{Name: "changed"}
	}
	t.shows(b.renew(y, long), x, y)
	t.shows(a.renew(x, long), x, y)
	for _, m := range first.members {
		if m.Name != "changed" {
			t.breach("a later Renew has written %q into the result of an earlier one", m.Name)
		}
	}
}

// concurrent: members of two processes join at the same time. Then each of them is there.
func (t *trial) concurrent() {
	a, b := t.two()
	var all []group.Member
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		all = append(all, member(name))
	}
	type result struct {
		look
		err error
	}
	results := make([]result, len(all))
	for range 3 {
		var group sync.WaitGroup
		for i, m := range all {
			group.Go(func() { results[i].look, results[i].err = [...]process{a, b}[i%2].try(m, long) })
		}
		group.Wait()
		for i, r := range results {
			if r.err != nil {
				t.breach("Renew of %q beside others: %v", all[i].Name, r.err)
			}
		}
	}
	for _, r := range results { // in the third round all of them have a lease
		t.shows(r.look, all...)
	}
}
