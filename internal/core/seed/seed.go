// Package seed copies the knowledge of an engine for a forecast: the affected objects, and the memories
// of the machines.
package seed

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/brake"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
	"github.com/ownergraph/ownergraph/internal/core/guards"
	"github.com/ownergraph/ownergraph/internal/core/kinds"
	"github.com/ownergraph/ownergraph/internal/core/pause"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/core/sweep"
)

// Seed is the knowledge of a forecast at its start: the objects, and the memories of the machines. It is
// a value that no longer changes. Forecasts share it.
type Seed struct {
	Now     time.Time
	Kinds   []Kind           // by name
	Defined []graph.KindInfo // the kinds of a definition that the store does not serve
	Parts   []excerpt.Part   // by key
	// Behind has the members of sweeps whose holders are gone.
	Behind map[graph.Key]bool
	// Torn says that the parts are of several instants, and Busy that the engine has work to do.
	Torn, Busy bool
	Pauses     []Pause
	// Constraints are the rules of the store's database, and Unconstrained the reason for which they
	// are not known.
	Constraints   []graph.Constraint
	Unconstrained string

	Sweeps  []sweep.Memory
	Brake   brake.Memory
	Labels  guards.Labels
	Rewound seq.Stamp
	Members *guards.Shown // by labels, or nil
	// Unselected has the kinds of the objects that unknown labels may make members of marked holders
	// outside of the parts. It is true if one of the parts is such an object.
	Unselected map[graph.Kind]bool
}

// Kind is the knowledge of one kind.
type Kind struct {
	graph.KindInfo
	Part, Listed bool
	Sick         string
}

// Pause is a pause in force.
type Pause struct {
	What   pause.Extent
	Unread string // the reason of a pause that nothing but the unknown record causes
}

// Protections returns the known protections of the parts by labels: the rule, or "".
func (s *Seed) Protections() map[graph.Key]string {
	known := make(map[graph.Key]string, len(s.Parts))
	for i := range s.Parts {
		if p := &s.Parts[i]; p.State == excerpt.Exists {
			if rule, unknown := s.Labels.State(&p.Object, p.Known, s.Rewound); !unknown {
				known[p.Object.Key] = rule
			}
		}
	}
	return known
}

// kindsOf returns the kinds that the store serves, by name.
func kindsOf(g *graph.Graph, t *kinds.Table) (out []Kind) {
	for _, k := range g.Kinds() {
		if x := t.Of(k.Kind); k.Known {
			out = append(out, Kind{KindInfo: k.KindInfo, Part: x.Part, Listed: x.Listed, Sick: x.Sick})
		}
	}
	return out
}

// definedKinds returns the kinds of a definition that the store no longer serves. Their objects are
// members of the definition until their ends.
//
//test:by internal/forecast.TestPlanUnservedMembers
func definedKinds(g *graph.Graph) (out []graph.KindInfo) {
	for _, k := range g.Kinds() {
		if !k.Known && k.Definition != "" {
			out = append(out, k.KindInfo)
		}
	}
	return out
}

// PlaceText names a key in an error, also one without a UID.
func PlaceText(k graph.Key) string { return strings.TrimSuffix(k.String(), `@""`) }

// maxNamed bounds the UIDs that an error names.
const maxNamed = 8

// Only returns the only key among those that a key without a UID stands for. With none the error wraps
// graph.ErrNotFound. With several it names the first of the sorted UIDs, and wraps graph.ErrInvalid.
func Only(k graph.Key, found []graph.Key) (graph.Key, error) {
	switch len(found) {
	case 0:
		return graph.Key{}, fmt.Errorf("%s: %w", PlaceText(k), graph.ErrNotFound)
	case 1:
		return found[0], nil
	}
	var uids []string
	for _, x := range found {
		uids = append(uids, string(x.UID))
	}
	slices.Sort(uids)
	return graph.Key{}, fmt.Errorf("%s: ambiguous: UIDs %s: %w", PlaceText(k), strings.Join(uids[:min(len(uids), maxNamed)], ", "), graph.ErrInvalid)
}
