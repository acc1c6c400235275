package web

import (
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// light returns the objects from the first on whose names are not too long for an answer. A byte
// that is not UTF-8 becomes U+FFFD, since JSON has no form for it.
func light(objects []graph.Object) []graph.Object {
	out, size := make([]graph.Object, 0, len(objects)), 0
	for _, o := range objects {
		o.Key, o.Version = validKey(o.Key), graph.Version(valid(string(o.Version)))
		o.Owners, o.Finalizers = slices.Clone(o.Owners), slices.Clone(o.Finalizers)
		size += len(o.Name) + len(o.Scope)
		for i := range o.Owners {
			o.Owners[i].Key = validKey(o.Owners[i].Key)
			size += len(o.Owners[i].Name)
		}
		for i := range o.Finalizers {
			o.Finalizers[i] = valid(o.Finalizers[i])
			size += len(o.Finalizers[i])
		}
		if len(out) > 0 && size > maxNames {
			break
		}
		out = append(out, o)
	}
	return out
}

// textOf returns the bytes of the names of objects and of their owners.
func textOf(objects []graph.Object) (n int) {
	for _, o := range objects {
		n += len(o.Scope) + len(o.Name) + len(o.UID)
		for _, w := range o.Owners {
			n += len(w.Scope) + len(w.Name) + len(w.UID)
		}
	}
	return n
}

func validKey(k graph.Key) graph.Key {
	return graph.Key{Kind: graph.Kind(valid(string(k.Kind))), Scope: valid(k.Scope), Name: valid(k.Name), UID: graph.UID(valid(string(k.UID)))}
}

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
