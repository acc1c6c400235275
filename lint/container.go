package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// scopes are the scopes with a container. The zero value knows none, and lacks none.
type scopes struct {
	kinds []graph.Kind // of containers of scopes, sorted; empty if the input may lack a container
	named map[string]bool
}

// newScopes returns the scopes with a container. A scope needs none in a store that declares no
// kind of such containers.
//
//test:by TestAbsentContainer
func newScopes(kinds []Kind, objects []*Object) (s scopes) {
	containers := map[graph.Kind]bool{}
	for i := range kinds {
		switch k := &kinds[i]; {
		case k.Container.Members != graph.ScopeMembers:
		case !k.Listed:
			return scopes{}
		default:
			containers[k.Kind] = true
			s.kinds = append(s.kinds, k.Kind)
		}
	}
	slices.Sort(s.kinds)
	if len(containers) == 0 {
		return s
	}
	s.named = map[string]bool{}
	for _, o := range objects {
		if containers[o.Kind] {
			s.named[o.Name] = true
		}
	}
	return s
}

// lack reports whether a scope is known to have no container.
func (s *scopes) lack(scope string) bool { return len(s.kinds) > 0 && scope != "" && !s.named[scope] }

// absence is the sentence about a scope without a container.
func (s *scopes) absence(scope string) string {
	names := make([]string, len(s.kinds))
	for i, k := range s.kinds {
		names[i] = short(string(k))
	}
	return fmt.Sprintf("No %s has the name of the object's scope, %q.", strings.Join(names, " or "), short(scope))
}

// membersLeft returns the sentence about the members of a container with a mark, or "".
//
//test:by TestMembersLeft
func (c *checker) membersLeft(o *Object) string {
	kind := c.kinds[o.Kind]
	if kind == nil || kind.Container.Members == graph.MembershipUnset {
		return ""
	}
	if c.contents == nil {
		c.contents = c.countMembers()
	}
	n := c.contents[graph.ContentOf(&kind.KindInfo, o.Name)]
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("Its members remain (%d), and %s deletes them.", n, short(kind.Container.Actor))
}

// countMembers counts the members of each container.
func (c *checker) countMembers() map[graph.Content]int {
	n := map[graph.Content]int{}
	for _, o := range c.objects {
		if kind := c.kinds[o.Kind]; kind != nil {
			for _, of := range graph.ContentsOf(&kind.KindInfo, o.Scope) {
				n[of]++
			}
		}
	}
	return n
}
