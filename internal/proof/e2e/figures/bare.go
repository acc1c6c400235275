package main

import (
	"context"
	"encoding/json"
	"fmt"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
)

// bareSide knows the writes beforehand, and only sends them.
type bareSide struct {
	at      metadata.ResourceInterface
	workers int
	orphan  bool
	items   []metav1.PartialObjectMetadata
}

func newBare(config *rest.Config, t task) (side, error) {
	client, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	s, err := scenarioOf(t.Scenario)
	if err != nil {
		return nil, err
	}
	at := schema.GroupVersionResource{Group: t.Group, Version: t.Version, Resource: t.Resource}
	return &bareSide{at: client.Resource(at).Namespace(t.Namespace), workers: t.Workers, orphan: s.how == metav1.DeletePropagationOrphan}, nil
}

// run reads the objects.
func (s *bareSide) run(ctx context.Context, ready func()) error {
	list, err := s.at.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, m := range list.Items {
		if len(m.OwnerReferences) > 0 && m.Labels[stays] == "" {
			s.items = append(s.items, m)
		}
	}
	ready()
	<-ctx.Done()
	return ctx.Err()
}

func (s *bareSide) send(ctx context.Context) error {
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(s.workers)
	for i := range s.items {
		work.Go(func() error { return s.write(ctx, &s.items[i]) })
	}
	return work.Wait()
}

// write sends one write, under UID and version as a collector does.
func (s *bareSide) write(ctx context.Context, m *metav1.PartialObjectMetadata) error {
	if s.orphan {
		body, err := json.Marshal([]map[string]any{
			{"op": "replace", "path": "/metadata/uid", "value": m.UID},
			{"op": "replace", "path": "/metadata/resourceVersion", "value": m.ResourceVersion},
			{"op": "remove", "path": "/metadata/ownerReferences/0"},
		})
		if err != nil {
			return err
		}
		_, err = s.at.Patch(ctx, m.Name, types.JSONPatchType, body, metav1.PatchOptions{})
		return err
	}
	background := metav1.DeletePropagationBackground
	err := s.at.Delete(ctx, m.Name, metav1.DeleteOptions{
		PropagationPolicy: &background,
		Preconditions:     &metav1.Preconditions{UID: &m.UID, ResourceVersion: &m.ResourceVersion},
	})
	if err != nil {
		return fmt.Errorf("delete %s: %w", m.Name, err)
	}
	return nil
}
