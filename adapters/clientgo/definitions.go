package clientgo

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/graph"
)

// definitionsAt returns the resource of definitions.
func definitionsAt() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
}

// servicesAt returns the resource of API services.
func servicesAt() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}
}

// definition is the part of a CustomResourceDefinition that names its kind.
type definition struct {
	Spec struct {
		Group    string                        `json:"group"`
		Scope    string                        `json:"scope"`
		Names    struct{ Plural, Kind string } `json:"names"`
		Versions []struct {
			Name   string `json:"name"`
			Served bool   `json:"served"`
		} `json:"versions"`
	} `json:"spec"`
	Status struct {
		Conditions []struct{ Type, Status string } `json:"conditions"`
	} `json:"status"`
}

// apiService is the part of an APIService that names its group. An APIService without a
// service stands for a group that the server serves itself.
type apiService struct {
	metav1.ObjectMeta `json:"metadata"`

	Spec struct {
		Group   string `json:"group"`
		Version string `json:"version"`
		Service *struct {
			Namespace string `json:"namespace"`
			Name      string `json:"name"`
		} `json:"service"`
	} `json:"spec"`
	Status struct {
		Conditions []struct{ Type, Status, Reason string } `json:"conditions"`
	} `json:"status"`
}

// rejected reports whether the definition was never served, because another definition
// has its names. Then it has no objects.
//
//test:by TestDefinitionsThatBlockNothing
func (d *definition) rejected() bool {
	return d.is("NamesAccepted", metav1.ConditionFalse) && !d.is("Established", metav1.ConditionTrue)
}

func (d *definition) is(condition string, status metav1.ConditionStatus) bool {
	for _, c := range d.Status.Conditions {
		if c.Type == condition {
			return c.Status == string(status)
		}
	}
	return false
}

// resourceOf returns the resource that a definition's name stands for. The API requires
// "plural.group".
func resourceOf(name string) schema.GroupResource {
	plural, group, _ := strings.Cut(name, ".")
	return schema.GroupResource{Group: group, Resource: plural}
}

// readDefinition returns a definition, or nil if it is gone meanwhile.
func (s *Store) readDefinition(ctx context.Context, m metav1.PartialObjectMetadata, before *catalog) (*definition, error) {
	if before != nil {
		if d, ok := before.defined[m.Name]; ok && d.version == m.ResourceVersion {
			return &d.definition, nil
		}
	}
	raw, err := s.client.raw(ctx, definitionsAt(), "", m.Name)
	if err != nil {
		if sentinelOf(err, definitionsAt().Resource, m.Name) == graph.ErrNotFound {
			return nil, nil
		}
		return nil, fmt.Errorf("get definition %s: %w", m.Name, err)
	}
	d := &definition{}
	if err := json.Unmarshal(raw, d); err != nil {
		return nil, fmt.Errorf("get definition %s: %w: %w", m.Name, errNoMetadata, err)
	}
	if d.Spec.Group == "" || d.Spec.Names.Kind == "" || d.Spec.Names.Plural == "" {
		return nil, fmt.Errorf("get definition %s: %w: no group, kind or plural", m.Name, errNoMetadata)
	}
	return d, nil
}
