package lint

import (
	"fmt"
	"math"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// policyKind is the kind of the object of a finding about all references with one policy. Such an
// object has the name of the policy, and no UID.
const policyKind graph.Kind = "policy"

// ofPolicy counts the references with one policy.
type ofPolicy struct {
	references, objects int
	names               []string // of the first objects
}

// onDelete checks the policies of the references of the i-th object.
func (c *checker) onDelete(i int) {
	o := c.objects[i]
	var seen [math.MaxUint8 + 1]bool
	for _, r := range o.Owners {
		if r.OnDelete == graph.OnDeleteUnset {
			continue
		}
		n := c.ofPolicy[r.OnDelete]
		if n == nil {
			n = &ofPolicy{}
			c.ofPolicy[r.OnDelete] = n
		}
		n.references++
		if !seen[r.OnDelete] {
			seen[r.OnDelete] = true
			if n.objects++; len(n.names) < c.cfg.Details {
				n.names = append(n.names, short(o.Key.Text()))
			}
		}
	}
	if seen[graph.OnDeleteCascade] {
		c.cascade(i)
	}
}

// cascade finds an object that the end of one owner deletes beside others. Release and Restrict
// references do not keep it, so they are no such others.
//
//test:by TestCascadeBeside
func (c *checker) cascade(i int) {
	o, first := c.objects[i], -1
	cascades, others := map[graph.UID]bool{}, map[graph.UID]bool{}
	for j, r := range o.Owners {
		switch {
		case c.isSelf(o, r):
		case r.OnDelete == graph.OnDeleteUnset:
			others[r.UID] = true
		case r.OnDelete == graph.OnDeleteCascade:
			if first < 0 {
				first = j
			}
			cascades[r.UID] = true
		}
	}
	if first < 0 || len(cascades)+len(others) < 2 {
		return
	}
	s, text := Warning, "The end of this owner alone deletes the object, even if its other owners exist."
	if len(others) == 0 {
		s = Note
	}
	if n := len(cascades); n > 1 {
		text = fmt.Sprintf("The end of each one of %d owners deletes the object, even if its other owners exist.", n)
	}
	c.reference(CascadeBeside, s, i, first, "onDelete", text+" One wrong cascade reference suffices to lose the object.")
}

// restrictRings finds objects that restrict each other. The mark of an object ends what it restricts
// (RULES, E4), so a ring has unmarked members, and those whose mark a guard or a protection holds.
//
//test:by TestRestrictRing
func (c *checker) restrictRings() {
	if c.ofPolicy[graph.OnDeleteRestrict] == nil {
		return
	}
	edges := make([][]int, len(c.objects))
	for i := range c.objects {
		for n := range c.node(i).RestrictedBy() {
			if from := c.of(n.ID()); from >= 0 {
				edges[from] = append(edges[from], i)
			}
		}
	}
	for _, ring := range strong(edges) {
		if c.admits(RestrictRing, c.objects[ring[0]].Key) {
			c.add(RestrictRing, Warning, ring[0], "owners", KeptForever, fmt.Sprintf("%d objects restrict each other, so none of them is deleted: %s.", len(ring), c.members(ring)))
		}
	}
}

// dormant counts the references with a policy that the collector does not act by, for each policy.
//
//test:by TestDormantPolicies
func (c *checker) dormant() {
	if c.cfg.Policies {
		return
	}
	for d := graph.OnDeleteUnset + 1; d <= graph.OnDeleteCascade; d++ {
		n, key := c.ofPolicy[d], graph.Key{Kind: policyKind, Name: d.String()}
		if n == nil || !c.admits(DormantPolicy, key) {
			continue
		}
		c.findings = append(c.findings, Finding{Code: DormantPolicy, Severity: Note, Object: key, Field: "onDelete",
			Message: fmt.Sprintf("References with the policy %s: %d, of %d objects: %s. %s", d, n.references, n.objects, c.names(slices.Clone(n.names))+andMore(n.objects-len(n.names)), awakened(d))})
	}
}

// awakened says what references with a policy do after the step.
func awakened(d graph.OnDelete) string {
	switch d {
	case graph.OnDeleteCascade:
		return "After the step the end of such an owner deletes its dependent, even if the other owners exist."
	case graph.OnDeleteRelease:
		return "After the step the deletion of such an owner drops the reference, and no such reference keeps or deletes its dependent."
	}
	return "They restrict their owners already. After the step the collector judges these objects by their other references."
}
