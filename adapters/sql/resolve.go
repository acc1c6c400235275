package sqlstore

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

func sortKinds(list []graph.KindInfo) {
	slices.SortFunc(list, func(a, b graph.KindInfo) int { return cmp.Compare(a.Kind, b.Kind) })
}

// resolve returns the reference with the scope that the store gives it. The package comment
// has the rules, under "Owner references".
//
//test:by TestResolveAsMemory
func (k *kindSet) resolve(dep graph.Key, r graph.Owner) graph.Owner {
	kind := k.byName[r.Kind]
	return r.Resolve(dep, kind.info.Scoped, kind.served)
}

func (k *kindSet) resolveAll(o graph.Object) graph.Object {
	o = o.Clone()
	for i, r := range o.Owners {
		o.Owners[i] = k.resolve(o.Key, r)
	}
	return o
}

// check returns the reason to refuse o, whose references are resolved and were old, or nil.
func (k *kindSet) check(verb string, old []graph.Owner, o graph.Object, limits graph.Limits) error {
	if err := graph.Validate(o, limits); err != nil {
		return fmt.Errorf("%s: %w: %w", verb, graph.ErrRefused, err)
	}
	return k.checkOwners(verb, old, o)
}

func (k *kindSet) checkOwners(verb string, old []graph.Owner, o graph.Object) error {
	for i, r := range o.Owners {
		if kind := k.byName[r.Kind]; kind.served && kind.info.NoOwner {
			return refused(verb, o.Key, fmt.Sprintf("owners[%d].kind", i), "may not own")
		}
	}
	return k.checkPolicies(verb, old, o)
}

// checkScope refuses a scope that contradicts the kind.
func (k *kindSet) checkScope(verb string, key graph.Key) error {
	switch scoped := k.byName[key.Kind].info.Scoped; {
	case scoped && key.Scope == "":
		return refused(verb, key, "scope", "empty, and the kind is scoped")
	case !scoped && key.Scope != "":
		return refused(verb, key, "scope", "given, and the kind is global")
	}
	return nil
}
