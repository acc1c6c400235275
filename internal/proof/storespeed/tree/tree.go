// Package tree makes the objects that the rows work on: one tree of three levels.
package tree

import (
	"fmt"
	"math"

	"github.com/ownergraph/ownergraph/graph"
)

// The kinds of the three levels.
const (
	Team    graph.Kind = "team"
	Project graph.Kind = "project"
	Backup  graph.Kind = "backup"
)

// Scope has all objects but the root.
const Scope = "blue"

// Kinds are the kinds that a store of the rows serves.
func Kinds() []graph.KindInfo {
	return []graph.KindInfo{{Kind: Team}, {Kind: Project, Scoped: true}, {Kind: Backup, Scoped: true}}
}

// Node is one object of the tree.
type Node struct {
	graph.Key
	// Parent is the index of the owner, or -1 for the root.
	Parent int
}

// Nodes returns a tree of n objects, owners first: the root, about the square root of n
// projects, and the backups, which the projects share evenly. The backups of a project stand
// together.
func Nodes(n int) []Node {
	middle := min(int(math.Sqrt(float64(n))), n-1)
	out := make([]Node, 0, n)
	out = append(out, Node{graph.Key{Kind: Team, Name: "blue"}, -1})
	for i := range middle {
		out = append(out, Node{graph.Key{Kind: Project, Scope: Scope, Name: fmt.Sprintf("project-%06d", i)}, 0})
	}
	backups := n - len(out)
	for i := range backups {
		out = append(out, Node{graph.Key{Kind: Backup, Scope: Scope, Name: fmt.Sprintf("backup-of-a-database-%08d", i)}, 1 + i*middle/backups})
	}
	return out
}

// Root returns the place of the root.
func Root() graph.Key { return graph.Key{Kind: Team, Name: "blue"} }

// Object returns the object of a node. Its owner has the given UID.
func Object(nodes []Node, i int, owner graph.UID) graph.Object {
	o := graph.Object{Key: nodes[i].Key}
	if p := nodes[i].Parent; p >= 0 {
		ref := graph.Owner{Key: nodes[p].Key, Block: true, Controller: true}
		ref.UID = owner
		o.Owners = []graph.Owner{ref}
	}
	return o
}
