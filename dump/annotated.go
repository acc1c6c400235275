package dump

import (
	"encoding/json"
	"fmt"

	"github.com/ownergraph/ownergraph/annotation"
	"github.com/ownergraph/ownergraph/graph"
)

// annotated is a reference with a policy, and its apiVersion. Its scope is not resolved yet.
type annotated struct {
	owner      graph.Owner
	apiVersion string
}

// annotated returns the references of the annotation that a server keeps them in. An error wraps
// graph.ErrInvalid, and there is no reference then. A cluster checks no value, so a fault is one of the
// object and none of the dump.
//
//test:by TestAnnotation
func (m *metadata) annotated(object graph.Key) ([]annotated, error) {
	raw, ok := m.Annotations[annotation.Owners]
	if !ok {
		return nil, nil
	}
	var value string
	if err := json.Unmarshal(raw, &value); err != nil {
		return nil, fmt.Errorf("read annotation %s: no text: %w", annotation.Owners, graph.ErrInvalid)
	}
	refs, err := annotation.Parse(object, value)
	if err != nil {
		return nil, err
	}
	var out []annotated
	for i, r := range refs {
		owner, err := reference{r.APIVersion, r.Kind, r.Name, string(r.UID), r.Block, r.Controller}.owner()
		if err != nil {
			return nil, fmt.Errorf("read annotation %s: references[%d].%w: %w", annotation.Owners, i, err, graph.ErrInvalid)
		}
		owner.OnDelete = r.OnDelete
		out = append(out, annotated{owner, r.APIVersion})
	}
	return out, nil
}
