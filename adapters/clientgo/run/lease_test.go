package run

import (
	"errors"
	"strings"
	"testing"
	"time"

	coordination "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

func leased(identity string) Config {
	return Config{Act: true, Lease: Lease{Namespace: "kube-system", Name: "ownergraph", Identity: identity}}
}

// holder returns the holder of the server's Lease.
func (r *rig) holder() string {
	r.t.Helper()
	all := r.all("leases")
	if len(all) != 1 {
		r.t.Fatalf("leases %v", all)
	}
	l := coordination.Lease{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(all[0], &l); err != nil {
		r.t.Fatal(err)
	}
	if l.Spec.HolderIdentity == nil {
		return ""
	}
	return *l.Spec.HolderIdentity
}

// TestLease: one of two programs collects. When it ends, it releases the Lease after
// its last write. The other one starts before the Lease has expired.
func TestLease(t *testing.T) {
	bubble(t, leased("a"), func(r *rig) {
		r.owned()
		end := r.start(r.program)
		pass(time.Second)
		other := r.add(leased("b"))
		r.start(other)
		pass(10 * time.Minute)
		if got := r.holder(); got != "a" {
			t.Errorf("%q has the lease", got)
		}
		if s := other.collector.Stats(); s.Events != 0 {
			t.Errorf("the other one observes: %+v", s)
		}
		if w := get(other, "/readyz"); w.Code != 200 || !strings.Contains(w.Body.String(), "waiting for the Lease kube-system/ownergraph") {
			t.Errorf("the other one's readyz: %d %s", w.Code, w.Body)
		}
		r.takeCalls()
		if err := end(); err != nil {
			t.Error(err)
		}
		calls := r.takeCalls("list", "watch", "get", "update", "patch", "delete")
		if len(calls) == 0 || calls[len(calls)-1] != "update leases ownergraph" || r.holder() != "" {
			t.Errorf("owned by %q at the end of %q", r.holder(), calls)
		}
		pass(11 * time.Second) // client-go tries every sixth of the Lease, with up to 1.2 sixths of jitter
		if got := r.holder(); got != "b" {
			t.Errorf("%q has the lease", got)
		}
		r.remove("deployments", "ns", "owner")
		pass(time.Second)
		if left := r.all("configmaps"); len(left) != 0 {
			t.Errorf("left %v", left)
		}
	})
}

// TestLeaseLost: a program that cannot renew its Lease stops before another may take
// it.
func TestLeaseLost(t *testing.T) {
	bubble(t, leased("a"), func(r *rig) {
		r.owned()
		done := make(chan error, 1)
		go func() { done <- r.program.Run(r.t.Context()) }()
		pass(time.Minute)
		begun := time.Now()
		r.set(func() { r.broken = func(_, plural string) bool { return plural == "leases" } })
		err := <-done
		if !errors.Is(err, ErrLeaseLost) || !strings.Contains(err.Error(), "Lease kube-system/ownergraph") {
			t.Errorf("ended with %v", err)
		}
		if took := time.Since(begun); took >= defaultLease {
			t.Errorf("stopped after %v", took)
		}
	})
}

// TestLeaseTaken: another holder has the Lease, as after a pause of the whole machine.
func TestLeaseTaken(t *testing.T) {
	bubble(t, leased("a"), func(r *rig) {
		done := make(chan error, 1)
		go func() { done <- r.program.Run(r.t.Context()) }()
		pass(time.Minute)
		r.set(func() {
			l := r.of("leases")
			for at, o := range l.objects {
				spec := o["spec"].(map[string]any)
				spec["holderIdentity"] = "another"
				spec["leaseDurationSeconds"] = 3600
				r.commit(l, "", l.objects[at])
			}
		})
		if err := <-done; !errors.Is(err, ErrLeaseLost) {
			t.Errorf("ended with %v", err)
		}
		if got := r.holder(); got != "another" {
			t.Errorf("the lease was taken back: %q", got)
		}
	})
}

// TestLeaseNeverOwned: a program that ends while it waits does not touch the Lease.
func TestLeaseNeverOwned(t *testing.T) {
	bubble(t, leased("a"), func(r *rig) {
		r.start(r.program)
		pass(time.Second)
		end := r.start(r.add(leased("")))
		pass(time.Minute)
		if err := end(); err != nil {
			t.Error(err)
		}
		if got := r.holder(); got != "a" {
			t.Errorf("%q has the lease", got)
		}
	})
}
