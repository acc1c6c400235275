package e2e

import (
	"context"
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ownergraph/ownergraph/graph"
)

// label replaces the labels of one of the kit's objects, as a user does.
func (k *kit) label(ctx context.Context, key graph.Key, set map[string]string) error {
	c := kitUsers{k}.of(key.Kind)
	if c.plural == "" {
		return errNoKind
	}
	if set == nil {
		set = map[string]string{}
	}
	patch, err := json.Marshal([]map[string]any{{"op": "add", "path": "/metadata/labels", "value": set}})
	if err == nil {
		_, err = k.w.in(c, key.Scope).Patch(ctx, key.Name, types.JSONPatchType, patch, metav1.PatchOptions{})
	}
	return meaning(err)
}
