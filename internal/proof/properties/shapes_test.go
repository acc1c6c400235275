package properties

import (
	"strconv"

	"github.com/ownergraph/ownergraph/graph"
)

func key(kind graph.Kind, name string) graph.Key {
	return graph.Key{Kind: kind, Name: name, UID: graph.UID(string(kind) + "/" + name)}
}

func object(k graph.Key, owners ...graph.Owner) graph.Object {
	return graph.Object{Key: k, Owners: owners}
}

func blocking(k graph.Key) graph.Owner { return graph.Owner{Key: k, Block: true} }

var rootKey = key("root", "r")

// tree returns a root with levels below it. The argument of a level is the number of
// children of each object above: tree(3, 10) is a root, 3 inner objects and 30 leaves.
func tree(fan ...int) []graph.Object {
	out := []graph.Object{object(rootKey)}
	above := []graph.Key{rootKey}
	for level, n := range fan {
		var here []graph.Key
		for _, owner := range above {
			for range n {
				k := key(graph.Kind("level"+strconv.Itoa(level+1)), strconv.Itoa(len(here)))
				here = append(here, k)
				out = append(out, object(k, blocking(owner)))
			}
		}
		above = here
	}
	return out
}

// chain returns a root and n objects. The object before owns each object.
func chain(n int) []graph.Object {
	out := []graph.Object{object(rootKey)}
	for i := range n {
		out = append(out, object(key("link", strconv.Itoa(i)), blocking(out[i].Key)))
	}
	return out
}

// ring is a chain whose last object owns the root.
func ring(n int) []graph.Object {
	out := chain(n)
	out[0].Owners = []graph.Owner{blocking(out[n].Key)}
	return out
}

// diamond returns a root, two objects below it, and an object that both own.
func diamond() []graph.Object {
	b, c := key("side", "b"), key("side", "c")
	return []graph.Object{
		object(rootKey), object(b, blocking(rootKey)), object(c, blocking(rootKey)),
		object(key("end", "d"), blocking(b), blocking(c)),
	}
}
