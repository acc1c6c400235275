package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/dump"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/namespace"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/lint"
)

func namespacesAt() schema.GroupVersionResource {
	return schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
}

func servicesAt() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}
}

// newNamespaceAnswer reads the conditions of a namespace and the API services, and chooses the
// objects to explain.
func newNamespaceAnswer(ctx context.Context, r *reading, name string) *namespace.Answer {
	conditions, err := readConditions(ctx, r.wholes, name)
	n := namespace.New(r.in.Objects, name, conditions)
	if err != nil {
		n.Unread = err.Error()
	}
	n.Services = behind(ctx, r.wholes, conditions)
	return n
}

// ending returns the namespace of an object if it is marked for deletion, or nil. It has the
// conditions, and the API services that are not available.
func ending(ctx context.Context, r *reading, scope string) *namespace.Ending {
	e := namespace.EndingOf(r.in.Objects, scope)
	if r.space != nil {
		e = namespace.EndingOf([]lint.Object{*r.space}, scope)
	}
	if e == nil {
		return nil
	}
	list, err := readConditions(ctx, r.wholes, scope)
	if err != nil {
		e.Unread = err.Error()
	}
	e.Conditions = append(e.Conditions, list...)
	e.Services = behind(ctx, r.wholes, e.Conditions)
	return e
}

// joinNamespace reads the namespace of an object, if the user may not list namespaces. It takes its
// content along, so an explanation without it would say that a user keeps the object. A mark of the
// object decides alone. The result is a fact that stays unknown, or "".
//
//test:by TestPluginEndingNamespace TestOneNamespaceAlone
func (r *reading) joinNamespace(ctx context.Context, o *lint.Object) (open string) {
	listed := slices.ContainsFunc(r.in.Kinds, func(k lint.Kind) bool { return k.Kind == namespaceKind && k.Listed })
	if o.Scope == "" || listed {
		return ""
	}
	n, err := r.store.Get(ctx, graph.Key{Kind: namespaceKind, Name: o.Scope})
	switch {
	case err != nil && o.Deleting:
		return ""
	case err != nil:
		return fmt.Sprintf("whether the namespace %s is marked for deletion, and takes the object along", spell.Line(o.Scope))
	}
	r.space = &lint.Object{Object: n}
	if !o.Deleting {
		r.in.Objects = append(r.in.Objects, *r.space)
		r.refresh()
	}
	return ""
}

// readConditions reads a namespace in full, and returns its conditions that are true. They are in no
// metadata.
func readConditions(ctx context.Context, w wholes, name string) ([]dump.Condition, error) {
	var whole struct {
		Status struct {
			Conditions []dump.Condition `json:"conditions"`
		} `json:"status"`
	}
	if err := w.get(ctx, pathOf(namespacesAt(), "", name), &whole); err != nil {
		return nil, err
	}
	list := slices.DeleteFunc(whole.Status.Conditions, func(c dump.Condition) bool { return c.Status != string(metav1.ConditionTrue) })
	slices.SortFunc(list, func(a, b dump.Condition) int { return strings.Compare(a.Type, b.Type) })
	return list, nil
}

// apiService is the part of an APIService that tells whether it is available.
type apiService struct {
	Metadata struct{ Name string } `json:"metadata"`
	Spec     struct {
		Service *struct {
			Namespace string `json:"namespace"`
			Name      string `json:"name"`
			Port      *int32 `json:"port"`
		} `json:"service"`
	} `json:"spec"`
	Status struct {
		Conditions []dump.Condition `json:"conditions"`
	} `json:"status"`
}

// backend returns the service behind it, or "" for a group that the server serves itself.
func (s *apiService) backend() string {
	b := s.Spec.Service
	if b == nil {
		return ""
	}
	return serviceText(b.Namespace, b.Name, b.Port)
}

// serviceText returns NAMESPACE/NAME:PORT. The port of an API is 443 by default.
func serviceText(namespace, name string, port *int32) string {
	if port == nil {
		return fmt.Sprintf("%s/%s:443", namespace, name)
	}
	return fmt.Sprintf("%s/%s:%d", namespace, name, *port)
}

// behind returns the API services behind the conditions of a namespace. A user without the right to
// read them misses it only if the namespace controller has failed to discover a group.
func behind(ctx context.Context, w wholes, conditions []dump.Condition) namespace.Services {
	s := readServices(ctx, w)
	if !slices.ContainsFunc(conditions, func(c dump.Condition) bool { return c.Type == "NamespaceDeletionDiscoveryFailure" }) {
		s.Unread = ""
	}
	return s
}

// readServices returns the API services whose condition Available is not true. One without the
// condition is new, and counts as not available.
//
//test:by TestDeadServices
func readServices(ctx context.Context, w wholes) (out namespace.Services) {
	err := w.list(ctx, pathOf(servicesAt(), "", ""), func(item json.RawMessage) error {
		var s apiService
		if err := json.Unmarshal(item, &s); err != nil {
			return err
		}
		state := dump.Condition{Reason: "Unknown", Message: "it has no condition Available"}
		if i := slices.IndexFunc(s.Status.Conditions, func(c dump.Condition) bool { return c.Type == "Available" }); i >= 0 {
			state = s.Status.Conditions[i]
		}
		if state.Status != string(metav1.ConditionTrue) {
			out.Down = append(out.Down, namespace.Service{Name: s.Metadata.Name, Reason: state.Reason, Message: state.Message, Backend: s.backend()})
		}
		return nil
	})
	if err != nil && !absent(err) { // a server without aggregation has none
		out.Unread = why("list", servicesAt().GroupResource().String(), err)
	}
	slices.SortFunc(out.Down, func(a, b namespace.Service) int { return strings.Compare(a.Name, b.Name) })
	return out
}
