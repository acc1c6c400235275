package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/ownergraph/ownergraph/adapters/memory"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
)

// The settings of kube-controller-manager for the garbage collector.
const (
	gcWorkers = 20
	gcSync    = 30 * time.Second
)

// runUpstream runs the garbage collector of Kubernetes over the store until ctx ends,
// put together in the way of kube-controller-manager.
func runUpstream(ctx context.Context, store *memory.Store) error {
	client, err := kubernetes.NewForConfigAndClient(&rest.Config{Host: "http://api", QPS: -1}, &http.Client{Transport: echo{}})
	if err != nil {
		return fmt.Errorf("make client: %w", err)
	}
	typed := informers.NewSharedInformerFactory(client, 0)
	partials := metadatainformer.NewSharedInformerFactory(server{store}, 0)
	started := make(chan struct{})
	close(started)
	gc, err := garbagecollector.NewGarbageCollector(ctx, client, server{store}, newMapper(),
		garbagecollector.DefaultIgnoredResources(), informerfactory.NewInformerFactory(typed, partials), started)
	if err != nil {
		return fmt.Errorf("make garbage collector: %w", err)
	}
	var running sync.WaitGroup
	running.Go(func() { gc.Run(ctx, gcWorkers, gcSync) })
	running.Go(func() { gc.Sync(ctx, resources{}, gcSync) })
	running.Wait()
	typed.Shutdown()
	partials.Shutdown()
	return nil
}

// resources is the part of discovery that the garbage collector uses.
type resources struct {
	discovery.ServerResourcesInterface
}

func (resources) ServerPreferredResources() ([]*metav1.APIResourceList, error) {
	return discovered(), nil
}

// echo accepts the events that the garbage collector creates, and stores none.
type echo struct{}

func (echo) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, fmt.Errorf("read what is created: %w", err)
	}
	return &http.Response{
		StatusCode: http.StatusCreated, Request: r, Body: io.NopCloser(bytes.NewReader(body)),
		Header: http.Header{"Content-Type": {"application/json"}},
	}, nil
}
