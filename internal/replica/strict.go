package replica

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// judgeOwners returns the reason to refuse a reference of o that is not among those that
// the object had before. It returns nil without Config.Strict. An unresolved reference is refused if it
// restricts a marked object.
//
//test:by TestStrict
func (s *State) judgeOwners(verb string, had []graph.Owner, o graph.Object) error {
	if !s.conf.strict {
		return nil
	}
	for i, r := range o.Owners {
		if r.Unresolved && r.OnDelete != graph.OnDeleteRestrict || has(had, r) {
			continue
		}
		if cause := s.rejects(r); cause != "" {
			return fmt.Errorf("%s %s: owners[%d]: %s %s: %w", verb, name(o.Key), i, r.Key, cause, graph.ErrRefused)
		}
	}
	return nil
}

// has reports whether the references have r already. One that begins to block is a new one,
// because its owner would wait for one dependent more. So is one with another policy, because
// the policy decides on the end of both (RULES, E4).
func has(had []graph.Owner, r graph.Owner) bool {
	return slices.ContainsFunc(had, func(old graph.Owner) bool {
		return old.Same(r) && (old.Block || !r.Block) && old.OnDelete == r.OnDelete
	})
}

// rejects returns the reason why the owner of a reference takes no dependent, or "". Only a reference that
// restricts may be unresolved.
func (s *State) rejects(r graph.Owner) string {
	const restricted = "is being deleted, and cannot be restricted"
	if r.Unresolved {
		if _, marked := s.marks.get(r.UID); marked {
			return restricted
		}
		return ""
	}
	t, _ := s.tables.get(r.Kind)
	owner, ok := t.objects.get(r.Place())
	switch {
	case !ok || owner.UID != r.UID:
		return "does not exist"
	case owner.Waiting():
		return "is being deleted in the foreground"
	case owner.Orphaning():
		return "is being deleted and orphans its dependents"
	case owner.Deleting && r.OnDelete == graph.OnDeleteRestrict:
		return restricted
	}
	return ""
}
