package explain

import (
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/spell"
)

// owners writes a line for each owner. The verbs of its class have a tense.
func (s speech) owners(b *strings.Builder, all []Owner, cut int, tense func(Owner) string) {
	for i := range all {
		fmt.Fprintf(b, "Owner %s%s.\n", s.key(all[i].Key), s.owner(&all[i], tense))
	}
	if cut > 0 {
		fmt.Fprintf(b, "It has %s.\n", number(cut, "more owner"))
	}
}

// owner describes an owner after its name.
func (s speech) owner(o *Owner, tense func(Owner) string) string {
	words := o.policy()
	if s.wide {
		words = append(o.flags(), words...)
	}
	out := " " + tense(*o)
	if len(words) > 0 {
		out = " (" + strings.Join(words, "; ") + ")" + out
	}
	if o.Self {
		return out
	}
	if o.Class == Unknown {
		if out += s.doubt(o); o.Elsewhere != (graph.Key{}) {
			return out
		}
	} else if o.Elsewhere != (graph.Key{}) {
		out += "; " + s.elsewhere(o)
	}
	if int(o.Evidence) >= len(evidenceTextNames) || o.Evidence == EvidenceUnset {
		return out
	}
	out += "; " + evidenceTextNames[o.Evidence]
	if o.At.IsZero() {
		return out
	}
	switch o.Evidence {
	case ReadFound, ReadFoundNothing, FencePassed:
		return out + " (begun at " + stamp(o.At) + ")"
	}
	return out + " at " + stamp(o.At)
}

// now returns the class of an owner in the present tense.
func (o Owner) now() string {
	switch {
	case o.Self:
		return "is the object itself, which never counts"
	case o.Class == Solid:
		return "exists"
	case o.Class == Waiting:
		return "is being deleted, and waits for its dependents"
	case o.Class == Orphaning:
		return "is being deleted, and leaves its dependents"
	case o.Class == Dangling:
		return "is gone"
	}
	return "is not known: "
}

// then returns the class of an owner at a past decision.
func (o Owner) then() string {
	switch {
	case o.Self:
		return "was the object itself, which never counts"
	case o.Class == Dangling:
		return "was gone"
	case o.Class == Waiting:
		return "was being deleted, and waited for its dependents"
	case o.Class == Solid:
		return "existed"
	case o.Class == Orphaning:
		return "was being deleted, and left its dependents"
	}
	return "was not known: "
}

// flags returns the flags of a reference.
func (o *Owner) flags() (words []string) {
	if o.Controller {
		words = append(words, "its controller")
	}
	if o.Block {
		words = append(words, "the object blocks its foreground deletion")
	}
	if o.Unresolved {
		words = append(words, "its scope is not resolved")
	}
	return words
}

// doubt returns the doubt about an owner. It names the object that the reference may mean.
func (s speech) doubt(o *Owner) string {
	if o.Elsewhere == (graph.Key{}) {
		return doubtText(o.Doubt)
	}
	return s.elsewhere(o)
}

var doubtTextNames = [...]string{
	graph.Unobserved: "nothing has shown the owner", graph.Unlisted: "the owner's kind is not listed yet",
	graph.UnresolvedScope: "the owner's scope cannot be resolved", graph.UnservedKind: "the store does not serve the owner's kind",
	graph.IgnoredKind: "a setting leaves the owner's kind out", graph.BannedOwner: "objects of the owner's kind may not own others",
	graph.ForeignScope: "the owner is in another scope", graph.ScopedOwner: "the object is global, and its owner has a scope",
	graph.Misplaced: "the owner lives in another scope", graph.Unreadable: "the owner cannot be read",
	graph.SharedUID: "two live objects have the owner's UID", graph.Renamed: "the owner lives under another name",
}

// doubtText returns a doubt as a clause about the owner.
func doubtText(d graph.Doubt) string {
	if d == graph.DoubtUnset || int(d) >= len(doubtTextNames) {
		return d.String()
	}
	return doubtTextNames[d]
}

// elsewhere names the object with the UID of a reference.
func (s speech) elsewhere(o *Owner) string {
	out := "the object with the UID of the reference is " + s.key(o.Elsewhere)
	if o.Elsewhere.Scope == o.Key.Scope {
		return out
	}
	return out + ", in " + scope(o.Elsewhere.Scope)
}

func scope(name string) string {
	if name == "" {
		return "no scope"
	}
	return "the scope " + spell.Line(name)
}
