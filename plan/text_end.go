package plan

import (
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/policy"
)

// change is what the steps write to an object that stays.
type change struct {
	lost        []graph.Key // owners
	gets, loses []string    // finalizers
}

// changes returns the changes by object. The steps may change an object before it goes, too.
func (p *Plan) changes() map[graph.Key]*change {
	out := map[graph.Key]*change{}
	of := func(k graph.Key) *change {
		if out[k] == nil {
			out[k] = &change{}
		}
		return out[k]
	}
	for i := range p.Steps {
		switch s := &p.Steps[i]; {
		case s.Action == policy.Orphan || s.Action == policy.Trim:
			c := of(s.Key)
			c.lost = append(c.lost, s.Owners...)
		case s.Action == policy.Attach:
			c := of(s.Key)
			c.gets = append(c.gets, word(s.Finalizer))
		case s.Action == policy.Release && !s.Handler:
			c := of(s.Key)
			c.loses = append(c.loses, word(s.Finalizer))
		}
	}
	return out
}

// rank is higher for an object that needs a look.
func (o *Object) rank() int {
	if o.Possible || o.Outcome >= Held || o.Outcome == OutcomeUnset {
		return 1
	}
	return 0
}

// sign returns the sign of an object: "-", "~", "!" or a blank.
func (w *writer) sign(o *Object) string {
	switch {
	case o.rank() > 0:
		return "!"
	case o.Outcome == Removed:
		return "-"
	case o.Outcome == Kept && w.changes[o.Key] == nil:
		return " "
	}
	return "~"
}

// end has the end of an object in words, where the sign does not say all of it. An end that stands
// for several objects names no object that is another one for each.
func (w *writer) end(o *Object, several bool) string {
	switch o.Outcome {
	case Removed:
		return w.goes(o, several)
	case Orphaned, Trimmed:
		return w.loses(o)
	case Kept:
		return w.stays(o)
	case Held:
		return o.may("stays", "stay") + ": " + o.why(several)
	}
	return "has no end in this plan"
}

// may chooses the word of a certain end, or that of a possible one.
func (o *Object) may(certain, possible string) string {
	if o.Possible {
		return "may " + possible
	}
	return certain
}

func (w *writer) goes(o *Object, several bool) string {
	by := ""
	if !several {
		by = w.because(o)
	}
	switch {
	case by != "":
	case o.Holder != (graph.Key{}) && o.Holder != o.Parent:
		by = " by the sweep of " + name(o.Holder)
	case o.Container != (graph.Key{}) && o.Container != o.Parent:
		by = " by the actor of " + name(o.Container)
	case !o.Possible:
		return ""
	}
	return o.may("goes", "go") + by
}

func (w *writer) loses(o *Object) string {
	text := o.may("loses", "lose") + " an owner"
	if c := w.changes[o.Key]; c != nil && len(c.lost) > 0 {
		text = o.may("loses", "lose") + " the " + nouns("owner", names(c.lost))
	}
	if by := keeps(o.Owners); by != "" {
		text += "; " + by
	}
	return text
}

func (w *writer) stays(o *Object) string {
	text := o.may("stays", "stay")
	switch c := w.changes[o.Key]; {
	case c == nil:
	case len(c.gets) > 0:
		return o.may("gets", "get") + " the " + nouns("finalizer", c.gets)
	case len(c.loses) > 0:
		return o.may("loses", "lose") + " the " + nouns("finalizer", c.loses)
	case len(c.lost) > 0:
		return w.loses(o)
	}
	switch {
	case len(o.Owners) > 0 && !slices.Contains(o.Owners, o.Parent):
		text += ": " + keeps(o.Owners)
	case len(o.Owners) == 0 && o.Reason != policy.ReasonUnset && o.Reason != policy.NoOwners:
		text += ": " + policy.Words(o.Reason, o.Doubt)
	}
	return text
}

// why has the reason for which an object is held, with its causes.
func (o *Object) why(several bool) string {
	finalizers := o.Reason.NamesFinalizers()
	if len(o.Causes) == 0 || several && !finalizers {
		return policy.Words(o.Reason, o.Doubt)
	}
	list := make([]string, len(o.Causes))
	for i, s := range o.Causes {
		if finalizers {
			list[i] = spell.Short(spell.Line(s))
		} else {
			list[i] = spell.Short(spell.Text(s))
		}
	}
	switch {
	case o.Reason != policy.NeedFinalizers:
		return policy.Words(o.Reason, o.Doubt) + " (" + spell.Some(list) + ")"
	case len(list) == 1:
		return "the finalizer " + list[0] + " holds it"
	}
	return "the finalizers " + spell.Some(list) + " hold it"
}

// keeps returns "a keeps it", or "a, b keep it".
func keeps(owners []graph.Key) string {
	switch len(owners) {
	case 0:
		return ""
	case 1:
		return name(owners[0]) + " keeps it"
	}
	return spell.Some(names(owners)) + " keep it"
}

// nouns returns "owner a", "owners a, b".
func nouns(noun string, list []string) string {
	list = slices.Compact(list)
	if len(list) > 1 {
		noun += "s"
	}
	return noun + " " + spell.Some(list)
}

// name spells a key as people read it. The JSON has the UID.
func name(k graph.Key) string { return spell.Short(k.Text()) }

func names(list []graph.Key) []string {
	out := make([]string, len(list))
	for i, k := range list {
		out[i] = name(k)
	}
	return out
}

// nameIn spells the name of an object, with its scope if that is another one.
func nameIn(k graph.Key, scope string) string {
	const kind = "k"
	if k.Kind = kind; k.Scope == scope {
		k.Scope = ""
	}
	return strings.TrimPrefix(name(k), kind+"/")
}

// kindName spells a kind.
func kindName(k graph.Kind) string {
	if k == "" {
		return `""`
	}
	return word(k.Text())
}
