package clientgo

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/ownergraph/ownergraph/graph"
)

// TestGroupLeases: each member has a Lease with the name, the label and the holder. A renewal is
// two requests. The members are sorted, and have the time since their renewal.
func TestGroupLeases(t *testing.T) {
	groupBubble(t, func(r *groupRig) {
		a, b := r.process(), r.process()
		r.expect(r.renew(b, "b"), "b", "the first member is alone")
		pass(3 * time.Second)
		r.expect(r.renew(a, "a"), "a b", "the second one sees both")
		pass(2 * time.Second)
		r.takeCalls()
		list, err := a.Renew(r.t.Context(), member("a"), leaseTime)
		if err != nil || len(list) != 2 || list[0].Age != 0 || list[0].Instance != "a_1" || list[1].Instance != "b_1" || list[1].Age != 2*time.Second {
			t.Errorf("members %+v, %v", list, err)
		}
		if got := strings.Join(r.takeCalls(), ", "); got != "put gc-a, list leases limit 250" {
			t.Errorf("a renewal is the requests %q", got)
		}
		l := r.leases()[1]
		renewed, err := time.Parse(metav1.RFC3339Micro, l.Spec.RenewTime)
		if err != nil || !renewed.Equal(time.Now().Add(-5*time.Second)) || l.Spec.AcquireTime != l.Spec.RenewTime {
			t.Errorf("its times are %+v, %v", l.Spec, err)
		}
		if l.Name != "gc-b" || l.Labels[GroupLabel] != groupName || l.Spec.HolderIdentity != "b_1" || l.Spec.LeaseDurationSeconds != 10 || l.Spec.LeaseTransitions != 0 {
			t.Errorf("the Lease is %+v", l)
		}
	})
}

// TestGroupTogether: members of one process share a Group, and a repeated renewal in the same
// moment is one, too.
func TestGroupTogether(t *testing.T) {
	groupBubble(t, func(r *groupRig) {
		g, other := r.process(), r.process()
		for range 3 {
			r.expect(r.renew(g, "a"), "a", "a renewal")
		}
		r.expect(r.renew(g, "b"), "a b", "the other member of the process")
		r.renew(other, "c")
		pass(6 * time.Second)
		r.expect(r.renew(g, "b"), "a b c", "all are in force")
		r.renew(g, "a")
		r.expect(r.renew(g, "a"), "a b c", "the clock stands still")
		pass(6 * time.Second)
		r.expect(r.renew(other, "c"), "a b c", "the renewals of that moment count")
	})
}

// TestLeaseRenewed: a renewal in the same moment changes the spec, because a server keeps the
// version of an object that stays the same. The number of transitions does not overflow.
func TestLeaseRenewed(t *testing.T) {
	now := time.Unix(1, 0)
	first := leaseSpec{}.renewed("a", time.Second, now)
	again := first.renewed("a", time.Second, now)
	if first == again || first.AcquireTime != again.AcquireTime {
		t.Errorf("%+v, and after a renewal %+v", first, again)
	}
	first.LeaseTransitions = math.MaxInt32
	if got := first.renewed("b", time.Second, now); got.LeaseTransitions != math.MaxInt32 || got.HolderIdentity != "b" {
		t.Errorf("taken over %+v", got)
	}
}

// TestGroupKeepsOthersFields: a renewal leaves labels and annotations of others, and puts a label
// of its own back.
func TestGroupKeepsOthersFields(t *testing.T) {
	groupBubble(t, func(r *groupRig) {
		g := r.process()
		r.renew(g, "a")
		r.update("coordination.k8s.io/Lease", groupSpace, "gc-a", func(m *meta) {
			m.Labels, m.Annotations["note"] = map[string]string{"team": "x"}, "kept"
		})
		r.expect(r.renew(g, "a"), "a", "a user took the label off")
		l := r.leases()[0]
		if l.Labels["team"] != "x" || l.Labels[GroupLabel] != groupName || l.Annotations["note"] != "kept" {
			t.Errorf("the Lease has %q and %q", l.Labels, l.Annotations)
		}
	})
}

// TestGroupLeave: Leave deletes the Lease of this instance, and no other one.
func TestGroupLeave(t *testing.T) {
	for _, c := range []struct {
		before func(r *groupRig, a *Group)
		want   string
		calls  string
		reason string
	}{
		{func(*groupRig, *Group) {}, "b", "delete gc-a", "one request"},
		{func(r *groupRig, _ *Group) {
			r.delete("coordination.k8s.io/Lease", groupSpace, "gc-a", graph.Background)
		},
			"b", "delete gc-a", "it is gone already"},
		{func(r *groupRig, _ *Group) {
			r.update("coordination.k8s.io/Lease", groupSpace, "gc-a", func(m *meta) { m.Annotations["note"] = "x" })
		}, "b", "delete gc-a, list leases limit 250, delete gc-a", "a user has changed it"},
		{func(r *groupRig, _ *Group) { r.putLease("gc-a", marked(), `{"holderIdentity":"a_2"}`) },
			"a b", "delete gc-a, list leases limit 250", "another instance has it"},
		{func(r *groupRig, a *Group) {
			if err := a.Leave(r.t.Context(), member("a")); err != nil {
				r.t.Error(err)
			}
		}, "b", "list leases limit 250", "it has left"},
	} {
		groupBubble(t, func(r *groupRig) {
			a, b := r.process(), r.process()
			r.renew(a, "a")
			r.renew(b, "b")
			c.before(r, a)
			r.takeCalls()
			if err := a.Leave(r.t.Context(), member("a")); err != nil {
				t.Errorf("%s: %v", c.reason, err)
			}
			if calls := strings.Join(r.takeCalls(), ", "); calls != c.calls || r.leaseNames() != c.want {
				t.Errorf("%s: after %q there are %q, want %q and %q", c.reason, calls, r.leaseNames(), c.calls, c.want)
			}
		})
	}
}

// TestGroupLeaveAfresh: a new process with the instance of an old one ends its lease.
func TestGroupLeaveAfresh(t *testing.T) {
	groupBubble(t, func(r *groupRig) {
		r.renew(r.process(), "a")
		if err := r.process().Leave(r.t.Context(), member("a/2")); err != nil || r.leaseNames() != "a" {
			t.Errorf("another instance left: %v, %q", err, r.leaseNames())
		}
		if err := r.process().Leave(r.t.Context(), member("a")); err != nil || r.leaseNames() != "" {
			t.Errorf("this instance left: %v, %q", err, r.leaseNames())
		}
	})
}

// TestGroupNames: an error names the field.
func TestGroupNames(t *testing.T) {
	server := &rest.Config{Host: "http://nowhere.invalid"}
	for _, c := range []struct {
		server          *rest.Config
		namespace, name string
		want            string
		reason          string
	}{
		{nil, "ns", "gc", `new group "gc": rest config: nil: invalid`, "there is no server"},
		{server, "", "gc", `new group "gc": namespace: `, "a Lease has a namespace"},
		{server, "a/b", "gc", `new group "gc": namespace: `, "it would be another path"},
		{server, "ns", "", `new group "": name: `, "every group would be one"},
		{server, "ns", "GC", `new group "GC": name: `, "no name of a Lease"},
		{server, "ns", "a/b", `new group "a/b": name: `, "it would be another path"},
		{server, "ns", strings.Repeat("g", 64), `new group "` + strings.Repeat("g", 64) + `": name: `, "longer than a label"},
		{&rest.Config{Host: "%zz"}, "ns", "gc", `new group "gc": `, "client-go checks the host"},
		{server, "ns", "a.b-" + strings.Repeat("g", 59), "", "the longest name"},
	} {
		_, err := NewGroup(c.server, c.namespace, c.name)
		if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.reason, err, c.want)
		}
		if strings.Contains(c.want, ": n") && !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("%s: %v is no ErrInvalid", c.reason, err)
		}
	}
}

// TestGroupCannotList: a member that cannot see the others writes nothing, so it stops to renew its
// Lease. Otherwise its part would wait for ever.
func TestGroupCannotList(t *testing.T) {
	groupBubble(t, func(r *groupRig) {
		g := r.process()
		r.renew(g, "a")
		r.locked(func() { r.fault = forbidding("GET") })
		r.takeCalls()
		for range 3 {
			if got := r.renew(g, "a"); !strings.HasPrefix(got, "list Lease tools/gc-*: ") {
				t.Errorf("without the right to list: %q", got)
			}
		}
		if got, want := strings.Join(r.takeCalls(), ", "), "put gc-a, list leases limit 250, list leases limit 250, list leases limit 250"; got != want {
			t.Errorf("the requests are %q, want %q", got, want)
		}
		r.locked(func() { r.fault = nil })
		r.expect(r.renew(g, "a"), "a", "with the right")
		r.takeCalls()
		r.expect(r.renew(g, "a"), "a", "again")
		if got, want := strings.Join(r.takeCalls(), ", "), "put gc-a, list leases limit 250"; got != want {
			t.Errorf("the requests are %q, want %q", got, want)
		}
	})
}
