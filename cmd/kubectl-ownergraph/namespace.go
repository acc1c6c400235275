package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"

	"github.com/ownergraph/ownergraph/dump"
	"github.com/ownergraph/ownergraph/internal/namespace"
)

// newNamespaceAnswer reads the conditions of a namespace, and chooses the objects to explain.
func newNamespaceAnswer(ctx context.Context, r *reading, name string) *namespace.Answer {
	conditions, err := readConditions(ctx, r.server, name)
	n := namespace.New(r.in.Objects, name, conditions)
	if err != nil {
		n.Unread = err.Error()
	}
	return n
}

// readConditions reads the namespace in full, and returns its conditions that are true. They are
// in no metadata.
func readConditions(ctx context.Context, server *rest.Config, name string) (list []dump.Condition, err error) {
	config := rest.CopyConfig(server)
	config.APIPath, config.GroupVersion = "/api", &schema.GroupVersion{Version: "v1"}
	config.ContentType, config.AcceptContentTypes = runtime.ContentTypeJSON, runtime.ContentTypeJSON
	types := runtime.NewScheme()
	metav1.AddToGroupVersion(types, schema.GroupVersion{Version: "v1"})
	config.NegotiatedSerializer = serializer.NewCodecFactory(types).WithoutConversion()
	client, err := rest.RESTClientFor(config)
	if err != nil {
		return nil, err
	}
	answer := client.Get().Resource("namespaces").Name(name).Do(ctx)
	if err := answer.Error(); err != nil { // that of Raw lacks the server's reason
		return nil, err
	}
	raw, err := answer.Raw()
	if err != nil {
		return nil, err
	}
	var whole struct {
		Status struct{ Conditions []dump.Condition }
	}
	if err := json.Unmarshal(raw, &whole); err != nil {
		return nil, fmt.Errorf("get namespace %s: %w", name, err)
	}
	for _, c := range whole.Status.Conditions {
		if c.Status == string(metav1.ConditionTrue) {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b dump.Condition) int { return strings.Compare(a.Type, b.Type) })
	return list, nil
}
