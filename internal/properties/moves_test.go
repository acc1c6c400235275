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
	if !d.size.wild {
		return faults{}
	}
	f := func(label string) bool { return d.chance(label, 3) }
	return faults{
		f("losses"), f("refusals"), f("conflicts"), f("crashes"), f("outages"), f("breaks"), f("doubles"),
		f("rewinds") && !d.size.judged && false, f("delays"), f("one call"),
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
	for _, k := range kinds() {
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
	keys := make([]graph.Key, 0, len(objects))
	for _, o := range objects {
		keys = append(keys, o.Key)
	}
	verbs := []string{"bg", "fg", "orphan"}
	if d.size.wild {
		verbs = append(verbs, "bg", "fg", "orphan", "touch", "strip", "finish", "addref", "addref", "dropref", "flip", "create", "recreate", "grace0", "ack")
	}
	switch verb := verbs[d.number("verb", len(verbs))]; verb {
	case "create":
		return d.creation(h, keys)
	case "recreate":
		return verb + " " + h.start[d.number("object", len(h.start))].Key.String()
	case "addref":
		if i := d.number("object", max(len(keys), 1)); i < len(keys) {
			if r, ok := d.reference(h.set, objects[i], keys); ok {
				return verb + " " + oracle.Action{Verb: oracle.AddRef, Object: graph.Object{Key: keys[i], Owners: []graph.Owner{r}}}.String()[len("addref "):]
			}
		}
	case "dropref", "flip":
		if i := d.number("object", max(len(keys), 1)); i < len(keys) && len(objects[i].Owners) > 0 {
			r := objects[i].Owners[d.number("reference", len(objects[i].Owners))]
			return verb + " " + keys[i].String() + "->" + r.Key.String()
		}
	default:
		if len(keys) > 0 {
			return verb + " " + d.target(objects).String()
		}
	}
	return "wait"
}

// target draws an object, more often one that has dependents.
func (d draws) target(objects []graph.Object) graph.Key {
	var all []graph.Key
	for _, o := range objects {
		all = append(all, o.Key)
	}
	if d.chance("any", 4) {
		return all[d.number("object", len(all))]
	}
	var owners []graph.Key
	for _, o := range objects {
		for _, r := range o.Owners {
			if r.Key != o.Key && slices.Contains(all, r.Key) {
				owners = append(owners, r.Key)
			}
		}
	}
	if len(owners) == 0 {
		owners = all
	}
	return owners[d.number("owner", len(owners))]
}

// creation draws a new object, at a place that nobody has had.
func (d draws) creation(h *history, keys []graph.Key) string {
	k := d.key(0, nil)
	k.Name = fmt.Sprintf("n%d", len(h.lines))
	o := graph.Object{Key: named(k)}
	if len(keys) > 0 {
		for range d.number("references", 3) {
			if r, ok := d.reference(h.set, o, keys); ok && !slices.ContainsFunc(o.Owners, r.Same) {
				o.Owners = append(o.Owners, r)
			}
		}
	}
	return "create " + o.String()
}
