package e2e

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
	"github.com/ownergraph/ownergraph/plan"
)

// planCase is a random namespace with the present deletion in it.
type planCase struct {
	number int
	space  string
	random *rand.Rand

	before, end []graph.Object
	plan        plan.Plan
	past        map[graph.Key]changed
	writes      int // of the collector
}

var planKinds = []kind{configMap, secret, pod, controller}

// planSeed returns the seed of rapid's flag. By default each run draws the same
// namespaces.
func planSeed() uint64 {
	seed, _ := strconv.ParseUint(flag.Lookup("rapid.seed").Value.String(), 10, 64) // the flag has checked it
	return max(seed, 1)
}

// fill makes the namespaces with their objects.
func (e *planTest) fill(seed uint64) {
	e.t.Helper()
	elsewhere := e.create(configMap, "elsewhere")
	e.cases = make([]*planCase, *planNamespaces)
	e.parallel(len(e.cases), func(i int) {
		e.cases[i] = &planCase{number: i, space: fmt.Sprint(e.ns, "-", i), random: rand.New(rand.NewPCG(seed, uint64(i)))}
		e.cases[i].fill(e.world, elsewhere)
	})
}

// chance is true in one of n cases.
func (p *planCase) chance(n int) bool { return p.random.IntN(n) == 0 }

// fill makes 3 to 8 objects. In some namespaces the first one refers to the last one, so
// that there are rings.
func (p *planCase) fill(w *world, elsewhere object) {
	space := w.create(namespace, p.space)
	var made []object
	for i := range 3 + p.random.IntN(6) {
		with := []option{under(p.space), references(p.references(made, elsewhere, space)...)}
		switch {
		case p.chance(6):
			with = append(with, finalizers(hold))
		case p.chance(12):
			with = append(with, finalizers(graph.FinalizerOrphan))
		case p.chance(12):
			with = append(with, finalizers(graph.FinalizerForeground))
		}
		made = append(made, w.create(planKinds[p.random.IntN(len(planKinds))], string(rune('a'+i)), with...))
	}
	if p.chance(8) {
		w.patch(made[0], map[string]any{"ownerReferences": refsTo(new(p.chance(2)), made[len(made)-1:])})
	}
}

// references draws the owners of a new object, each once.
func (p *planCase) references(made []object, elsewhere, space object) (out []metav1.OwnerReference) {
	if len(made) == 0 {
		return nil
	}
	for range []int{0, 1, 1, 1, 2, 2, 3}[p.random.IntN(7)] {
		owner := made[p.random.IntN(len(made))]
		switch p.random.IntN(24) {
		case 0: // never lived: before the plan the collector drops the reference, or deletes the object
			owner.uid += "-never"
		case 1: // of a kind that is not served, so that the owner is unknown
			owner.kind.gvk = schema.GroupVersionKind{Group: "nobody.example.org", Version: "v1", Kind: "Bogus"}
			owner.uid += "-bogus"
		case 2: // in another namespace, so that the owner is unknown
			owner = elsewhere
		case 3: // global, and never deleted
			owner = space
		}
		if !slices.ContainsFunc(out, func(r metav1.OwnerReference) bool { return r.UID == owner.uid }) {
			out = append(out, refsTo(new(p.chance(2)), []object{owner})...)
		}
	}
	return out
}

// target draws three objects, and returns the one with the most dependents. The deletion
// of an object without dependents shows little.
func (p *planCase) target() (best graph.Key) {
	most := -1
	for range 3 {
		k, n := p.before[p.random.IntN(len(p.before))].Key, 0
		for _, o := range p.before {
			if slices.ContainsFunc(o.Owners, func(r graph.Owner) bool { return r.Key == k }) {
				n++
			}
		}
		if n > most {
			best, most = k, n
		}
	}
	return best
}

// line prints objects in the one-line notation. It replaces the server's UIDs by those
// that the notation leaves out, so that the line is short.
func (p *planCase) line(objects []graph.Object) string {
	short := map[graph.UID]graph.UID{}
	for _, o := range p.before {
		place := o.Key
		place.UID = ""
		short[o.UID] = graph.UID(strings.TrimSuffix(place.String(), `@""`))
	}
	out := make([]graph.Object, len(objects))
	for i, o := range objects {
		out[i] = o.Clone()
		out[i].UID = short[o.UID]
		for j, r := range o.Owners {
			if uid, ok := short[r.UID]; ok {
				out[i].Owners[j].UID = uid
			}
		}
	}
	return oracle.Line(out)
}
