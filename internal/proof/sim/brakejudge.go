package sim

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/invariant"
	"github.com/ownergraph/ownergraph/internal/run"
	"github.com/ownergraph/ownergraph/policy"
)

// This file judges the brakes of the engines (RULES, G5).

// life has the deletes of one engine, from its beginning to its crash.
type life struct {
	brake   engine.Brake
	began   time.Time
	spans   []span    // of the window, as the share of the engine changes
	latest  time.Time // that the engine has been given
	rewinds uint64
	charges map[engine.CallID]charge // of the deletes that are decided or under way
	handed  map[graph.Key]*int       // deletes without an approval, by root
	below   map[graph.Key]*int       // the same, by the only owner of the objects
	grants  map[graph.Key]*grant     // the approvals in force
	tripped map[graph.Key]bool       // cascades that wait for an answer
	refused map[graph.Key]engine.Refusal
	deletes []time.Time            // the times at which the deletes were decided that were handed out
	repeats map[engine.CallID]bool // deletions of marked roots, which have no limit
	spares  map[engine.CallID]bool // drops for cascades that a user has refused
}

// leftOut is the cascade of the objects that have roots which are not known. It has no limit: each
// delete needs an approval.
var leftOut = graph.Key{UID: "roots-left-out"}

// charge is what a delete counts for.
type charge struct {
	counts []*int
	grants []*grant
	at     time.Time // it was decided
}

// grant is an approval.
type grant struct {
	until        time.Time
	atMost, used int
}

// beginLife begins the life of an engine.
func (s *sim) beginLife(side int) {
	if !s.o.has(brakes) {
		return
	}
	if s.lives == nil {
		s.lives, s.unbraked = make([]life, s.o.engines), map[graph.UID]bool{}
	}
	now := time.Unix(0, 0)
	if s.w != nil {
		now = s.w.Now
	}
	s.lives[side] = life{
		brake: s.o.braking[side], began: now, latest: now, charges: map[engine.CallID]charge{}, handed: map[graph.Key]*int{}, below: map[graph.Key]*int{},
		grants: map[graph.Key]*grant{}, repeats: map[engine.CallID]bool{}, spares: map[engine.CallID]bool{}, tripped: map[graph.Key]bool{}, refused: map[graph.Key]engine.Refusal{},
		spans: []span{{now, s.partOf(side, s.o.braking[side].Window)}},
	}
}

// time returns the time of the engine, which does not go back.
func (x *life) time(now time.Time) time.Time {
	if now.After(x.latest) {
		x.latest = now
	}
	return x.latest
}

// clock returns the latest time that the engine may have been given.
func (s *sim) clock(x *life) time.Time {
	if now := x.time(s.w.Now); now.After(s.latest) {
		return now
	}
	return s.latest
}

// noteHeld notes the cascades that wait for an answer.
func (x *life) noteHeld(e *engine.Engine) {
	for _, b := range e.Braked(1 << 20) {
		x.tripped[b.Key] = x.tripped[b.Key] || b.Refused == engine.RefusalUnset
	}
}

// braked gives the decisions of an engine to the judge.
func (s *sim) braked(side int, c *ownergraph.Config) {
	if !s.o.has(brakes) {
		return
	}
	inner := c.OnDecision
	c.OnDecision = func(d engine.DecisionEvent) {
		switch {
		case d.Call != 0 && d.Reason == policy.CascadeRefused:
			s.spare(side, d)
		case d.Call == 0 || d.Action != policy.Delete:
		case d.Reason == policy.OrderNeedsForeground, d.Reason == policy.GraceNeedsForeground: // of a marked root
			s.lives[side].repeats[d.Call] = true
		default:
			s.charge(side, d)
		}
		if inner != nil {
			inner(d)
		}
	}
}

// charge judges the decision of a delete by the answers of users, and notes for what it counts. A
// cascade that a guard judges has no limit.
func (s *sim) charge(side int, d engine.DecisionEvent) {
	x := &s.lives[side]
	s.noteRewinds(side)
	roots, known := cascades(d), len(d.Root.Keys) > 0 && d.Holder.UID == ""
	c := charge{at: s.clock(x)}
	for _, k := range roots {
		g := x.grants[k]
		switch {
		case s.unbraked[k.UID]:
			continue
		case x.refused[k] != engine.RefusalUnset:
			s.fail(fmt.Errorf("G5: engine %d deletes %s, and a user has refused the cascade of %s", side, d.Key, k))
		case g != nil && !x.time(s.w.Now).Before(g.until):
			s.fail(fmt.Errorf("G5: engine %d deletes %s, and the approval of %s has expired", side, d.Key, k))
		case g != nil:
			c.grants = append(c.grants, g)
			continue
		case k == leftOut && x.brake.PerCascade > 0:
			s.fail(fmt.Errorf("G5: engine %d deletes %s, and its roots are not known", side, d.Key))
		case x.tripped[k]:
			s.fail(fmt.Errorf("G5: engine %d deletes %s, and the cascade of %s waits for an answer", side, d.Key, k))
		}
		c.counts = append(c.counts, counter(x.handed, k))
	}
	if len(c.grants) == 0 && len(c.counts) == len(roots) && known && len(d.Owners) == 1 && x.rewinds == 0 {
		c.counts = append(c.counts, counter(x.below, d.Owners[0].Key))
	}
	x.charges[d.Call] = c
}

// spare judges the decision to take the references off by which an object goes: a user has refused a
// cascade with orphan. The decision does not name the cascade.
func (s *sim) spare(side int, d engine.DecisionEvent) {
	x := &s.lives[side]
	x.spares[d.Call] = true
	if !slices.Contains(slices.Collect(maps.Values(x.refused)), engine.OrphanHeld) {
		s.fail(fmt.Errorf("G5: engine %d takes the owners off %s, and no user has refused a cascade with orphan", side, d.Key))
	}
}

// cause is that of a write: it follows the answer of a user, or it does not. Two engines may count their
// calls alike, and an engine after a crash counts anew. Then a write may have both.
type cause struct{ refused, other bool }

// noteAsked notes for which cause an engine asks for a write.
func (s *sim) noteAsked(side int, c engine.Call) {
	if s.lives == nil {
		return
	}
	x := s.asked[issue{c.ID, c.Key}]
	if s.lives[side].spares[c.ID] {
		x.refused = true
	} else {
		x.other = true
	}
	s.asked[issue{c.ID, c.Key}] = x
}

// judgeBy lets a ledger judge a write.
func (s *sim) judgeBy(l *invariant.Ledger, c engine.Call) error {
	x := s.asked[issue{c.ID, c.Key}]
	if !x.refused {
		return l.Judge(c)
	}
	bad := l.JudgeRefused(c)
	if bad != nil && x.other {
		return l.Judge(c)
	}
	return bad
}

// cascades returns the roots for which a delete counts (RULES, G5 c).
func cascades(d engine.DecisionEvent) []graph.Key {
	switch {
	case d.Holder.UID != "":
		return []graph.Key{d.Holder}
	case d.Root.More > 0 || len(d.Root.Keys) == 0:
		return append(slices.Clone(d.Root.Keys), leftOut)
	}
	return d.Root.Keys
}

// counter returns the counter of a key.
func counter(of map[graph.Key]*int, k graph.Key) *int {
	if of[k] == nil {
		of[k] = new(int)
	}
	return of[k]
}

// add counts a delete in, or out with -1.
func (c *charge) add(n int) {
	for _, at := range c.counts {
		*at += n
	}
	for _, g := range c.grants {
		g.used += n
	}
}

// judgeDelete judges a delete as an engine hands it out: by the limit, by the approvals, and by
// the window. The window begins empty, and saves no more than its size.
func (s *sim) judgeDelete(side int, c engine.Call) error {
	if s.lives == nil || c.Type != engine.CallDelete || s.lives[side].repeats[c.ID] {
		return nil
	}
	x := &s.lives[side]
	y := x.charges[c.ID]
	y.add(1)
	x.deletes = append(x.deletes, y.at)
	for _, n := range y.counts {
		if limit := s.partOf(side, x.brake.PerCascade); *n > limit && limit > 0 {
			return fmt.Errorf("G5: engine %d hands out %d deletes of the cascade of %s, the limit is %d", side, *n, c.Key, limit)
		}
	}
	if err := s.judgeSum(x.brake.PerCascade); err != nil {
		return err
	}
	for _, g := range y.grants {
		if g.used > g.atMost {
			return fmt.Errorf("G5: engine %d hands out %d deletes of the cascade of %s, %d are approved", side, g.used, c.Key, g.atMost)
		}
	}
	if x.brake.Window == 0 {
		return nil
	}
	if s.o.has(clocks) && len(x.spans) > 1 { // the engine may have changed its window at another time
		return nil
	}
	if err := x.judgeWindow(side, s.clock(x)); err != nil || s.o.has(clocks) { // a clock that goes back repeats its periods
		return err
	}
	return x.judgePeriod(side, y.at)
}

// judgeWindow judges the number of deletes since the beginning of the engine.
func (x *life) judgeWindow(side int, now time.Time) error {
	most, rest := 0, time.Duration(0) // of a token, times the period: it goes on in the next span
	for i, y := range x.spans {
		end := now
		if i+1 < len(x.spans) {
			end = x.spans[i+1].began
		}
		long := end.Sub(y.began)
		most += int(long/x.brake.Per) * y.window
		rest += long % x.brake.Per * time.Duration(y.window)
	}
	most += int(rest / x.brake.Per)
	if n := len(x.deletes); n > most {
		return fmt.Errorf("G5: engine %d hands out %d deletes in %v since it began, %d at most", side, n, now.Sub(x.began), most)
	}
	return nil
}

// judgePeriod judges the number of deletes that were decided in one period. An engine may decide
// some calls before a caller asks for them.
func (x *life) judgePeriod(side int, decided time.Time) error {
	n, window := 0, 0
	for i, y := range x.spans {
		if i+1 == len(x.spans) || decided.Sub(x.spans[i+1].began) < x.brake.Per {
			window = max(window, y.window)
		}
	}
	for _, at := range x.deletes {
		if age := decided.Sub(at); age >= 0 && age < x.brake.Per {
			n++
		}
	}
	if n > 2*window {
		return fmt.Errorf("G5: engine %d decides %d deletes in %v, and the window has %d", side, n, x.brake.Per, window)
	}
	return nil
}

// uncharge takes a delete off the counts that the store has definitely not carried out. A call
// that was given back did not use the window either.
func (s *sim) uncharge(side int, c engine.Call, r engine.Result) {
	if s.lives == nil || c.Type != engine.CallDelete || s.lives[side].repeats[c.ID] {
		return
	}
	x := &s.lives[side]
	y := x.charges[c.ID]
	delete(x.charges, c.ID)
	_, delayed := run.RetryIn(r.Err)
	returned := errors.Is(r.Err, ownergraph.ErrNotBegun)
	if returned {
		i := slices.Index(x.deletes, y.at)
		x.deletes = slices.Delete(x.deletes, i, i+1)
	}
	if returned || delayed || errors.Is(r.Err, graph.ErrConflict) || errors.Is(r.Err, graph.ErrNotFound) || errors.Is(r.Err, graph.ErrRefused) || errors.Is(r.Err, graph.ErrKindUnknown) {
		y.add(-1)
	}
}

// noteRewinds notes the rewinds of an engine. They take the approvals back.
func (s *sim) noteRewinds(side int) {
	if n, x := s.w.Sides[side].Engine.Stats().Rewinds, &s.lives[side]; n != x.rewinds {
		x.rewinds = n
		clear(x.grants)
	}
}

// noteExempt notes the roots that a guard has judged, or judges: their cascades have no limit.
func (s *sim) noteExempt(ev graph.Event) {
	if o := &ev.Object; s.lives != nil && ev.Type == graph.Put && (o.HasFinalizer(graph.FinalizerHold) || o.HasFinalizer(graph.FinalizerNew)) {
		s.unbraked[o.UID] = true
	}
}
