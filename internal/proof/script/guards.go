package script

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// guard parses the kind of guarded roots with the conditions, as in "tenant:above=1".
func guard(text string) (finalizer.Guard, error) {
	flags := strings.Split(text, ":")
	g := finalizer.Guard{Kinds: []graph.Kind{graph.Kind(flags[0])}}
	for _, f := range flags[1:] {
		name, value, _ := strings.Cut(f, "=")
		switch name {
		case "always":
			g.Always = true
		case "protected":
			g.Protected = true
		case "above":
			n, err := strconv.Atoi(value)
			if err != nil {
				return g, fmt.Errorf("%s: %w", f, err)
			}
			g.Above = &n
		default:
			return g, errUsage
		}
	}
	return g, nil
}

// remove lets another client take a finalizer off an object. Approvals do so with the hold of
// a guard.
func (r *runner) remove(arg string) error {
	key, name, ok := strings.Cut(arg, " ")
	k, err := graph.ParseKey(key)
	if err != nil || !ok {
		return errUsage
	}
	if name == "hold" {
		name = graph.FinalizerHold
	}
	r.note(oracle.Action{Verb: oracle.Touch, Object: graph.Object{Key: k}})
	if !r.w.Drop(k, name) {
		r.printf("unchanged")
	}
	return nil
}
