package explain

import (
	"fmt"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// Sentence explains the object in one sentence, without a line break at its end.
func (x *Explanation) Sentence() string {
	switch x.State {
	case Gone:
		return x.goneSentence()
	case Referred:
		return fmt.Sprintf("%s is only referred to: %s.", x.Key, policy.Words(x.Decision.Reason, x.Decision.Doubt))
	}
	s := fmt.Sprintf("%s %s: %s", x.Key, x.Decision.act(x.Deleting), policy.Words(x.Decision.Reason, x.Decision.Doubt))
	if x.Decision.Barred != policy.ReasonUnset {
		s += fmt.Sprintf("; no write goes out now: %s", x.Decision.Barred)
	}
	if p, next := x.Pace(); p > Resting {
		s += fmt.Sprintf("; it is %s, and the next actor is %s", p, next.actor())
		if next.Text != "" {
			s += fmt.Sprintf(": %q", next.Text)
		}
	}
	return s + "."
}

// act returns the verb of the decision.
func (d *Decision) act(deleting bool) string {
	switch d.Action {
	case policy.Keep:
		if deleting {
			return "is being deleted and stays"
		}
		return "is kept"
	case policy.Wait:
		if deleting {
			return "is being deleted and waits"
		}
		return "waits"
	case policy.Verify:
		return "waits for a read"
	case policy.Delete:
		return "is to be deleted"
	case policy.Trim:
		return "loses references to former owners"
	case policy.Orphan:
		return "is being orphaned"
	case policy.Unblock:
		return "is to be unblocked"
	case policy.Release:
		return "loses the finalizer " + d.Finalizer
	case policy.Attach:
		return "gets the finalizer " + d.Finalizer
	}
	return "has no decision"
}

// Text returns the explanation as lines: the sentence, the proof of a deletion, the owners,
// the tree of conditions, and the bound of a sweep. Every line ends with a line break.
func (x *Explanation) Text() string {
	var b strings.Builder
	fmt.Fprintln(&b, x.Sentence())
	x.Deletion.write(&b)
	for i := range x.Owners {
		fmt.Fprintf(&b, "owner %s\n", x.Owners[i].line())
	}
	if x.OwnersCut > 0 {
		fmt.Fprintf(&b, "and %s\n", number(x.OwnersCut, "more owner"))
	}
	writeConditions(&b, x.Wait, "")
	if x.Cut > 0 {
		fmt.Fprintf(&b, "and %s\n", number(x.Cut, "more condition"))
	}
	if len(x.SweepsInScope) > 0 {
		fmt.Fprintf(&b, "members outside its scope are not covered by the sweep of %s (%s)\n", x.Key, strings.Join(x.SweepsInScope, ", "))
	}
	if !x.Look.IsZero() {
		fmt.Fprintf(&b, "next look at %s\n", stamp(x.Look))
	}
	if !x.Changed.IsZero() && x.State == Exists {
		fmt.Fprintf(&b, "last change at %s\n", stamp(x.Changed))
	}
	return b.String()
}

func (o *Owner) line() string {
	s := o.head()
	if o.Self || o.At.IsZero() {
		return s
	}
	switch o.Evidence {
	case ReadFound, ReadFoundNothing, FencePassed:
		s += ", begun"
	}
	return s + " at " + stamp(o.At)
}

// head has the owner, its class and the evidence, without the time.
func (o *Owner) head() string {
	s := fmt.Sprintf("%s: %s", o.Owner, o.Class)
	switch {
	case o.Self:
		return fmt.Sprintf("%s: the object itself, which never counts", o.Owner)
	case o.Doubt != graph.DoubtUnset:
		s += " (" + o.Doubt.String() + ")"
	}
	if int(o.Evidence) < len(evidenceTextNames) {
		s += ", " + evidenceTextNames[o.Evidence]
	}
	return s
}

func writeConditions(b *strings.Builder, all []Condition, indent string) {
	for i := range all {
		fmt.Fprintf(b, "%s- %s\n", indent, all[i].line())
		writeConditions(b, all[i].For, indent+"  ")
	}
}

func (c *Condition) line() string {
	s := policy.Words(c.Reason, c.Doubt)
	if c.Key != (graph.Key{}) {
		s = c.Key.String() + ": " + s
	}
	if c.End != EndUnset {
		s += "; " + c.actor()
	}
	if c.Tries > 0 {
		s += "; " + number(c.Tries, "failure")
	}
	if c.Text != "" {
		s += fmt.Sprintf(": %q", c.Text)
	}
	if !c.Since.IsZero() {
		s += "; since " + stamp(c.Since)
	}
	if !c.Next.IsZero() {
		s += "; next at " + stamp(c.Next)
	}
	return s
}

// actor names the actor of the end.
func (c *Condition) actor() string {
	switch c.End {
	case Ring:
		names := make([]string, len(c.Ring))
		for i, k := range c.Ring {
			names[i] = k.String()
		}
		return "a ring of " + strings.Join(names, ", ")
	case Cut:
		return "the rest of the chain"
	case Controller:
		return "the controller of the finalizer " + c.Actor
	case Handler:
		return "the handler of the finalizer " + c.Actor
	case Kind:
		return "the kind " + c.Actor
	case Work:
		return "this engine (" + c.Actor + ")"
	case Time:
		return "the end of " + c.Actor
	case User, Store, Writer:
		if c.Actor == "" {
			return article(c.End)
		}
		return article(c.End) + " (" + c.Actor + ")"
	}
	return c.Actor
}

func article(e End) string {
	switch e {
	case Store:
		return "the store"
	case Writer:
		return "another writer"
	}
	return "a user"
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// number returns "1 owner", "2 owners".
func number(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprint(n, " ", noun)
}
