// Command operator is a small operator with correct deletion, and a test with a garbage
// collector.
//
// A Site owns one ConfigMap for each page, and has a bucket outside of the cluster. So
// it leaves two sorts of things behind, and the operator handles each in its own way:
//
//   - An object in the cluster gets an owner reference. A garbage collector deletes it
//     after any deletion of the site: reconciler.go, ensurePage.
//   - A thing outside of the cluster gets a finalizer. The operator removes the thing,
//     and then the finalizer: reconciler.go, finish.
//
// An operator removes its finalizer in its own Reconcile, which already has the object
// and its kind. Handlers of package ownergraph (Config.Handlers) are for programs that
// run a Collector on their own store. For an operator they would watch every kind of
// the cluster, beside the collector of the cluster.
//
// # Tests
//
// Neither controller-runtime's fake client nor envtest collects garbage, so their tests
// do not show the first half. Package fakegc adds a collector to the fake client.
// operator_test.go runs everywhere and needs no installation. On envtest use:
//
//	gc, err := envtestgc.Start(config, envtestgc.Config{}) // in TestMain, beside the manager
//	...
//	if err := gc.WaitIdle(ctx); err != nil {               // in a test, after a deletion
//		t.Fatal(err)
//	}
//
// WaitIdle waits for the operator too, until the cascade has ended.
package main

import (
	"context"
	"log"
	"log/slog"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
)

func main() {
	if err := run(ctrl.SetupSignalHandler()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	ctrl.SetLogger(logr.FromSlogHandler(slog.Default().Handler()))
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	addSites(scheme.Scheme)
	manager, err := ctrl.NewManager(config, ctrl.Options{Scheme: scheme.Scheme})
	if err != nil {
		return err
	}
	sites := &Reconciler{Client: manager.GetClient(), Buckets: noBuckets{}}
	if err := ctrl.NewControllerManagedBy(manager).For(&Site{}).Owns(&corev1.ConfigMap{}).Complete(sites); err != nil {
		return err
	}
	return manager.Start(ctx)
}

// noBuckets logs its calls and does nothing.
type noBuckets struct{}

func (noBuckets) Ensure(_ context.Context, name string) error {
	log.Print("ensure bucket ", name)
	return nil
}

func (noBuckets) Remove(_ context.Context, name string) error {
	log.Print("remove bucket ", name)
	return nil
}
