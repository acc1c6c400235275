package live

import (
	"strconv"

	"github.com/ownergraph/ownergraph/graph"
)

// Countable returns the objects with versions that a memory store accepts. A memory
// store counts its versions, and a version of Kubernetes is any text. The store
// replaces any other version, because versions are only compared for equality.
func Countable(objects []graph.Object) []graph.Object {
	out := make([]graph.Object, len(objects))
	for i, o := range objects {
		n, err := strconv.ParseUint(string(o.Version), 10, 62)
		if err != nil || strconv.FormatUint(n, 10) != string(o.Version) {
			o.Version = ""
		}
		out[i] = o // the store copies the slices
	}
	return out
}
