package fakegc

import (
	"context"
	"encoding/json"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A write to a subresource changes no field that the rules use, except the version. The
// watches must report it. An eviction removes its Pod, and a scale writes the whole
// object.

func (s *store) subUpdate(ctx context.Context, c client.Client, sub string, o client.Object, opts ...client.SubResourceUpdateOption) error {
	asked := (&client.SubResourceUpdateOptions{}).ApplyOptions(opts)
	return s.write(ctx, o, nil, dry(asked.DryRun), func(ctx context.Context) error {
		return c.SubResource(sub).Update(ctx, o, opts...)
	})
}

func (s *store) subCreate(ctx context.Context, c client.Client, sub string, o, body client.Object, opts ...client.SubResourceCreateOption) error {
	return s.unchecked(ctx, o, func(ctx context.Context) error { return c.SubResource(sub).Create(ctx, o, body, opts...) })
}

func (s *store) subPatch(ctx context.Context, c client.Client, sub string, o client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
	return s.unchecked(ctx, o, func(ctx context.Context) error { return c.SubResource(sub).Patch(ctx, o, patch, opts...) })
}

func (s *store) subApply(ctx context.Context, c client.Client, sub string, config runtime.ApplyConfiguration, opts ...client.SubResourceApplyOption) error {
	data, err := json.Marshal(config)
	if err != nil {
		return err
	}
	o := &unstructured.Unstructured{}
	if err := json.Unmarshal(data, o); err != nil {
		return err
	}
	return s.unchecked(ctx, o, func(ctx context.Context) error { return c.SubResource(sub).Apply(ctx, config, opts...) })
}

// unchecked makes a call without checks, and makes the watches report its object.
func (s *store) unchecked(ctx context.Context, o client.Object, do func(context.Context) error) error {
	ctx, unlock := s.lock(ctx)
	defer unlock()
	p, err := s.at(ctx, o)
	if err != nil {
		return err
	}
	if p.kind != nil {
		defer s.touch(ctx, p.kind, p.name.Namespace, p.name.Name)
	}
	return do(ctx)
}
