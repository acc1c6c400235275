package offline

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/lineage"
)

// Index finds parts of a content by owner references. It is safe for concurrent use while the
// content does not change.
type Index struct {
	content Content
	of      *lineage.Index
}

// Index returns an index of the objects.
func (c *Content) Index() *Index { return &Index{*c, lineage.New(c.Kinds, c.Objects)} }

// Below returns the object with the key and all objects below it, in the order of the
// content. A dependent counts by the UID of its owner, and the members of a container count.
//
//test:by TestBelow
func (x *Index) Below(key graph.Key) []graph.Object { return x.objects(x.of.Below(key)) }

// Lineage returns the object with the key, all objects below it, and all owners above it, in
// the order of the content. References count by UID.
//
//test:by TestBelow
func (x *Index) Lineage(key graph.Key) []graph.Object {
	list := append(x.of.Below(key), x.of.Above(key)...)
	slices.Sort(list)
	return x.objects(slices.Compact(list))
}

func (x *Index) objects(list []int) (out []graph.Object) {
	for _, i := range list {
		out = append(out, x.content.Objects[i])
	}
	return out
}
