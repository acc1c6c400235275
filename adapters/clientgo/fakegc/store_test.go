package fakegc

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// TestErrors: the store returns the errors of its contract.
func TestErrors(t *testing.T) {
	ctx, ended := t.Context(), func() context.Context {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		return ctx
	}()
	a := configMap("a")
	r := newRig(t, a)
	s := r.gc.store
	at := graph.Key{Kind: "ConfigMap", Scope: "default", Name: "a"}
	none, unknown := at, at
	none.Name, unknown.Kind = "none", "Thing"
	stranger := &graph.Owner{Key: graph.Key{Kind: "Thing", Name: "t", UID: "t"}}
	_, missing := s.Get(ctx, none)
	_, unserved := s.Get(ctx, unknown)
	_, cancelled := s.Get(ended, at)
	_, unfenced := s.Fence(ended)
	for _, c := range []struct {
		got, want error
		reason    string
	}{
		{missing, graph.ErrNotFound, "a name that nothing has"},
		{unserved, graph.ErrKindUnknown, "a kind that the scheme does not know"},
		{cancelled, context.Canceled, "a context that has ended"},
		{s.Patch(ctx, none, graph.Precondition{}, graph.Change{DropFinalizer: "x"}), graph.ErrNotFound, "nothing to patch"},
		{s.Patch(ctx, unknown, graph.Precondition{}, graph.Change{}), graph.ErrKindUnknown, "nor its kind"},
		{s.Patch(ctx, at, graph.Precondition{}, graph.Change{AddOwner: stranger}), graph.ErrRefused, "an owner of an unknown kind"},
		{s.Patch(ctx, at, graph.Precondition{UID: "other"}, graph.Change{AddFinalizer: "example.org/x"}), graph.ErrConflict, "another one"},
		{s.Delete(ctx, none, graph.DeleteOptions{}), graph.ErrNotFound, "nothing to delete"},
		{s.Delete(ctx, unknown, graph.DeleteOptions{}), graph.ErrKindUnknown, "nor its kind"},
		{unfenced, context.Canceled, "the context has ended"},
		{s.List(ended, "ConfigMap"), context.Canceled, "the context has ended"},
		{s.List(ctx, "Thing"), graph.ErrKindUnknown, "a listing of nothing"},
	} {
		if !errors.Is(c.got, c.want) {
			t.Errorf("%s: %v, want %v", c.reason, c.got, c.want)
		}
	}
	r.want("a")
}

func TestMeaning(t *testing.T) {
	gr := corev1.Resource("pods")
	why := errors.New("why")
	for _, c := range []struct {
		err, want error
		reason    string
	}{
		{nil, nil, "no error"},
		{apierrors.NewNotFound(gr, "a"), graph.ErrNotFound, "absence"},
		{apierrors.NewConflict(gr, "a", why), graph.ErrConflict, "another version"},
		{apierrors.NewForbidden(gr, "a", why), graph.ErrRefused, "a webhook says no"},
		{apierrors.NewBadRequest("why"), graph.ErrRefused, "it will never do"},
		{context.Canceled, context.Canceled, "the caller gave up"},
		{apierrors.NewInternalError(why), nil, "transient: try again"},
	} {
		got := sentinel("get", graph.Key{Kind: "Pod", Name: "a"}, c.err)
		for _, is := range []error{graph.ErrNotFound, graph.ErrConflict, graph.ErrRefused, graph.ErrKindUnknown, context.Canceled} {
			if errors.Is(got, is) != (is == c.want) {
				t.Errorf("%s: %v", c.reason, got)
			}
		}
		if (got == nil) != (c.err == nil) {
			t.Errorf("%s: %v", c.reason, got)
		}
	}
}

// TestList: a requested listing comes after the earlier writes.
func TestList(t *testing.T) {
	r := newRig(t)
	s := r.gc.store
	events := make(chan graph.Event, 1000)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- s.Watch(ctx, func(batch []graph.Event) error {
			for _, e := range batch {
				events <- e
			}
			return nil
		})
	}()
	until := func(want string) {
		for e := range events {
			if text := strings.TrimSpace(fmt.Sprint(e.Type, " ", e.Kind, e.Object.Name)); text == want {
				return
			}
		}
	}
	until("list-ended apps/Deployment")
	r.make(configMap("a"))
	until("put a")
	if err := s.List(ctx, "ConfigMap"); err != nil {
		t.Fatal(err)
	}
	until("list-begun ConfigMap")
	until("put a")
	until("list-ended ConfigMap")
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	full := errors.New("full")
	if err := s.Watch(t.Context(), func([]graph.Event) error { return full }); !errors.Is(err, full) {
		t.Errorf("a sink that fails ends the watch with %v", err)
	}
}

// TestEviction: an eviction removes a Pod, and its dependents follow.
func TestEviction(t *testing.T) {
	r := &rig{T: t}
	r.WithWatch, r.gc = New(t, fake.NewClientBuilder().WithScheme(fresh(t)).Build())
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pod"}}
	r.make(pod)
	child := configMap("child")
	child.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(pod, corev1.SchemeGroupVersion.WithKind("Pod"))}
	r.make(child)
	r.collect()
	if err := r.SubResource("eviction").Create(t.Context(), pod, &policyv1.Eviction{}); err != nil {
		t.Fatal(err)
	}
	r.collect()
	r.want("")
}

// TestUpdateOfNothing: an update creates objects of some kinds, and of no other kind.
func TestUpdateOfNothing(t *testing.T) {
	r := &rig{T: t}
	r.WithWatch, r.gc = New(t, fake.NewClientBuilder().WithScheme(fresh(t)).Build())
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "s"}}
	if err := r.Update(t.Context(), service); err != nil || service.UID == "" {
		t.Errorf("the Service has the UID %q, %v", service.UID, err)
	}
	o := configMap("none")
	if err := r.Update(t.Context(), o); !apierrors.IsNotFound(err) || o.UID != "" {
		t.Errorf("the UID of nothing is %q, %v", o.UID, err)
	}
	if err := r.Patch(t.Context(), configMap("none"), client.RawPatch("application/merge-patch+json", []byte("{}"))); !apierrors.IsNotFound(err) {
		t.Errorf("a patch of nothing: %v", err)
	}
	taken := configMap("taken")
	r.make(taken.DeepCopy())
	if err := r.Create(t.Context(), taken); !apierrors.IsAlreadyExists(err) || taken.UID != "" {
		t.Errorf("a name that is taken: %v, UID %q", err, taken.UID)
	}
}

// TestEventsAreLeftOut: events take no part. They have no UID, and the fake client
// handles them.
func TestEventsAreLeftOut(t *testing.T) {
	r := &rig{T: t}
	r.WithWatch, r.gc = New(t, fake.NewClientBuilder().WithScheme(fresh(t)).Build())
	e := &corev1.Event{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "e"}}
	r.make(e)
	e.Message = "m"
	ctx := t.Context()
	err := errors.Join(r.Update(ctx, e), r.Patch(ctx, e, client.RawPatch("application/merge-patch+json", []byte(`{"message":"n"}`))),
		r.Delete(ctx, e, client.PropagationPolicy(metav1.DeletePropagationForeground)), r.DeleteAllOf(ctx, e, client.InNamespace("default")))
	if err != nil || e.UID != "" {
		t.Errorf("UID %q, %v", e.UID, err)
	}
}

// TestKeepsNoGrace: no agent ends a grace period, so the store has no such power, and the collector refuses
// Config.PropagateGrace.
func TestKeepsNoGrace(t *testing.T) {
	s, err := newStore(fake.NewClientBuilder().WithScheme(small(t)).Build())
	if err != nil {
		t.Fatal(err)
	}
	if _, is := ownergraph.As[ownergraph.Gracer](s); is {
		t.Error("the store keeps grace periods")
	}
}
