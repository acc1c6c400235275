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

// bucketFinalizer keeps a deleted site until its bucket is gone.
const bucketFinalizer = "example.org/bucket"

// Buckets is what lies outside of the cluster, where no garbage collector comes.
// Both are safe to repeat: a reconciler may end between any two lines.
type Buckets interface {
	Ensure(ctx context.Context, name string) error
	Remove(ctx context.Context, name string) error
}

// Reconciler gives each site a ConfigMap for each page, and a bucket.
type Reconciler struct {
	client.Client
	Buckets Buckets
}

// Reconcile makes one site what it should be.
func (r *Reconciler) Reconcile(ctx context.Context, at ctrl.Request) (ctrl.Result, error) {
	site := &Site{}
	if err := r.Get(ctx, at.NamespacedName, site); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err) // gone, and its pages with it
	}
	if site.DeletionTimestamp != nil {
		return ctrl.Result{}, r.finish(ctx, site)
	}
	// The finalizer comes before what it stands for: a bucket that is made first
	// is lost if the site is deleted in between.
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

// ensurePage writes a page, and whose it is. The owner reference is all that the
// pages need for a deletion: the reference carries the site's UID, so that another
// site with the same name does not inherit them, and it blocks, so that a
// foreground deletion keeps the site until they are gone.
func (r *Reconciler) ensurePage(ctx context.Context, site *Site, name, text string) error {
	page := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: site.Namespace, Name: site.Name + "-" + name}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, page, func() error {
		page.Data = map[string]string{"text": text}
		return controllerutil.SetControllerReference(site, page, r.Scheme())
	})
	return err
}

// finish does what the finalizer stands for, and takes it off. The pages are not
// its business: it does not delete them, nor wait for them.
func (r *Reconciler) finish(ctx context.Context, site *Site) error {
	if !controllerutil.ContainsFinalizer(site, bucketFinalizer) {
		return nil // somebody else's finalizer, or the garbage collector's, holds it
	}
	if err := r.Buckets.Remove(ctx, string(site.UID)); err != nil {
		return fmt.Errorf("remove bucket: %w", err) // the finalizer stays, and holds the site
	}
	return r.setFinalizer(ctx, site, controllerutil.RemoveFinalizer)
}

// setFinalizer writes the finalizers and nothing else, if the site is still as it
// was read: the list has other writers, the garbage collector among them.
func (r *Reconciler) setFinalizer(ctx context.Context, site *Site, change func(client.Object, string) bool) error {
	before := site.DeepCopyObject().(*Site)
	if !change(site, bucketFinalizer) {
		return nil
	}
	return client.IgnoreNotFound(r.Patch(ctx, site, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})))
}
