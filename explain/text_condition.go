package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/policy"
)

// next names the actors that have to act next, or the work or the period under way, with its times
// if they are wanted. It is empty for an object that rests, and where the statement has named the
// actor.
func (s speech) next(timed bool) string {
	pace, next := s.x.Pace()
	var times string
	if timed {
		times = next.times()
	}
	if pace <= Resting || s.x.Decision.Barred == policy.ObserveOnly && next.Reason == policy.ObserveOnly {
		return ""
	}
	if pace == Moving {
		return "It is moving: " + s.under(&next) + times + "."
	}
	actors := s.actors(pace)
	out := "Who has to act: "
	if pace == Stuck {
		out = "It is stuck. " + out
	}
	if len(actors) == 1 {
		return out + actors[0] + times + "."
	}
	if more := len(actors) - spell.MaxNamed; more > 0 {
		actors = append(actors[:spell.MaxNamed], fmt.Sprint(more, " more"))
	}
	return out + strings.Join(actors, "; ") + "."
}

// task is what one actor has to do, for some objects.
type task struct {
	who, rest string
	on        []graph.Key
}

// actors names the actors of the ends with a pace, each once with the objects on which it has to act.
//
//test:by TestActorsOnce
func (s speech) actors(pace Pace) (list []string) {
	var tasks []task
	for c := range s.x.Ends() {
		if c.pace() != pace {
			continue
		}
		t := s.task(&c)
		i := slices.IndexFunc(tasks, func(o task) bool { return o.who == t.who && o.rest == t.rest })
		if i < 0 {
			tasks = append(tasks, t)
			continue
		}
		for _, k := range t.on {
			if !slices.Contains(tasks[i].on, k) {
				tasks[i].on = append(tasks[i].on, k)
			}
		}
	}
	for _, t := range tasks {
		on := ""
		if len(t.on) > 0 {
			on = ", for " + s.keys(t.on, 0)
		}
		list = append(list, t.who+on+t.rest)
	}
	return list
}

// under describes the work or the period of a moving object.
func (s speech) under(c *Condition) string {
	switch c.End {
	case Time:
		return "it waits for the end of " + spell.Line(c.Actor)
	case Handler:
		return c.handler()
	case Ring:
		return "this engine unblocks the ring of " + s.keys(c.Ring, 0)
	case Cut:
		return "the chain goes on beyond the bound of this explanation"
	}
	return "it waits for " + spell.Line(c.Actor)
}

// task returns the actor of an end outside of this engine, and the object on which it has to act.
func (s speech) task(c *Condition) (t task) {
	switch c.End {
	case Controller:
		t.who = "the controller of the finalizer " + spell.Line(c.Actor)
	case Handler:
		t.who = "the handler of the finalizer " + spell.Line(c.Actor)
	case Kind:
		t.who = "the store, for " + c.kinds() + c.cause()
		return t
	case Store:
		t.who = "the store"
	case Writer:
		t.who = spell.Line(c.Actor)
	case Ring:
		t.who = s.breaker(c)
		return t
	default:
		t.who = userFor(c.Reason)
	}
	if c.Key != s.x.Key && c.Key != (graph.Key{}) && c.Reason != policy.OwnerUnknown {
		t.on = []graph.Key{c.Key}
	}
	if c.Tries > 0 {
		t.rest = ", after " + number(c.Tries, "failure")
	}
	if c.End != Writer {
		t.rest += c.cause()
	}
	return t
}

// userFor names the user who has to act for a reason.
func userFor(r policy.Reason) string {
	switch r {
	case policy.OwnerUnknown:
		return "the author of the reference"
	case policy.Paused:
		return "a user, who ends the pause"
	case policy.Braked:
		return "a user, who approves or refuses the cascade"
	case policy.NeedVerdict, policy.DeletionRefused:
		return "a user, who approves the deletion or leaves it"
	case policy.Contested:
		return "a user, who takes a claim off"
	}
	return "a user"
}

// breaker names the user who breaks a ring.
func (s speech) breaker(c *Condition) string {
	if len(c.Ring) == 1 {
		return "a user, who drops the reference of " + s.key(c.Ring[0]) + " to itself"
	}
	return "a user, who drops a reference in the ring of " + s.keys(c.Ring, 0)
}

// handler describes a handler.
func (c *Condition) handler() string {
	name := "the handler of the finalizer " + spell.Line(c.Actor)
	if c.Tries == 0 {
		return name + " is at work"
	}
	return name + " has failed " + number(c.Tries, "time")
}

// words returns the reason of a condition in words about the object.
func (c *Condition) words() string {
	switch {
	case c.Reason == policy.NoOwners:
		return "it has no owner"
	case c.Reason == policy.OwnerUnknown && c.Doubt != graph.DoubtUnset:
		return doubtText(c.Doubt)
	}
	return policy.Words(c.Reason, c.Doubt)
}

// kinds names the kinds of an end.
func (c *Condition) kinds() string {
	names := strings.Split(c.Actor, ", ")
	for i, name := range names {
		if !strings.Contains(name, " ") {
			name = graph.Kind(name).Text()
		}
		names[i] = spell.Line(name)
	}
	switch {
	case len(names) > 1:
		return "the kinds " + and(names, 0)
	case strings.Contains(names[0], " "):
		return names[0]
	}
	return "the kind " + names[0]
}

// cause returns in brackets the words of the store, of a handler or of a setting. Words of the engine have
// objects in the notation of package graph, and these are spelled.
func (c *Condition) cause() string {
	switch {
	case c.End == Store && c.Actor != "" && c.Text != "":
		return " (" + spell.Line(c.Actor) + ": " + spell.Text(c.Text) + ")"
	case c.End == Store && c.Actor != "":
		return " (" + spell.Line(c.Actor) + ")"
	case c.Text == "":
		return ""
	case c.End == Store, c.End == Handler, c.End == Kind:
		return " (" + spell.Text(c.Text) + ")"
	}
	words := strings.Split(c.Text, " ")
	for i, w := range words {
		core := strings.TrimRight(w, ",;:.)")
		words[i] = spell.Text(core) + spell.Line(w[len(core):])
	}
	return " (" + strings.Join(words, " ") + ")"
}

// times returns the times of a condition.
func (c *Condition) times() string {
	var out string
	if c.End == Time && !c.Next.IsZero() {
		out = " at " + stamp(c.Next)
	}
	if !c.Since.IsZero() {
		out += ", since " + stamp(c.Since)
	}
	switch {
	case c.Next.IsZero(), c.End == Time:
		return out
	case c.End == Work:
		return out + ", until " + stamp(c.Next) + " at the latest"
	case c.Reason == policy.NeedGrace:
		return out + "; the grace period ended at " + stamp(c.Next)
	}
	return out + ", next try at " + stamp(c.Next)
}

// chain writes the conditions as an indented list. The lines before have covered a single condition
// of the object itself or of an unknown owner.
func (s speech) chain(b *strings.Builder) {
	x := s.x
	if x.Cut == 0 && (len(x.Wait) == 0 || len(x.Wait) == 1 && s.isStated(&x.Wait[0])) {
		return
	}
	title := "It waits for:"
	switch x.Decision.Reason {
	case policy.OwnerSolid, policy.OwnedInRing:
		title = "The chain of its owners:"
	}
	fmt.Fprintln(b, title)
	for i := range x.Wait {
		s.branch(b, &x.Wait[i], x.Wait[i].Key == x.Key, "  ")
	}
	if x.Cut > 0 {
		fmt.Fprintf(b, "  and %s\n", number(x.Cut, "more condition"))
	}
}

func (s speech) isStated(c *Condition) bool {
	return len(c.For) == 0 && (c.Key == s.x.Key || c.Reason == policy.OwnerUnknown)
}

// branch writes a condition and those below it. The key of the explained object need not be named
// at the top.
func (s speech) branch(b *strings.Builder, c *Condition, own bool, indent string) {
	line := s.condition(c) + c.times()
	if c.Key != (graph.Key{}) && !own {
		line = s.key(c.Key) + ": " + line
	}
	fmt.Fprintf(b, "%s%s\n", indent, line)
	for i := range c.For {
		s.branch(b, &c.For[i], false, indent+"  ")
	}
}

// condition returns one line of the chain, without its object and its times.
func (s speech) condition(c *Condition) string {
	out := c.words()
	switch c.End {
	case Controller:
		out = "the finalizer " + spell.Line(c.Actor) + " holds it, and its controller has to act"
	case Handler:
		out = c.handler() + c.cause()
	case User:
		out += c.cause()
		if c.Reason.Held() {
			out += "; " + userFor(c.Reason) + " has to act"
		}
	case Kind:
		out += "; the store has to serve " + c.kinds() + c.cause()
	case Store:
		if out += "; the store has to act" + c.cause(); c.Tries > 0 {
			out += ", after " + number(c.Tries, "failure")
		}
	case Time:
		out += "; it waits for the end of " + spell.Line(c.Actor)
	case Work:
		out += "; it waits for " + spell.Line(c.Actor)
	case Writer:
		if c.Text != "" {
			out = "it goes with its container " + spell.Text(c.Text)
		}
		out += "; " + spell.Line(c.Actor) + " has to act"
	case Ring:
		out = s.ringed(c)
	case Cut:
		out += "; the chain goes on"
	}
	return out
}

// ringed describes the end of a chain in a ring.
func (s speech) ringed(c *Condition) string {
	out := c.words() + ", in the ring of " + s.keys(c.Ring, 0)
	if c.Actor != "" {
		return out + ", which this engine unblocks"
	}
	return out
}
