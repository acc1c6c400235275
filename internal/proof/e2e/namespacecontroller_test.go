package e2e

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	upstreamspaces "k8s.io/kubernetes/pkg/controller/namespace"
)

// namespaceController starts upstream's controller in the way of
// kube-controller-manager. It ends with the test.
func (w *world) namespaceController() {
	w.t.Helper()
	config := w.server.Admin()
	config.QPS = -1
	client, partials := kubernetes.NewForConfigOrDie(config), metadata.NewForConfigOrDie(config)
	typed := informers.NewSharedInformerFactory(client, 0)
	ctx, cancel := context.WithCancel(context.Background())
	c := upstreamspaces.NewNamespaceController(ctx, client, partials, client.Discovery().ServerPreferredNamespacedResources,
		typed.Core().V1().Namespaces(), 0, corev1.FinalizerKubernetes)
	var work sync.WaitGroup
	work.Go(func() { c.Run(ctx, 5) })
	typed.Start(ctx.Done())
	w.t.Cleanup(func() {
		cancel()
		work.Wait()
		typed.Shutdown()
	})
}
