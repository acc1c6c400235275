package offline

import (
	"github.com/ownergraph/ownergraph/graph"
)

// contents finds the members of a container, and the containers of an object, by their indexes.
// Without a container it is empty.
type contents struct {
	kinds      map[graph.Kind]graph.KindInfo
	members    map[graph.Content][]int
	containers map[graph.Content][]int
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
	x.members, x.containers = map[graph.Content][]int{}, map[graph.Content][]int{}
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

func (x *contents) contentOf(o *graph.Object) graph.Content {
	kind := x.kinds[o.Kind]
	return graph.ContentOf(&kind, o.Name)
}

func (x *contents) contentsOf(o *graph.Object) [2]graph.Content {
	kind := x.kinds[o.Kind]
	return graph.ContentsOf(&kind, o.Scope)
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

// Container is a container with its members, in the order of the content. It is a value.
type Container struct {
	Key     graph.Key
	Actor   string
	Members []graph.Key
}

// Containers returns the containers with members, in the order of the content.
//
// Held by TestContainers.
func (x *Index) Containers() (list []Container) {
	for i := range x.content.Objects {
		o := &x.content.Objects[i]
		members := x.contents.membersOf(o)
		if len(members) == 0 {
			continue
		}
		c := Container{Key: o.Key, Actor: x.contents.kinds[o.Kind].Container.Actor}
		for _, m := range members {
			c.Members = append(c.Members, x.content.Objects[m].Key)
		}
		list = append(list, c)
	}
	return list
}

// JSONContainer is a container in the form of JSON, with the number of its members.
type JSONContainer struct {
	Key     JSONKey `json:"key"`
	Actor   string  `json:"actor"`
	Members int     `json:"members"`
}

// JSONKey is a key in the form of JSON.
type JSONKey struct {
	Kind  graph.Kind `json:"kind"`
	Scope string     `json:"scope,omitempty"`
	Name  string     `json:"name"`
	UID   graph.UID  `json:"uid"`
}

// JSONContainers returns the containers with members among some objects.
func (x *Index) JSONContainers(among []graph.Object) (list []JSONContainer) {
	named := make(map[graph.Key]bool, len(among))
	for i := range among {
		named[among[i].Key] = true
	}
	for _, c := range x.Containers() {
		if named[c.Key] {
			list = append(list, JSONContainer{JSONKey(c.Key), c.Actor, len(c.Members)})
		}
	}
	return list
}
