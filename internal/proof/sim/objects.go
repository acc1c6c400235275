package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// hostile are names that a user may choose to do harm.
var hostile = []string{"a; b -> a", "\x00", "\xff\xfe", `"`, "../a", "%s%n", "a\nb", strings.Repeat("long", 200), "~*", "@a"}

// pool returns the places of a world's objects, each with the UID that its notation
// leaves out.
func (o options) pool(r *rand.Rand) []graph.Key {
	if o.has(sweeps) {
		return o.spreadUIDs(o.places(r))
	}
	stretch := o.stretching()
	infos := o.infos()
	var keys []graph.Key
	for i := range o.most {
		name := string(rune('a' + i%26))
		if i >= 26 {
			name += fmt.Sprint(i / 26)
		}
		if o.shape == odd && r.IntN(16) == 0 {
			name += hostile[r.IntN(len(hostile))]
		}
		name = stretch(name)
		info := infos[i%len(infos)]
		if o.kinds == mixedKinds {
			info = infos[r.IntN(len(infos))]
		}
		k := graph.Key{Kind: info.Kind, Name: name}
		if info.Scoped {
			k.Scope = []string{"s", "t"}[r.IntN(2)]
			if i > 0 && r.IntN(3) == 0 { // a namesake, in another scope maybe
				k.Name = keys[r.IntN(i)].Name
			}
		}
		if slices.ContainsFunc(keys, func(x graph.Key) bool { return x.Place() == k }) {
			k.Name = name
		}
		k.UID = graph.UID(strings.TrimSuffix(k.String(), `@""`))
		keys = append(keys, k)
	}
	return o.spreadUIDs(keys)
}

// start draws the first objects of a world.
func (o options) start(r *rand.Rand, pool []graph.Key) []graph.Object {
	out := make([]graph.Object, min(o.objects, len(pool)))
	for i := range out {
		out[i].Key = pool[i]
		for _, owner := range o.ownersOf(r, i) {
			owner = min(owner, len(out)-1)
			if ref, ok := o.reference(r, pool[i], pool[owner]); ok {
				out[i].Owners = append(out[i].Owners, ref)
			}
		}
		if o.shape == odd && r.IntN(16) == 0 && len(out[i].Owners) > 0 { // the same reference twice
			out[i].Owners = append(out[i].Owners, slices.Repeat(out[i].Owners[:1], 20+r.IntN(60))...)
		}
		o.condition(r, &out[i])
		if o.has(sweeps) {
			o.adapt(r, &out[i])
		}
		o.guard(r, &out[i])
	}
	return o.markSome(out)
}

// ownersOf draws the owners of the i-th object.
func (o options) ownersOf(r *rand.Rand, i int) []int {
	switch {
	case o.shape == star && i > 0:
		return []int{0}
	case o.shape == chain && i > 0:
		return []int{i - 1}
	case o.shape == ring:
		return []int{(i + 1) % o.objects}
	case o.shape == layers && i >= 2:
		return []int{0, 1 + r.IntN(i-1)}
	case o.shape == loose, o.shape == odd:
		var out []int
		for range r.IntN(3) {
			out = append(out, r.IntN(o.objects))
		}
		return out
	}
	return nil
}

// reference draws an owner reference of dep to owner. All parts of the test read it
// alike. Kubernetes would call an owner in another scope absent, while the ledger sees
// it live.
func (o options) reference(r *rand.Rand, dep, owner graph.Key) (graph.Owner, bool) {
	ref := graph.Owner{Key: owner, Block: r.IntN(2) == 0, Controller: r.IntN(16) == 0}
	n := 32
	if o.shape == odd {
		n = 12
	}
	switch r.IntN(n) {
	case 0: // an owner that never existed
		ref.UID += "/gone"
	case 1: // a place that does not exist
		ref.Name += "x"
	case 2:
		infos := o.infos()
		ref.Kind = infos[r.IntN(len(infos))].Kind
	case 3:
		ref.Scope = []string{"", "s", "t", "u"}[r.IntN(4)]
	case 4:
		ref.Unresolved = true
	case 5:
		ref.Kind, ref.UID = unserved, ref.UID+"/unserved"
	case 6:
		ref = []graph.Owner{{Key: graph.Key{Kind: ref.Kind, UID: ref.UID}}, {Key: ref.Place()}, {Key: graph.Key{Name: ref.Name, UID: ref.UID}}}[r.IntN(3)]
	}
	if o.has(policies) {
		ref.OnDelete = o.policy(r)
	}
	return ref, !o.absent || ref.Scope == "" || dep.Scope == "" || ref.Scope == dep.Scope
}

// condition draws the other fields of an object.
func (o options) condition(r *rand.Rand, x *graph.Object) {
	switch r.IntN(16) {
	case 0:
		x.Finalizers = []string{graph.FinalizerForeground}
	case 1:
		x.Finalizers = []string{graph.FinalizerOrphan}
	case 2, 3:
		x.Finalizers = []string{"foreign"}
	case 4:
		x.Finalizers = []string{handled}
	case 5:
		x.Finalizers = []string{"foreign", handled}
	}
	if len(x.Finalizers) > 0 && r.IntN(3) == 0 {
		x.Deleting = true
	} else if r.IntN(24) == 0 {
		x.Deleting, x.GraceSeconds = true, 30
	}
	if o.waits && x.Kind == o.config().Acknowledge[0] {
		x.Generation, x.ObservedGeneration = 2, int64(1+r.IntN(2))
	}
}
