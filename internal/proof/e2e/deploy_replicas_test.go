package e2e

import (
	"fmt"
	"strconv"

	"k8s.io/client-go/rest"

	program "github.com/ownergraph/ownergraph/adapters/clientgo/run"
)

// replica is one program of the overlay that acts.
type replica struct {
	w    *world
	p    *program.Program
	seen *witness
	end  func()
}

type replicas []replica

// replicas runs three programs of a rendering, with short leases, and returns the config of their
// account.
func (w *world) replicas(all rendered) (out replicas, user *rest.Config) {
	w.t.Helper()
	for range 3 {
		r := replica{w: w}
		r.p, user, r.seen, r.end = w.deployed(all, "-share-lease=3s")
		out = append(out, r)
	}
	ready := all.container(w.t).ReadinessProbe.HTTPGet.Path
	for _, r := range out {
		w.probe(r.p, ready)
	}
	return out, user
}

// kill ends a program without a farewell to the server.
func (r replica) kill() {
	r.seen.mu.Lock()
	r.seen.cut = true
	r.seen.mu.Unlock()
	r.end()
}

// divide waits until the programs know of each other, and their parts are all slots.
func (list replicas) divide(members string) {
	w := list[0].w
	w.t.Helper()
	w.until("wait until the programs divide the objects", func() error {
		slots := 0
		for _, r := range list {
			n, err := strconv.Atoi(metric(r.p, "ownergraph_share_slots"))
			if got := metric(r.p, "ownergraph_group_members"); err != nil || got != members || n == 0 {
				return fmt.Errorf("%s members, %d slots, %v: %w", got, n, err, errNotYet)
			}
			slots += n
		}
		if slots != 4096 {
			return fmt.Errorf("%d slots: %w", slots, errNotYet)
		}
		return nil
	})
}

// deleted returns the number of secrets that the programs have deleted.
func (list replicas) deleted() (n int) {
	for _, r := range list {
		if one, err := strconv.Atoi(metric(r.p, `ownergraph_deleted_objects_total{kind="Secret"}`)); err == nil {
			n += one
		}
	}
	return n
}
