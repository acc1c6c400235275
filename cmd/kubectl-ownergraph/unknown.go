package main

import (
	"fmt"
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
		u.Facts = append(u.Facts, fmt.Sprintf("... and %d more owners", more))
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
	for _, k := range u.Kinds {
		fmt.Fprintf(&out, "  %s (%s): which of these objects exist, and what they own or are owned by\n", k.Reason, spell.Kind(k.Kind))
	}
	for _, f := range u.Facts {
		fmt.Fprintf(&out, "  %s\n", f)
	}
	return out.String()
}
