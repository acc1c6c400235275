package e2e

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/policy"
)

// define makes a kind of custom resources, in a group of the world's own. It waits
// until the server serves the kind and discovery names it.
func (w *world) define(name string) (kind, object) {
	w.t.Helper()
	k := w.customKind(name)
	d := w.create(definition, k.plural+"."+k.gvk.Group, field(definitionSpec(k), "spec"))
	w.served(k)
	return k, d
}

func (w *world) customKind(name string) kind {
	gvk := schema.GroupVersionKind{Group: w.ns + ".example.org", Version: "v1", Kind: name}
	k := kind{gvk: gvk, plural: strings.ToLower(name) + "s", scoped: true}
	w.kinds = append(w.kinds, k)
	return k
}

func definitionSpec(k kind) map[string]any {
	return map[string]any{
		"group": k.gvk.Group, "scope": "Namespaced",
		"names":    map[string]any{"kind": k.gvk.Kind, "listKind": k.gvk.Kind + "List", "plural": k.plural, "singular": strings.ToLower(k.gvk.Kind)},
		"versions": []any{definedVersion("v1", true)},
	}
}

func definedVersion(name string, storage bool) map[string]any {
	return map[string]any{
		"name": name, "served": true, "storage": storage,
		"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
	}
}

// served waits until a kind is served, and discovery names it.
func (w *world) served(k kind) {
	w.t.Helper()
	d, err := discovery.NewDiscoveryClientForConfig(w.server.Admin())
	if err != nil {
		w.t.Fatal(err)
	}
	w.until("wait for "+k.plural, func() error {
		if _, err := w.in(k, w.ns).List(w.ctx, metav1.ListOptions{Limit: 1}); err != nil {
			return err
		}
		_, lists, err := d.ServerGroupsAndResources()
		if err != nil {
			return err
		}
		for _, l := range lists {
			if l.GroupVersion == k.gvk.GroupVersion().String() {
				return nil
			}
		}
		return errNotYet
	})
}

// TestCustomResources: a definition comes while the collector runs, with an owner and a
// dependent of the kind. The dependent ends first. Upstream:
// TestCustomResourceCascadingDeletion.
func TestCustomResources(t *testing.T) {
	w := begin(t)
	c := w.collect(settings{})
	k, _ := w.define("Thing")
	owner := w.create(k, "owner")
	child := w.create(k, "child", blocking(owner))
	grandchild := w.create(k, "grandchild", blocking(child))
	w.delete(owner, foreground)
	c.quiet()
	w.gone(owner, child, grandchild)
	again := w.create(k, "again")
	free := w.several(3, k, "free", blocking(again))
	w.delete(again, orphan)
	c.quiet()
	w.gone(again)
	w.stays(free...)
	w.ownedBy(nil, free...)
}

// TestMixedKinds: custom resources own built-in objects and the other way round.
// Upstream: TestMixedRelationships.
func TestMixedKinds(t *testing.T) {
	w := begin(t)
	k, _ := w.define("Thing")
	custom, core := w.create(k, "owner"), w.create(configMap, "owner")
	ofCustom := w.create(configMap, "of-custom", blocking(custom))
	ofCore := w.create(k, "of-core", blocking(core))
	c := w.collect(settings{})
	w.delete(custom, foreground)
	w.delete(core, background)
	c.quiet()
	w.gone(custom, core, ofCustom, ofCore)
}

// TestDefinitionDeleted: the objects of a definition go with it, and so do their
// dependents. The same is true for the second definition of the name. Upstream:
// TestCRDDeletionCascading.
func TestDefinitionDeleted(t *testing.T) {
	w := begin(t)
	c := w.collect(settings{})
	for range 2 {
		k, d := w.define("Thing")
		owner := w.create(k, "owner")
		child := w.create(configMap, "child", owned(owner))
		grandchild := w.create(secret, "grandchild", owned(child))
		other := w.create(secret, "other")
		both := w.create(secret, "both", owned(owner, other))
		c.quiet()
		w.stays(child, grandchild)
		w.delete(d, background)
		w.goes(d, child, grandchild)
		w.until("wait for the reference to go", func() error {
			if n := len(w.read(both).GetOwnerReferences()); n != 1 {
				return fmt.Errorf("%d references", n)
			}
			return nil
		})
		w.stays(other, both)
		w.delete(other, background)
		c.quiet()
		w.gone(both)
	}
}

// TestConversionFails: a kind whose conversion webhook cannot be reached is sick, and
// no other kind is. Background deletions go on. Exact deletions are held, and the
// report names the kind, unless a Config bounds the wait. Upstream:
// TestCascadingDeleteOnCRDConversionFailure.
func TestConversionFails(t *testing.T) {
	w := begin(t)
	k, d := w.define("Thing")
	w.create(k, "stored")
	w.breakConversion(k, d)
	sole, other := w.families(3, 3), w.create(configMap, "other")
	child := w.create(secret, "child", owned(other))
	c := w.collect(settings{})
	w.delete(other, background)
	w.goes(child)
	w.until("wait for the kind to be sick", func() error {
		if c.sick()[k.name()] == "" {
			return errNotYet
		}
		return nil
	})
	sole.delete()
	held := c.idle()
	reasons := map[policy.Reason]int{}
	for _, h := range held {
		reasons[h.Reason]++
		if h.Reason == policy.FenceHeld && !strings.Contains(fmt.Sprint(h.Detail), string(k.name())) {
			t.Errorf("%v does not name the kind", h)
		}
	}
	if reasons[policy.FenceHeld] != 4 || reasons[policy.NeedDependents] != 1 || len(held) != 5 {
		t.Errorf("held: %v, want the owner that waits with its dependents, and the one that orphans", held)
	}
	c.stop()
	w.collect(settings{engine: ownergraph.Config{FenceWait: time.Second}})
	sole.converge()
	sole.converged()
	// Its object cannot be read, so no client can delete it.
	w.patchSpec(d, map[string]any{"conversion": map[string]any{"strategy": "None", "webhook": nil}})
}

// breakConversion makes the server store and prefer another version. Only a webhook
// that does not answer can convert to it.
func (w *world) breakConversion(k kind, d object) {
	w.t.Helper()
	w.patchSpec(d, map[string]any{
		"versions": []any{definedVersion("v1", false), definedVersion("v2", true)},
		"conversion": map[string]any{"strategy": "Webhook", "webhook": map[string]any{
			"conversionReviewVersions": []any{"v1"},
			"clientConfig":             map[string]any{"url": "https://127.0.0.1:1/"},
		}},
	})
	newer := k
	newer.gvk.Version = "v2"
	w.kinds = append(w.kinds, newer)
	w.until("wait for the conversion to fail", func() error {
		_, err := w.in(newer, w.ns).List(w.ctx, metav1.ListOptions{})
		if err == nil || apierrors.IsNotFound(err) {
			return errors.Join(errNotYet, err)
		}
		return nil
	})
}
