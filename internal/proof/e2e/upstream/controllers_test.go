package upstream

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/certificates/rootcacertpublisher"
	"k8s.io/kubernetes/pkg/controller/cronjob"
	"k8s.io/kubernetes/pkg/controller/deployment"
	"k8s.io/kubernetes/pkg/controller/job"
	"k8s.io/kubernetes/pkg/controller/namespace"
	"k8s.io/kubernetes/pkg/controller/replicaset"
	"k8s.io/kubernetes/pkg/controller/replication"
	"k8s.io/kubernetes/pkg/controller/serviceaccount"
)

// controller is one of upstream's.
type controller interface {
	Run(ctx context.Context, workers int)
}

// workers is upstream's default number for most of these controllers.
const workers = 5

// startControllers starts upstream's controllers and the stand-in for kubelets. They end with the
// context. The function returned waits for that, and is never nil.
func startControllers(ctx context.Context, config *rest.Config, certificate []byte) (wait func(), err error) {
	nothing := func() {}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nothing, err
	}
	partial, err := metadata.NewForConfig(config)
	if err != nil {
		return nothing, err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	all, err := controllers(ctx, client, partial, factory, certificate)
	if err != nil {
		return nothing, err
	}
	kubelets, err := newKubelets(ctx, client, factory.Core().V1().Pods())
	if err != nil {
		return nothing, err
	}
	factory.Start(ctx.Done())
	var work sync.WaitGroup
	for _, c := range append(all, kubelets) {
		work.Go(func() { c.Run(ctx, workers) })
	}
	return func() { work.Wait(); factory.Shutdown() }, nil
}

// controllers returns upstream's controllers, put together in the way of kube-controller-manager.
func controllers(ctx context.Context, client kubernetes.Interface, partial metadata.Interface,
	factory informers.SharedInformerFactory, certificate []byte,
) ([]controller, error) {
	core, apps, batch := factory.Core().V1(), factory.Apps().V1(), factory.Batch().V1()
	deployments, err := deployment.NewDeploymentController(ctx, apps.Deployments(), apps.ReplicaSets(), core.Pods(), client)
	if err != nil {
		return nil, err
	}
	jobs, err := job.NewController(ctx, client, core.Pods(), batch.Jobs(), nil, nil)
	if err != nil {
		return nil, err
	}
	cronJobs, err := cronjob.NewControllerV2(ctx, batch.Jobs(), batch.CronJobs(), client)
	if err != nil {
		return nil, err
	}
	accounts, err := serviceaccount.NewServiceAccountsController(klog.FromContext(ctx), core.ServiceAccounts(), core.Namespaces(),
		client, serviceaccount.DefaultServiceAccountsControllerOptions())
	if err != nil {
		return nil, err
	}
	certificates, err := rootcacertpublisher.NewPublisher(core.ConfigMaps(), core.Namespaces(), client, certificate)
	if err != nil {
		return nil, err
	}
	return []controller{
		deployments, jobs, cronJobs, accounts, certificates,
		replicaset.NewReplicaSetController(ctx, apps.ReplicaSets(), core.Pods(), client, replicaset.BurstReplicas),
		replication.NewReplicationManager(ctx, core.Pods(), core.ReplicationControllers(), client, replication.BurstReplicas),
		namespace.NewNamespaceController(ctx, client, partial, client.Discovery().ServerPreferredNamespacedResources,
			core.Namespaces(), 0, corev1.FinalizerKubernetes),
	}, nil
}
