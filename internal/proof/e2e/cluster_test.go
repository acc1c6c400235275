package e2e

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ownergraph/ownergraph/policy"
)

// TestGlobalOwners: namespaced objects have owners without a namespace. The owners'
// kind is listed late, since its server is slow. Until then all stay, while all other
// work goes on. Then a dependent of a live owner stays, and a dependent of an absent
// owner goes. A dependent of an owner of a kind that is not served is held. A global
// object with an owner in a namespace is never touched. Upstream:
// TestClusterScopedOwners.
func TestGlobalOwners(t *testing.T) {
	w := begin(t)
	owner := w.create(volume, w.ns)
	never := object{kind: volume, name: w.ns + "-never", uid: "no-such-volume"}
	valid := w.create(configMap, "valid", owned(owner))
	missing := w.create(configMap, "missing", owned(never))
	unknown := w.create(configMap, "unknown", references(metav1.OwnerReference{
		APIVersion: "nobody.example.org/v1", Kind: "Unknown", Name: "unknown", UID: "unknown",
	}))
	global := w.create(node, w.ns, owned(valid))
	other := w.create(configMap, "other")
	child := w.create(configMap, "child", owned(other))
	gate := make(chan struct{})
	open := sync.OnceFunc(func() { close(gate) })
	t.Cleanup(open)
	c := w.collect(settings{meet: func(r *http.Request) error {
		if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/persistentvolumes") {
			select {
			case <-gate:
			case <-r.Context().Done():
				return r.Context().Err()
			}
		}
		return nil
	}})
	w.delete(other, background)
	w.goes(child)
	w.stays(valid, unknown, global)
	open()
	held := map[string]policy.Reason{}
	if _, err := c.WaitIdle(w.ctx); err != nil {
		t.Fatal(err)
	}
	for _, h := range c.Held(1000) {
		held[h.Key.Name] = h.Reason
	}
	if held[unknown.name] != policy.OwnerUnknown || held[global.name] != policy.OwnerUnknown || held[valid.name] != policy.ReasonUnset {
		t.Errorf("held: %v", held)
	}
	w.gone(missing)
	w.stays(owner, valid, unknown, global)
	w.delete(owner, background)
	c.idle()
	w.gone(owner, valid)
	w.stays(global)
}
