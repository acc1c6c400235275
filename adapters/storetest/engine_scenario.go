package storetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/internal/fault"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
	"pgregory.net/rapid"
)

// scenario has all draws of a case, before anything runs. It names objects by
// number, because the store makes their UIDs.
type scenario struct {
	objects []scenarioObject
	actions []userAction
	plans   []fault.Plan // one for each collector
	pause   int          // before the faults end, in time units
}

// scenarioObject is an object that a user creates.
type scenarioObject struct {
	at               ownergraph.Key // without a UID
	owners           []claim
	foreignFinalizer bool // a finalizer of another client
	goneAtStart      bool // deleted before the collectors begin
}

// userAction is one write of a user, with the pause before it.
type userAction struct {
	verb   oracle.Verb
	object int
	to     claim
	pause  int // in time units
}

const (
	maxScenarioObjects = 4
	maxUserActions     = 3
	maxRules           = 5
)

// pauses returns the pauses before an action, in time units. With none, the second
// action meets the first one in progress. With some, much or all of the work is
// done.
func pauses() []int { return []int{0, 1, 3} }

// occasions returns the occasions of a fault. They are early, because a small case
// has few.
func occasions() []int { return []int{1, 2, 1, 3, 2, 4, 6, 9} }

func verbs() []oracle.Verb {
	return []oracle.Verb{
		oracle.Background, oracle.Foreground, oracle.Orphan, oracle.Background, oracle.Foreground, oracle.Orphan,
		oracle.Background, oracle.Foreground, oracle.Orphan, oracle.AddRef, oracle.DropRef, oracle.Flip, oracle.Strip,
		oracle.Finish, oracle.Create, oracle.Recreate,
	}
}

// drawScenario draws a case. The first choice is the smallest one, because rapid
// shrinks to it.
func drawScenario(t *rapid.T, kinds []ownergraph.KindInfo, among []fault.Fault) scenario {
	var p scenario
	for range rapid.SampledFrom([]int{2, 3, maxScenarioObjects, 1}).Draw(t, "objects") {
		p.objects = append(p.objects, p.drawObject(t, kinds))
	}
	for range rapid.SampledFrom([]int{1, 2, maxUserActions}).Draw(t, "actions") {
		p.actions = append(p.actions, p.drawAction(t, kinds))
	}
	for range rapid.SampledFrom([]int{1, 1, 2}).Draw(t, "collectors") {
		p.plans = append(p.plans, drawPlan(t, among))
	}
	p.pause = rapid.SampledFrom([]int{3, 1, 0}).Draw(t, "pause")
	return p
}

func (s *scenario) drawObject(t *rapid.T, kinds []ownergraph.KindInfo) scenarioObject {
	i := len(s.objects)
	kind := rapid.SampledFrom(kinds).Draw(t, "kind")
	a := scenarioObject{at: keyOf(kind, string(rune('a'+i)))}
	for range rapid.SampledFrom([]int{1, 2, 1, 0}).Draw(t, "owners") {
		if c, ok := s.drawClaim(t, a.at, i); ok {
			a.owners = append(a.owners, c)
		}
	}
	switch rapid.IntRange(0, 7).Draw(t, "state") {
	case 7:
		a.foreignFinalizer = true
	case 6:
		a.goneAtStart = true
	}
	return a
}

// drawClaim draws a reference to one of the first n objects, in the object's own
// scope or global. No reference occurs twice.
func (s *scenario) drawClaim(t *rapid.T, at ownergraph.Key, n int) (c claim, ok bool) {
	var list []int
	for i, a := range s.objects[:n] {
		if a.at != at && (a.at.Scope == "" || a.at.Scope == at.Scope) {
			list = append(list, i)
		}
	}
	if len(list) == 0 {
		return c, false
	}
	return claim{rapid.SampledFrom(list).Draw(t, "owner"), rapid.Bool().Draw(t, "block")}, true
}

func (s *scenario) drawAction(t *rapid.T, kinds []ownergraph.KindInfo) userAction {
	m := userAction{verb: rapid.SampledFrom(verbs()).Draw(t, "verb"), pause: rapid.SampledFrom(pauses()).Draw(t, "pause")}
	m.object = rapid.SampledFrom(s.candidates(m.verb)).Draw(t, "object")
	switch m.verb {
	case oracle.Create:
		m.object = len(s.objects)
		s.objects = append(s.objects, s.drawObject(t, kinds))
		s.objects[m.object].goneAtStart = false
	case oracle.AddRef, oracle.DropRef, oracle.Flip:
		c, ok := s.drawClaim(t, s.objects[m.object].at, len(s.objects))
		if !ok {
			m.verb = oracle.Background
		}
		m.to = c
	}
	return m
}

// candidates returns the objects for an action. For a deletion, it prefers objects
// that own others.
func (s *scenario) candidates(verb oracle.Verb) (list []int) {
	deletes := verb == oracle.Background || verb == oracle.Foreground || verb == oracle.Orphan
	for i, a := range s.objects {
		owns := func(other scenarioObject) bool {
			return slices.ContainsFunc(other.owners, func(c claim) bool { return c.to == i })
		}
		if !a.goneAtStart && (!deletes || slices.ContainsFunc(s.objects, owns)) {
			list = append(list, i)
		}
	}
	if len(list) == 0 {
		return []int{len(s.objects) - 1}
	}
	return list
}

// drawPlan draws faults one by one, so that rapid can remove each of them.
func drawPlan(t *rapid.T, among []fault.Fault) (p fault.Plan) {
	if len(among) == 0 {
		return p
	}
	for range rapid.SampledFrom([]int{0, 1, 2, 3, maxRules}).Draw(t, "faults") {
		r := drawRule(t, rapid.SampledFrom(among).Draw(t, "fault"))
		p.Rules = append(p.Rules, r)
	}
	return p
}

func drawRule(t *rapid.T, f fault.Fault) fault.Rule {
	r := fault.Rule{Fault: f, At: rapid.SampledFrom(occasions()).Draw(t, "occasion")}
	switch {
	// In a real store's time these cost most.
	case f == fault.Hang || f == fault.Break:
		return r
	case lasting(f) && rapid.Bool().Draw(t, "lasting"):
		r.At, r.In = 0, rapid.IntRange(1, 3).Draw(t, "one in")
		return r
	}
	r.Times = rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "times")
	return r
}

// lasting reports whether the fault may happen all the time. An engine backs off
// from such a fault, and continues its work.
func lasting(f fault.Fault) bool {
	switch f {
	case fault.Duplicate, fault.Delay, fault.Mute, fault.Conflict, fault.Refuse, fault.Transient,
		fault.LostReply, fault.LostCall, fault.Late, fault.Stale, fault.Absent:
		return true
	}
	return false
}

// created returns the number of objects that exist at the start.
func (s scenario) created() int {
	return len(s.objects) - len(slices.DeleteFunc(slices.Clone(s.actions), func(m userAction) bool { return m.verb != oracle.Create }))
}

// propagates reports whether an action deletes in the foreground or orphans.
func (s scenario) propagates() bool {
	return slices.ContainsFunc(s.actions, func(m userAction) bool { return m.verb == oracle.Foreground || m.verb == oracle.Orphan })
}

// hasFault reports whether a plan has the fault.
func (s scenario) hasFault(f fault.Fault) bool {
	return slices.ContainsFunc(s.plans, func(plan fault.Plan) bool { return plan.Has(f) })
}

// String returns the draws, in lines.
func (s scenario) String() string {
	var b strings.Builder
	b.WriteString("the objects:")
	for i, a := range s.objects {
		fmt.Fprintf(&b, "\n  %s%s", place(a.at), map[bool]string{true: " (created later)"}[i >= s.created()])
		if a.foreignFinalizer {
			fmt.Fprintf(&b, "[%s]", holdFinalizer)
		}
		for j, c := range a.owners {
			fmt.Fprintf(&b, "%s%s", map[bool]string{true: " -> ", false: ", "}[j == 0], s.claim(c))
		}
		if a.goneAtStart {
			b.WriteString(" (gone before the collectors begin)")
		}
	}
	b.WriteString("\nthe actions:")
	for _, m := range s.actions {
		fmt.Fprintf(&b, "\n  after %d time units: %s %s", m.pause, m.verb, place(s.objects[m.object].at))
		if m.verb == oracle.AddRef || m.verb == oracle.DropRef || m.verb == oracle.Flip {
			fmt.Fprintf(&b, " -> %s", s.claim(m.to))
		}
	}
	fmt.Fprintf(&b, "\nthe faults, until %d time units later:", s.pause)
	for i, plan := range s.plans {
		fmt.Fprintf(&b, "\n  of collector %d: %s", i+1, plan)
	}
	return b.String()
}

func (s scenario) claim(c claim) string {
	return place(s.objects[c.to].at) + map[bool]string{true: "!"}[c.block]
}
