// Command operator is a small operator, written so that deletion is right, and
// tested with a garbage collector.
//
// Sites own ConfigMaps, one for each page, and have a bucket outside of the
// cluster. So there are two kinds of what a site leaves behind, and two ways to
// see that it does not:
//
//   - what is in the cluster gets an owner reference. A garbage collector deletes
//     it, in whatever way the site is deleted: reconciler.go, ensurePage;
//   - what is outside of it gets a finalizer. The operator removes it, and then
//     the finalizer: reconciler.go, finish.
//
// An operator takes its finalizer off in its own Reconcile, which knows the object
// and its kind already. Handlers of package ownergraph (Config.Handlers) are for
// programs that run a Collector anyway, on a store of their own: an operator would
// watch every kind of the cluster for them, beside the collector that is there.
//
// # Testing it
//
// Neither controller-runtime's fake client nor envtest collects garbage, so half
// of the above is not seen in a test. Package fakegc adds that to the fake client:
// operator_test.go runs everywhere, with nothing to install. On envtest it is
//
//	gc, err := envtestgc.Start(config, envtestgc.Config{}) // in TestMain, beside the manager
//	...
//	if err := gc.WaitIdle(ctx); err != nil {               // in a test, after a deletion
//		t.Fatal(err)
//	}
//
// where WaitIdle waits for the operator too, until nothing holds the cascade.
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

// noBuckets says what it would do.
type noBuckets struct{}

func (noBuckets) Ensure(_ context.Context, name string) error {
	log.Print("ensure bucket ", name)
	return nil
}

func (noBuckets) Remove(_ context.Context, name string) error {
	log.Print("remove bucket ", name)
	return nil
}
