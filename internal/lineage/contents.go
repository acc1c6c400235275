package lineage

import (
	"github.com/ownergraph/ownergraph/graph"
)

// contents finds the members of a container, and the containers of an object. Without a
// container it is empty.
type contents struct {
	kinds      map[graph.Kind]graph.KindInfo
	members    map[graph.Content][]int
	containers map[graph.Content][]int
}

func newContents(kinds []graph.KindInfo, objects []graph.Object) (x contents) {
	for _, k := range kinds {
		if k.Container.Members != graph.MembershipUnset {
			x.kinds = make(map[graph.Kind]graph.KindInfo, len(kinds))
		}
	}
	if x.kinds == nil {
		return x
	}
	for _, k := range kinds {
		x.kinds[k.Kind] = k
	}
	x.members, x.containers = map[graph.Content][]int{}, map[graph.Content][]int{}
	for i := range objects {
		o := &objects[i]
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

func (x *contents) contentOf(o *graph.Object) graph.Content {
	kind := x.kinds[o.Kind]
	return graph.ContentOf(&kind, o.Name)
}

func (x *contents) contentsOf(o *graph.Object) [2]graph.Content {
	kind := x.kinds[o.Kind]
	return graph.ContentsOf(&kind, o.Scope)
}

// Members returns the members of a container, none for another object. The caller changes nothing
// in it.
func (x *Index) Members(i int) []int { return x.contents.members[x.contents.contentOf(&x.objects[i])] }

// Containers returns the containers of an object.
func (x *Index) Containers(i int) (out []int) {
	for _, of := range x.contents.contentsOf(&x.objects[i]) {
		out = append(out, x.contents.containers[of]...)
	}
	return out
}

// Container returns the declaration of a container, zero for another object.
func (x *Index) Container(i int) graph.Container {
	return x.contents.kinds[x.objects[i].Kind].Container
}
