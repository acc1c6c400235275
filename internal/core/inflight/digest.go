package inflight

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// unblocks is the bit that the digest of an unblocking write has.
const unblocks = 1

// Digest stands for the write that a decision asks for: the same verb with the same
// effect. It is never 0. The references that the decision names count by their coordinates,
// in any order. Two different writes with one digest cost only a delay.
func Digest(d *policy.Decision, named []graph.Owner) uint32 {
	sum, bit := uint32(0), uint32(0)
	switch d.Action {
	case policy.Trim, policy.Orphan, policy.Unblock:
		verb := policy.Trim
		if d.Action == policy.Unblock {
			verb, bit = policy.Unblock, unblocks
		}
		for i := range named {
			k := &named[i].Key
			sum += digest(verb, string(k.Kind), k.Scope, k.Name, string(k.UID))
		}
	case policy.Release, policy.Attach:
		sum = digest(d.Action, d.Finalizer)
	default:
		sum = digest(d.Action)
	}
	return max(sum&^unblocks|bit, 2)
}

// digest is FNV-1a over the verb and the words.
func digest(verb policy.Action, words ...string) uint32 {
	const prime = 16777619
	h := (uint32(2166136261) ^ uint32(verb)) * prime
	for _, w := range words {
		for i := range len(w) {
			h = (h ^ uint32(w[i])) * prime
		}
		h = (h ^ 0xff) * prime // no text has it
	}
	return h
}
