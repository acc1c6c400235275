package e2e

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// withPolicy adds references with a policy, which an annotation has.
func (w *world) withPolicy(d graph.OnDelete, owners ...object) option {
	return func(u *unstructured.Unstructured) {
		for _, r := range refsTo(nil, owners) {
			if err := clientgo.SetOwner(u, u.GroupVersionKind(), r, d); err != nil {
				w.t.Fatal(err)
			}
		}
	}
}

// annotated adds the annotation with a value.
func annotated(value string) option {
	return func(u *unstructured.Unstructured) {
		u.SetAnnotations(map[string]string{clientgo.OwnersAnnotation: value})
	}
}

// valueOf returns the value of an object's annotation.
func (w *world) valueOf(o object) string {
	w.t.Helper()
	return w.read(o).GetAnnotations()[clientgo.OwnersAnnotation]
}

// TestPolicies: a user deletes an owner in the background. Its dependents go, stay or hold it, by the
// policies of their annotations. A copied annotation decides nothing, and one that cannot be read holds
// its object.
func TestPolicies(t *testing.T) {
	w := begin(t)
	owner, live := w.create(configMap, "owner"), w.create(configMap, "live")
	web := w.create(controller, "web", owned(live), w.withPolicy(graph.OnDeleteCascade, owner))
	below := w.create(secret, "below", owned(web))
	note := func(u *unstructured.Unstructured) { u.SetAnnotations(map[string]string{"example.org/note": "kept"}) }
	released := w.create(secret, "released", owned(live), note, w.withPolicy(graph.OnDeleteRelease, owner))
	copied := w.create(secret, "copied", owned(live), annotated(w.valueOf(web)))
	unread := w.create(secret, "unread", owned(owner), annotated("cascade"))
	middle := w.create(configMap, "middle", owned(owner))
	guards := w.create(secret, "guards", owned(live), w.withPolicy(graph.OnDeleteRestrict, middle))
	c := w.collect(settings{engine: ownergraph.Config{Policies: true}})
	c.synced()
	c.idle()
	w.delete(owner, background)
	w.goes(owner, web, below)
	c.idle()
	w.stays(live, released, copied, unread, middle, guards)
	if m := w.read(released); w.valueOf(released) != "" || m.GetAnnotations()["example.org/note"] != "kept" || len(m.GetOwnerReferences()) != 1 {
		t.Errorf("the released object has the owners %v and the annotations %q", names(m.GetOwnerReferences()), m.GetAnnotations())
	}
	reasons := map[string]policy.Reason{}
	for _, h := range c.Held(100) {
		if h.Key.Scope == w.ns {
			reasons[h.Key.Name] = h.Reason
			if h.Key.Name == unread.name && !strings.Contains(fmt.Sprint(h.Detail), clientgo.OwnersAnnotation) {
				t.Errorf("%s is held, and the detail %q names no annotation", unread, h.Detail)
			}
		}
	}
	if len(reasons) != 2 || reasons[unread.name] != policy.ObjectFlawed || reasons[middle.name] != policy.Restricted {
		t.Errorf("held: %v", reasons)
	}
	w.patch(unread, map[string]any{"annotations": map[string]any{clientgo.OwnersAnnotation: nil}})
	w.delete(guards, background)
	w.goes(unread, guards, middle)
	c.quiet()
	w.stays(live, released, copied)
}

// TestPoliciesBesideUpstream: beside the collector of Kubernetes a cascade reference binds a background
// deletion. That collector deletes nothing by the annotation.
func TestPoliciesBesideUpstream(t *testing.T) {
	w := begin(t)
	owner, live := w.create(configMap, "owner"), w.create(configMap, "live")
	child := w.create(secret, "child", owned(live), w.withPolicy(graph.OnDeleteCascade, owner))
	other := w.create(secret, "other", w.withPolicy(graph.OnDeleteRelease, owner))
	theirs := w.upstream()
	theirs.sees([]object{owner, live, child, other})
	w.delete(owner, background)
	w.goes(owner)
	theirs.works()
	w.stays(child, other)
	c := w.collect(settings{engine: ownergraph.Config{Policies: true}})
	w.goes(child)
	w.until("wait for the release", func() error {
		if w.valueOf(other) != "" {
			return errNotYet
		}
		return nil
	})
	c.idle()
	w.stays(live, other)
}

// TestPoliciesIgnoredByUpstreamOrphan: the collector of Kubernetes ends an orphan deletion, and takes the
// owner references off alone. So our collector deletes the dependent with cascade, as after a
// background deletion. The manual of -policies all says so.
func TestPoliciesIgnoredByUpstreamOrphan(t *testing.T) {
	w := begin(t)
	owner := w.create(configMap, "owner", finalizers(metav1.FinalizerOrphanDependents))
	child := w.create(secret, "child", w.withPolicy(graph.OnDeleteCascade, owner))
	plain := w.create(secret, "plain", owned(owner))
	theirs := w.upstream()
	theirs.sees([]object{owner, plain})
	w.delete(owner, orphan)
	w.goes(owner)
	w.collect(settings{engine: ownergraph.Config{Policies: true}})
	w.goes(child)
	w.stays(plain)
	w.ownedBy(nil, plain)
}
