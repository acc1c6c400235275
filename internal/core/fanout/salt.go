package fanout

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/splitmix"
)

const (
	// passes is the number of passes over the dependents of a large owner.
	passes = 8
	// large is the number of dependents above which an owner is large.
	large = 128
	// several is the number of listed owners from which the order of the owners is salted.
	several = 4
)

// salt is an order of its own, so that several engines on one store begin with different objects.
// An engine sees the deletes of another one before it comes to these objects. A large owner gets
// several passes over its dependents, and the seed divides the dependents among the passes. The
// seed also chooses the next of several owners.
type salt struct {
	seed  uint64 // 0 without a salt
	draws uint64 // so far
	pass  uint8  // over the dependents of the first owner
	size  int    // the references to the first owner when its passes began, 0 without a seed or after them
}

// begin begins the first pass over the dependents of an owner.
func (s *salt) begin(v record.Nodes, owner graph.NodeID) {
	if s.pass, s.size = 0, 0; s.seed != 0 && v.InUse(owner) {
		s.size = v.Node(owner).Referring()
	}
}

// leaves reports whether another pass takes the dependent.
func (s *salt) leaves(id graph.NodeID) bool {
	return s.size > large && uint8(splitmix.Mix(uint64(id)^s.seed)%passes) != s.pass
}

// nextPass begins the next pass, and reports whether there is one. After the last one there is none
// until begin, although the owner may stay the first one.
func (s *salt) nextPass() bool {
	if s.size <= large {
		return false
	}
	if s.pass++; s.pass == passes {
		s.pass, s.size = 0, 0
	}
	return s.pass != 0
}

// choose puts the next owner first. Every fourth time it is the one that waits longest.
func (s *salt) choose(owners []graph.NodeID) {
	if s.seed == 0 || len(owners) < several {
		return
	}
	if s.draws++; s.draws%4 != 0 {
		i := splitmix.Mix(s.seed+s.draws) % uint64(len(owners))
		owners[0], owners[i] = owners[i], owners[0]
	}
}

func (s *salt) check() error {
	if s.pass >= passes || s.seed == 0 && (s.pass != 0 || s.draws != 0 || s.size != 0) {
		return fmt.Errorf("fanout: pass %d of seed %d", s.pass, s.seed)
	}
	return nil
}
