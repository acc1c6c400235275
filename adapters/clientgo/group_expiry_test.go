package clientgo

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestGroupExpiry: a lease is over after its time without a change, by the clock of each observer.
// A new observer waits the whole time.
func TestGroupExpiry(t *testing.T) {
	groupBubble(t, func(r *groupRig) {
		a, b, late := r.process(), r.process(), r.process()
		r.renew(a, "a")
		r.expect(r.renew(b, "b"), "a b", "both are in force")
		pass(leaseTime - time.Millisecond)
		r.expect(r.renew(late, "c"), "a b c", "a new observer")
		r.expect(r.renew(b, "b"), "a b c", "a is in force for its whole time")
		pass(time.Millisecond)
		r.update("coordination.k8s.io/Lease", groupSpace, "gc-a", func(m *meta) { m.Annotations["note"] = "x" })
		r.locked(func() { r.fault = forbidding("DELETE") })
		r.expect(r.renew(b, "b"), "b c", "a is over, and a change of its metadata is no renewal")
		r.expect(r.renew(late, "c"), "a b c", "a new observer has just seen it")
		pass(leaseTime - 2*time.Millisecond)
		r.renew(b, "b")
		r.expect(r.renew(late, "c"), "a b c", "it waits the whole time")
		pass(time.Millisecond)
		r.expect(r.renew(late, "c"), "b c", "and no longer")
		r.expect(r.renew(a, "a"), "a b c", "a comes back")
		r.expect(r.renew(b, "b"), "a b c", "for all")
	})
}

// TestGroupDurations: each lease has the time that its member gave it, rounded up.
func TestGroupDurations(t *testing.T) {
	groupBubble(t, func(r *groupRig) {
		r.locked(func() { r.fault = forbidding("DELETE") })
		r.renewFor(r.process(), "a", 1500*time.Millisecond)
		r.renewFor(r.process(), "b", time.Hour)
		observer := r.process()
		r.expect(r.renew(observer, "c"), "a b c", "all are new")
		pass(1999 * time.Millisecond)
		r.expect(r.renew(observer, "c"), "a b c", "1.5 s are 2 s")
		pass(time.Millisecond)
		r.expect(r.renew(observer, "c"), "b c", "a is over")
		for range 360 {
			pass(leaseTime - 6*time.Millisecond)
			r.expect(r.renew(observer, "c"), "b c", "within the hour")
		}
		pass(3 * time.Second)
		r.expect(r.renew(observer, "c"), "c", "the hour is over")
	})
}

// TestGroupClocks: the times in a Lease are of any clock, and no observer reads them.
func TestGroupClocks(t *testing.T) {
	for _, at := range []string{"1970-01-01T00:00:00.000000Z", "2999-12-31T23:59:59.999999Z", "yesterday", ""} {
		groupBubble(t, func(r *groupRig) {
			spec := fmt.Sprintf(`{"holderIdentity":"b_1","leaseDurationSeconds":10,"renewTime":%q,"acquireTime":%q}`, at, at)
			r.putLease("gc-b", marked(), spec)
			a := r.process()
			r.expect(r.renew(a, "a"), "a b", at+" is in force when it is seen")
			pass(leaseTime - time.Millisecond)
			r.expect(r.renew(a, "a"), "a b", at+" is in force for its time")
			pass(time.Millisecond)
			r.expect(r.renew(a, "a"), "a", at+" is over then")
		})
	}
}

// TestGroupNeverEarly: a slow answer makes no lease end early. A renewal that the server has after
// the beginning of a request counts from the answer on, and a lease is over only if it was over
// before the request began.
func TestGroupNeverEarly(t *testing.T) {
	groupBubble(t, func(r *groupRig) {
		a, observer := r.process(), r.slowProcess(http.MethodGet, 4*time.Second, 0)
		renewed := make(chan string)
		go func() { renewed <- r.renew(observer, "b") }()
		pass(3 * time.Second)
		r.renew(a, "a") // one second before the server lists
		r.expect(<-renewed, "a b", "it lists")
		pass(5 * time.Second) // 6 s after the renewal; the next answer is of 10 s after it
		r.expect(r.renew(observer, "b"), "a b", "the lease ends 10 s after a renewal, and not after a request")
	})
	groupBubble(t, func(r *groupRig) {
		a, observer := r.process(), r.slowProcess(http.MethodGet, 0, 4*time.Second)
		r.renew(a, "a")
		r.expect(r.renew(observer, "b"), "a b", "it lists")
		pass(9 * time.Second)
		r.expect(r.renew(observer, "b"), "a b", "the server answers before the end, and the answer comes after it")
	})
}

// TestGroupDeletesDead: each Renew deletes at most 8 Leases that are over, under the UID and the
// version. A member that was stopped finds its Lease gone, and makes a new one.
func TestGroupDeletesDead(t *testing.T) {
	groupBubble(t, func(r *groupRig) {
		stopped := r.process()
		r.renew(stopped, "a")
		for i := range 20 {
			r.putLease(fmt.Sprintf("gc-dead-%02d", i), marked(), `{"holderIdentity":"x","leaseDurationSeconds":10}`)
		}
		b := r.process()
		r.renew(b, "b")
		pass(leaseTime)
		for _, want := range []int{14, 6, 1, 1} {
			r.expect(r.renew(b, "b"), "b", "the others are over")
			if got := len(r.leases()); got != want {
				t.Errorf("%d Leases are left, want %d", got, want)
			}
		}
		if len(b.seen) != 1 {
			t.Errorf("it remembers %v", b.seen)
		}
		r.takeCalls()
		r.expect(r.renew(stopped, "a"), "a b", "it goes on")
		if got := strings.Join(r.takeCalls(), ", "); got != "put gc-a, list leases limit 250, post leases, list leases limit 250" {
			t.Errorf("the requests are %q", got)
		}
	})
}

// TestGroupDeletesNoRenewed: a lease that is renewed after the list stays.
func TestGroupDeletesNoRenewed(t *testing.T) {
	groupBubble(t, func(r *groupRig) {
		a, observer := r.process(), r.slowProcess(http.MethodDelete, 100*time.Millisecond, 0)
		r.renew(a, "a")
		r.renew(observer, "b")
		pass(leaseTime)
		done := make(chan string)
		go func() { done <- r.renew(observer, "b") }()
		pass(50 * time.Millisecond)
		uid := r.leases()[0].UID
		r.renew(a, "a")
		r.expect(<-done, "b", "a was over")
		if got := r.leases()[0]; got.Name != "gc-a" || got.UID != uid {
			t.Errorf("the Lease is now %s of %s", got.Name, got.UID)
		}
	})
}

// TestGroupCannotDelete: a missing right to delete, and a server that does not answer, delay no
// renewal for long.
func TestGroupCannotDelete(t *testing.T) {
	for _, c := range []struct {
		fault  func(*http.Request) *fakeResponse
		reason string
	}{
		{forbidding("DELETE"), "the right is missing"},
		{func(q *http.Request) *fakeResponse {
			if q.Method == http.MethodDelete {
				return &fakeResponse{hang: true}
			}
			return nil
		}, "no answer"},
	} {
		groupBubble(t, func(r *groupRig) {
			g := r.process()
			for i := range 3 {
				r.putLease(fmt.Sprint("gc-dead-", i), marked(), `{}`)
			}
			r.renew(g, "a")
			pass(leaseTime)
			r.locked(func() { r.fault = c.fault })
			begun := time.Now()
			r.expect(r.renew(g, "a"), "a", c.reason)
			if took := time.Since(begun); took > expiredTimeout {
				t.Errorf("%s: it takes %v", c.reason, took)
			}
		})
	}
}

// TestGroupHeldByFinalizer: a Lease that stays after its delete is deleted once.
func TestGroupHeldByFinalizer(t *testing.T) {
	groupBubble(t, func(r *groupRig) {
		g := r.process()
		r.renew(g, "a")
		r.putLease("gc-b", marked(), `{}`)
		r.update("coordination.k8s.io/Lease", groupSpace, "gc-b", func(m *meta) { m.Finalizers = []string{"x.io/hold"} })
		r.renew(g, "a")
		pass(leaseTime)
		for range 3 {
			r.renew(g, "a")
		}
		if got := strings.Count(strings.Join(r.takeCalls(), " "), "delete"); got != 1 {
			t.Errorf("%d deletes", got)
		}
		r.expect(r.renew(r.process(), "b"), "a b", "and another member may have it")
	})
}

// forbidding is a fault: the server forbids a method.
func forbidding(method string) func(*http.Request) *fakeResponse {
	return func(q *http.Request) *fakeResponse {
		if q.Method == method {
			return &fakeResponse{code: http.StatusForbidden}
		}
		return nil
	}
}
