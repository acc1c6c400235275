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

// patch applies a patch under the rules of an update. It keeps the object's UID, which
// the fake client would change.
func (s *store) patch(ctx context.Context, c client.WithWatch, o client.Object, patch client.Patch, opts ...client.PatchOption) error {
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
		said := readPatch(patch.Type(), data)
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
	made, err := s.live(ctx, p) // live gives it a UID
	if err == nil && made != nil {
		s.setScope(p.kind, p.name.Namespace)
		o.SetUID(made.UID)
		o.SetResourceVersion(made.ResourceVersion)
	}
	return err
}

// apply is patch for an apply configuration.
func (s *store) apply(ctx context.Context, c client.WithWatch, config runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
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
	s.setScope(p.kind, p.name.Namespace)
	return complete(config, made)
}

// complete writes the answer of a server into an apply configuration.
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

// request is the part of a patch that the rules of an update check.
type request struct {
	uid        types.UID // the demanded UID, or ""
	finalizers []string  // that the patch may add
	without    []byte    // the patch without its UID, or nil
}

// readPatch reads a patch. If a patch is malformed, the fake client refuses it.
func readPatch(t types.PatchType, data []byte) request {
	if t == types.JSONPatchType {
		return readOperations(data)
	}
	var out request
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

// readOperations is readPatch for a JSON patch. It keeps a test of the UID.
func readOperations(data []byte) request {
	var out request
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
