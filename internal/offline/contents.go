package offline

import (
	"github.com/ownergraph/ownergraph/graph"
)

// Container is a container with its members, in the order of the content. It is a value.
type Container struct {
	Key     graph.Key
	Actor   string
	Members []graph.Key
}

// Containers returns the containers with members, in the order of the content.
//
//test:by TestContainers
func (x *Index) Containers() (list []Container) {
	for i := range x.content.Objects {
		members := x.of.Members(i)
		if len(members) == 0 {
			continue
		}
		c := Container{Key: x.content.Objects[i].Key, Actor: x.of.Container(i).Actor}
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
