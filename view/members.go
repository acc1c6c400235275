package view

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Container is a container among objects, with its members: see graph.Container. It is a value.
type Container struct {
	Key graph.Key
	// Actor deletes the members, once the container has a deletion mark.
	Actor   string
	Members []graph.Key
}

// TreeWithMembers is Tree for the objects of a store with containers. The members of a container
// stand below it, since its end takes them along, and the container names their actor. A member with
// an owner that is a member, too, stands below that owner alone. The tree of a member does not have
// its container. Containers and members that are not among the objects do not count.
//
//test:by TestTreeWithMembers
func TreeWithMembers(objects []graph.Object, containers []Container, key graph.Key, limit int) Picture {
	return treeOf(ofObjects(objects, containers), key, limit)
}

// addMembers adds an edge from each container to the members without an owner among its members,
// and to one member of each ring of the others. The nodes are in order of the objects.
func (w *world) addMembers(containers []Container) {
	if len(containers) == 0 {
		return
	}
	at := make(map[graph.Key]int, len(w.nodes))
	for i := range w.nodes {
		at[w.nodes[i].key] = i
	}
	owned := make([][]int, len(w.nodes)) // the dependents of each node
	owners := make([][]int, len(w.nodes))
	for _, e := range w.edges {
		if e.upper != e.lower {
			owned[e.upper] = append(owned[e.upper], e.lower)
			owners[e.lower] = append(owners[e.lower], e.upper)
		}
	}
	for _, c := range containers {
		of, ok := at[c.Key]
		var members []int
		for _, k := range c.Members {
			if m, is := at[k]; is && m != of {
				members = append(members, m)
			}
		}
		if !ok || len(members) == 0 {
			continue
		}
		verb := " end with it, by "
		if len(members) == 1 {
			verb = " ends with it, by "
		}
		w.nodes[of].notes = append(w.nodes[of].notes, numbered(len(members), "member")+verb+clean(c.Actor))
		slices.Sort(members)
		for _, m := range heads(members, owned, owners) {
			w.edges = append(w.edges, edge{upper: of, lower: m, member: true})
		}
	}
}

// heads returns members from which owner references lead to all members.
func heads(members []int, owned, owners [][]int) (list []int) {
	open := make(map[int]bool, len(members)) // not reached yet
	for _, m := range members {
		open[m] = true
	}
	inside := make(map[int]bool, len(members))
	for _, m := range members {
		inside[m] = true
	}
	take := func(m int) {
		list = append(list, m)
		delete(open, m)
		for stack := []int{m}; len(stack) > 0; {
			from := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, d := range owned[from] {
				if open[d] {
					delete(open, d)
					stack = append(stack, d)
				}
			}
		}
	}
	for _, m := range members {
		top := true
		for _, o := range owners[m] {
			top = top && !inside[o]
		}
		if top {
			take(m)
		}
	}
	for _, m := range members { // of rings
		if open[m] {
			take(m)
		}
	}
	return list
}
