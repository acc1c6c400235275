package e2e

import (
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/policy"
)

// TestScopeSweep: a namespace is emptied, pods first and all other objects after them.
// The server lets no new object in, and the namespace goes last. A collector without
// the right to end it has emptied it, and reports that.
func TestScopeSweep(t *testing.T) {
	e := newEstate(t)
	space := e.spaces[gone]
	pods := e.several(10, pod, "more", under(space.name))
	held := e.create(pod, "held", under(space.name), finalizers(hold))
	e.create(role, e.ns, field([]any{rule("*", "*", "get", "list", "watch", "patch", "delete")}, "rules"))
	e.bind(e.ns)
	c := e.sweep(settings{user: limited, engine: probe.Tuned(ownergraph.Config{Sweeps: []guard.Sweep{scopeSweep()}}, inside.Tuning{RefusedRetry: time.Second})})
	e.remember()
	e.delete(space, background)
	e.goes(pods...)
	if _, err := c.WaitIdle(e.ctx); err != nil {
		t.Fatal(err)
	}
	if why := e.whyHeld(c, space); why != policy.NeedMembers {
		t.Errorf("the namespace is held: %v, want that it waits for a pod", why)
	}
	for _, o := range e.made {
		if o.ns == space.name && o.kind.gvk != pod.gvk {
			e.stays(o)
		}
	}
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(configMap.gvk)
	u.SetName("new")
	if _, err := e.in(configMap, space.name).Create(e.ctx, u, metav1.CreateOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("something new in a namespace that goes: %v", err)
	}
	e.free(held)
	e.until("wait for the namespace to be empty, and refused", func() error {
		if e.whyHeld(c, space) != policy.StoreRefused {
			return errNotYet
		}
		return nil
	})
	for key := range e.state(e.revision()) {
		if strings.Contains(key, "/"+space.name+"/") {
			t.Errorf("%s is left", key)
		}
	}
	right := e.its(gone, "right")
	e.create(role, right, field([]any{rule("", "namespaces/finalize", "update")}, "rules"))
	e.bind(right)
	e.goes(space)
	e.untouched(isOf(gone))
}

// whyHeld returns the reason for which an object is held, if it is.
func (e *estate) whyHeld(c *collecting, o object) policy.Reason {
	for _, h := range c.Held(1000) {
		if h.Key == e.key(o) {
			return h.Reason
		}
	}
	return policy.ReasonUnset
}

// TestSweepLacksKind: a tenant and its namespace wait for a kind that the engine may
// not see, since it may have members of the tenant. The visible members go meanwhile.
func TestSweepLacksKind(t *testing.T) {
	e := newEstate(t)
	unseen := e.create(priority, e.its(gone, "gold"), field(int64(10), "value"))
	volumes := e.several(3, volume, e.its(gone, "volume"))
	e.create(role, e.ns, field(e.rulesBut(priority.plural, "get", "list", "watch", "patch", "delete"), "rules"))
	e.create(role, e.ns+"-end", field([]any{rule("", "namespaces/finalize", "update")}, "rules"))
	e.bind(e.ns)
	e.bind(e.ns + "-end")
	s := e.whole()
	s.user = limited
	c := e.sweep(s)
	e.remember()
	e.delete(e.holders[gone], background)
	e.goes(volumes...)
	for _, o := range e.made {
		if o.ns == e.spaces[gone].name {
			e.goes(o)
		}
	}
	e.until("wait for the namespace to be held by the fence, and the tenant by the namespace", func() error {
		if e.whyHeld(c, e.spaces[gone]) != policy.FenceHeld || e.whyHeld(c, e.holders[gone]) != policy.NeedMembers {
			return errNotYet
		}
		return nil
	})
	if sick := c.sick(); len(sick) != 1 {
		t.Errorf("sick: %v", sick)
	}
	e.stays(unseen)
	e.create(role, e.ns+"-see", field([]any{rule(priority.gvk.Group, priority.plural, "get", "list", "watch", "patch", "delete")}, "rules"))
	e.bind(e.ns + "-see")
	e.goes(e.holders[gone], unseen)
}
