package offline

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/observed"
)

// contents finds the members of a container, and the containers of an object, by their indexes.
// Without a container it is empty.
type contents struct {
	kinds      map[graph.Kind]graph.KindInfo
	members    map[observed.Content][]int
	containers map[observed.Content][]int
}

func newContents(c *Content) (x contents) {
	for _, k := range c.Kinds {
		if k.Container.Members != graph.MembershipUnset {
			x.kinds = make(map[graph.Kind]graph.KindInfo, len(c.Kinds))
		}
	}
	if x.kinds == nil {
		return x
	}
	for _, k := range c.Kinds {
		x.kinds[k.Kind] = k
	}
	x.members, x.containers = map[observed.Content][]int{}, map[observed.Content][]int{}
	for i := range c.Objects {
		o := &c.Objects[i]
		if of := x.contentOf(o); of.Name != "" {
			x.containers[of] = append(x.containers[of], i)
		}
		for _, of := range x.contentsOf(o) {
			if of.Name != "" {
				x.members[of] = append(x.members[of], i)
			}
		}
	}
	return x
}

func (x *contents) contentOf(o *graph.Object) observed.Content {
	kind := x.kinds[o.Kind]
	return observed.ContentOf(&kind, o.Name)
}

func (x *contents) contentsOf(o *graph.Object) [2]observed.Content {
	kind := x.kinds[o.Kind]
	return observed.ContentsOf(&kind, o.Scope)
}

// membersOf returns the members of a container, none for another object.
func (x *contents) membersOf(o *graph.Object) []int { return x.members[x.contentOf(o)] }

// containersOf returns the containers of an object.
func (x *contents) containersOf(o *graph.Object) (out []int) {
	for _, of := range x.contentsOf(o) {
		out = append(out, x.containers[of]...)
	}
	return out
}
