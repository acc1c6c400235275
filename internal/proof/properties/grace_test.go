package properties

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
	"github.com/ownergraph/ownergraph/policy"
)

// periods judges the grace periods that the deletes of engines carry (RULES, E6).
type periods struct {
	kinds string                      // whose objects have grace periods, a letter for each
	exact bool                        // an engine decides when it has observed the whole store
	seen  map[graph.Key]map[int64]int // the periods that each object could carry, by the last commit
	at    int                         // the present commit
	wrong error                       // the first wrong period
	count int                         // of the deletes with a period
}

// has reports whether objects of the kind have grace periods.
func (p *periods) has(k graph.Kind) bool { return strings.Contains(p.kinds, string(k)) }

// config gives the settings of an engine the kinds, and the decisions of the engine to the judge.
func (p *periods) config(c *ownergraph.Config) {
	for _, k := range p.kinds {
		c.PropagateGrace = append(c.PropagateGrace, graph.Kind(k))
	}
	c.OnDecision = func(d engine.DecisionEvent) {
		if bad := p.judge(d); bad != nil && p.wrong == nil {
			p.wrong = fmt.Errorf("E6: %s at %s: %s (%s): %w", d.Key, d.Version, d.Action, d.Reason, bad)
		}
	}
}

// judge returns an error if a decision has a wrong period.
func (p *periods) judge(d engine.DecisionEvent) error {
	got := int64(0)
	if d.GraceSeconds != nil {
		got = *d.GraceSeconds
		p.count++
	}
	waits := d.Action == policy.Delete && (d.Reason == policy.OwnersWaiting || d.Reason == policy.CascadeOwnerWaits)
	switch at, known := p.seen[d.Key][got]; {
	case got == 0 && d.GraceSeconds != nil, (got > 0) != d.GraceAtMost:
		return fmt.Errorf("a period of %d seconds, at most %t", got, d.GraceAtMost)
	case got > 0 && !waits:
		return fmt.Errorf("it carries %d seconds, and rests on no waiting owner", got)
	case got > 0 && !p.has(d.Key.Kind):
		return fmt.Errorf("it carries %d seconds, and its kind has no periods", got)
	case waits && (!known || p.exact && at != p.at):
		return fmt.Errorf("it carries %d seconds, and its periods are %v at commit %d", got, p.seen[d.Key], p.at)
	}
	return nil
}

// note notes the period that each object could carry in this state of the store.
func (p *periods) note(objects []graph.Object) {
	p.at++
	for i := range objects {
		o := &objects[i]
		if p.seen[o.Key] == nil {
			p.seen[o.Key] = map[int64]int{}
		}
		p.seen[o.Key][p.above(objects, o)] = p.at
	}
}

// above returns the shortest period of the waiting owners above an object, 0 for none.
func (p *periods) above(objects []graph.Object, of *graph.Object) (shortest int64) {
	reached := []*graph.Object{of}
	for n := 0; n < len(reached); n++ {
		for i := range objects {
			o := &objects[i]
			if slices.Contains(reached, o) || o.Propagation() != graph.Foreground || !o.Deleting || o.MarkWithheld() || !owns(o, reached[n]) {
				continue
			}
			reached = append(reached, o)
			if p.has(o.Kind) && o.GraceSeconds > 0 && (shortest == 0 || o.GraceSeconds < shortest) {
				shortest = o.GraceSeconds
			}
		}
	}
	if !p.has(of.Kind) {
		return 0
	}
	return shortest
}

// owns reports whether a reference of d leads to o. One with wrong coordinates does not.
func owns(o, d *graph.Object) bool {
	return slices.ContainsFunc(d.Owners, func(r graph.Owner) bool { return r.Key == o.Key && !r.Unresolved })
}

// agents ends the grace periods of objects, one after the other, until no object has one. An agent ends
// a period at any time, except of a kind that no client reaches.
func (d draws) agents(h *history, do func(string) error) error {
	for range 100 {
		due := slices.DeleteFunc(slices.Clone(h.w.Store.Objects()), func(o graph.Object) bool {
			return !o.Deleting || o.GraceSeconds == 0 || h.down[o.Kind] == "down"
		})
		if len(due) == 0 {
			return nil
		}
		if err := do("grace0 " + due[d.number("agent", len(due))].Key.String()); err != nil {
			return err
		}
	}
	return fmt.Errorf("there is an object with a grace period after 100 ends of one")
}

// graceful begins a world whose kinds have grace periods, all of them or some.
func (d draws) graceful(exact bool) (*history, error) {
	set := d.settings()
	set.Level, set.Waits = ownergraph.Level2, false
	p := &periods{kinds: strings.ToLower(set.Kinds), exact: exact, seen: map[graph.Key]map[int64]int{}}
	if d.chance("some kinds", 3) {
		p.kinds = p.kinds[:2]
	}
	set.periods = p
	h, err := begin(set, d.world(set))
	if err != nil {
		return nil, err
	}
	p.note(h.w.Store.Objects())
	inner := h.w.OnCommit
	h.w.OnCommit = func(ev graph.Event) { inner(ev); p.note(h.w.Store.Objects()) }
	return h, nil
}

// deletion draws a user's deletion with a grace period.
func (d draws) deletion(h *history) string {
	verb := []string{"fg", "fg", "fg", "bg", "orphan"}[d.number("propagation", 5)]
	return fmt.Sprintf("%s %s~%d", verb, d.target(h.w.Store.Objects()).Key, []int{30, 5, 1, 0}[d.number("seconds", 4)])
}

// TestGraceChangesNoEnd: the rules permit the end, which know nothing of periods that pass on. So the
// same objects are left as without the setting. Each delete carries the period that the store's state
// shows. The agents come at rest (RULES, E6).
func TestGraceChangesNoEnd(t *testing.T) {
	carried := 0
	rounds(t, 8, func(t *rapid.T, _ int) {
		d := draws{t, size{style: wild, engines: 1, objects: 5, judged: true}}
		if rapid.Bool().Draw(t, "tight") {
			d.size.style, d.size.objects = tight, 4
		}
		h, err := d.graceful(true)
		if err == nil {
			err = h.calm()
		}
		for range 1 + d.number("deletes", 2) {
			if err != nil || len(h.w.Store.Objects()) == 0 {
				break
			}
			err = d.oneEnd(h)
		}
		if err == nil {
			err = h.set.periods.wrong
		}
		if err != nil {
			t.Fatal(h.fail(err))
		}
		carried += h.set.periods.count
	})
	if carried == 0 {
		t.Error("no delete carried a period")
	}
}

// oneEnd lets a user delete one or two objects at once, and then the agents end all periods. It returns
// an error if the rules do not permit the end.
func (d draws) oneEnd(h *history) error {
	start, from, ends := h.w.Store.Objects(), len(h.actions), oracle.EndsQuiet
	if d.chance("two", 2) {
		if err := h.do(d.deletion(h)); err != nil || len(h.w.Store.Objects()) == 0 {
			return err
		}
		ends = oracle.Ends
	}
	quiet := func(line string) error {
		if err := h.do(line); err != nil {
			return err
		}
		return h.calm()
	}
	if err := quiet(d.deletion(h)); err != nil {
		return err
	}
	if err := d.agents(h, quiet); err != nil {
		return err
	}
	actions := h.forOracle()[from:]
	permitted := ends(believed(start), actions, h.set.oracle())
	if got := oracle.Line(believed(h.w.Store.Objects())); !slices.Contains(permitted, got) {
		return fmt.Errorf("E6: after %v the end %q is none of\n  %s", actions, got, strings.Join(permitted, "\n  "))
	}
	return h.sound()
}

// TestGraceAtAnyTime: agents end periods in the middle of cascades, with faults and several engines. The
// rules permit the end, and each delete carries a period that the store once showed.
func TestGraceAtAnyTime(t *testing.T) {
	rounds(t, 8, func(t *rapid.T, engines int) {
		d := draws{t, size{style: wild, engines: engines, objects: 4, actions: 0, judged: true}}
		h, err := d.graceful(false)
		if err == nil {
			err = h.do("run")
		}
		f := d.faults()
		f.Breaks = false
		for range 1 + d.number("deletes", 2) {
			if err != nil || len(h.w.Store.Objects()) == 0 {
				break
			}
			if err = h.do(d.deletion(h)); err == nil {
				d.wander(h, f)
				err = d.agents(h, func(line string) error {
					for range d.number("steps", 8) {
						if err := h.do(d.next(h, f)); err != nil {
							return err
						}
					}
					return h.do(line)
				})
			}
		}
		if err != nil {
			t.Fatal(h.fail(err))
		}
		d.rest(h)
		if err = d.agents(h, h.do); err == nil {
			err = h.calm()
		}
		if err == nil {
			err = h.permitted()
		}
		if err == nil {
			err = h.set.periods.wrong
		}
		if err != nil {
			t.Fatal(h.fail(err))
		}
	})
}
