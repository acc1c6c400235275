package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"

	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/lint"
)

// maxExplained bounds the remaining objects that are explained.
const maxExplained = 30

// namespaceAnswer explains a namespace that does not terminate.
type namespaceAnswer struct {
	Conditions []metav1.Condition `json:"conditions"`
	// Unread is the reason for which the conditions are not known.
	Unread    string          `json:"unread,omitempty"`
	Remaining []remainingKind `json:"remaining"`
	Next      []string        `json:"next"`
}

// remainingKind are the objects of one kind that remain. Objects has some of them.
type remainingKind struct {
	Kind    graph.Kind        `json:"kind"`
	Count   int               `json:"count"`
	Marked  int               `json:"marked"`
	Objects []remainingObject `json:"objects"`

	all []*lint.Object
}

type remainingObject struct {
	Finalizers  []string            `json:"finalizers"`
	MarkedAt    *time.Time          `json:"markedAt,omitempty"`
	Explanation explain.Explanation `json:"explanation"`

	key graph.Key
}

// newNamespaceAnswer reads the conditions, and chooses the objects to explain: those with a
// mark and a finalizer before the others.
func newNamespaceAnswer(ctx context.Context, r *reading, ns *lint.Object) *namespaceAnswer {
	n := &namespaceAnswer{Conditions: []metav1.Condition{}, Remaining: []remainingKind{}, Next: []string{}}
	if err := n.readConditions(ctx, r.server, ns.Name); err != nil {
		n.Unread = err.Error()
	}
	byKind := map[graph.Kind]*remainingKind{}
	for i := range r.in.Objects {
		o := &r.in.Objects[i]
		if o.Scope != ns.Name {
			continue
		}
		k := byKind[o.Kind]
		if k == nil {
			k = &remainingKind{Kind: o.Kind, Objects: []remainingObject{}}
			byKind[o.Kind] = k
		}
		k.Count++
		if o.Deleting {
			k.Marked++
		}
		k.all = append(k.all, o)
	}
	for _, kind := range slices.Sorted(maps.Keys(byKind)) {
		n.Remaining = append(n.Remaining, *byKind[kind])
	}
	n.choose()
	return n
}

// choose chooses objects of each kind in turn, so that one large kind hides no other.
func (n *namespaceAnswer) choose() {
	for i := range n.Remaining {
		slices.SortStableFunc(n.Remaining[i].all, func(a, b *lint.Object) int {
			return cmp.Or(cmp.Compare(urgency(b), urgency(a)), a.Compare(b.Key))
		})
	}
	left, most := maxExplained, 0
	for i := range n.Remaining {
		most = max(most, len(n.Remaining[i].all))
	}
	for turn := 0; turn < most && left > 0; turn++ {
		for i := range n.Remaining {
			k := &n.Remaining[i]
			if turn >= len(k.all) || left == 0 {
				continue
			}
			left--
			o := k.all[turn]
			one := remainingObject{Finalizers: append([]string{}, o.Finalizers...), key: o.Key}
			if !o.MarkedAt.IsZero() {
				at := o.MarkedAt.UTC()
				one.MarkedAt = &at
			}
			k.Objects = append(k.Objects, one)
		}
	}
}

func urgency(o *lint.Object) int {
	n := min(len(o.Finalizers), 1)
	if o.Deleting {
		n += 2
	}
	return n
}

// chosen returns the objects to explain.
func (n *namespaceAnswer) chosen() (keys []graph.Key) {
	for _, k := range n.Remaining {
		for _, o := range k.Objects {
			keys = append(keys, o.key)
		}
	}
	return keys
}

// explained takes the explanations of the chosen objects, in their order.
func (n *namespaceAnswer) explained(list []explain.Explanation) {
	for i := range n.Remaining {
		for j := range n.Remaining[i].Objects {
			n.Remaining[i].Objects[j].Explanation, list = list[0], list[1:]
		}
	}
}

// readConditions reads the namespace in full. Its conditions are in no metadata.
func (n *namespaceAnswer) readConditions(ctx context.Context, server *rest.Config, name string) error {
	config := rest.CopyConfig(server)
	config.APIPath, config.GroupVersion = "/api", &schema.GroupVersion{Version: "v1"}
	config.ContentType, config.AcceptContentTypes = runtime.ContentTypeJSON, runtime.ContentTypeJSON
	types := runtime.NewScheme()
	metav1.AddToGroupVersion(types, schema.GroupVersion{Version: "v1"})
	config.NegotiatedSerializer = serializer.NewCodecFactory(types).WithoutConversion()
	client, err := rest.RESTClientFor(config)
	if err != nil {
		return err
	}
	answer := client.Get().Resource("namespaces").Name(name).Do(ctx)
	if err := answer.Error(); err != nil { // that of Raw lacks the server's reason
		return err
	}
	raw, err := answer.Raw()
	if err != nil {
		return err
	}
	var whole struct {
		Status struct{ Conditions []metav1.Condition }
	}
	if err := json.Unmarshal(raw, &whole); err != nil {
		return fmt.Errorf("get namespace %s: %w", name, err)
	}
	for _, c := range whole.Status.Conditions {
		if c.Status == metav1.ConditionTrue {
			n.Conditions = append(n.Conditions, c)
		}
	}
	slices.SortFunc(n.Conditions, func(a, b metav1.Condition) int { return strings.Compare(a.Type, b.Type) })
	return nil
}
