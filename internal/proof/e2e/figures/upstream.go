package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
)

// upstreamSync is the interval at which kube-controller-manager makes its collector
// look for served kinds, and the longest first wait.
const upstreamSync = 30 * time.Second

// upstreamSide is the collector of kube-controller-manager, put together in its way.
// Only its informers differ: they have metadata of all kinds, which need less than
// whole objects.
type upstreamSide struct {
	config    *rest.Config
	workers   int
	discovery discovery.DiscoveryInterface
}

func newUpstream(config *rest.Config, workers int) (side, error) {
	d, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	return &upstreamSide{config, workers, d}, nil
}

func (s *upstreamSide) collector(ctx context.Context) (*garbagecollector.GarbageCollector, *metadataInformers, error) {
	client, err := kubernetes.NewForConfig(s.config)
	if err != nil {
		return nil, nil, err
	}
	partial, err := metadata.NewForConfig(s.config)
	if err != nil {
		return nil, nil, err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(s.discovery))
	factory := &metadataInformers{metadatainformer.NewSharedInformerFactory(partial, 0)}
	started := make(chan struct{})
	close(started)
	gc, err := garbagecollector.NewGarbageCollector(ctx, client, partial, mapper,
		garbagecollector.DefaultIgnoredResources(), factory, started)
	return gc, factory, err
}

// run is ready when all informers are.
func (s *upstreamSide) run(ctx context.Context, ready func()) error {
	gc, factory, err := s.collector(ctx)
	if err != nil {
		return err
	}
	var work sync.WaitGroup
	work.Go(func() { gc.Run(ctx, s.workers, upstreamSync) })
	work.Go(func() { gc.Sync(ctx, s.discovery, upstreamSync) })
	for !gc.IsSynced(klog.FromContext(ctx)) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(readyEvery):
		}
	}
	ready()
	work.Wait()
	factory.Shutdown()
	return ctx.Err()
}

func (*upstreamSide) send(context.Context) error { return fmt.Errorf("%s: sees for itself", upstream) }

// metadataInformers is an informer factory as the garbage collector wants it.
type metadataInformers struct {
	metadatainformer.SharedInformerFactory
}

// ForResource returns the informer of a resource's metadata.
func (m *metadataInformers) ForResource(r schema.GroupVersionResource) (informers.GenericInformer, error) {
	return m.SharedInformerFactory.ForResource(r), nil
}
