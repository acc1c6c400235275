package main

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
)

// loader makes the objects of a cascade. It is safe for concurrent use.
type loader struct {
	typed    *kubernetes.Clientset
	dynamic  dynamic.Interface
	metadata metadata.Interface
}

const creators = 32 // objects made at once

func newLoader(config *rest.Config) (*loader, error) {
	proto := rest.CopyConfig(config)
	proto.ContentType = "application/vnd.kubernetes.protobuf"
	typed, err := kubernetes.NewForConfig(proto)
	if err != nil {
		return nil, err
	}
	d, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	m, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return &loader{typed, d, m}, nil
}

// namespace makes a namespace and returns its name.
func (l *loader) namespace(ctx context.Context) (string, error) {
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "figures-"}}
	made, err := l.typed.CoreV1().Namespaces().Create(ctx, ns, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("create namespace: %w", err)
	}
	return made.Name, nil
}

// define makes the custom resource and waits until it is served.
func (l *loader) define(ctx context.Context) error {
	definition := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "widgets." + customGroup},
		"spec": map[string]any{
			"group": customGroup, "scope": "Namespaced",
			"names": map[string]any{"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
			}},
		},
	}}
	at := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	if _, err := l.dynamic.Resource(at).Create(ctx, definition, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("define custom resource: %w", err)
	}
	for {
		_, err := l.dynamic.Resource(scenario{custom: true}.resource()).List(ctx, metav1.ListOptions{Limit: 1})
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("define custom resource: %w: %w", ctx.Err(), err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// create makes the objects of a load, level by level.
func (l *loader) create(ctx context.Context, ns string, s scenario, levels [][]*planned) error {
	for _, level := range levels {
		work, ctx := errgroup.WithContext(ctx)
		work.SetLimit(creators)
		for _, p := range level {
			work.Go(func() error { return l.createOne(ctx, ns, s, p) })
		}
		if err := work.Wait(); err != nil {
			return fmt.Errorf("create load: %w", err)
		}
	}
	return nil
}

func (l *loader) createOne(ctx context.Context, ns string, s scenario, p *planned) error {
	meta := metav1.ObjectMeta{Name: p.name, Namespace: ns}
	if p.stays {
		meta.Labels = map[string]string{stays: "yes"}
	}
	if o := p.owner; o != nil {
		version, kind := s.gvk().ToAPIVersionAndKind()
		meta.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: version, Kind: kind, Name: o.name, UID: types.UID(o.uid), BlockOwnerDeletion: new(true),
		}}
	}
	if !s.custom {
		made, err := l.typed.CoreV1().ConfigMaps(ns).Create(ctx, &corev1.ConfigMap{ObjectMeta: meta}, metav1.CreateOptions{})
		if err == nil {
			p.uid = string(made.UID)
		}
		return err
	}
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetGroupVersionKind(s.gvk())
	u.SetName(meta.Name)
	u.SetLabels(meta.Labels)
	u.SetOwnerReferences(meta.OwnerReferences)
	made, err := l.dynamic.Resource(s.resource()).Namespace(ns).Create(ctx, u, metav1.CreateOptions{})
	if err == nil {
		p.uid = string(made.GetUID())
	}
	return err
}

// clear removes the rest of a load.
func (l *loader) clear(ctx context.Context, ns string, s scenario) error {
	none := int64(0)
	background := metav1.DeletePropagationBackground
	return l.metadata.Resource(s.resource()).Namespace(ns).DeleteCollection(ctx,
		metav1.DeleteOptions{PropagationPolicy: &background, GracePeriodSeconds: &none}, metav1.ListOptions{})
}
