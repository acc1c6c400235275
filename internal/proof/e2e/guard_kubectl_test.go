package e2e

import (
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/policy"
)

// The patches of the README of adapters/clientgo, as a user types them after -p.
const (
	releaseHold     = `{"metadata":{"$deleteFromPrimitiveList/finalizers":["ownergraph.github.io/hold"]}}`
	releaseHoldJSON = `[{"op":"test","path":"/metadata/finalizers/0","value":"ownergraph.github.io/hold"},` +
		`{"op":"remove","path":"/metadata/finalizers/0"}]`
	putProtect  = `{"metadata":{"finalizers":["ownergraph.github.io/protect"]}}`
	dropProtect = `{"metadata":{"$deleteFromPrimitiveList/finalizers":["ownergraph.github.io/protect"]}}`
)

// kubectlPatch patches in the way of kubectl patch: by coordinates, under no precondition.
func (w *world) kubectlPatch(o object, how types.PatchType, body string) {
	w.t.Helper()
	if _, err := w.of(o).Patch(w.ctx, o.name, how, []byte(body), metav1.PatchOptions{FieldManager: "kubectl-patch"}); err != nil {
		w.t.Errorf("patch %s: %v", o, err)
	}
}

// guardAlways returns a guard that refuses every deletion of objects with one of the names.
func guardAlways(names ...string) ownergraph.Config {
	return ownergraph.Config{Guards: []guard.Guard{{Names: names, Always: true}}}
}

// TestKubectlApproves: each command of the README that approves a refused root takes off the
// hold alone. A deletion that was repeated as orphan orphans, and a foreign finalizer stays.
func TestKubectlApproves(t *testing.T) {
	w := begin(t)
	custom, _ := w.define("Thing")
	for i, c := range []struct {
		kind    kind
		foreign bool
		again   metav1.DeletionPropagation
		how     types.PatchType
		body    string
		reason  string
	}{
		{configMap, false, "", types.StrategicMergePatchType, releaseHold, "a built-in kind"},
		{configMap, false, "", types.JSONPatchType, releaseHoldJSON, "a built-in kind, by the patch for all kinds"},
		{custom, false, "", types.JSONPatchType, releaseHoldJSON, "a custom resource takes no strategic patch"},
		{configMap, false, orphan, types.StrategicMergePatchType, releaseHold, "the user chose to orphan"},
		{custom, false, orphan, types.JSONPatchType, releaseHoldJSON, "the same for a custom resource"},
		{configMap, true, "", types.StrategicMergePatchType, releaseHold, "a foreign finalizer stays"},
	} {
		root := fmt.Sprint("root-", i)
		o := w.create(c.kind, root)
		children := w.several(3, secret, root, blocking(o))
		engine := w.collect(settings{engine: guardAlways(root)})
		w.carries(o, graph.FinalizerHold, graph.FinalizerNew)
		if c.foreign {
			w.kubectlPatch(o, types.StrategicMergePatchType, `{"metadata":{"finalizers":["`+hold+`"]}}`)
		}
		w.delete(o, background)
		engine.holds(o, policy.DeletionRefused)
		if c.again != "" {
			w.delete(o, c.again)
		}
		engine.idle()
		w.stays(children...)
		w.kubectlPatch(o, c.how, c.body)
		switch {
		case c.again == orphan:
			w.goes(o)
			engine.quiet()
			w.stays(children...)
			w.ownedBy(nil, children...)
		case c.foreign:
			engine.idle()
			w.marked(o, hold)
			w.stays(children...)
			w.free(o)
			w.goes(children...)
		default:
			w.goes(append(children, o)...)
			engine.quiet()
		}
		if t.Failed() {
			t.Fatal(c.reason)
		}
		engine.stop()
	}
}

// TestKubectlApprovesOneUID: a patch that names a UID approves no other incarnation.
func TestKubectlApprovesOneUID(t *testing.T) {
	w := begin(t)
	root := w.create(configMap, "root")
	c := w.collect(settings{engine: guardAlways(root.name)})
	w.carries(root, graph.FinalizerHold, graph.FinalizerNew)
	w.delete(root, background)
	c.holds(root, policy.DeletionRefused)
	named := func(uid types.UID) []byte {
		return []byte(strings.Replace(releaseHold, `{"$delete`, `{"uid":"`+string(uid)+`","$delete`, 1))
	}
	_, err := w.of(root).Patch(w.ctx, root.name, types.StrategicMergePatchType, named("another"), metav1.PatchOptions{})
	if !apierrors.IsInvalid(err) {
		t.Errorf("a patch with another UID: %v", err)
	}
	w.marked(root, graph.FinalizerHold)
	w.kubectlPatch(root, types.StrategicMergePatchType, string(named(root.uid)))
	w.goes(root)
}

// TestKubectlProtects: the finalizer that a user puts on an object protects it. The rest of the
// cascade goes. Without the finalizer the object goes too.
func TestKubectlProtects(t *testing.T) {
	w := begin(t)
	root := w.create(configMap, "root")
	backup, other := w.create(secret, "backup", owned(root)), w.create(secret, "other", owned(root))
	below := w.create(configMap, "below", owned(backup))
	w.kubectlPatch(backup, types.StrategicMergePatchType, putProtect)
	c := w.collect(settings{}) // protection takes no setting
	c.quiet()
	w.delete(root, background)
	w.goes(root, other)
	c.holds(backup, policy.Protected)
	c.idle()
	w.stays(backup, below)
	w.kubectlPatch(backup, types.StrategicMergePatchType, dropProtect)
	w.goes(backup, below)
	c.quiet()
}
