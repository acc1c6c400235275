package properties

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
	"github.com/ownergraph/ownergraph/internal/proof/world"
)

// handled is the finalizer of the engine's handler.
const handled = "x.io/h"

// unserved is a kind that references name and the store does not serve.
const unserved graph.Kind = "x"

// settings are the settings of one world. Their Go syntax goes into a regression.
type settings struct {
	Kinds     string // a letter for each; a capital letter means scoped
	Level     ownergraph.Level
	Engines   int
	Override  bool   // oracle.Config.Override
	Absent    bool   // graph.ScopeAbsent and graph.NameAbsent
	Counting  bool   // versions compare
	Forgetful bool   // the engine remembers one owner of each sort
	Waits     bool   // the engine waits for acknowledgements of kind h
	Guarded   string // the kinds of guarded roots, a letter for each; none without one
	Above     int    // the limit of their guard
	Shielded  string // the name of a protected object

	periods *periods // in a world with grace periods
}

func (s settings) config() ownergraph.Config {
	c := ownergraph.Config{
		Override: s.Override,
		Handlers: map[string]finalizer.Handler{handled: func(context.Context, graph.Object) error { return nil }},
	}
	if s.Absent {
		c.Scope, c.OwnerName = graph.ScopeAbsent, graph.NameAbsent
	}
	if s.Forgetful {
		t := probe.Tuning(&c)
		t.AbsentOwners, t.OrphanedOwners = 1, 1
	}
	if s.Waits {
		c.Acknowledge = []graph.Kind{"h"}
	}
	s.guard(&c)
	if s.periods != nil {
		s.periods.config(&c)
	}
	if s.Counting {
		c.CompareVersions = func(_ graph.Kind, a, b graph.Version) int {
			x, _ := strconv.Atoi(string(a))
			y, _ := strconv.Atoi(string(b))
			return x - y
		}
	}
	return c
}

func (s settings) oracle() oracle.Config {
	c := oracle.Config{Override: s.Override}
	if s.Absent {
		c.Scope, c.OwnerName = oracle.ScopeAbsent, oracle.NameAbsent
	}
	return c
}

// kinds returns the kinds of a world.
func (s settings) kinds() []graph.KindInfo {
	var out []graph.KindInfo
	for _, c := range s.Kinds {
		name := strings.ToLower(string(c))
		out = append(out, graph.KindInfo{Kind: graph.Kind(name), Scoped: name != string(c)})
	}
	return out
}

// history is a world with its past steps.
type history struct {
	w       *world.World
	set     settings
	start   []graph.Object
	actions []oracle.Action
	lines   []string
	down    map[graph.Kind]string // "sick", "vanish" or "down"
	served  map[graph.Kind]int    // the step of the last return to service
	issued  map[issue]int         // the step that handed out a call
	backup  world.Store           // the target of restore
	broken  error                 // the first breach that is not excused

	deletes  []deleted
	ending   map[graph.Key]int // the commit that marked or removed an object
	commits  int
	restored bool
}

func begin(set settings, start []graph.Object) (*history, error) {
	w, err := world.New(set.Level, set.config(), set.Engines, set.kinds(), start)
	if err != nil {
		return nil, err
	}
	if set.Counting {
		w.CountRevisions()
	}
	h := &history{
		w: w, set: set, served: map[graph.Kind]int{}, issued: map[issue]int{},
		start: slices.Clone(w.Store.Objects()), down: map[graph.Kind]string{}, backup: w.Store,
		ending: map[graph.Key]int{},
	}
	h.followDeletes()
	if set.guards() {
		w.Ledger.Protects = set.protects
	}
	w.OnWrite = func(_ *world.Store, c engine.Call) {
		if bad := h.w.Ledger.Judge(c); bad != nil && h.broken == nil && !h.excused(c, bad) {
			h.broken = bad
		}
	}
	return h, nil
}

// excused reports whether a breach is within the promises. Without fences, foreground
// and orphaning are best effort. They also are for the objects of a kind that was not
// served at some time since the engine handed out the write.
func (h *history) excused(c engine.Call, bad error) bool {
	rule, what, _ := strings.Cut(bad.Error(), ": ")
	if h.set.Level < ownergraph.Level2 {
		return strings.HasPrefix(rule, "S2") || strings.HasPrefix(rule, "S3")
	}
	_, what, ends := strings.Cut(what, " ends, ")
	uid, _, _ := strings.Cut(what, " still ")
	i := slices.IndexFunc(h.w.Store.Objects(), func(o graph.Object) bool { return string(o.UID) == uid })
	if !ends || i < 0 {
		return false
	}
	kind := h.w.Store.Objects()[i].Kind
	since, known := h.issued[issue{c.ID, c.Key}]
	return h.down[kind] == "vanish" || known && h.served[kind] > since
}

// issue names a call. Each new engine counts from 1.
type issue struct {
	id  engine.CallID
	key graph.Key
}

// String returns the history in the form of a regression.
func (h *history) String() string {
	set := strings.ReplaceAll(fmt.Sprintf("%#v", h.set), "properties.", "")
	return fmt.Sprintf("%s\n%s\n%s", set, graph.Format(h.start), strings.Join(h.lines, "\n"))
}

// fail adds the history to an error.
func (h *history) fail(err error) error {
	return fmt.Errorf("%w\nthe store: %s\nthe history:\n%s", err, oracle.Line(h.w.Store.Objects()), h)
}

// do makes one step and records it. A step that is impossible changes nothing.
func (h *history) do(line string) error {
	h.lines = append(h.lines, line)
	err := h.move(line)
	if err == nil {
		err = h.broken
	}
	return err
}

// move makes one step: "VERB[@ENGINE] ARGUMENTS".
//
//	list K, break K                       begins a listing; ends the watch of a kind
//	see K, twice K, all K                 delivers the next event; delivers it twice; delivers all events
//	issue LANE, complete N [FAULT]        hands out a call; completes the N-th call
//	limbo N                               loses the answer of the N-th call, whose write completes late
//	late N                                completes a late write
//	crash                                 ends the engine and begins another one
//	wait, pass DURATION                   moves time to the next step; moves time
//	run                                   runs the world until it is at rest
//	backup, restore                       keeps the state of the store; goes back to it and announces that
//	sick K, recover K, vanish K, serve K, down K, up K
//	approve KEY, shield KEY, expose KEY   a user takes the hold off, or puts the finalizer of protection on or off
//	ack KEY, fg KEY, addref KEY->REF ...  actions of users in the notation of package oracle
func (h *history) move(line string) error {
	verb, arg, _ := strings.Cut(line, " ")
	verb, number, _ := strings.Cut(verb, "@")
	side, _ := strconv.Atoi(number)
	if side >= len(h.w.Sides) {
		return fmt.Errorf("%q: the world has no such engine", line)
	}
	switch verb {
	case "list", "see", "all", "twice", "break":
		return h.watch(verb, side, slices.IndexFunc(h.w.Kinds, func(k graph.KindInfo) bool { return string(k.Kind) == arg }))
	case "sick", "recover", "vanish", "serve", "down", "up":
		return h.health(verb, graph.Kind(arg))
	case "issue":
		lane := map[string]engine.Lane{"store": engine.LaneStore, "control": engine.LaneControl, "handler": engine.LaneHandler}[arg]
		c, ok, err := h.w.Issue(side, lane)
		if ok {
			h.issued[issue{c.ID, c.Key}] = len(h.lines)
		}
		return err
	case "complete", "limbo":
		return h.complete(verb, side, arg)
	case "late":
		if i, _ := strconv.Atoi(arg); i < len(h.w.Zombies) {
			return h.w.CompleteZombie(i)
		}
		return nil
	case "crash":
		return h.w.Crash(side)
	case "backup":
		h.backup = h.w.Store
		return nil
	case "restore":
		return h.restore()
	case "run":
		return h.w.RunToRest()
	case "wait":
		h.w.Advance()
		return nil
	case "pass":
		d, err := time.ParseDuration(arg)
		h.w.Now = h.w.Now.Add(d)
		return err
	}
	return h.user(verb, line, arg)
}

// watch moves the watch of one kind.
func (h *history) watch(verb string, side, kind int) error {
	if kind < 0 {
		return errors.New("no such kind")
	}
	st := &h.w.Sides[side].Streams[kind]
	switch {
	case verb == "break":
		for _, ev := range st.Events {
			if ev.Type == graph.FencePassed {
				st.Fences = append(st.Fences, ev.Fence)
			}
		}
		st.Begun, st.Events = false, nil
		return nil
	case st.Down:
		return nil
	case verb == "list":
		h.w.List(side, kind)
		return nil
	}
	for verb == "all" && len(st.Events) > 1 {
		if err := h.w.Deliver(side, kind); err != nil {
			return err
		}
	}
	if len(st.Events) == 0 {
		return nil
	}
	if ev := st.Events[0]; verb == "twice" && (ev.Type == graph.Put || ev.Type == graph.Gone) {
		ev.Object = ev.Object.Clone()
		if err := h.w.Sides[side].Engine.Observe(h.w.Now, ev); err != nil {
			return err
		}
	}
	return h.w.Deliver(side, kind)
}

// complete completes a call, with or without a fault. The outcome of a call in limbo is
// unknown, and its write may still complete.
func (h *history) complete(verb string, side int, arg string) error {
	number, name, _ := strings.Cut(arg, " ")
	i, _ := strconv.Atoi(number)
	calls := h.w.Sides[side].Calls
	if i >= len(calls) {
		return nil
	}
	fault, _ := world.ParseFault(name)
	if verb == "limbo" {
		fault = world.Lost
		if c := calls[i].Call; c.Type == engine.CallPatch || c.Type == engine.CallDelete {
			h.w.Zombies = append(h.w.Zombies, c)
		}
	}
	_, err := h.w.CompleteAs(side, i, fault)
	return err
}

// restore goes back to the backup. The writes under way are lost.
func (h *history) restore() error {
	h.restored = true
	h.w.LoseWrites()
	return h.w.Restore(h.backup, true)
}

// health makes a kind sick or well.
func (h *history) health(verb string, k graph.Kind) error {
	i := slices.IndexFunc(h.w.Kinds, func(x graph.KindInfo) bool { return x.Kind == k })
	was := h.down[k]
	switch {
	case i < 0:
		return errors.New("no such kind")
	case was == "" && (verb == "sick" || verb == "vanish" || verb == "down"):
		h.down[k] = verb
	case was == "sick" && verb == "recover", was == "vanish" && verb == "serve", was == "down" && verb == "up":
		delete(h.down, k)
	default:
		return nil
	}
	switch verb {
	case "sick":
		return h.w.Sicken(i, "sick")
	case "recover":
		return h.w.Recover(i)
	case "vanish":
		return h.w.Vanish(i)
	case "serve":
		h.served[k] = len(h.lines)
		return h.w.Serve(h.w.Kinds[i])
	}
	h.w.Down(k, verb == "down")
	return nil
}

// user carries out an action of a user or of a controller.
func (h *history) user(verb, line, arg string) error {
	if verb == "approve" || verb == "shield" || verb == "expose" {
		return h.guardUser(verb, arg)
	}
	if verb == "ack" {
		k, err := graph.ParseKey(arg)
		if h.w.Acknowledge(k) {
			h.actions = append(h.actions, oracle.Action{Verb: oracle.Touch, Object: graph.Object{Key: k}})
		}
		return err
	}
	a, err := oracle.ParseAction(line)
	if err == nil && h.w.Do(a) {
		h.actions = append(h.actions, a)
	}
	return err
}
