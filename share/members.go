package share

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/splitmix"
)

// Of returns the set of one of the members. The sets of all members have each UID once. The
// order of the names does not count. An error wraps graph.ErrInvalid: a name is empty or
// there twice, or self is no member.
//
//test:by TestOf TestFewSlotsMove TestOfRefused
func Of(self string, members []string) (Set, error) {
	sets, err := Divide(members)
	if err != nil {
		return None(), err
	}
	at := slices.Index(members, self)
	if at < 0 {
		return None(), fmt.Errorf("member %q: not in the group: %w", self, graph.ErrInvalid)
	}
	return sets[at], nil
}

// Divide returns the set of each member, in the order of the names. Its errors are those of
// [Of]. It takes a time in proportion to the members, about a millisecond for 64.
//
//test:by TestOf
func Divide(members []string) ([]Set, error) {
	hashes, sets := make([]uint64, len(members)), make([]Set, len(members))
	names := make(map[string]int, len(members))
	for i, name := range members {
		if name == "" {
			return nil, fmt.Errorf("member %d: name: empty: %w", i, graph.ErrInvalid)
		}
		if j, ok := names[name]; ok {
			return nil, fmt.Errorf("members %d and %d: name: both are %q: %w", j, i, name, graph.ErrInvalid)
		}
		names[name], hashes[i], sets[i] = i, hash(name), None()
	}
	if len(members) == 0 {
		return sets, nil
	}
	for slot := range Slots {
		best, most := 0, uint64(0)
		for i, h := range hashes {
			// the name decides between equal scores, so that the order of the names does not
			if score := splitmix.Mix(h + uint64(slot)*fnvPrime); i == 0 || score > most || score == most && members[i] < members[best] {
				best, most = i, score
			}
		}
		sets[best].add(slot)
	}
	return sets, nil
}
