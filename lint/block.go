package lint

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// blocker checks a blocking reference: whether it can delay a deletion of its owner, and
// whether it does so for ever.
func (c *checker) blocker(i, j int, r graph.Owner) {
	owner, ok := c.g.Alive(r.UID)
	if !ok {
		return // a missing owner has a finding of its own
	}
	o, of := c.objects[i], owner.Key()
	self := c.isSelf(o, r)
	seen, known := c.observes(o.Kind)
	switch {
	case !self && !r.Unresolved && !owner.Inside(inside.Key{}).SharesUID() && of != r.Key:
		c.block(i, j, "The reference has other coordinates than the object with its UID.", of)
	case known && !seen:
		c.block(i, j, "The collector does not observe the kind of the dependent.", of)
	case owner.Deleting() && !owner.Waiting():
		c.block(i, j, "The deletion of the owner is not in the foreground, so it does not wait.", of)
	case owner.Waiting() && known:
		cause := c.held(i)
		if self {
			cause = c.heldByItself()
		}
		if cause != "" && c.admits(HeldBlocker, o.Key) {
			c.add(HeldBlocker, Warning, i, fmt.Sprintf("owners[%d].block", j), Blocks, cause)
			c.findings[len(c.findings)-1].Of = of
		}
	}
}

func (c *checker) block(i, j int, message string, of graph.Key) {
	if c.admits(VoidBlock, c.objects[i].Key) {
		c.add(VoidBlock, Warning, i, fmt.Sprintf("owners[%d].block", j), Passed, message)
		c.findings[len(c.findings)-1].Of = of
	}
}

// heldByItself returns the reason for which an object holds its own deletion, or "". The
// engine does not count the reference.
func (c *checker) heldByItself() string {
	if !c.in.Kubernetes {
		return ""
	}
	return "Kubernetes' collector counts the object among its own blocking dependents."
}

// held returns the reason for which the i-th object stays though its owner waits for it,
// or "".
func (c *checker) held(i int) string {
	o := c.objects[i]
	if list := foreign(o); o.Deleting && len(list) > 0 {
		return fmt.Sprintf("The dependent is being deleted and keeps %s.", c.list("finalizer", list))
	}
	switch c.fate(i) {
	case KeptForever:
		return "No event of the collector ends the dependent."
	case Kept:
		return "An object with the UID of another owner lives at another place."
	case KeptUntilKnown:
		return "The collector cannot resolve an owner of the dependent."
	case NotKnown:
		return "The dump does not have each owner of the dependent."
	}
	return ""
}
