package dump

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

const (
	namespaceKind graph.Kind = "Namespace"
	// specPrefix is the prefix of a finalizer in a Namespace's spec, as adapters/clientgo
	// writes it. No finalizer of a metadata can have such a name.
	specPrefix = "spec.finalizers:"
)

// Condition is a condition of a Namespace. Its controller reports by it why the Namespace does
// not terminate. It is a value.
type Condition struct {
	Type    string    `json:"type"`
	Status  string    `json:"status"`
	Since   time.Time `json:"lastTransitionTime"` // the zero time if it is unknown
	Reason  string    `json:"reason"`
	Message string    `json:"message"`
}

// namespace adds the finalizers in the spec of a Namespace to the object, behind those of its
// metadata, and returns its conditions that are true. It changes no other object.
//
//test:by TestNamespace
func (r *record) namespace(o *graph.Object) ([]Condition, error) {
	if o.Kind != namespaceKind {
		return nil, nil
	}
	var spec struct {
		Finalizers []string `json:"finalizers"`
	}
	var status struct {
		Conditions []Condition `json:"conditions"`
	}
	if err := payload("spec", r.spec, &spec); err != nil {
		return nil, err
	}
	if err := payload("status", r.status, &status); err != nil {
		return nil, err
	}
	o.Finalizers = slices.Clip(o.Finalizers)
	for i, f := range spec.Finalizers {
		if err := checkName(fmt.Sprintf("spec.finalizers[%d]", i), strings.Replace(f, "/", "", 1)); err != nil {
			return nil, err
		}
		o.Finalizers = append(o.Finalizers, specPrefix+f)
	}
	list := slices.DeleteFunc(status.Conditions, func(c Condition) bool { return c.Status != "True" })
	slices.SortStableFunc(list, func(a, b Condition) int { return strings.Compare(a.Type, b.Type) })
	return list, nil
}

// payload reads a part of a field that the object may lack.
func payload(field string, text json.RawMessage, into any) error {
	if len(text) == 0 {
		return nil
	}
	if err := json.Unmarshal(text, into); err != nil {
		return explain(field, err)
	}
	return nil
}
