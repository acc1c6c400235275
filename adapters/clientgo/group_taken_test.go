package clientgo

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/group"
)

// TestGroupTaken: of two collectors of one name the later one gets the error and writes nothing,
// and the first goes on. The later one gets the Lease when it is over.
func TestGroupTaken(t *testing.T) {
	groupBubble(t, func(r *groupRig) {
		first, second := r.process(), r.process()
		r.renew(first, "a/1")
		before := r.leases()[0].ResourceVersion
		_, err := second.Renew(r.t.Context(), member("a/2"), leaseTime)
		if !errors.Is(err, group.ErrTaken) || err.Error() != `renew Lease tools/gc-a: "a_1" holds it: another collector has this name` {
			t.Errorf("the later one: %v", err)
		}
		if got := r.leases()[0].ResourceVersion; got != before {
			t.Errorf("the Lease has the version %s after %s", got, before)
		}
		for range 5 {
			pass(5 * time.Second)
			r.expect(r.renew(first, "a/1"), "a", "the first goes on")
			r.expect(r.renew(second, "a/2"), "taken", "the later one waits")
		}
		pass(leaseTime)
		r.expect(r.renew(second, "a/2"), "a", "the Lease is over")
		if l := r.leases()[0]; l.Spec.HolderIdentity != "a_2" || l.Spec.LeaseTransitions != 1 || l.Spec.AcquireTime != l.Spec.RenewTime {
			t.Errorf("the Lease is %+v", l.Spec)
		}
		r.expect(r.renew(first, "a/1"), "taken", "the first one comes back")
		r.expect(r.renew(second, "a/2"), "a", "and changes nothing")
	})
}

// TestGroupRestarted: a restarted member has another instance, and waits for its own old lease.
func TestGroupRestarted(t *testing.T) {
	groupBubble(t, func(r *groupRig) {
		r.renew(r.process(), "a/1")
		again, begun := r.process(), time.Now()
		for r.renew(again, "a/2") == "taken" {
			pass(time.Second)
		}
		if took := time.Since(begun); took != leaseTime {
			t.Errorf("it waits %v", took)
		}
	})
}

// TestGroupRaces: two collectors of one name write at the same time. One of them has the Lease.
func TestGroupRaces(t *testing.T) {
	for _, c := range []struct {
		old    string // the spec of a Lease that is over
		reason string
	}{
		{"", "both create it"},
		{`{"holderIdentity":"a_0","leaseDurationSeconds":10}`, "both take it over"},
	} {
		groupBubble(t, func(r *groupRig) {
			first, second := r.process(), r.slowProcess(http.MethodPut, time.Second, 0)
			if c.old == "" {
				second = r.slowProcess(http.MethodPost, time.Second, 0)
			} else {
				r.putLease("gc-a", marked(), c.old)
				r.expect(r.renew(first, "a/1"), "taken", "it is in force")
				r.expect(r.renew(second, "a/2"), "taken", "it is in force")
				pass(leaseTime)
			}
			done := make(chan string)
			go func() { done <- r.renew(second, "a/2") }()
			pass(500 * time.Millisecond)
			r.expect(r.renew(first, "a/1"), "a", c.reason)
			r.expect(<-done, "taken", c.reason)
			r.expect(r.renew(first, "a/1"), "a", c.reason)
		})
	}
}

// TestGroupLostAnswer: a renewal whose answer is lost is repeated under the version that it made.
func TestGroupLostAnswer(t *testing.T) {
	groupBubble(t, func(r *groupRig) {
		g := r.process()
		r.renew(g, "a")
		live := r.leases()[0]
		spec := live.Spec.renewed("a_1", leaseTime, time.Now().Add(time.Minute))
		r.putLease("gc-a", marked(), `{"holderIdentity":"a_1","leaseDurationSeconds":10,"renewTime":"`+spec.RenewTime+`"}`)
		r.takeCalls()
		r.expect(r.renew(g, "a"), "a", "the Lease has another version, and the same holder")
		if got := strings.Join(r.takeCalls(), ", "); got != "put gc-a, list leases limit 250, put gc-a, list leases limit 250" {
			t.Errorf("the requests are %q", got)
		}
		if l := r.leases()[0]; l.Spec.LeaseTransitions != 0 {
			t.Errorf("%d transitions", l.Spec.LeaseTransitions)
		}
	})
}

// TestGroupTakenMeanwhile: another instance has the Lease, or the Lease is gone, between the write
// and the list.
func TestGroupTakenMeanwhile(t *testing.T) {
	for _, c := range []struct {
		meanwhile func(r *groupRig)
		want      string
		reason    string
	}{
		{func(r *groupRig) {
			r.putLease("gc-a", marked(), `{"holderIdentity":"a_2","leaseDurationSeconds":10}`)
		}, "taken", "it is taken"},
		{func(r *groupRig) { r.delete("coordination.k8s.io/Lease", groupSpace, "gc-a", graph.Background) },
			`renew member "a": its Lease has gone since`, "it is gone"},
	} {
		groupBubble(t, func(r *groupRig) {
			g := r.slowProcess(http.MethodGet, time.Second, 0)
			done := make(chan string)
			go func() { done <- r.renew(g, "a") }()
			pass(500 * time.Millisecond)
			c.meanwhile(r)
			r.expect(<-done, c.want, c.reason)
		})
	}
}

// TestGroupContested: a writer that changes the Lease before each write of ours gives an error,
// and no endless loop.
func TestGroupContested(t *testing.T) {
	groupBubble(t, func(r *groupRig) {
		g := r.process()
		r.renew(g, "a")
		r.locked(func() {
			r.fault = func(q *http.Request) *fakeResponse {
				if q.Method == http.MethodPut || q.Method == http.MethodDelete {
					return &fakeResponse{code: http.StatusConflict}
				}
				return nil
			}
		})
		r.takeCalls()
		r.expect(r.renew(g, "a"), "renew Lease tools/gc-a: other writers change the Lease at the same time", "it gives up")
		if err := g.Leave(r.t.Context(), member("a")); !errors.Is(err, errContested) {
			t.Errorf("it leaves with %v", err)
		}
		if got := r.takeCalls(); len(got) > 4*leaseTries {
			t.Errorf("%d requests", len(got))
		}
	})
}

// TestGroupForeignLease: a Lease of another owner with the name of a member's is not touched.
func TestGroupForeignLease(t *testing.T) {
	for _, c := range []struct {
		labels map[string]string
		reason string
	}{
		{nil, "a Lease of a leader election"},
		{map[string]string{GroupLabel: "gc-a"}, "that of another group"},
	} {
		groupBubble(t, func(r *groupRig) {
			r.putLease("gc-a", c.labels, `{"holderIdentity":"x","leaseDurationSeconds":10}`)
			g, before := r.process(), r.leases()[0].ResourceVersion
			for range 3 {
				_, err := g.Renew(r.t.Context(), member("a"), leaseTime)
				if !errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), "Lease tools/gc-a: it exists, and has not the label ownergraph.github.io/group=gc") {
					t.Errorf("%s: %v", c.reason, err)
				}
				pass(time.Minute)
			}
			r.expect(r.renew(g, "b"), "b", c.reason)
			pass(time.Minute)
			r.renew(g, "b")
			if l := r.leases()[0]; l.Name != "gc-a" || l.ResourceVersion != before {
				t.Errorf("%s: the Lease is now %s of %s", c.reason, l.Name, l.ResourceVersion)
			}
		})
	}
}
