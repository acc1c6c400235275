package storetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/internal/fault"
	"github.com/ownergraph/ownergraph/internal/oracle"
	"pgregory.net/rapid"
)

// plot is what is drawn of a case before anything runs. Objects are numbers
// here: the store makes their UIDs.
type plot struct {
	actors []actor
	moves  []move
	plans  []fault.Plan // one for each collector
	pause  int          // before the faults end, as a move's
}

// actor is an object that somebody creates.
type actor struct {
	at     ownergraph.Key // without a UID
	owners []claim
	held   bool // by a finalizer of somebody's own
	ghost  bool // gone before the collectors begin
}

// claim is a reference to an actor.
type claim struct {
	to    int
	block bool
}

// move is one write of a user, and how long it is put off.
type move struct {
	verb  oracle.Verb
	actor int
	to    claim
	pause int // in beats
}

const (
	mostActors = 4
	mostMoves  = 3
	mostRules  = 5
)

// pauses are before a move, in beats: none, so that the second finds the first
// under way; and some in which much or all happens.
func pauses() []int { return []int{0, 1, 3} }

// occasions of a fault are early ones: a small case has few.
func occasions() []int { return []int{1, 2, 1, 3, 2, 4, 6, 9} }

func verbs() []oracle.Verb {
	return []oracle.Verb{
		oracle.Background, oracle.Foreground, oracle.Orphan, oracle.Background, oracle.Foreground, oracle.Orphan,
		oracle.Background, oracle.Foreground, oracle.Orphan, oracle.AddRef, oracle.DropRef, oracle.Flip, oracle.Strip,
		oracle.Finish, oracle.Create, oracle.Recreate,
	}
}

// drawPlot draws a case. With few choices a case is a short one: that is where
// rapid shrinks to.
func drawPlot(t *rapid.T, kinds []ownergraph.KindInfo, among []fault.Fault) plot {
	var p plot
	for range rapid.SampledFrom([]int{2, 3, mostActors, 1}).Draw(t, "objects") {
		p.actors = append(p.actors, p.drawActor(t, kinds))
	}
	for range rapid.SampledFrom([]int{1, 2, mostMoves}).Draw(t, "moves") {
		p.moves = append(p.moves, p.drawMove(t, kinds))
	}
	for range rapid.SampledFrom([]int{1, 1, 2}).Draw(t, "collectors") {
		p.plans = append(p.plans, drawPlan(t, among))
	}
	p.pause = rapid.SampledFrom([]int{3, 1, 0}).Draw(t, "pause")
	return p
}

func (p *plot) drawActor(t *rapid.T, kinds []ownergraph.KindInfo) actor {
	i := len(p.actors)
	kind := rapid.SampledFrom(kinds).Draw(t, "kind")
	a := actor{at: keyOf(kind, string(rune('a'+i)))}
	for range rapid.SampledFrom([]int{1, 2, 1, 0}).Draw(t, "owners") {
		if c, ok := p.drawClaim(t, a.at, i); ok {
			a.owners = append(a.owners, c)
		}
	}
	switch rapid.IntRange(0, 7).Draw(t, "state") {
	case 7:
		a.held = true
	case 6:
		a.ghost = true
	}
	return a
}

// drawClaim draws a reference to one of the first n actors, in the object's own
// scope or global, and none twice.
func (p *plot) drawClaim(t *rapid.T, at ownergraph.Key, n int) (c claim, ok bool) {
	var list []int
	for i, a := range p.actors[:n] {
		if a.at != at && (a.at.Scope == "" || a.at.Scope == at.Scope) {
			list = append(list, i)
		}
	}
	if len(list) == 0 {
		return c, false
	}
	return claim{rapid.SampledFrom(list).Draw(t, "owner"), rapid.Bool().Draw(t, "block")}, true
}

func (p *plot) drawMove(t *rapid.T, kinds []ownergraph.KindInfo) move {
	m := move{verb: rapid.SampledFrom(verbs()).Draw(t, "verb"), pause: rapid.SampledFrom(pauses()).Draw(t, "pause")}
	m.actor = rapid.SampledFrom(p.worthwhile(m.verb)).Draw(t, "object")
	switch m.verb {
	case oracle.Create:
		m.actor = len(p.actors)
		p.actors = append(p.actors, p.drawActor(t, kinds))
		p.actors[m.actor].ghost = false
	case oracle.AddRef, oracle.DropRef, oracle.Flip:
		c, ok := p.drawClaim(t, p.actors[m.actor].at, len(p.actors))
		if !ok {
			m.verb = oracle.Background
		}
		m.to = c
	}
	return m
}

// worthwhile returns the actors of which something follows: to delete, those that
// own others, if there are any.
func (p *plot) worthwhile(verb oracle.Verb) (list []int) {
	deletes := verb == oracle.Background || verb == oracle.Foreground || verb == oracle.Orphan
	for i, a := range p.actors {
		owns := func(other actor) bool {
			return slices.ContainsFunc(other.owners, func(c claim) bool { return c.to == i })
		}
		if !a.ghost && (!deletes || slices.ContainsFunc(p.actors, owns)) {
			list = append(list, i)
		}
	}
	if len(list) == 0 {
		return []int{len(p.actors) - 1}
	}
	return list
}

// drawPlan draws faults one by one, so that what does not matter shrinks away.
func drawPlan(t *rapid.T, among []fault.Fault) (p fault.Plan) {
	if len(among) == 0 {
		return p
	}
	for range rapid.SampledFrom([]int{0, 1, 2, 3, mostRules}).Draw(t, "faults") {
		r := drawRule(t, rapid.SampledFrom(among).Draw(t, "fault"))
		p.Rules = append(p.Rules, r)
	}
	return p
}

func drawRule(t *rapid.T, f fault.Fault) fault.Rule {
	r := fault.Rule{Fault: f, At: rapid.SampledFrom(occasions()).Draw(t, "occasion")}
	switch {
	case f == fault.Hang || f == fault.Break: // in a real store's time they cost most
		return r
	case lasting(f) && rapid.Bool().Draw(t, "lasting"):
		r.At, r.In = 0, rapid.IntRange(1, 3).Draw(t, "one in")
		return r
	}
	r.Times = rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "times")
	return r
}

// lasting reports whether the fault may happen all the time: an engine backs off
// from it, and works on from where it was.
func lasting(f fault.Fault) bool {
	switch f {
	case fault.Duplicate, fault.Delay, fault.Mute, fault.Conflict, fault.Refuse, fault.Transient,
		fault.LostReply, fault.LostCall, fault.Late, fault.Stale, fault.Absent:
		return true
	}
	return false
}

// created returns the number of actors that are there at the start.
func (p plot) created() int {
	return len(p.actors) - len(slices.DeleteFunc(slices.Clone(p.moves), func(m move) bool { return m.verb != oracle.Create }))
}

// propagates reports whether anything is deleted in the foreground or to orphan.
func (p plot) propagates() bool {
	return slices.ContainsFunc(p.moves, func(m move) bool { return m.verb == oracle.Foreground || m.verb == oracle.Orphan })
}

// suffers reports whether a plan has the fault.
func (p plot) suffers(f fault.Fault) bool {
	return slices.ContainsFunc(p.plans, func(plan fault.Plan) bool { return plan.Has(f) })
}

// String returns what was drawn, in lines.
func (p plot) String() string {
	var b strings.Builder
	b.WriteString("the objects:")
	for i, a := range p.actors {
		fmt.Fprintf(&b, "\n  %s%s", place(a.at), map[bool]string{true: " (created later)"}[i >= p.created()])
		if a.held {
			fmt.Fprintf(&b, "[%s]", foreign)
		}
		for j, c := range a.owners {
			fmt.Fprintf(&b, "%s%s", map[bool]string{true: " -> ", false: ", "}[j == 0], p.claim(c))
		}
		if a.ghost {
			b.WriteString(" (gone before the collectors begin)")
		}
	}
	b.WriteString("\nthe moves:")
	for _, m := range p.moves {
		fmt.Fprintf(&b, "\n  after %d beats: %s %s", m.pause, m.verb, place(p.actors[m.actor].at))
		if m.verb == oracle.AddRef || m.verb == oracle.DropRef || m.verb == oracle.Flip {
			fmt.Fprintf(&b, " -> %s", p.claim(m.to))
		}
	}
	fmt.Fprintf(&b, "\nthe faults, until %d beats later:", p.pause)
	for i, plan := range p.plans {
		fmt.Fprintf(&b, "\n  of collector %d: %s", i+1, plan)
	}
	return b.String()
}

func (p plot) claim(c claim) string {
	return place(p.actors[c.to].at) + map[bool]string{true: "!"}[c.block]
}
