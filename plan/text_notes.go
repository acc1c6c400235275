package plan

import (
	"fmt"
	"strconv"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/spell"
)

// maxList is the number of kinds, verdicts or assumptions that a text prints.
const maxList = 100

// notes has the refusals of guards, the assumptions, and what else limits the plan.
func (w *writer) notes(p *Plan) {
	var refused []Verdict
	for i := range p.Verdicts {
		if p.Verdicts[i].Refused() {
			refused = append(refused, p.Verdicts[i])
		}
	}
	listed(w, p.Refusals, "refusal of the store", func(r Refusal) string { return "! " + r.String() })
	listed(w, refused, "refusal", func(v Verdict) string { return "! " + v.String() })
	listed(w, p.Assumptions, "assumption", func(a Assumption) string { return "assumed: " + a.String() })
	listed(w, p.WithoutBlocker, "deletion without a blocker", func(k graph.Key) string {
		return "no dependent blocks the deletion of " + name(k) + ", so it does not wait for its dependents"
	})
	for _, label := range []struct {
		on   bool
		text string
	}{
		{p.BestEffort, "best effort: the store has no fences, so a foreground or orphan deletion may miss a dependent"},
		{p.Torn, "not of one instant: the objects kept changing during the copy"},
		{p.Busy, "the collector had work under way, and the plan includes the end of that work"},
	} {
		if label.on {
			w.line(0, "%s", label.text)
		}
	}
}

// listed prints a line for each element, up to a bound, and counts the others.
func listed[T any](w *writer, list []T, noun string, text func(T) string) {
	for _, x := range list[:min(len(list), maxList)] {
		w.line(0, "%s", text(x))
	}
	if n := len(list) - maxList; n > 0 {
		w.line(0, "... and %s", number(n, "more "+noun))
	}
}

// String returns the assumption in one line.
//
//test:by TestAssumptions
func (a Assumption) String() string {
	s := a.words()
	if a.Detail != "" {
		s += ": " + word(a.Detail)
	}
	return s
}

func (a *Assumption) words() string {
	kind, about := kindName(graph.Kind(a.Name)), word(a.Name)
	objects := ""
	if a.Count > 0 {
		objects = " (" + number(a.Count, "object") + ")"
	}
	switch a.Type {
	case HandlerSucceeds:
		return "the handler of the finalizer " + about + " succeeds" + objects
	case HandlerFails:
		return "the handler of the finalizer " + about + " fails" + objects
	case FinalizerStays:
		return "no controller takes the finalizer " + about + " off" + objects
	case FinalizerRemoved:
		return "the controller of the finalizer " + about + " takes it off" + objects
	case GracePasses:
		return "the grace period passes" + objects
	case OwnerAbsent:
		return number(a.Count, "owner") + " of the kind " + kind + verb(a.Count, " does", " do") + " not exist, because the listing of the kind has no such object"
	case OwnerUnknown:
		return number(a.Count, "owner") + " of the kind " + kind + verb(a.Count, " is", " are") + " unknown, so the dependents stay"
	case KindSick:
		return "the kind " + kind + " cannot be observed"
	case KindUnlisted:
		return "the kind " + kind + " is not listed yet"
	case PropagationAssumed:
		return "the deletion is in the background where the request does not say it" + objects
	case LabelsUnknown:
		return "the labels of the kind " + kind + " are not known, so its objects may be members of a sweep"
	case EnginePaused:
		return "the pause " + about + " ends" + objects
	case MembersRemoved:
		return about + " deletes " + number(a.Count, "member") + " of containers that go"
	case SweepInScope:
		return "the sweep of " + about + " covers the members in its own scope alone"
	case RemovalsAllowed:
		return "no row that is still there refers to the row of the kind " + kind + objects + ", else the database refuses"
	case RowsKept:
		return "no row of a dependent that needs it goes with the row of the kind " + kind + objects
	case OnlyDependentsRefer:
		return "only rows of dependents refer to the row of the kind " + kind + objects
	case CascadesMeant:
		return "each cascade reference of the kind " + kind + " is meant" + objects + ", since one wrong reference suffices to lose an object"
	case ConstraintsUnread:
		return "no foreign key of the database refuses, because its constraints could not be read"
	}
	return a.Type.String() + " " + about + objects
}

// word returns text that cannot break a line or steer a terminal.
func word(s string) string {
	if q := strconv.Quote(s); q != `"`+s+`"` {
		s = q
	}
	return spell.Short(s)
}

// quoted is word for a name. An empty name shows, and so does one with a blank.
func quoted(s string) string { return nameIn(graph.Key{Name: s}, "") }

// shown spells a key with its UID. Without a UID it spells the place.
func shown(k graph.Key) string {
	if k.UID == "" {
		return word(k.PlaceString())
	}
	return k.String()
}

// String returns the cost in words.
func (c Cost) String() string {
	about := ""
	if c.Varies {
		about = "about "
	}
	s := fmt.Sprintf("%s%s, at most %s and %s", about, number(c.Writes, "write"), number(c.Reads, "read"), number(c.Fences, "fence"))
	if c.Handlers > 0 {
		s += ", " + number(c.Handlers, "run") + " of handlers"
	}
	return s
}
