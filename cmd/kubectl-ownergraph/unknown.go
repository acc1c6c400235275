package main

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
}

type unlistedKind struct {
	Kind   graph.Kind `json:"kind"`
	Reason string     `json:"reason"`
}

// maxFacts bounds the facts that an output names.
const maxFacts = 20

// unknowns returns the kinds that are not listed, and the owners in a part that stay unknown
// because of that. A kind that no one can watch counts only if an object names it as owner.
//
// Held by TestMissingRights.
func unknowns(in lint.Input, part offline.Content) unknown {
	u := unknown{Kinds: []unlistedKind{}, Facts: []string{}}
	unlisted := map[graph.Kind]bool{}
	for _, k := range in.Kinds {
		unlisted[k.Kind] = !k.Listed
	}
	there := make(map[graph.UID]bool, len(part.Objects))
	for i := range part.Objects {
		there[part.Objects[i].UID] = true
	}
	named := map[graph.Kind]bool{}
	more := 0
	for i := range part.Objects {
		o := &part.Objects[i]
		for _, owner := range o.Owners {
			served, is := unlisted[owner.Kind]
			if there[owner.UID] || is && !served {
				continue
			}
			named[owner.Kind] = true
			if len(u.Facts) == maxFacts {
				more++
				continue
			}
			u.Facts = append(u.Facts, fmt.Sprintf("whether %s exists, the owner of %s", spell.Key(owner.Key), spell.Key(o.Key)))
		}
	}
	if more > 0 {
		u.Facts = append(u.Facts, "... and "+spell.Count(uint64(more), "more owner"))
	}
	for _, k := range in.Kinds {
		if !k.Listed && (!k.Unwatched || named[k.Kind]) {
			u.Kinds = append(u.Kinds, unlistedKind{k.Kind, k.Reason})
		}
	}
	slices.SortFunc(u.Kinds, func(a, b unlistedKind) int { return strings.Compare(string(a.Kind), string(b.Kind)) })
	return u
}

// text returns the lines for a person, or "" if nothing is unknown.
func (u unknown) text() string {
	if len(u.Kinds)+len(u.Facts) == 0 {
		return ""
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
	return out.String()
}

const (
	cannotList = "cannot list "
	outside    = " outside of the namespace " // of a kind that was read in one namespace
	maxAlone   = 5                            // kinds with one cause that have a line each
)

// grouped returns a line for each kind, or one for many kinds with one cause.
//
// Held by TestGrouped.
func grouped(kinds []unlistedKind) (lines []string) {
	by := map[string][]string{} // resources by cause
	for _, k := range kinds {
		resource, cause, is := strings.Cut(strings.TrimPrefix(k.Reason, cannotList), " outside ")
		if cause = "outside " + cause; !is {
			resource, cause, is = strings.Cut(strings.TrimPrefix(k.Reason, cannotList), ": ")
			cause = ": " + cause
		}
		if !is || !strings.HasPrefix(k.Reason, cannotList) {
			lines = append(lines, spell.Line(spell.Kind(k.Kind)+": "+k.Reason))
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
