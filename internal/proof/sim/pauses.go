package sim

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

// extents are the pauses that no kind names. Kinds follow them.
var extents = [...]engine.Extent{{All: true}, {InScope: true, Scope: "s"}, {InScope: true, Scope: "t"}, {InScope: true}}

// extent returns the extent with a number.
func (s *sim) pauseOf(n int16) engine.Extent {
	if int(n) < len(extents) {
		return extents[n]
	}
	return engine.Extent{Kind: s.w.Kinds[(int(n)-len(extents))%len(s.w.Kinds)].Kind}
}

// covers reports whether a pause covers an object.
func covers(x engine.Extent, k graph.Key) bool {
	return x.All || x.InScope && x.Scope == k.Scope || x.Kind != "" && x.Kind == k.Kind
}

// acts reports whether a call is a write or a run of a handler.
func acts(c engine.Call) bool {
	return c.Type == engine.CallPatch || c.Type == engine.CallDelete || c.Type == engine.CallHandle
}

// pauseMove draws a pause of an engine. Two in three moves of an engine with pauses end one.
func (s *sim) pauseMove(st step) step {
	if len(s.paused[st.side]) > 0 && s.rng.IntN(3) > 0 {
		st.op, st.number = opResume, int16(s.rng.IntN(8))
		return st
	}
	if st.number = int16(s.rng.IntN(len(extents) + len(s.w.Kinds))); st.number == 0 && s.rng.IntN(2) == 0 {
		st.number = int16(len(extents))
	}
	return st
}

// pause begins a pause. The report names the calls under way that it covers.
func (s *sim) pause(st step) error {
	side, what := int(st.side), s.pauseOf(st.number)
	r, err := s.w.Sides[side].Engine.Pause(s.w.Now, what)
	if err != nil {
		return err
	}
	s.noteCause(side)
	if !slices.Contains(s.paused[side], what) {
		s.paused[side] = append(s.paused[side], what)
	}
	n := 0
	for i := range s.w.Sides[side].Calls {
		if c := &s.w.Sides[side].Calls[i]; acts(c.Call) && covers(what, keyOf(c.Call)) {
			n++
		}
	}
	if len(r.UnderWay) != n {
		return fmt.Errorf("G6: engine %d pauses %s with %d calls under way, and names %q", side, what, n, r.UnderWay)
	}
	return nil
}

// keyOf returns the object of a call.
func keyOf(c engine.Call) graph.Key {
	if c.Type == engine.CallHandle {
		return c.Object.Key
	}
	return c.Key
}

// resume ends one of the pauses of an engine.
func (s *sim) resume(st step) error {
	side := int(st.side)
	if len(s.paused[side]) == 0 {
		return nil
	}
	i := int(st.number) % len(s.paused[side])
	what := s.paused[side][i]
	s.paused[side] = slices.Delete(s.paused[side], i, i+1)
	s.noteCause(side)
	return s.w.Sides[side].Engine.Resume(s.w.Now, what)
}

// resumeAll ends all pauses.
func (s *sim) resumeAll() error {
	for i := range s.w.Sides {
		for len(s.paused[i]) > 0 {
			if err := s.resume(step{side: int8(i)}); err != nil {
				return err
			}
		}
		if left := s.w.Sides[i].Engine.Paused(); len(left) > 0 {
			return fmt.Errorf("G6: engine %d reports a pause of %s after its end", i, left[0].What)
		}
	}
	return nil
}

// judgePause judges a call as an engine hands it out (RULES, G6).
func (s *sim) judgePause(side int, c engine.Call) error {
	for _, what := range s.paused[side] {
		if acts(c) && covers(what, keyOf(c)) {
			return fmt.Errorf("G6: engine %d hands out %s of %s during a pause of %s", side, c.Type, keyOf(c), what)
		}
	}
	return nil
}
