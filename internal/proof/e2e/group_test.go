package e2e

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/group"
)

// leases are those of a group with one member for each process.
type leases struct {
	*world
	processes map[string]*clientgo.Group // by the name of the member
}

var lease = builtin("coordination.k8s.io", "v1", "Lease", "leases", true, nil)

// The leases of members: a short one has its end in the test, and a long one has not.
const (
	shortLease = 2 * time.Second
	longLease  = 10 * time.Minute
)

// join adds a member in a process of its own.
func (l *leases) join(user *rest.Config, name string) {
	l.t.Helper()
	g, err := clientgo.NewGroup(user, l.ns, "gc")
	if err != nil {
		l.t.Fatal(err)
	}
	l.processes[name] = g
}

// renew renews the lease of a member, and returns the names of all members.
func (l *leases) renew(name string, lease time.Duration) (string, error) {
	list, err := l.processes[name].Renew(l.ctx, group.Member{Name: name, Instance: "instance of " + name}, lease)
	var names []string
	for _, m := range list {
		names = append(names, m.Name)
	}
	return strings.Join(names, " "), err
}

// renewed renews the leases of some members until each of them sees exactly these.
func (l *leases) renewed(names ...string) {
	l.t.Helper()
	want := strings.Join(names, " ")
	l.until("wait until the members are "+want, func() (all error) {
		for _, name := range names {
			if got, err := l.renew(name, longLease); err != nil || got != want {
				all = errors.Join(errNotYet, fmt.Errorf("%s sees %q: %v", name, got, err))
			}
		}
		return all
	})
}

// uid returns the UID of a member's Lease, "" without one.
func (l *leases) uid(name string) types.UID {
	o, err := l.in(lease, l.ns).Get(l.ctx, "gc-"+name, metav1.GetOptions{})
	if err != nil {
		return ""
	}
	return o.GetUID()
}

// TestGroupLeases: three members on a real server. The lease of one that stops ends, and its Lease
// is deleted. It comes back with a new Lease, and so does a member whose Lease a user deletes. A
// name that is taken is free after its lease.
func TestGroupLeases(t *testing.T) {
	w := begin(t)
	l := &leases{w, map[string]*clientgo.Group{}}
	for _, name := range []string{"a", "b", "c"} {
		l.join(w.server.Admin(), name)
	}
	l.renewed("a", "b", "c")
	before := l.uid("c")
	if _, err := l.renew("c", shortLease); err != nil {
		t.Fatal(err)
	}
	l.renewed("a", "b")
	if got := l.uid("c"); got != "" {
		t.Errorf("the Lease of the dead member is there: %s", got)
	}
	l.renewed("a", "b", "c")
	if got := l.uid("c"); got == "" || got == before {
		t.Errorf("the Lease of the member that is back is %q after %q", got, before)
	}
	before = l.uid("a")
	w.kubectlRun("delete", "lease", "-n", w.ns, "gc-a")
	if got, err := l.renew("a", longLease); err != nil || got != "a b c" || l.uid("a") == before {
		t.Errorf("after the deletion: %q, %v, UID %s after %s", got, err, l.uid("a"), before)
	}
	other := group.Member{Name: "a", Instance: "another"}
	if _, err := l.processes["b"].Renew(w.ctx, other, longLease); !errors.Is(err, group.ErrTaken) {
		t.Errorf("another instance of a: %v", err)
	}
	text := w.kubectlRun("get", "leases", "-n", w.ns, "-l", clientgo.GroupLabel+"=gc")
	for _, want := range []string{"NAME", "HOLDER", "gc-a", "instance of a", "gc-b", "gc-c"} {
		if !strings.Contains(text, want) {
			t.Errorf("kubectl shows %q, without %q", text, want)
		}
	}
	if _, err := l.renew("a", shortLease); err != nil {
		t.Fatal(err)
	}
	w.until("wait until another instance has the name", func() error {
		_, err := l.processes["b"].Renew(w.ctx, other, longLease)
		return err
	})
	if err := l.processes["b"].Leave(w.ctx, other); err != nil || l.uid("a") != "" {
		t.Errorf("it leaves with %v, and its Lease is %q", err, l.uid("a"))
	}
}

// TestGroupRights: without a right the error names the verb, the namespace and the rights. Each of
// them is needed, and together they suffice.
func TestGroupRights(t *testing.T) {
	w := begin(t)
	l := &leases{w, map[string]*clientgo.Group{}}
	l.join(w.server.User(limited), "a")
	l.join(w.server.User(limited), "b")
	rights := fmt.Sprintf("it takes the rights to create, list, update and delete leases.coordination.k8s.io in the namespace %s", w.ns)
	renew := func(name string) func() error {
		return func() error { _, err := l.renew(name, longLease); return err }
	}
	leave := func() error {
		return l.processes["a"].Leave(w.ctx, group.Member{Name: "a", Instance: "instance of a"})
	}
	for _, c := range []struct {
		grant string
		call  func() error
		lacks string
	}{
		{"", renew("a"), "create"},
		{"create", renew("a"), "list"},
		{"", renew("a"), "list"}, // it does not renew what it has made, since it cannot see the others
		{"list", renew("a"), "update"},
		{"update", renew("b"), ""},
		{"", renew("a"), ""},
		{"", leave, "delete"},
		{"delete", leave, ""},
	} {
		if c.grant != "" {
			name := w.ns + "-" + c.grant
			w.create(role, name, field([]any{rule("coordination.k8s.io", "leases", c.grant)}, "rules"))
			w.bind(name)
		}
		w.until(fmt.Sprintf("wait for the lack of %q after %q", c.lacks, c.grant), func() error {
			err := c.call()
			if c.lacks == "" {
				return err
			}
			if !errors.Is(err, graph.ErrRefused) || !strings.HasPrefix(err.Error(), c.lacks+" Lease "+w.ns+"/gc-") || !strings.Contains(err.Error(), rights) {
				return errors.Join(errNotYet, err)
			}
			return nil
		})
	}
	if got := l.uid("a"); got != "" {
		t.Errorf("the Lease is left: %s", got)
	}
}
