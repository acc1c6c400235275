// Package identity judges a restore after a deletion: the store has the objects of before, up to UIDs and versions. The tests of
// package restore and of the adapters draw its worlds.
package identity

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
)

// Draw draws up to six objects k/a, k/b and so on, which own each other without rings. An owner is before its dependents. The
// first one is the root. Their UIDs are their names. The references have the policies.
func Draw(t *rapid.T, policies ...graph.OnDelete) (out []graph.Object) {
	n := rapid.IntRange(1, 6).Draw(t, "objects")
	for i := range n {
		name := string(rune('a' + i))
		o := graph.Object{Key: graph.Key{Kind: "k", Name: name, UID: graph.UID(name)}}
		for j := range i {
			if rapid.IntRange(0, 2).Draw(t, "owns") != 0 {
				continue
			}
			policy := rapid.SampledFrom(policies).Draw(t, "policy")
			o.Owners = append(o.Owners, graph.Owner{Key: out[j].Key, OnDelete: policy, Block: rapid.Bool().Draw(t, "block")})
		}
		out = append(out, o)
	}
	return out
}

// References returns the references of each object, by name, each with its policy. They are sorted.
func References(objects []graph.Object) map[string][]string {
	out := map[string][]string{}
	for _, o := range objects {
		refs := []string{}
		for _, p := range o.Owners {
			refs = append(refs, fmt.Sprintf("%s:%s", p.Name, p.OnDelete))
		}
		slices.Sort(refs)
		out[o.Name] = refs
	}
	return out
}

// Fault names an object or a reference that a store lacks after the deletion of a root and its restore, or has too much. It
// returns "" for none. References that went before the end of their object are forgotten (RULES, A7). The only one of an object
// goes by an orphan deletion alone, or by its policy.
func Fault(before, after map[string][]string, by graph.Propagation) string {
	for name, refs := range after {
		was, ok := before[name]
		if !ok {
			return name + " is new"
		}
		for _, r := range refs {
			if !slices.Contains(was, r) {
				return fmt.Sprintf("%s has the new reference %s", name, r)
			}
		}
		if by != graph.Orphan && len(was) == 1 && len(refs) == 0 && !strings.HasSuffix(was[0], ":release") {
			return fmt.Sprintf("%s has lost its only reference %s", name, was[0])
		}
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			return name + " is missing"
		}
	}
	return ""
}
