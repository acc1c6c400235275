package grouptest

import (
	"errors"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/group"
)

func lawsOfNames() []law {
	return []law{
		{name: "name/taken", run: (*trial).nameTaken, why: "two collectors with one name have one part"},
		{name: "name/free-after-leave", run: (*trial).freeAfterLeave, why: "a restarted collector waits for its own name"},
		{name: "name/free-after-lease", run: (*trial).freeAfterLease, why: "after a crash the name is lost, or its lease is cut"},
		{name: "name/exact", run: (*trial).exactNames, why: "two names are one, or a member does not find itself"},
	}
}

// nameTaken: while an instance has a lease under a name, another one gets ErrTaken, in the same
// process and in another one. The first goes on.
func (t *trial) nameTaken() {
	a, b := t.two()
	x, y := member("x"), member("y")
	a.renew(x, long)
	for _, p := range []process{a, b} {
		p.taken(member(x.Name), t.lease)
		t.shows(b.renew(y, long), x, y)
		t.shows(a.renew(x, long), x, y)
	}
}

// freeAfterLeave: another instance gets the name at once after a Leave, and the former one gets
// ErrTaken.
func (t *trial) freeAfterLeave() {
	a, b := t.two()
	x, next := member("x"), member("x")
	a.renew(x, long)
	b.taken(next, long)
	a.leave(x)
	t.shows(b.renew(next, long), next)
	a.taken(x, long)
	t.shows(b.renew(next, long), next)
}

// freeAfterLease: another instance that goes on to try gets the name after the lease, and not
// before. Its tries do not prolong the lease of the first.
func (t *trial) freeAfterLease() {
	a, b := t.two()
	x, next := member("x"), member("x")
	renewed := a.renew(x, t.lease)
	t.poll("another instance gets the name x", t.lease, func() bool {
		l, err := b.try(next, long)
		switch {
		case err != nil && !errors.Is(err, group.ErrTaken):
			t.breach("Renew of another instance of x: %v, want ErrTaken until the end of the lease", err)
		case err == nil && l.early(renewed, t.lease):
			t.breach("another instance has the name %s after the begin of the Renew of the first, want %s at least", l.ended.Sub(renewed.begun), t.lease)
		}
		return err == nil
	})
	a.taken(x, long)
	t.shows(b.renew(next, long), next)
}

// awkward returns names that a system may change, cut, fold or take for syntax.
func awkward() []string {
	long := strings.Repeat("x", 252)
	return []string{
		"a", "A", "a.b", "a-b", "a_b", "a/b", "a%2Fb", "/a", "a/", "a//b", "..", ".", `a"b`, `"a"`, "a'b", "a''b", "`a`", `a\b`, `a\\b`,
		"a b", " a", "a ", "a+b", "a%20b", "%", "_", "a*", "a:b", "a=b", "a,b", "a;--", "{a}", "$1", "?1", "a#b", "a?b", "a&b", "<a>",
		"é", "e\u0301", "ß", "ss", "名前", "\U0001f642", "0", "00", "0x0", "null", "true", "-", "--",
		"a\x00b", "a\nb", "a\tb", "\u0085", "\xff", "a\xed\xa0\x80", "\u202ea", "\ufeffa",
		long + "y", long + "z", strings.Repeat("x", 1024), strings.Repeat("x", 1025), strings.Repeat("é", 126) + "x", strings.Repeat("é", 600),
	}
}

// exactNames: a coordinator keeps each name as it is, or refuses it. No two names are one.
func (t *trial) exactNames() {
	a, b := t.two()
	all := []group.Member{member("observer")}
	for i, name := range awkward() {
		m := member(name)
		p := [...]process{a, b}[i%2]
		l, err := p.try(m, long)
		switch {
		case errors.Is(err, graph.ErrInvalid):
		case err != nil:
			t.breach("Renew of %q: %v, want nil or ErrInvalid", name, err)
		case !l.has(m):
			t.breach("Renew of %q returns %q, without the member itself", name, l.names())
		default:
			all = append(all, m)
		}
	}
	if !slices.ContainsFunc(all, func(m group.Member) bool { return m.Name == "a" }) {
		t.breach("the coordinator refuses the name a")
	}
	t.shows(b.renew(all[0], long), all...)
	for _, m := range all {
		a.leave(m)
	}
	last := member("last")
	t.shows(b.renew(last, long), last)
}
