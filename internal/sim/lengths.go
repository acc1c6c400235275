package sim

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// sizes are how many delimiters are added to names: none, about as many as claims are
// made of, and so many that the name is longer than engines look at, or may be at all.
var sizes = [...]int{0, 0, 1, 5, 30, 31, 32, 33, 40, 60, 500, 511, 512, 520, 700}

// stretching returns a function that makes names longer, by as many delimiters as the
// seed says of its next call, in worlds of such names; or leaves them as they are. They
// grow away from the end that names a holder, so that names are made of each other.
func (o options) stretching() func(name string) string {
	if !o.has(lengths) {
		return func(name string) string { return name }
	}
	r := rand.New(rand.NewPCG(o.seed, 0x1e97))
	return func(name string) string {
		more := sizes[r.IntN(len(sizes))]
		if o.tenancy.suffix {
			return strings.Repeat("z-", more) + name
		}
		return name + strings.Repeat("-z", more)
	}
}

// maxName is how long a name may be that engines judge, by default.
const maxName = 1024

// lengthy reports whether an object carries a name that is longer.
func lengthy(o graph.Object) bool {
	long := func(k graph.Key) bool { return max(len(k.Name), len(k.Scope), len(k.UID)) > maxName }
	return long(o.Key) || slices.ContainsFunc(o.Owners, func(r graph.Owner) bool { return long(r.Key) })
}
