package properties

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
	"github.com/ownergraph/ownergraph/internal/proof/world"
)

// faults are the faults of a history. Each test case has a few of them, since one
// fault may hide the effect of another.
type faults struct {
	Losses, Refusals, Conflicts, Crashes, Outages, Breaks, Doubles, Rewinds bool
	Delays, OneCall                                                         bool // schedules, not faults
}

func (d draws) faults() faults {
	f := func(label string) bool { return d.chance(label, 3) }
	return faults{
		f("losses"), f("refusals"), f("conflicts"), f("crashes"), f("outages"), f("breaks"), f("doubles"),
		f("rewinds") && !d.size.judged, f("delays"), f("one call"),
	}
}

// move is a possible next step. Its weight is its relative probability.
type move struct {
	weight int
	verb   string
	side   int    // of the engine, or noSide
	arg    string // if empty, number is the argument
	number int
}

const noSide = -1

// String returns the move as a step of a history.
func (m move) String() string {
	line := m.verb
	if m.side != noSide {
		line += "@" + strconv.Itoa(m.side)
	}
	switch {
	case m.arg != "":
		line += " " + m.arg
	case m.verb == "complete" || m.verb == "late":
		line += " " + strconv.Itoa(m.number)
	}
	return line
}

// wander makes random steps, and four for each step of rapid.
func (d draws) wander(h *history, f faults) {
	d.t.Repeat(map[string]func(*rapid.T){
		"step": func(t *rapid.T) {
			for range 4 {
				if err := h.do((draws{t, d.size}).next(h, f)); err != nil {
					t.Fatal(h.fail(err))
				}
			}
		},
	})
}

// next draws the next step.
func (d draws) next(h *history, f faults) string {
	m := d.pick(d.moves(h, f))
	switch m.verb {
	case "user":
		return d.action(h)
	case "complete":
		return d.fault(m.String(), f)
	}
	return m.String()
}

// moves returns all possible next steps.
func (d draws) moves(h *history, f faults) []move {
	all := []move{{weight: 1, verb: "wait", side: noSide}}
	for i, s := range h.w.Sides {
		all = watchMoves(all, i, s, h.w.Kinds, f)
		all = callMoves(all, i, s, h.w.Now, f)
		if d.size.style == wild && !d.size.judged { // the other styles have no handlers
			all = append(all, move{weight: 1, verb: "issue", side: i, arg: "handler"})
		}
		if f.Crashes {
			all = append(all, move{weight: 1, verb: "crash", side: i})
		}
	}
	for i := range h.w.Zombies {
		all = append(all, move{weight: 1, verb: "late", side: noSide, number: i})
	}
	if f.Delays {
		all = append(all, move{weight: 1, verb: "pass", side: noSide, arg: "31s"})
	}
	if f.Rewinds {
		all = append(all, move{weight: 1, verb: "backup", side: noSide}, move{weight: 1, verb: "restore", side: noSide})
	}
	if len(h.actions) < d.size.actions {
		all = append(all, move{weight: 5, verb: "user"})
	}
	if f.Outages {
		all = d.outages(all, h)
	}
	return all
}

func (d draws) pick(all []move) move {
	n := 0
	for _, m := range all {
		n += m.weight
	}
	n = d.number("move", n)
	i := slices.IndexFunc(all, func(m move) bool {
		n -= m.weight
		return n < 0
	})
	return all[i]
}

func watchMoves(all []move, side int, s *world.Side, kinds []graph.KindInfo, f faults) []move {
	for k, st := range s.Streams {
		name := string(kinds[k].Kind)
		switch {
		case st.Down:
		case !st.Begun:
			all = append(all, move{weight: 6, verb: "list", side: side, arg: name})
		case len(st.Events) > 0:
			all = append(all, move{weight: 6, verb: "see", side: side, arg: name})
			if len(st.Events) > 1 {
				all = append(all, move{weight: 6, verb: "all", side: side, arg: name})
			}
			if f.Doubles {
				all = append(all, move{weight: 4, verb: "twice", side: side, arg: name})
			}
		}
		if f.Breaks && st.Begun {
			all = append(all,
				move{weight: 1, verb: "break", side: side, arg: name}, move{weight: 1, verb: "list", side: side, arg: name})
		}
	}
	return all
}

// callMoves completes calls, and takes calls from an engine that has work.
func callMoves(all []move, side int, s *world.Side, now time.Time, f faults) []move {
	for i := range s.Calls {
		all = append(all, move{weight: 6, verb: "complete", side: side, number: i})
	}
	if f.OneCall && len(s.Calls) > 0 {
		return all
	}
	if probe.Busy(s.Engine) {
		all = append(all, move{weight: 10, verb: "issue", side: side, arg: "store"})
	}
	if at, ok := probe.Wake(s.Engine, engine.LaneControl); ok && !at.After(now.Add(1)) {
		all = append(all, move{weight: 6, verb: "issue", side: side, arg: "control"})
	}
	return all
}

func (d draws) outages(all []move, h *history) []move {
	for _, k := range h.w.Kinds {
		if cure := cures()[h.down[k.Kind]]; cure != "" {
			all = append(all, move{weight: 2, verb: cure, side: noSide, arg: string(k.Kind)})
			continue
		}
		for _, how := range []string{"sick", "down", "vanish"} {
			if how == "vanish" && d.size.judged { // the promises do not cover an unserved kind
				break
			}
			all = append(all, move{weight: 1, verb: how, side: noSide, arg: string(k.Kind)})
		}
	}
	return all
}

// cures maps an outage to the step that ends it.
func cures() map[string]string {
	return map[string]string{"sick": "recover", "vanish": "serve", "down": "up"}
}

// fault draws the completion of a call.
func (d draws) fault(line string, f faults) string {
	how := []string{"", "", "", ""}
	if f.Losses {
		how = append(how, " lost", " lost-done", " limbo", " later")
	}
	if f.Refusals {
		how = append(how, " refused", " error")
	}
	if f.Conflicts {
		how = append(how, " conflict")
	}
	switch x := how[d.number("fault", len(how))]; x {
	case " limbo":
		return "limbo" + line[len("complete"):]
	default:
		return line + x
	}
}

// action draws a user's action on the present store.
func (d draws) action(h *history) string {
	objects := h.w.Store.Objects()
	if len(objects) == 0 {
		return d.creation(h, nil)
	}
	if d.size.guarded && d.chance("about a guard", 4) {
		return []string{"approve", "shield", "expose"}[d.number("guard verb", 3)] + " " + d.target(objects).Key.String()
	}
	verbs := []string{"bg", "fg", "orphan"}
	switch d.size.style {
	case tight:
		verbs = append(verbs, "strip", "addref", "dropref", "addref", "flip", "finish", "touch", "recreate", "create")
	case wild:
		verbs = append(verbs, "bg", "fg", "orphan", "touch", "strip", "finish", "addref", "addref", "dropref", "flip", "create",
			"recreate", "grace0", "ack")
	}
	verb, o := verbs[d.number("verb", len(verbs))], d.target(objects)
	switch verb {
	case "create":
		return d.creation(h, objects)
	case "recreate":
		return verb + " " + h.start[d.number("start", len(h.start))].Key.String()
	case "addref", "dropref", "flip":
		return d.edit(h, verb, o)
	}
	return verb + " " + o.Key.String()
}

// edit draws a change of one reference of an object, or one to it.
func (d draws) edit(h *history, verb string, o graph.Object) string {
	objects := h.w.Store.Objects()
	dep := objects[d.number("dependent", len(objects))]
	if verb == "addref" {
		to := []graph.Key{o.Key}
		if d.chance("other", 2) {
			dep, to = o, keysOf(objects)
		}
		if r, ok := d.reference(h.set, dep, to); ok {
			return oracle.Action{Verb: oracle.AddRef, Object: graph.Object{Key: dep.Key, Owners: []graph.Owner{r}}}.String()
		}
		return "touch " + dep.Key.String()
	}
	if len(dep.Owners) == 0 {
		dep = o
	}
	if len(dep.Owners) == 0 {
		return "touch " + dep.Key.String()
	}
	r := dep.Owners[d.number("reference", len(dep.Owners))]
	return verb + " " + dep.Key.String() + "->" + r.Key.String()
}

func keysOf(objects []graph.Object) []graph.Key {
	var keys []graph.Key
	for _, o := range objects {
		keys = append(keys, o.Key)
	}
	return keys
}

// target draws an object. Marked objects and owners are more likely.
func (d draws) target(objects []graph.Object) graph.Object {
	var some []graph.Object
	switch d.number("target", 4) {
	case 0, 1:
		for _, o := range objects {
			if slices.ContainsFunc(objects, func(dep graph.Object) bool {
				return dep.Key != o.Key && slices.ContainsFunc(dep.Owners, func(r graph.Owner) bool { return r.Key == o.Key })
			}) {
				some = append(some, o)
			}
		}
	case 2:
		for _, o := range objects {
			if o.Deleting {
				some = append(some, o)
			}
		}
	}
	if len(some) == 0 {
		some = objects
	}
	return some[d.number("object", len(some))]
}

// creation draws a new object at an unused place.
func (d draws) creation(h *history, objects []graph.Object) string {
	k := d.key(0, nil)
	k.Name = fmt.Sprintf("n%d", len(h.lines))
	o := graph.Object{Key: named(k)}
	if len(objects) > 0 {
		for range d.number("references", 3) {
			if r, ok := d.reference(h.set, o, keysOf(objects)); ok && !slices.ContainsFunc(o.Owners, r.Same) {
				o.Owners = append(o.Owners, r)
			}
		}
	}
	return "create " + o.String()
}
