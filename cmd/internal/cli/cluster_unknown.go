package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/offline"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/lint"
)

// unknown are the facts that a listing leaves open.
type unknown struct {
	Kinds []unlistedKind `json:"kinds"`
	Facts []string       `json:"facts"`
	// Others counts the kinds that are not listed, and whose objects cannot be around the object
	// of the answer.
	Others int `json:"others,omitempty"`
}

type unlistedKind struct {
	Kind   graph.Kind `json:"kind"`
	Reason string     `json:"reason"`
}

// maxFacts bounds the facts that an output names.
const maxFacts = 20

// unknowns returns the kinds that are not listed, and the owners in a part that stay unknown
// because of that. A kind that cannot be watched counts only if an object names it as owner. The
// answer is about objects in a scope, or in all of them for "".
//
//test:by TestMissingRights TestOneNamespaceAlone TestFactsOfOneNamespace
func unknowns(in lint.Input, part offline.Content, scope string) unknown {
	u := unknown{Kinds: []unlistedKind{}, Facts: []string{}}
	unlisted := map[graph.Kind]bool{}
	for _, k := range in.Kinds {
		unlisted[k.Kind] = !k.Listed
	}
	there := uids(part.Objects)
	named := map[graph.Kind]bool{}
	more := 0
	for i := range part.Objects {
		o := &part.Objects[i]
		for _, owner := range o.Owners {
			served, is := unlisted[owner.Kind]
			if there[owner.UID] || is && !served || owner.Flawed() {
				continue
			}
			named[owner.Kind] = true
			if len(u.Facts) == maxFacts {
				more++
				continue
			}
			u.Facts = append(u.Facts, fmt.Sprintf("whether %s exists, the owner of %s", owner.Key.Text(), o.Key.Text()))
		}
	}
	if more > 0 {
		u.Facts = append(u.Facts, "... and "+spell.Count(uint64(more), "more owner"))
	}
	for _, k := range in.Kinds {
		switch {
		case k.Listed || k.Unwatched && !named[k.Kind]:
		case named[k.Kind] || matters(&k, scope):
			u.Kinds = append(u.Kinds, unlistedKind{k.Kind, k.Reason})
		default:
			u.Others++
		}
	}
	slices.SortFunc(u.Kinds, func(a, b unlistedKind) int { return strings.Compare(string(a.Kind), string(b.Kind)) })
	return u
}

// matters reports whether an object that is not listed can be below one in a scope. An owner in a
// scope has dependents in that scope alone. The kinds of a group without discovery are not known,
// and may be scoped.
func matters(k *lint.Kind, scope string) bool {
	return scope == "" || strings.HasSuffix(string(k.Kind), "/*") || k.Scoped && k.ListedIn != scope
}

func uids(objects []graph.Object) map[graph.UID]bool {
	set := make(map[graph.UID]bool, len(objects))
	for i := range objects {
		set[objects[i].UID] = true
	}
	return set
}

// relevant returns a part without the doubt about kinds that cannot matter to objects in a scope.
// The doubt about the kind of an owner stays that the part does not have.
//
//test:by TestOneNamespaceAlone
func relevant(in lint.Input, part offline.Content, scope string) offline.Content {
	there := uids(part.Objects)
	named := map[graph.Kind]bool{}
	for i := range part.Objects {
		for _, owner := range part.Objects[i].Owners {
			named[owner.Kind] = named[owner.Kind] || !there[owner.UID]
		}
	}
	doubts := make(map[graph.Kind]string, len(part.Partial))
	maps.Copy(doubts, part.Partial)
	for i := range in.Kinds {
		if k := &in.Kinds[i]; !named[k.Kind] && !matters(k, scope) {
			delete(doubts, k.Kind)
		}
	}
	part.Partial = doubts
	return part
}

// text returns the lines for a person, or "" if nothing is unknown.
func (u unknown) text() string {
	rest := ""
	if u.Others > 0 {
		rest = fmt.Sprintf("not listed, and without an object around this one: %s\n", spell.Count(uint64(u.Others), "kind"))
	}
	if len(u.Kinds)+len(u.Facts) == 0 {
		return rest
	}
	var out strings.Builder
	out.WriteString("not known:\n")
	for _, line := range grouped(u.Kinds) {
		fmt.Fprintf(&out, "  %s\n", line)
	}
	if len(u.Kinds) > 0 {
		out.WriteString("  so: which of these objects exist, their owners and their dependents\n")
	}
	for _, f := range u.Facts {
		fmt.Fprintf(&out, "  %s\n", f)
	}
	return out.String() + rest
}

const (
	cannotList = "cannot list "
	outside    = " outside of the namespace " // of a kind that was read in one namespace
	maxAlone   = 5                            // kinds with one cause that have a line each
)

// grouped returns a line for each kind, or one for many kinds with one cause.
//
//test:by TestGrouped
func grouped(kinds []unlistedKind) (lines []string) {
	by := map[string][]string{} // resources by cause
	for _, k := range kinds {
		resource, cause, is := strings.Cut(strings.TrimPrefix(k.Reason, cannotList), " outside ")
		if cause = "outside " + cause; !is {
			resource, cause, is = strings.Cut(strings.TrimPrefix(k.Reason, cannotList), ": ")
			cause = ": " + cause
		}
		if !is || !strings.HasPrefix(k.Reason, cannotList) {
			lines = append(lines, spell.Line(k.Kind.Text()+": "+k.Reason))
			continue
		}
		by[cause] = append(by[cause], resource)
	}
	for _, cause := range slices.Sorted(maps.Keys(by)) {
		list, gap := by[cause], ""
		if strings.HasPrefix(cause, "outside") {
			gap = " "
		}
		if len(list) > maxAlone {
			list = []string{fmt.Sprintf("%s and %s", strings.Join(list[:maxAlone], ", "), spell.Count(uint64(len(list)-maxAlone), "more kind"))}
		}
		for _, resource := range list {
			lines = append(lines, spell.Line(cannotList+resource+gap+cause))
		}
	}
	return lines
}
