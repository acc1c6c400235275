package fakegc

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// patch applies a patch under the rules of an update, and sees to it that the
// object keeps its UID, which the fake client would let it change.
func (s *Store) patch(ctx context.Context, c client.WithWatch, o client.Object, patch client.Patch, opts ...client.PatchOption) error {
	ctx, unlock := s.lock(ctx)
	defer unlock()
	p, err := s.at(ctx, o)
	if err != nil {
		return err
	}
	if p.kind == nil || dry((&client.PatchOptions{}).ApplyOptions(opts).DryRun) {
		return c.Patch(ctx, o, patch, opts...)
	}
	m, err := s.live(ctx, p)
	if err != nil {
		return err
	}
	if m != nil {
		data, err := patch.Data(o)
		if err != nil {
			return err
		}
		said := read(patch.Type(), data)
		if err := p.allows(m, said.uid, said.finalizers); err != nil {
			return err
		}
		if said.without != nil {
			patch = client.RawPatch(patch.Type(), said.without)
		}
	}
	defer s.touch(ctx, p.kind, p.name.Namespace, p.name.Name)
	if err := c.Patch(ctx, o, patch, opts...); err != nil || m != nil {
		return err
	}
	made, err := s.live(ctx, p) // with the UID that it gets by that
	if err == nil && made != nil {
		s.settle(p.kind, p.name.Namespace)
		o.SetUID(made.UID)
		o.SetResourceVersion(made.ResourceVersion)
	}
	return err
}

// apply is patch for an apply configuration.
func (s *Store) apply(ctx context.Context, c client.WithWatch, config runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
	ctx, unlock := s.lock(ctx)
	defer unlock()
	data, err := json.Marshal(config)
	if err != nil {
		return err
	}
	o := &unstructured.Unstructured{}
	if err := json.Unmarshal(data, o); err != nil {
		return err
	}
	p, err := s.at(ctx, o)
	if err != nil {
		return err
	}
	if p.kind == nil || dry((&client.ApplyOptions{}).ApplyOptions(opts).DryRun) {
		return c.Apply(ctx, config, opts...)
	}
	m, err := s.live(ctx, p)
	if err == nil && m != nil {
		err = p.allows(m, o.GetUID(), o.GetFinalizers())
	}
	if err != nil {
		return err
	}
	defer s.touch(ctx, p.kind, p.name.Namespace, p.name.Name)
	if err := c.Apply(ctx, config, opts...); err != nil || m != nil {
		return err
	}
	made, err := s.live(ctx, p)
	if err != nil || made == nil {
		return err
	}
	s.settle(p.kind, p.name.Namespace)
	return complete(config, made)
}

// complete writes into an apply configuration what a server would have answered.
func complete(config runtime.ApplyConfiguration, made *partial) error {
	data, err := json.Marshal(config)
	if err != nil {
		return err
	}
	o := &unstructured.Unstructured{}
	if err := json.Unmarshal(data, o); err != nil {
		return err
	}
	o.SetUID(made.UID)
	o.SetResourceVersion(made.ResourceVersion)
	if data, err = json.Marshal(o); err != nil {
		return err
	}
	return json.Unmarshal(data, config)
}

// said is what a patch says of metadata that it may not change.
type said struct {
	uid        types.UID // that the object has to have, if it is not empty
	finalizers []string  // that it may add
	without    []byte    // the patch without the UID; nil if it has none
}

// read returns what a patch says. One that cannot be read is the fake client's to
// refuse.
func read(t types.PatchType, data []byte) said {
	if t == types.JSONPatchType {
		return readOperations(data)
	}
	var out said
	var doc map[string]any
	if json.Unmarshal(data, &doc) != nil {
		return out
	}
	metadata, _ := doc["metadata"].(map[string]any)
	out.finalizers = textsIn(metadata["finalizers"])
	uid, has := metadata["uid"]
	if text, ok := uid.(string); ok {
		out.uid = types.UID(text)
	}
	if has && t != types.ApplyPatchType {
		delete(metadata, "uid")
		out.without, _ = json.Marshal(doc)
	}
	return out
}

// readOperations is read for a JSON patch. A test of the UID stays in it.
func readOperations(data []byte) said {
	var out said
	var ops []map[string]any
	if json.Unmarshal(data, &ops) != nil {
		return out
	}
	kept := slices.Clone(ops)
	for _, op := range ops {
		path, _ := op["path"].(string)
		switch {
		case op["op"] == "test":
		case path == "/metadata/uid":
			if text, ok := op["value"].(string); ok {
				out.uid = types.UID(text)
			}
			kept = slices.DeleteFunc(kept, func(k map[string]any) bool { return k["path"] == path && k["op"] != "test" })
		case strings.HasPrefix(path, "/metadata/finalizers"):
			out.finalizers = append(out.finalizers, textsIn(op["value"])...)
		}
	}
	if len(kept) < len(ops) {
		out.without, _ = json.Marshal(kept)
	}
	return out
}

// textsIn returns a text, or the texts of a list.
func textsIn(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, x := range v {
			out = append(out, textsIn(x)...)
		}
		return out
	}
	return nil
}
