package main

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/ownergraph/ownergraph/adapters/clientgo/fakegc"
)

// buckets are the buckets of a test's sites.
type buckets struct {
	names  map[string]bool
	broken error
}

func (b *buckets) Ensure(_ context.Context, name string) error { b.names[name] = true; return b.broken }

func (b *buckets) Remove(_ context.Context, name string) error {
	if b.broken == nil {
		delete(b.names, name)
	}
	return b.broken
}

// world is a cluster with the operator, its buckets and a garbage collector.
type world struct {
	*testing.T
	client.Client
	gc      *fakegc.Collector
	buckets *buckets
	site    *Site
}

// newWorld returns a world with one reconciled site of two pages.
func newWorld(t *testing.T) *world {
	t.Helper()
	scheme := runtime.NewScheme()
	addSites(scheme)
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	site := &Site{ObjectMeta: metav1.ObjectMeta{Namespace: "web", Name: "blog"}, Pages: map[string]string{"home": "hello", "about": "us"}}
	c, gc := fakegc.New(t, fake.NewClientBuilder().WithScheme(scheme).WithObjects(site).Build())
	w := &world{t, c, gc, &buckets{names: map[string]bool{}}, site}
	w.must(w.reconcile())
	return w
}

func (w *world) reconcile() error {
	at := ctrl.Request{NamespacedName: client.ObjectKeyFromObject(w.site)}
	_, err := (&Reconciler{w.Client, w.buckets}).Reconcile(w.Context(), at)
	return err
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// want compares the site, the pages and the buckets.
func (w *world) want(site bool, buckets int, pages ...string) {
	w.Helper()
	err := w.Get(w.Context(), client.ObjectKeyFromObject(w.site), &Site{})
	if site && err != nil || !site && !apierrors.IsNotFound(err) {
		w.Errorf("the site: %v, want it present: %v", err, site)
	}
	var list corev1.ConfigMapList
	w.must(w.List(w.Context(), &list))
	got := map[string]bool{}
	for _, p := range list.Items {
		got[p.Name] = true
	}
	if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, pages) {
		w.Errorf("pages %q, want %q", names, pages)
	}
	if len(w.buckets.names) != buckets {
		w.Errorf("buckets %v, want %d", w.buckets.names, buckets)
	}
}

func TestSite(t *testing.T) {
	w := newWorld(t)
	w.must(w.reconcile()) // a second time changes nothing
	w.must(w.gc.WaitIdle(t.Context()))
	w.want(true, 1, "blog-about", "blog-home")
}

// TestDeletion: after any sort of deletion the site waits for the bucket, which only
// the operator removes. The garbage collector handles the pages.
func TestDeletion(t *testing.T) {
	for _, c := range []struct {
		policy metav1.DeletionPropagation
		marked []string // the pages while the bucket holds the site
		left   []string // and at the end
		reason string
	}{
		{metav1.DeletePropagationBackground, []string{"blog-about", "blog-home"}, nil, "the pages go after the site"},
		{metav1.DeletePropagationForeground, nil, nil, "the pages go before the site"},
		{metav1.DeletePropagationOrphan, []string{"blog-about", "blog-home"}, []string{"blog-about", "blog-home"}, "the pages stay"},
	} {
		t.Run(string(c.policy), func(t *testing.T) {
			w := newWorld(t)
			w.must(w.Delete(t.Context(), w.site, client.PropagationPolicy(c.policy)))

			var held *fakegc.HeldError
			if err := w.gc.WaitIdle(t.Context()); !errors.As(err, &held) || !strings.Contains(err.Error(), bucketFinalizer) {
				t.Fatalf("%s: error %v, want the site held by the finalizer", c.reason, err)
			}
			w.want(true, 1, c.marked...)

			w.must(w.reconcile()) // the operator observes the mark
			w.must(w.gc.WaitIdle(t.Context()))
			w.want(false, 0, c.left...)
		})
	}
}

// TestBucketHoldsSite: a bucket that cannot be removed holds the site.
func TestBucketHoldsSite(t *testing.T) {
	w := newWorld(t)
	w.must(w.Delete(t.Context(), w.site))
	w.buckets.broken = errors.New("access denied")
	if err := w.reconcile(); !errors.Is(err, w.buckets.broken) {
		t.Errorf("the operator's error: %v", err)
	}
	w.want(true, 1, "blog-about", "blog-home")
	w.buckets.broken = nil
	w.must(w.reconcile())
	w.must(w.gc.WaitIdle(t.Context()))
	w.want(false, 0)
}

// TestNameIsUsedAgain: a new site does not get the pages of a removed site with the
// same name, because references carry the UID.
func TestNameIsUsedAgain(t *testing.T) {
	w := newWorld(t)
	w.must(w.Delete(t.Context(), w.site))
	w.must(w.reconcile())
	w.must(w.Create(t.Context(), &Site{ObjectMeta: metav1.ObjectMeta{Namespace: "web", Name: "blog"}}))
	w.must(w.gc.WaitIdle(t.Context()))
	w.want(true, 0)
}
