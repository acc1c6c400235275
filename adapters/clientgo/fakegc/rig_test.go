package fakegc

import (
	"context"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	builtin "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/ownergraph/ownergraph/adapters/storetest"
)

// small returns a scheme with few kinds, so that a listing of all is quick.
func small(tb storetest.TB) *runtime.Scheme {
	tb.Helper()
	s := runtime.NewScheme()
	core, apps := corev1.SchemeGroupVersion, appsv1.SchemeGroupVersion
	s.AddKnownTypes(core, &corev1.ConfigMap{}, &corev1.ConfigMapList{}, &corev1.Node{}, &corev1.NodeList{})
	s.AddKnownTypes(apps, &appsv1.Deployment{}, &appsv1.DeploymentList{})
	metav1.AddToGroupVersion(s, core)
	metav1.AddToGroupVersion(s, apps)
	return s
}

// fresh returns a scheme of all built-in kinds that no other test changes.
func fresh(tb storetest.TB) *runtime.Scheme {
	tb.Helper()
	s := runtime.NewScheme()
	if err := builtin.AddToScheme(s); err != nil {
		tb.Fatalf("%v", err)
	}
	return s
}

// rig is a client with its collector.
type rig struct {
	client.WithWatch
	*testing.T
	gc *Collector
}

func newRig(t *testing.T, objects ...client.Object) *rig {
	t.Helper()
	c, gc := New(t, fake.NewClientBuilder().WithScheme(small(t)).WithObjects(objects...).Build())
	return &rig{c, t, gc}
}

// configMap returns a ConfigMap with blocking references to its owners.
func configMap(name string, owners ...client.Object) *corev1.ConfigMap {
	o := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
	own(o, owners...)
	return o
}

func own(o client.Object, owners ...client.Object) {
	var refs []metav1.OwnerReference
	yes := true
	for _, owner := range owners {
		ref := metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: owner.GetName(), UID: owner.GetUID(), BlockOwnerDeletion: &yes}
		switch owner.(type) {
		case *appsv1.Deployment:
			ref.APIVersion, ref.Kind = "apps/v1", "Deployment"
		case *corev1.Node:
			ref.Kind = "Node"
		}
		refs = append(refs, ref)
	}
	o.SetOwnerReferences(refs)
}

// make creates objects and sets their UIDs and versions.
func (r *rig) make(objects ...client.Object) {
	r.Helper()
	for _, o := range objects {
		if err := r.Create(context.Background(), o); err != nil {
			r.Fatal(err)
		}
	}
}

func (r *rig) end(o client.Object, opts ...client.DeleteOption) {
	r.Helper()
	if err := r.Delete(context.Background(), o, opts...); err != nil {
		r.Fatal(err)
	}
}

func (r *rig) collect() {
	r.Helper()
	if err := r.gc.WaitIdle(context.Background()); err != nil {
		r.Fatal(err)
	}
}

// want compares the present ConfigMaps with their finalizers and owners.
func (r *rig) want(want string) {
	r.Helper()
	var list corev1.ConfigMapList
	if err := r.List(context.Background(), &list); err != nil {
		r.Fatal(err)
	}
	var got []string
	for _, o := range list.Items {
		text := o.Name
		if o.DeletionTimestamp != nil {
			text += "~"
		}
		if len(o.Finalizers) > 0 {
			text += "[" + strings.Join(o.Finalizers, ",") + "]"
		}
		for _, ref := range o.OwnerReferences {
			text += ">" + ref.Name
		}
		got = append(got, text)
	}
	if text := strings.Join(got, " "); text != want {
		r.Errorf("there are %q, want %q", text, want)
	}
}
