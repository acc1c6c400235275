package sim

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// sizes are the numbers of delimiters that names get in addition: none, about as many
// as claims are made of, and so many that the name is too long for an engine to compare
// or to judge.
var sizes = [...]int{0, 0, 1, 5, 30, 31, 32, 33, 40, 60, 500, 511, 512, 520, 700}

// stretching returns a function that makes names longer in worlds of such names. The
// seed fixes the number of delimiters for each call. Names grow at the end that does
// not name a holder, so that names are made of each other. In other worlds names stay
// the same.
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

// maxName is the length of the longest name that engines judge by default.
const maxName = 1024

// lengthy reports whether an object carries a longer name.
func lengthy(o graph.Object) bool {
	long := func(k graph.Key) bool { return max(len(k.Name), len(k.Scope), len(k.UID)) > maxName }
	return long(o.Key) || slices.ContainsFunc(o.Owners, func(r graph.Owner) bool { return long(r.Key) })
}
