package dump

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// noObject is the reason for which the kinds of Content.Unlisted are not listed.
const noObject = "the dump has no object of it"

// unlisted returns the kinds that references name and no object has, sorted by name.
func (s *inventory) unlisted(objects []graph.Object) (list []graph.KindInfo) {
	seen := map[graph.Kind]bool{}
	for i := range objects {
		for _, ref := range objects[i].Owners {
			if _, listed := s.scoped[ref.Kind]; listed || seen[ref.Kind] || ref.Flawed() {
				continue
			}
			seen[ref.Kind] = true
			scoped, _ := s.scopedKind(ref.Kind)
			list = append(list, graph.KindInfo{Kind: ref.Kind, Scoped: scoped, NoOwner: isEvent(ref.Kind)})
		}
	}
	slices.SortFunc(list, byName)
	return list
}

// WithListed returns the content with kinds of which the input is known to list every object,
// although it has none. A missing owner of such a kind counts as gone. The references to these
// kinds are resolved. The content c stays as it is.
//
// An error wraps graph.ErrInvalid, and names a kind that has no name, or another scope in the
// input or in every Kubernetes cluster. A kind of Kubernetes' containers is declared as Read does.
//
//test:by TestWithListed
func (c Content) WithListed(kinds []graph.KindInfo) (Content, error) {
	s := newInventory()
	for _, k := range c.Kinds {
		s.scoped[k.Kind] = k.Scoped
	}
	c.Kinds = slices.Clone(c.Kinds)
	for i, k := range kinds {
		scoped, known := s.scopedKind(k.Kind)
		switch {
		case k.Kind == "":
			return Content{}, fmt.Errorf("list kinds[%d]: kind: missing: %w", i, graph.ErrInvalid)
		case known && scoped != k.Scoped:
			return Content{}, fmt.Errorf("list kinds[%d]: kind %q: scoped: %t, and the kind has %t: %w", i, k.Kind, k.Scoped, scoped, graph.ErrInvalid)
		}
		if _, there := s.scoped[k.Kind]; !there {
			k.NoOwner = k.NoOwner || isEvent(k.Kind)
			k.Container = container(k.Kind)
			c.Kinds = append(c.Kinds, k)
			s.scoped[k.Kind] = k.Scoped
		}
	}
	slices.SortFunc(c.Kinds, byName)
	c.Objects = slices.Clone(c.Objects)
	for i := range c.Objects {
		o := &c.Objects[i]
		o.Owners = slices.Clone(o.Owners)
		for j := range o.Owners {
			o.Owners[j].Scope, o.Owners[j].Unresolved = "", false
		}
		s.resolve(o)
	}
	c.Unlisted = s.unlisted(c.Objects)
	return c, nil
}
