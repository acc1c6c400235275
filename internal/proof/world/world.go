package world

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/invariant"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// World is the store, its users and the engines. It is not safe for concurrent use.
type World struct {
	Store Store
	Kinds []graph.KindInfo
	Sides []*Side
	Now   time.Time
	// Zombies are writes of crashed engines that may still complete.
	Zombies []engine.Call
	// Control is the fault of the next fence or listing.
	Control Fault
	// Requests counts the completed calls by type.
	Requests [9]int
	// Ledger judges every write of an engine.
	Ledger *invariant.Ledger
	// Polled is the side of the last call of Next.
	Polled int
	broken error
	// LateSets makes PassSet alone report that the set of kinds has passed a fence.
	// Otherwise the report comes when the fence begins.
	LateSets bool
	// LateTokens makes Name alone return the token of a fence. Otherwise the token comes
	// when the fence begins.
	LateTokens bool
	// OnEvent, if set, gets every event that a watch delivers to an engine.
	OnEvent func(side int, ev graph.Event)
	// OnWrite, if set, gets every write of an engine that changed the store, and the
	// store before the write.
	OnWrite func(before *Store, c engine.Call)
	// OnCommit, if set, gets every change of the store before the ledger.
	OnCommit func(ev graph.Event)
	// OnCall, if set, gets every call as an engine hands it out. OnAnswer, if set, gets
	// every result of a read, a write or a handler before the engine.
	OnCall   func(side int, c engine.Call)
	OnAnswer func(side int, c engine.Call, r engine.Result)
	// OnToken, if set, gets every result of a fence before the engine.
	OnToken func(side int, c engine.Call, r engine.Result)
	// OnAsk, if set, is called before an engine is asked for a call.
	OnAsk func(side int)
	// OnWake, if set, gets the time that Next returns for a lane without a call.
	OnWake func(side int, lane engine.Lane, at time.Time)

	// Strict makes the store refuse what a store of level 3 refuses (W4 of package oracle).
	// New sets it for level 3.
	Strict bool

	// Refused, if set, reports whether an engine makes a write because a user has refused a cascade with
	// orphan: see Ledger.JudgeRefused.
	Refused func(c engine.Call) bool

	// restores counts the announced restores. The count is the epoch.
	restores int
	level    ownergraph.Level
	cfgs     []ownergraph.Config // of each side
	unserved []graph.Kind        // the kinds of Kinds that are not served now
	undoes   []graph.Kind        // the kinds for which the store undoes writes of engines
}

// New returns a world with the objects and n new engines. The kinds of the objects
// are added to the given kinds.
func New(level ownergraph.Level, cfg ownergraph.Config, n int, kinds []graph.KindInfo, objects []graph.Object) (*World, error) {
	return NewEach(level, slices.Repeat([]ownergraph.Config{cfg}, n), kinds, objects)
}

// NewEach is New with one engine for each Config. The Configs have to agree in the
// settings of the graph, and in Override.
func NewEach(level ownergraph.Level, cfgs []ownergraph.Config, kinds []graph.KindInfo, objects []graph.Object) (*World, error) {
	w := &World{Store: NewStore(objects), Kinds: kinds, Now: time.Unix(0, 0).UTC(), level: level, cfgs: cfgs}
	for _, o := range objects {
		w.AddKind(graph.KindInfo{Kind: o.Kind, Scoped: o.Scope != ""})
	}
	w.Ledger = invariant.NewLedger(w.Store.Objects())
	w.Strict = level >= ownergraph.Level3
	w.Ledger.Override, w.Ledger.Strict = cfgs[0].Override, w.Strict
	w.Ledger.Scope, w.Ledger.OwnerName = cfgs[0].Scope, cfgs[0].OwnerName
	w.Sides = make([]*Side, len(cfgs))
	for i := range w.Sides {
		if err := w.restart(i); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// AddKind adds a kind before the first step, if it is missing.
func (w *World) AddKind(k graph.KindInfo) {
	if w.kind(k.Kind) < 0 {
		w.Kinds = append(w.Kinds, k)
	}
}

func (w *World) kind(k graph.Kind) int {
	return slices.IndexFunc(w.Kinds, func(i graph.KindInfo) bool { return i.Kind == k })
}

// Clone returns an independent copy.
func (w *World) Clone() *World {
	c := *w
	c.Sides = make([]*Side, len(w.Sides))
	for i, s := range w.Sides {
		c.Sides[i] = s.clone()
	}
	c.Zombies = slices.Clone(w.Zombies)
	c.unserved = slices.Clone(w.unserved)
	c.Ledger = w.Ledger.Clone()
	return &c
}

// restart gives side i a new engine that knows the set of kinds alone.
func (w *World) restart(i int) error {
	e, err := engine.New(w.level, w.cfgs[i])
	if err != nil {
		return err
	}
	streams := make([]Stream, len(w.Kinds))
	if old := w.Sides[i]; old != nil {
		for k := range streams {
			streams[k].Down = old.Streams[k].Down
		}
	}
	w.Sides[i] = &Side{Engine: e, Streams: streams}
	if err := w.Announce(i); err != nil {
		return err
	}
	return w.observe(i, graph.Event{Type: graph.KindsKnown, Kinds: w.served()})
}

// Observe delivers the given events to a side's engine, besides those of its streams.
// It stops at the first event that the engine refuses.
func (w *World) Observe(side int, evs ...graph.Event) error {
	for _, ev := range evs {
		if err := w.observe(side, ev); err != nil {
			return err
		}
	}
	return nil
}

// observe delivers an event to a side's engine.
func (w *World) observe(side int, ev graph.Event) error {
	if w.OnEvent != nil {
		w.OnEvent(side, ev)
	}
	return w.Sides[side].Engine.Observe(w.Now, ev)
}

// Do carries out an action of a user. It returns true if the store changed, or if a first deletion by a user has reached an
// object of a store with entries.
func (w *World) Do(a oracle.Action) bool {
	if a.Verb == oracle.Restore {
		created, bad := w.RestoreEntries(archive.Request{Roots: []graph.UID{a.Object.UID}})
		w.breaks(bad)
		return len(created) > 0
	}
	if w.Strict {
		if w.Refuses(a) {
			return false
		}
		a = w.resolved(a)
	}
	reached := len(w.Store.archived.reached)
	ev, err := w.Store.Do(a)
	if err != nil || ev.Type == graph.EventUnset {
		return err == nil && len(w.Store.archived.reached) > reached
	}
	w.publish(ev)
	return true
}

// Plant creates an object with any UID, so that two objects may have the same UID.
// That breaks the contract of the store. It returns true if the place was free.
func (w *World) Plant(o graph.Object) bool {
	if _, taken := w.Store.find(o.Key); taken {
		return false
	}
	o.Version = w.Store.after("0")
	w.Store.put(o)
	w.publish(graph.Event{Type: graph.Put, Object: o})
	return true
}

// publish adds an event to every watch.
func (w *World) publish(ev graph.Event) {
	if ev.Type == graph.EventUnset {
		return
	}
	if w.OnCommit != nil {
		w.OnCommit(ev)
	}
	w.Ledger.Commit(ev)
	for _, s := range w.Sides {
		s.push(w.kind(ev.Of()), ev)
	}
}

// List begins a listing of a kind for a side.
func (w *World) List(side, kind int) {
	w.listFrom(side, kind, &w.Store)
}

func (w *World) listFrom(side, kind int, s *Store) {
	var at graph.Version
	if w.Store.counting {
		at = graph.Version(strconv.Itoa(s.revision))
	}
	w.Sides[side].list(kind, w.Kinds[kind].Kind, at, s.Objects())
}

// Deliver delivers the next event of a kind to a side's engine.
func (w *World) Deliver(side, kind int) error {
	s := w.Sides[side]
	st := &s.Streams[kind]
	ev := st.Events[0]
	st.Events = st.Events[1:]
	if ev.Type == graph.Put {
		ev.Object = ev.Object.Clone()
	}
	return w.observe(side, ev)
}

// Without an event, a result or a later time the work of an engine ends. Each Next that asks to be
// called again does some of it. So restless of them, and restNodes more for each node, are enough.
const restless, restNodes = 1000, 8

// livelock returns an error for an engine that has asked to be called again so many times, at one
// time, and has brought nothing.
func livelock(calls int, s engine.Stats) error {
	if calls <= restless+restNodes*s.Nodes {
		return nil
	}
	return fmt.Errorf("livelock: Next has asked for %d further calls and brought nothing: %d nodes, %d decisions", calls, s.Nodes, s.Decisions)
}

// Issue takes the next call of a lane from a side's engine, if there is one. A
// fence and a listing begin at once. An engine that asks again and again, and does not come to
// rest, is an error.
//
//test:by TestLivelock
func (w *World) Issue(side int, lane engine.Lane) (engine.Call, bool, error) {
	s := w.Sides[side]
	w.Polled = side
	if w.OnAsk != nil {
		w.OnAsk(side)
	}
	for n := 0; ; n++ {
		if n > restless {
			if err := livelock(n, s.Engine.Stats()); err != nil {
				return engine.Call{}, false, err
			}
		}
		c, at := s.Engine.Next(w.Now, lane)
		switch {
		case c.Type != engine.CallUnset:
			return c, true, w.begin(side, c)
		case at.IsZero() || at.After(w.Now):
			if w.OnWake != nil {
				w.OnWake(side, lane, at)
			}
			return c, false, nil
		}
	}
}

func (w *World) begin(side int, c engine.Call) error {
	s := w.Sides[side]
	if c.Type == engine.CallFence {
		s.Token++
	}
	if w.OnCall != nil {
		w.OnCall(side, c)
	}
	f := InFlight{Call: c}
	switch c.Type {
	case engine.CallFence:
		w.Requests[c.Type]++
		if w.Control != NoFault {
			return w.failControl(side, c)
		}
		s.fence(w.Kinds, w.unserved)
		s.Asked = append(s.Asked, Asked{Call: c, Token: s.Token})
		for !w.LateSets && len(s.Sets) > 0 {
			if err := w.PassSet(side); err != nil {
				return err
			}
		}
		if w.LateTokens {
			return nil
		}
		return w.Name(side, len(s.Asked)-1, NoFault)
	case engine.CallList:
		w.Requests[c.Type]++
		if w.Control != NoFault {
			return w.failControl(side, c)
		}
		if c.Kind != "" {
			w.List(side, w.kind(c.Kind))
		} else if err := w.observe(side, graph.Event{Type: graph.KindsKnown, Kinds: w.Served()}); err != nil {
			return err
		}
		return s.Engine.Done(w.Now, c.ID, engine.Result{})
	case engine.CallRead:
		f.Answer = w.answer(c.Key)
	case engine.CallSelect:
		if c.Select.After == "" {
			s.selecting = w.Store
		}
		f.Answer = w.selected(side, &s.selecting, c.Select)
	case engine.CallJudge:
		f.Answer = w.judged(side, c)
	case engine.CallHandle:
		w.breaks(w.Ledger.JudgeHandler(c))
	}
	s.Calls = append(s.Calls, f)
	return nil
}

// Name completes the call for a side's i-th fence with its token, or with a fault. The
// fence has begun, and with a fault the engine does not get its token.
func (w *World) Name(side, i int, fault Fault) error {
	s := w.Sides[side]
	f := s.Asked[i]
	s.Asked = slices.Delete(s.Asked, i, i+1)
	r := engine.Result{Fence: f.Token}
	if fault != NoFault {
		r = engine.Result{Err: fault.err()}
	}
	return w.named(side, f.Call, r)
}

// named gives an engine the result of a fence.
func (w *World) named(side int, c engine.Call, r engine.Result) error {
	if w.OnToken != nil {
		w.OnToken(side, c, r)
	}
	return w.Sides[side].Engine.Done(w.Now, c.ID, r)
}

// PassSet reports to a side's engine that the set of kinds has passed the next fence.
func (w *World) PassSet(side int) error {
	s := w.Sides[side]
	id := s.Sets[0]
	s.Sets = s.Sets[1:]
	return w.observe(side, graph.Event{Type: graph.FencePassed, Fence: id})
}

// answer returns the answer of a read at the present time.
func (w *World) answer(k graph.Key) (r engine.Result) {
	if r.Err = w.serves(k); r.Err == nil {
		r.Object, r.Err = w.Store.Get(k)
	}
	return r
}

// Outdated reports whether the i-th call of a side is a read with an old answer: the
// store would answer otherwise now.
func (w *World) Outdated(side, i int) bool {
	f := &w.Sides[side].Calls[i]
	if f.Type != engine.CallRead {
		return false
	}
	now := w.answer(f.Key)
	return (now.Err == nil) != (f.Answer.Err == nil) ||
		now.Object.UID != f.Answer.Object.UID || now.Object.Version != f.Answer.Object.Version
}

// Overtaken reports whether a listing of a kind would show other objects if it began
// now. No event of the listing has been delivered yet, except its begin.
func (w *World) Overtaken(side, kind int) bool {
	i := 0
	events := w.Sides[side].Streams[kind].Events[1:]
	for _, o := range w.Store.Objects() {
		if o.Kind != w.Kinds[kind].Kind {
			continue
		}
		if e := events[i]; e.Type != graph.Put || e.Object.UID != o.UID || e.Object.Version != o.Version {
			return true
		}
		i++
	}
	return events[i].Type != graph.ListEnded
}

// Renew replaces the answer of the i-th call of a side by one of the present time.
// The call is a read, a selection or a judgement.
func (w *World) Renew(side, i int) {
	f := &w.Sides[side].Calls[i]
	switch f.Type {
	case engine.CallSelect:
		f.Answer = w.selected(side, &w.Store, f.Select)
	case engine.CallJudge:
		f.Answer = w.judged(side, f.Call)
	default:
		f.Answer = w.answer(f.Key)
	}
}

// Complete completes the i-th call under way of a side without a fault. A handler
// succeeds.
func (w *World) Complete(side, i int) error {
	_, err := w.CompleteAs(side, i, NoFault)
	return err
}

// write carries out a write.
func (w *World) write(c engine.Call) error {
	if slices.Contains(w.undoes, c.Key.Kind) {
		return w.undo(c)
	}
	var ev graph.Event
	before, err := w.Store, w.serves(c.Key)
	switch {
	case err != nil:
	case c.Type == engine.CallDelete:
		if err = w.restricted(c); err == nil {
			ev, err = w.Store.Delete(c.Key, c.Options)
		}
	case c.Type == engine.CallPatch:
		ev, err = w.Store.Patch(c.Key, c.Precondition, c.Change)
	default:
		return fmt.Errorf("carry out %s: no write", c.Type)
	}
	if err == nil && ev.Type != graph.EventUnset {
		if w.OnWrite != nil {
			w.OnWrite(&before, c)
		}
		w.judge(c)
		w.publish(ev)
	}
	return err
}

// judge judges a write of an engine.
func (w *World) judge(c engine.Call) {
	if w.Refused != nil && w.Refused(c) {
		w.breaks(w.Ledger.JudgeRefused(c))
		return
	}
	w.breaks(w.Ledger.Judge(c))
}

// breaks notes the first broken invariant.
func (w *World) breaks(bad error) {
	if bad != nil && w.broken == nil {
		w.broken = bad
	}
}

// judged returns the verdict of a guard by what the engine knows now.
func (w *World) judged(side int, c engine.Call) (r engine.Result) {
	r.Verdict, r.Err = ownergraph.Judge(context.Background(), w.Sides[side].Engine, c)
	return r
}

// Err returns the first invariant that a write of an engine broke, or nil.
func (w *World) Err() error { return w.broken }

// Crash ends a side's engine and begins a new one. The writes under way of the old
// engine may still complete.
func (w *World) Crash(side int) error {
	for _, f := range w.Sides[side].Calls {
		if f.writes() && !f.Committed {
			w.Zombies = append(w.Zombies, f.Call)
		}
	}
	return w.restart(side)
}

// Reconfigure changes the Config of the engines that a side begins from now on.
func (w *World) Reconfigure(side int, change func(*ownergraph.Config)) {
	w.cfgs = slices.Clone(w.cfgs)
	change(&w.cfgs[side])
}

// CompleteZombie completes the i-th write of a crashed engine.
func (w *World) CompleteZombie(i int) error {
	c := w.Zombies[i]
	w.Zombies = slices.Delete(w.Zombies, i, i+1)
	_ = w.write(c) // the engine is gone, and no engine takes the result
	return nil
}
