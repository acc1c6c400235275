package clientgo

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"

	"github.com/ownergraph/ownergraph/group"
)

const (
	groupSpace = "tools"
	groupName  = "gc"
	leaseTime  = 10 * time.Second
)

// groupRig is a fake with the Leases of a group.
type groupRig struct {
	*fake
	t      *testing.T
	server *rest.Config
}

// groupBubble runs a test in a bubble.
func groupBubble(t *testing.T, test func(*groupRig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := newFake(leaseKind())
		test(&groupRig{f, t, f.serve(t)})
	})
}

// process returns the group as another process has it.
func (r *groupRig) process() *Group { return r.processWith(r.server) }

func (r *groupRig) processWith(server *rest.Config) *Group {
	r.t.Helper()
	g, err := NewGroup(server, groupSpace, groupName)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(g.client.http.CloseIdleConnections)
	return g
}

// slow is a transport that takes time before the server sees a request, and before the client
// sees its answer.
type slow struct {
	before, after time.Duration
	method        string
	next          http.RoundTripper
}

func (s slow) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != s.method {
		return s.next.RoundTrip(r)
	}
	<-time.After(s.before)
	out, err := s.next.RoundTrip(r)
	<-time.After(s.after)
	return out, err
}

func (s slow) WrappedRoundTripper() http.RoundTripper { return s.next }

// slowProcess returns a process whose requests of a method are slow.
func (r *groupRig) slowProcess(method string, before, after time.Duration) *Group {
	c := rest.CopyConfig(r.server)
	c.Wrap(func(next http.RoundTripper) http.RoundTripper { return slow{before, after, method, next} })
	return r.processWith(c)
}

// member returns the member of a name and an instance, as "a" or "a/2".
func member(text string) group.Member {
	name, instance, ok := strings.Cut(text, "/")
	if !ok {
		instance = "1"
	}
	return group.Member{Name: name, Instance: name + "_" + instance}
}

// renew renews the lease of a member, and returns the members, or "taken", or the error.
func (r *groupRig) renew(g *Group, who string) string { return r.renewFor(g, who, leaseTime) }

func (r *groupRig) renewFor(g *Group, who string, duration time.Duration) string {
	r.t.Helper()
	list, err := g.Renew(r.t.Context(), member(who), duration)
	return membersText(list, err)
}

func membersText(list []group.Member, err error) string {
	var names []string
	for _, m := range list {
		names = append(names, m.Name)
	}
	switch {
	case errors.Is(err, group.ErrTaken):
		return "taken"
	case err != nil:
		return err.Error()
	case !slices.IsSorted(names):
		return fmt.Sprintf("unsorted: %q", names)
	}
	return strings.Join(names, " ")
}

// expect compares the members.
func (r *groupRig) expect(got, want, reason string) {
	r.t.Helper()
	if got != want {
		r.t.Errorf("%s: %q, want %q", reason, got, want)
	}
}

// leaseNames returns the names of the Leases, without the group's.
func (r *groupRig) leaseNames() string {
	var out []string
	for _, l := range r.leases() {
		out = append(out, strings.TrimPrefix(l.Name, groupName+"-"))
	}
	return strings.Join(out, " ")
}

// marked returns the label of the group.
func marked() map[string]string { return map[string]string{GroupLabel: groupName} }
