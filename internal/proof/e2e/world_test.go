package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/internal/proof/e2e/server"
)

// patience bounds every wait of a test.
const patience = 90 * time.Second

// worlds counts the worlds, for their names.
var worlds atomic.Int64

// world is the view of one test on a server: a namespace of its own, and the users of
// it. Tests run one after another, since every collector sees all of the server.
type world struct {
	t      *testing.T
	ctx    context.Context
	server *server.Server
	ns     string
	client dynamic.Interface
	begun  int64 // the revision of the database at the beginning

	kinds      []kind // that it has defined
	collectors []*collecting
	others     []engine.Call // writes of collectors in other processes

	mu   sync.Mutex // guards made
	made []object
}

// object is one that a test made.
type object struct {
	kind     kind
	ns, name string
	uid      types.UID
}

func (o object) String() string { return fmt.Sprintf("%s %s (%s)", o.kind.gvk.Kind, o.name, o.uid) }

// begin makes a world on the shared server. When the test ends, it stops the
// collectors, judges their writes by the history, and removes the objects of the test.
func begin(t *testing.T) *world { return beginOn(t, shared) }

func beginOn(t *testing.T, s *server.Server) *world {
	w := enter(t, s)
	t.Cleanup(func() {
		for _, c := range w.collectors {
			c.stop()
		}
		for _, wrong := range w.judge() {
			t.Errorf("a write of ours: %s", wrong)
		}
		w.clear()
	})
	return w
}

// enter makes a world without a judgement and a removal at its end.
func enter(t *testing.T, s *server.Server) *world {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	w := &world{t: t, ctx: ctx, server: s, ns: fmt.Sprint("e2e-", worlds.Add(1))}
	var err error
	if w.client, err = dynamic.NewForConfig(s.Admin()); err != nil {
		t.Fatal(err)
	}
	w.begun = w.revision()
	w.create(namespace, w.ns)
	return w
}

// clear removes the objects that are left, with any finalizers.
func (w *world) clear() {
	free := []byte(`{"metadata":{"finalizers":null,"ownerReferences":null}}`)
	for _, o := range slices.Backward(w.made) {
		if o.kind.gvk == namespace.gvk {
			w.clearSpace(o)
			continue // the end of one without a mark is the namespace controller's work
		}
		c := w.of(o)
		_, _ = c.Patch(w.ctx, o.name, types.MergePatchType, free, metav1.PatchOptions{})
		err := c.Delete(w.ctx, o.name, metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationBackground)})
		if err != nil && !apierrors.IsNotFound(err) {
			w.t.Errorf("clear: %s: %v", o, err)
		}
	}
}

// clearSpace ends a namespace that has a mark. The sweeps of later tests would wait for it.
func (w *world) clearSpace(o object) {
	u, err := w.of(o).Get(w.ctx, o.name, metav1.GetOptions{})
	if err == nil && u.GetDeletionTimestamp() != nil {
		unstructured.RemoveNestedField(u.Object, "spec", "finalizers")
		_, err = w.of(o).Update(w.ctx, u, metav1.UpdateOptions{}, "finalize")
	}
	if err != nil && !apierrors.IsNotFound(err) {
		w.t.Errorf("clear: %s: %v", o, err)
	}
}

func (w *world) in(k kind, ns string) dynamic.ResourceInterface {
	if !k.scoped {
		return w.client.Resource(k.at())
	}
	return w.client.Resource(k.at()).Namespace(ns)
}

func (w *world) of(o object) dynamic.ResourceInterface { return w.in(o.kind, o.ns) }

// create makes an object in the world's namespace.
func (w *world) create(k kind, name string, with ...option) object {
	w.t.Helper()
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetGroupVersionKind(k.gvk)
	u.SetName(name)
	if k.scoped {
		u.SetNamespace(w.ns)
	}
	if k.spec != nil {
		u.Object["spec"] = runtime.DeepCopyJSON(k.spec)
	}
	for _, o := range with {
		o(u)
	}
	made, err := w.in(k, u.GetNamespace()).Create(w.ctx, u, metav1.CreateOptions{})
	if err != nil {
		w.t.Errorf("create %s %s: %v", k.gvk.Kind, name, err)
		return object{kind: k, ns: u.GetNamespace(), name: name}
	}
	o := object{k, made.GetNamespace(), made.GetName(), made.GetUID()}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.made = append(w.made, o)
	return o
}

// several makes n objects that are alike.
func (w *world) several(n int, k kind, name string, with ...option) []object {
	w.t.Helper()
	out := make([]object, n)
	w.parallel(n, func(i int) { out[i] = w.create(k, fmt.Sprint(name, "-", i), with...) })
	return out
}

// option changes an object that is made.
type option func(*unstructured.Unstructured)

// finalizers holds the object until a user frees it.
func finalizers(names ...string) option {
	return func(u *unstructured.Unstructured) { u.SetFinalizers(names) }
}

// hold is a finalizer that only a test removes.
const hold = "example.org/hold"

// under puts the object into another namespace.
func under(ns string) option { return func(u *unstructured.Unstructured) { u.SetNamespace(ns) } }

// field sets any other field.
func field(value any, path ...string) option {
	return func(u *unstructured.Unstructured) { _ = unstructured.SetNestedField(u.Object, value, path...) }
}

// owned adds references to owners, and blocking adds references that block.
func owned(owners ...object) option    { return references(refsTo(nil, owners)...) }
func blocking(owners ...object) option { return references(refsTo(new(true), owners)...) }

func references(refs ...metav1.OwnerReference) option {
	return func(u *unstructured.Unstructured) { u.SetOwnerReferences(append(u.GetOwnerReferences(), refs...)) }
}

func refsTo(block *bool, owners []object) []metav1.OwnerReference {
	var out []metav1.OwnerReference
	for _, o := range owners {
		out = append(out, metav1.OwnerReference{
			APIVersion: o.kind.gvk.GroupVersion().String(), Kind: o.kind.gvk.Kind, Name: o.name, UID: o.uid,
			BlockOwnerDeletion: block,
		})
	}
	return out
}

// delete deletes as a user does.
func (w *world) delete(o object, policy metav1.DeletionPropagation) {
	w.t.Helper()
	opts := metav1.DeleteOptions{PropagationPolicy: &policy, Preconditions: &metav1.Preconditions{UID: &o.uid}}
	if err := w.of(o).Delete(w.ctx, o.name, opts); err != nil {
		w.t.Errorf("delete %s: %v", o, err)
	}
}

// patch changes an object's metadata.
func (w *world) patch(o object, metadata map[string]any) {
	w.t.Helper()
	if err := w.tryPatch(o, metadata); err != nil {
		w.t.Errorf("patch %s: %v", o, err)
	}
}

func (w *world) tryPatch(o object, metadata map[string]any) error {
	body, err := json.Marshal(map[string]any{"metadata": metadata})
	if err != nil {
		return err
	}
	_, err = w.of(o).Patch(w.ctx, o.name, types.MergePatchType, body, metav1.PatchOptions{})
	return err
}

// free removes the finalizers that a test set.
func (w *world) free(o object) {
	w.t.Helper()
	w.patch(o, map[string]any{"finalizers": w.without(o, hold)})
}

func (w *world) without(o object, finalizer string) []string {
	w.t.Helper()
	u := w.read(o)
	return slices.DeleteFunc(u.GetFinalizers(), func(f string) bool { return f == finalizer })
}

// read returns an object that has to be there.
func (w *world) read(o object) *unstructured.Unstructured {
	w.t.Helper()
	u, err := w.of(o).Get(w.ctx, o.name, metav1.GetOptions{})
	switch {
	case err != nil:
		w.t.Fatalf("%s should be there: %v", o, err)
	case u.GetUID() != o.uid:
		w.t.Fatalf("%s should be there, and is %s", o, u.GetUID())
	}
	return u
}

// patchSpec changes the spec of an object.
func (w *world) patchSpec(o object, spec map[string]any) {
	w.t.Helper()
	body, err := json.Marshal(map[string]any{"spec": spec})
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := w.of(o).Patch(w.ctx, o.name, types.MergePatchType, body, metav1.PatchOptions{}); err != nil {
		w.t.Fatalf("patch %s: %v", o, err)
	}
}

// deleteThroughOutage deletes as a user does who tries again.
func (w *world) deleteThroughOutage(o object, policy metav1.DeletionPropagation) {
	w.t.Helper()
	w.until("delete "+o.String(), func() error {
		err := w.of(o).Delete(w.ctx, o.name, metav1.DeleteOptions{PropagationPolicy: &policy, Preconditions: &metav1.Preconditions{UID: &o.uid}})
		if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
			return nil // the first try did it
		}
		return err
	})
}
