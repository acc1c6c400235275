package theirs

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"k8s.io/apimachinery/pkg/types"
)

// patch is a patch of the garbage collector. It has the references that go or cease to
// block (strategic merge), or the finalizers that stay (merge).
type patch struct {
	merge    bool
	Metadata struct {
		UID             graph.UID     `json:"uid"`
		ResourceVersion graph.Version `json:"resourceVersion"`
		Finalizers      []string      `json:"finalizers"`
		OwnerReferences []struct {
			Patch string    `json:"$patch"`
			UID   graph.UID `json:"uid"`
			Block *bool     `json:"blockOwnerDeletion"`
		} `json:"ownerReferences"`
	} `json:"metadata"`
}

func parsePatch(pt types.PatchType, data []byte) (p patch, err error) {
	if err := json.Unmarshal(data, &p); err != nil {
		return p, fmt.Errorf("patch: %w", err)
	}
	switch pt {
	case types.MergePatchType:
		p.merge = true
		return p, nil
	case types.StrategicMergePatchType:
		return p, nil
	}
	return p, fmt.Errorf("patch: type %s: %w", pt, graph.ErrInvalid)
}

func (p patch) precondition() graph.Precondition {
	return graph.Precondition{UID: p.Metadata.UID, Version: p.Metadata.ResourceVersion}
}

// change returns the effect of the patch on the live object.
func (p patch) change(live graph.Object) (c graph.Change) {
	if p.merge {
		for _, f := range live.Finalizers {
			if !slices.Contains(p.Metadata.Finalizers, f) {
				c.DropFinalizer = f
			}
		}
		return c
	}
	for _, r := range p.Metadata.OwnerReferences {
		for _, o := range live.Owners {
			switch {
			case o.UID != r.UID:
			case r.Patch == "delete":
				c.DropOwners = append(c.DropOwners, o)
			case r.Block != nil && !*r.Block:
				c.Unblock = append(c.Unblock, o)
			}
		}
	}
	return c
}
