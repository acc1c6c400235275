package fakegc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

func TestPropagation(t *testing.T) {
	for _, c := range []struct {
		policy        metav1.DeletionPropagation
		deleted, idle string
		reason        string
	}{
		{"", "b>a c>b", "", "background is the default: the owner goes at once, the rest with the collector"},
		{metav1.DeletePropagationBackground, "b>a c>b", "", "and may be asked for"},
		{metav1.DeletePropagationForeground, "a~[foregroundDeletion] b>a c>b", "", "the owner goes last"},
		{metav1.DeletePropagationOrphan, "a~[orphan] b>a c>b", "b c>b", "the dependents stay, without it"},
	} {
		t.Run(string(c.policy), func(t *testing.T) {
			r := newRig(t)
			a, b := configMap("a"), configMap("b")
			r.make(a)
			own(b, a)
			r.make(b)
			r.make(configMap("c", b))
			r.collect()
			r.want("a b>a c>b")
			var opts []client.DeleteOption
			if c.policy != "" {
				opts = append(opts, client.PropagationPolicy(c.policy))
			}
			r.end(a, opts...)
			r.want(c.deleted)
			r.collect()
			r.want(c.idle)
			if t.Failed() {
				t.Log(c.reason)
			}
		})
	}
}

// TestOwners: the objects of the builder take part. An owner that does not exist is
// absent. A dependent of two owners goes after both.
func TestOwners(t *testing.T) {
	owner, other := configMap("owner"), configMap("other")
	owner.UID, other.UID = "owner-uid", "other-uid"
	lost := configMap("lost", configMap("never"))
	lost.OwnerReferences[0].UID = "never"
	renamed := configMap("renamed", owner)
	renamed.OwnerReferences[0].UID = "an earlier one"
	r := newRig(t, owner, other, lost, renamed, configMap("one", owner), configMap("two", owner, other))
	r.collect()
	r.want("one>owner other owner two>owner>other")
	r.end(owner)
	r.collect()
	r.want("other two>other")
	r.end(other)
	r.collect()
	r.want("")
}

// TestRing: two objects that own each other wait for each other in the foreground. The
// collector unblocks them.
func TestRing(t *testing.T) {
	r := newRig(t)
	a, b := configMap("a"), configMap("b")
	r.make(a, b)
	own(a, b)
	own(b, a)
	for _, o := range []client.Object{a, b} {
		if err := r.Update(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	r.end(a, client.PropagationPolicy(metav1.DeletePropagationForeground))
	r.collect()
	r.want("")
}

func TestHeld(t *testing.T) {
	r := newRig(t)
	a := configMap("a")
	r.make(a)
	b := configMap("b", a)
	b.Finalizers = []string{"example.org/cleanup"}
	r.make(b)
	r.end(a, client.PropagationPolicy(metav1.DeletePropagationForeground))
	var held *HeldError
	err := r.gc.WaitIdle(t.Context())
	if !errors.As(err, &held) || len(held.Held) != 2 {
		t.Fatalf("error %v, want the two that are held", err)
	}
	const want = `2 held or blocked:
  ConfigMap/default/a: dependents hold it (ConfigMap/default/b)
  ConfigMap/default/b: finalizers hold it (example.org/cleanup)`
	if err.Error() != want {
		t.Errorf("error\n%v\nwant\n%s", err, want)
	}
	h := held.Held // the text has no UIDs
	if h[0].Key.UID != graph.UID(a.UID) || h[1].Key.UID != graph.UID(b.UID) || !slices.Equal(h[0].Detail, []string{h[1].Key.String()}) {
		t.Errorf("held %+v, want the one with UID %s, which waits for UID %s", h, a.UID, b.UID)
	}
	if err := r.Get(t.Context(), client.ObjectKeyFromObject(b), b); err != nil {
		t.Fatal(err)
	}
	b.Finalizers = nil // the object's operator is done
	if err := r.Update(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	r.collect()
	r.want("")
	many := &HeldError{make([]engine.Held, 30)}
	if got := strings.Count(many.Error(), "\n"); got != maxLines+1 || !strings.HasSuffix(many.Error(), "and 10 more") {
		t.Errorf("30 objects make %d lines:\n%v", got, many)
	}
}

// TestLog: the collector logs its writes and their reasons to the test.
func TestLog(t *testing.T) {
	n := &notes{}
	c, gc := New(n, fake.NewClientBuilder().WithScheme(small(t)).Build())
	r := &rig{c, t, gc}
	a := configMap("a")
	r.make(a)
	b := configMap("b", a)
	r.make(b)
	r.end(a)
	r.collect()
	want := []string{fmt.Sprintf("garbage collector: delete ConfigMap/default/b@%s (background): all owners are gone", b.UID)}
	if !slices.Equal(n.lines, want) {
		t.Errorf("logged %q, want %q", n.lines, want)
	}
}

// TestDefaultsOfKinds: two kinds orphan by default, as on a server.
func TestDefaultsOfKinds(t *testing.T) {
	c, gc := New(t, fake.NewClientBuilder().Build())
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "job"}}
	ctx := t.Context()
	if err := c.Create(ctx, job); err != nil {
		t.Fatal(err)
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pod",
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(job, batchv1.SchemeGroupVersion.WithKind("Job"))}}}
	if err := errors.Join(c.Create(ctx, pod), c.Delete(ctx, job), gc.WaitIdle(ctx)); err != nil {
		t.Fatal(err)
	}
	if err := c.Get(ctx, client.ObjectKeyFromObject(pod), pod); err != nil || len(pod.OwnerReferences) != 0 {
		t.Errorf("the pod has owners %v, %v", pod.OwnerReferences, err)
	}
	if err := c.Get(ctx, client.ObjectKeyFromObject(job), job); !apierrors.IsNotFound(err) {
		t.Errorf("the job: %v", err)
	}
}

func TestInBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		a := configMap("a")
		r.make(a)
		r.make(configMap("b", a))
		r.end(a, client.PropagationPolicy(metav1.DeletePropagationForeground))
		r.collect()
		r.want("")
	})
}

// TestWaitIdleEnds: a client that always fails ends WaitIdle by its deadline or by the
// default one.
func TestWaitIdleEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		failing := false
		c, gc := New(t, fake.NewClientBuilder().WithScheme(small(t)).WithInterceptorFuncs(interceptor.Funcs{
			List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
				if failing {
					return broken
				}
				return c.List(ctx, list, opts...)
			},
		}).Build())
		failing = true
		if err := gc.WaitIdle(context.Background()); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, broken) {
			t.Errorf("error %v, want the context's and the watch's", err)
		}
		failing = false
		if err := gc.WaitIdle(context.Background()); err != nil {
			t.Error(err)
		}
		_ = c
	})
}

// TestInterceptors: an error of an interceptor below is an error of the store. The
// collector retries, or reports the refusal.
func TestInterceptors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fails, refused := 2, false
		var c client.WithWatch
		below := interceptor.Funcs{Delete: func(ctx context.Context, below client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			if err := c.Get(ctx, client.ObjectKeyFromObject(o), configMap("")); err != nil { // it may use the client above
				t.Error(err)
			}
			switch {
			case o.GetName() != "b":
			case refused:
				return apierrors.NewForbidden(corev1.Resource("configmaps"), "b", errors.New("a webhook says no"))
			case fails > 0:
				fails--
				return apierrors.NewServiceUnavailable("later")
			}
			return below.Delete(ctx, o, opts...)
		}}
		var gc *Collector
		c, gc = New(t, fake.NewClientBuilder().WithScheme(small(t)).WithInterceptorFuncs(below).Build())
		r := &rig{c, t, gc}
		a := configMap("a")
		r.make(a)
		r.make(configMap("b", a))
		r.end(a)
		refused = true
		if err := gc.WaitIdle(t.Context()); err == nil || !strings.Contains(err.Error(), "the store refused the write") {
			t.Errorf("error %v, want that the write was refused", err)
		}
		refused = false
		r.collect()
		r.want("")
		if fails != 0 {
			t.Errorf("%d failures were not met", fails)
		}
	})
}

// TestStoreOfOwnCollector: a test runs its own Collector on the store during the whole
// test.
func TestStoreOfOwnCollector(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		cleaned := ""
		own, err := ownergraph.New(r.gc.Store(), ownergraph.Config{Handlers: map[string]finalizer.Handler{
			"example.org/cleanup": func(_ context.Context, o graph.Object) error { cleaned = o.Name; return nil },
		}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- own.Run(ctx) }()
		a := configMap("a")
		a.Finalizers = []string{"example.org/cleanup"}
		r.make(a)
		r.make(configMap("b", a))
		r.end(a)
		if _, err := own.WaitIdle(ctx); err != nil {
			t.Error(err)
		}
		r.want("")
		if cleaned != "a" {
			t.Errorf("the handler saw %q", cleaned)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
