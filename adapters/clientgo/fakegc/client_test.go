package fakegc

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestUIDs(t *testing.T) {
	given := configMap("given")
	given.UID = "mine"
	r := newRig(t, configMap("before"), given)
	ctx := t.Context()
	seen := map[types.UID]string{}
	note := func(what string, uid types.UID) {
		t.Helper()
		if uid == "" || seen[uid] != "" {
			t.Errorf("%s has the UID %q, which is empty, or that of %s", what, uid, seen[uid])
		}
		seen[uid] = what
	}
	var list corev1.ConfigMapList
	if err := r.List(ctx, &list); err != nil || len(list.Items) != 2 {
		t.Fatal(list.Items, err)
	}
	for _, o := range list.Items {
		note(o.Name, o.UID)
	}
	if list.Items[1].UID != "mine" {
		t.Errorf("a UID given by hand became %q", list.Items[1].UID)
	}
	generated := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", GenerateName: "some-"}}
	loose := &unstructured.Unstructured{}
	loose.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
	loose.SetNamespace("default")
	loose.SetName("loose")
	r.make(generated, loose)
	note("generated", generated.UID)
	note("unstructured", loose.GetUID())
	again := generated.DeepCopy()
	again.ResourceVersion = ""
	r.end(generated)
	r.make(again) // with the UID of the removed original
	note("one created again", again.UID)
	r.end(&list.Items[1])
	second := configMap("given")
	second.UID = "mine"
	r.make(second)
	note("one whose UID was given before", second.UID)
	config := applycore.ConfigMap("applied", "default").WithData(map[string]string{"a": "b"})
	if err := r.Apply(ctx, config, client.FieldOwner("test"), client.ForceOwnership); err != nil {
		t.Fatal(err)
	}
	note("an applied one", *config.UID)
	var applied corev1.ConfigMap
	if err := r.Get(ctx, client.ObjectKey{Namespace: "default", Name: "applied"}, &applied); err != nil ||
		applied.UID != *config.UID || applied.ResourceVersion != *config.ResourceVersion || applied.Data["a"] != "b" {
		t.Errorf("applied %+v, answered %v %v, %v", applied.ObjectMeta, *config.UID, *config.ResourceVersion, err)
	}
}

// TestUIDOfAppliedPatch: a patch of type apply creates an object too.
func TestUIDOfAppliedPatch(t *testing.T) {
	r := newRig(t)
	o := configMap("a")
	o.APIVersion, o.Kind = "v1", "ConfigMap"
	//lint:ignore SA1019 the older way to apply is still used
	if err := r.Patch(t.Context(), o, client.Apply, client.FieldOwner("test")); err != nil || o.UID == "" {
		t.Fatalf("%+v, %v", o.ObjectMeta, err)
	}
	if err := r.Update(t.Context(), o); err != nil {
		t.Errorf("the answer is not the latest version: %v", err)
	}
}

// TestUIDStays: no write changes the UID of an object.
func TestUIDStays(t *testing.T) {
	for _, c := range []struct {
		write    func(*rig, *corev1.ConfigMap) error
		conflict bool
		reason   string
	}{
		{func(r *rig, o *corev1.ConfigMap) error {
			o.UID, o.ResourceVersion = "", ""
			return r.Update(r.Context(), o)
		}, false, "an update that names none"},
		{func(r *rig, o *corev1.ConfigMap) error { o.UID = "other"; return r.Update(r.Context(), o) }, true, "an update of another one"},
		{func(r *rig, o *corev1.ConfigMap) error {
			before := o.DeepCopy()
			o.UID = ""
			return r.Patch(r.Context(), o, client.MergeFrom(before))
		}, false, "a merge patch from an object that has lost it"},
		{patches(types.MergePatchType, `{"metadata":{"uid":"other"}}`), true, "a merge patch of another one"},
		{patches(types.MergePatchType, `{"metadata":{"uid":"UID","labels":{"a":"b"}}}`), false, "a merge patch under its UID"},
		{patches(types.StrategicMergePatchType, `{"metadata":{"uid":"other"}}`), true, "a strategic one"},
		{patches(types.JSONPatchType, `[{"op":"replace","path":"/metadata/uid","value":"other"}]`), true, "a JSON patch of another one"},
		{patches(types.JSONPatchType, `[{"op":"remove","path":"/metadata/uid"}]`), false, "a JSON patch that removes it"},
		{patches(types.JSONPatchType, `[{"op":"test","path":"/metadata/uid","value":"UID"}]`), false, "a JSON patch that tests it"},
		{func(r *rig, o *corev1.ConfigMap) error {
			config := applycore.ConfigMap(o.Name, o.Namespace).WithUID("other")
			return r.Apply(r.Context(), config, client.FieldOwner("test"))
		}, true, "an apply of another one"},
		{func(r *rig, o *corev1.ConfigMap) error {
			config := applycore.ConfigMap(o.Name, o.Namespace).WithLabels(map[string]string{"a": "b"})
			return r.Apply(r.Context(), config, client.FieldOwner("test"))
		}, false, "an apply"},
	} {
		r := newRig(t)
		o := configMap("a")
		r.make(o)
		uid := o.UID
		err := c.write(r, o.DeepCopy())
		if apierrors.IsConflict(err) != c.conflict || !c.conflict && err != nil {
			t.Errorf("%s: error %v, conflict wanted: %v", c.reason, err, c.conflict)
		}
		var now corev1.ConfigMap
		if err := r.Get(t.Context(), client.ObjectKeyFromObject(o), &now); err != nil || now.UID != uid {
			t.Errorf("%s: the UID %q became %q, %v", c.reason, uid, now.UID, err)
		}
	}
}

func patches(t types.PatchType, text string) func(*rig, *corev1.ConfigMap) error {
	return func(r *rig, o *corev1.ConfigMap) error {
		return r.Patch(r.Context(), o, client.RawPatch(t, []byte(strings.ReplaceAll(text, "UID", string(o.UID)))))
	}
}

func TestPreconditions(t *testing.T) {
	none := func(*corev1.ConfigMap) client.Preconditions { return client.Preconditions{} }
	other, old := types.UID("other"), "0"
	for _, c := range []struct {
		pre      func(*corev1.ConfigMap) client.Preconditions
		conflict bool
		reason   string
	}{
		{none, false, "nothing is demanded"},
		{func(o *corev1.ConfigMap) client.Preconditions { return client.Preconditions{UID: &o.UID} }, false, "its UID"},
		{func(o *corev1.ConfigMap) client.Preconditions {
			return client.Preconditions{ResourceVersion: &o.ResourceVersion}
		}, false, "its version"},
		{func(*corev1.ConfigMap) client.Preconditions { return client.Preconditions{UID: &other} }, true, "another UID"},
		{func(o *corev1.ConfigMap) client.Preconditions {
			return client.Preconditions{UID: &o.UID, ResourceVersion: &old}
		}, true, "another version"},
	} {
		r := newRig(t)
		o := configMap("a")
		r.make(o)
		err := r.Delete(t.Context(), o, c.pre(o))
		if apierrors.IsConflict(err) != c.conflict || !c.conflict && err != nil {
			t.Errorf("%s: %v", c.reason, err)
		}
		r.want(map[bool]string{true: "a", false: ""}[c.conflict])
	}
	r := newRig(t)
	if err := r.Delete(t.Context(), configMap("none")); !apierrors.IsNotFound(err) || !strings.Contains(err.Error(), `configmaps "none" not found`) {
		t.Errorf("deleting nothing: %v", err)
	}
}

func TestLateFinalizers(t *testing.T) {
	const late = `{"metadata":{"finalizers":["example.org/x","example.org/late"]}}`
	for _, c := range []struct {
		write  func(*rig, *corev1.ConfigMap) error
		late   bool
		reason string
	}{
		{func(r *rig, o *corev1.ConfigMap) error {
			o.Finalizers = append(o.Finalizers, "example.org/late")
			return r.Update(r.Context(), o)
		}, true, "an update"},
		{patches(types.MergePatchType, late), true, "a merge patch"},
		{patches(types.StrategicMergePatchType, late), true, "a strategic one"},
		{patches(types.JSONPatchType, `[{"op":"add","path":"/metadata/finalizers/-","value":"example.org/late"}]`), true, "a JSON patch"},
		{patches(types.JSONPatchType, `[{"op":"add","path":"/metadata/finalizers","value":["example.org/late"]}]`), true, "one of the whole list"},
		{func(r *rig, o *corev1.ConfigMap) error {
			config := applycore.ConfigMap(o.Name, o.Namespace).WithFinalizers("example.org/late")
			return r.Apply(r.Context(), config, client.FieldOwner("test"))
		}, true, "an apply"},
		{patches(types.MergePatchType, `{"metadata":{"finalizers":["example.org/x"]}}`), false, "it keeps a finalizer that it has"},
		{func(r *rig, o *corev1.ConfigMap) error { o.Finalizers = nil; return r.Update(r.Context(), o) }, false, "and lose"},
	} {
		r := newRig(t)
		o := configMap("a")
		o.Finalizers = []string{"example.org/x"}
		r.make(o)
		r.end(o)
		if err := r.Get(t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
			t.Fatal(err)
		}
		err := c.write(r, o)
		if apierrors.IsInvalid(err) != c.late || !c.late && err != nil {
			t.Errorf("%s: %v", c.reason, err)
		}
	}
}

// TestStatus: update, patch and apply write a status. The collector goes on from the
// new version.
func TestStatus(t *testing.T) {
	r := newRig(t)
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
	r.make(node)
	uid := node.UID
	r.make(configMap("of-n", node))
	ctx := t.Context()
	node.Status.Phase = corev1.NodeRunning
	node.UID = "" // like an object that the test has built
	if err := r.Status().Update(ctx, node); err != nil {
		t.Fatal(err)
	}
	before := node.DeepCopy()
	node.Status.NodeInfo.KernelVersion = "7"
	if err := r.Status().Patch(ctx, node, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	config := applycore.Node("n").WithStatus(applycore.NodeStatus().WithAddresses(applycore.NodeAddress().WithAddress("::1")))
	if err := r.Status().Apply(ctx, config, client.FieldOwner("test"), client.ForceOwnership); err != nil {
		t.Fatal(err)
	}
	if err := r.Get(ctx, client.ObjectKeyFromObject(node), node); err != nil {
		t.Fatal(err)
	}
	if len(node.Status.Addresses) != 1 || node.UID != uid {
		t.Errorf("the status is %+v, the UID %q, want %q", node.Status, node.UID, uid)
	}
	r.collect()
	r.want("of-n>n")
	r.end(node, client.PropagationPolicy(metav1.DeletePropagationForeground))
	if err := r.Get(ctx, client.ObjectKeyFromObject(node), node); err != nil {
		t.Fatal(err)
	}
	node.Finalizers = append(node.Finalizers, "example.org/not-written-with-a-status")
	if err := r.Status().Update(ctx, node); err != nil {
		t.Error(err)
	}
	r.collect()
	r.want("")
}
