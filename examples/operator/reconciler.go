package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// bucketFinalizer holds a deleted site until its bucket is gone.
const bucketFinalizer = "example.org/bucket"

// Buckets is a service outside of the cluster, which no garbage collector reaches. Both
// calls are safe to repeat, because a reconciler may end between any two lines.
type Buckets interface {
	Ensure(ctx context.Context, name string) error
	Remove(ctx context.Context, name string) error
}

// Reconciler gives each site a ConfigMap for each page, and a bucket.
type Reconciler struct {
	client.Client
	Buckets Buckets
}

// Reconcile brings one site to its wanted state.
func (r *Reconciler) Reconcile(ctx context.Context, at ctrl.Request) (ctrl.Result, error) {
	site := &Site{}
	if err := r.Get(ctx, at.NamespacedName, site); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err) // gone, and its pages go with it
	}
	if site.DeletionTimestamp != nil {
		return ctrl.Result{}, r.finish(ctx, site)
	}
	// The finalizer comes before the bucket. Otherwise the bucket is lost if the site
	// is deleted in between.
	if err := r.setFinalizer(ctx, site, controllerutil.AddFinalizer); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.Buckets.Ensure(ctx, string(site.UID)); err != nil {
		return ctrl.Result{}, fmt.Errorf("ensure bucket: %w", err)
	}
	for name, text := range site.Pages {
		if err := r.ensurePage(ctx, site, name, text); err != nil {
			return ctrl.Result{}, fmt.Errorf("ensure page %s: %w", name, err)
		}
	}
	return ctrl.Result{}, nil
}

// ensurePage writes a page with its owner reference. The deletion of pages needs
// nothing else. The reference carries the site's UID, so another site with the same
// name does not inherit the pages. It blocks, so a foreground deletion keeps the site
// until the pages are gone.
func (r *Reconciler) ensurePage(ctx context.Context, site *Site, name, text string) error {
	page := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: site.Namespace, Name: site.Name + "-" + name}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, page, func() error {
		page.Data = map[string]string{"text": text}
		return controllerutil.SetControllerReference(site, page, r.Scheme())
	})
	return err
}

// finish removes the bucket, and then the finalizer. It neither deletes the pages nor
// waits for them.
func (r *Reconciler) finish(ctx context.Context, site *Site) error {
	if !controllerutil.ContainsFinalizer(site, bucketFinalizer) {
		return nil // another controller's finalizer holds it, or the garbage collector's
	}
	if err := r.Buckets.Remove(ctx, string(site.UID)); err != nil {
		return fmt.Errorf("remove bucket: %w", err) // the finalizer stays, and holds the site
	}
	return r.setFinalizer(ctx, site, controllerutil.RemoveFinalizer)
}

// setFinalizer writes only the finalizers, and only if the site is unchanged since its
// read. The list has other writers, such as the garbage collector.
func (r *Reconciler) setFinalizer(ctx context.Context, site *Site, change func(client.Object, string) bool) error {
	before := site.DeepCopyObject().(*Site)
	if !change(site, bucketFinalizer) {
		return nil
	}
	return client.IgnoreNotFound(r.Patch(ctx, site, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})))
}
