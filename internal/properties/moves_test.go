package properties

import (
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/oracle"
	"github.com/ownergraph/ownergraph/internal/world"
	"pgregory.net/rapid"
)

// faults says what may go wrong in a history. Each test case has a few of them:
// where all happen at once, each hides what another one does.
type faults struct {
	Losses, Refusals, Conflicts, Crashes, Outages, Breaks, Doubles, Rewinds bool
	Delays, OneCall                                                         bool // no faults, but ways to go
}

func (d draws) faults() faults {
	f := func(label string) bool { return d.chance(label, 3) }
	return faults{
		f("losses"), f("refusals"), f("conflicts"), f("crashes"), f("outages"), f("breaks"), f("doubles"),
		f("rewinds") && !d.size.judged, f("delays"), f("one call"),
	}
}

// move is something that can happen next, weight times as likely as others.
type move struct {
	weight int
	line   string
}

// wander makes random steps: few moves for each of rapid's.
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

// next draws what happens next.
func (d draws) next(h *history, f faults) string {
	var all []move
	add := func(weight int, format string, args ...any) {
		all = append(all, move{weight, fmt.Sprintf(format, args...)})
	}
	add(1, "wait")
	for i, s := range h.w.Sides {
		watchMoves(add, i, s, h.w.Kinds, f)
		callMoves(add, i, s, h.w.Now, f)
		if f.Crashes {
			add(1, "crash@%d", i)
		}
	}
	if len(h.w.Zombies) > 0 {
		add(2, "late %d", d.number("zombie", len(h.w.Zombies)))
	}
	if f.Delays {
		add(1, "pass 31s")
	}
	if f.Rewinds {
		add(1, "backup")
		add(1, "restore")
	}
	if len(h.actions) < d.size.actions {
		add(5, "user")
	}
	if f.Outages {
		d.outages(add, h)
	}
	line := pick(all, d.number("move", total(all)))
	switch {
	case line == "user":
		return d.action(h)
	case line[:4] == "land":
		return d.fault(line, f)
	}
	return line
}

func total(all []move) (n int) {
	for _, m := range all {
		n += m.weight
	}
	return n
}

func pick(all []move, n int) string {
	for _, m := range all {
		if n -= m.weight; n < 0 {
			return m.line
		}
	}
	panic("no such move")
}

func watchMoves(add func(int, string, ...any), side int, s *world.Side, kinds []graph.KindInfo, f faults) {
	for k, st := range s.Streams {
		name := kinds[k].Kind
		switch {
		case st.Down:
		case !st.Begun:
			add(6, "list@%d %s", side, name)
		case len(st.Events) > 0:
			add(6, "see@%d %s", side, name)
			if len(st.Events) > 1 {
				add(6, "all@%d %s", side, name)
			}
			if f.Doubles {
				add(4, "twice@%d %s", side, name)
			}
		}
		if f.Breaks && st.Begun {
			add(1, "break@%d %s", side, name)
			add(1, "list@%d %s", side, name)
		}
	}
}

// callMoves lands calls and hands out others, where an engine says that it has
// something to do.
func callMoves(add func(int, string, ...any), side int, s *world.Side, now time.Time, f faults) {
	for i := range s.Calls {
		add(6, "land@%d %d", side, i)
	}
	if f.OneCall && len(s.Calls) > 0 {
		return
	}
	if s.Engine.Busy() {
		add(10, "issue@%d store", side)
	}
	if at, ok := s.Engine.Wake(ownergraph.LaneControl); ok && !at.After(now.Add(1)) {
		add(6, "issue@%d control", side)
	}
	add(1, "issue@%d handler", side)
}

func (d draws) outages(add func(int, string, ...any), h *history) {
	for _, k := range h.w.Kinds {
		switch h.down[k.Kind] {
		case "sick":
			add(2, "recover %s", k.Kind)
		case "vanish":
			add(2, "serve %s", k.Kind)
		case "down":
			add(2, "up %s", k.Kind)
		default:
			add(1, "sick %s", k.Kind)
			add(1, "down %s", k.Kind)
			if !d.size.judged { // whoever is not served loses what is promised to others
				add(1, "vanish %s", k.Kind)
			}
		}
	}
}

// fault draws how a call lands.
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
		return "limbo" + line[len("land"):]
	default:
		return line + x
	}
}

// action draws what a user does to the store as it is.
func (d draws) action(h *history) string {
	objects := h.w.Store.Objects()
	if len(objects) == 0 {
		return d.creation(h, nil)
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

// target draws an object: more often one that is marked, or that has dependents.
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

// creation draws a new object, at a place that nobody has had.
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
