package follow

import (
	"hash/maphash"

	"github.com/ownergraph/ownergraph/graph"
)

// past has the members that are gone. A reference may name one after the graph has
// forgotten it. An entry is a hash of 64 bits, so two keys are confused once in about 10^19
// pairs, and a report then counts an object too many. The value says whether the object
// counts as gone: one that went before the call does not.
type past struct {
	seed maphash.Seed
	keys map[uint64]bool
	// contents has those of the containers that are gone and left members to their actor.
	contents map[graph.Content]bool
}

func newPast() past {
	return past{seed: maphash.MakeSeed(), keys: map[uint64]bool{}, contents: map[graph.Content]bool{}}
}

func (p *past) hash(k graph.Key) uint64 { return maphash.Comparable(p.seed, k) }

// claim returns the key of the references to a UID alone.
func claim(u graph.UID) graph.Key { return graph.Key{UID: u} }

// claimIn returns the key of the references to a UID alone that come from a scope.
func claimIn(u graph.UID, scope string) graph.Key { return graph.Key{Name: "*", Scope: scope, UID: u} }

// add notes that an object is gone. Its key stands in the set, and so does its UID, alone and with
// the scope.
func (p *past) add(k graph.Key, counts bool) {
	for _, key := range [...]graph.Key{k, claim(k.UID), claimIn(k.UID, k.Scope)} {
		p.keys[p.hash(key)] = counts
	}
}

// claims reports whether an object with the UID is gone that may own an object in the scope.
func (p *past) claims(u graph.UID, scope string) bool {
	return p.has(claimIn(u, scope)) || p.has(claimIn(u, ""))
}

// remove takes an object out of the set. It reports whether the object counts as gone.
func (p *past) remove(k graph.Key) (counts bool) {
	counts = p.keys[p.hash(k)]
	for _, key := range [...]graph.Key{k, claim(k.UID), claimIn(k.UID, k.Scope)} {
		delete(p.keys, p.hash(key))
	}
	return counts
}

func (p *past) has(k graph.Key) bool {
	if len(p.keys) == 0 {
		return false
	}
	_, ok := p.keys[p.hash(k)]
	return ok
}
