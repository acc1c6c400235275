package sim

import (
	"fmt"
	"io"
	"runtime/debug"

	"github.com/ownergraph/ownergraph/internal/proof/world"
)

// History names a history. It is a value.
type History struct {
	Seed  uint64
	Steps int // in safety mode
	// Without names faults that no world has, separated by commas. It hides a known
	// failure, so that others show.
	Without string
	// With names faults that a world has only if asked: "returns" and "shares". It also gives
	// "policies" and "periods" to each world.
	With string
}

// String returns the command line that runs the history.
func (h History) String() string {
	line := fmt.Sprintf("go run ./internal/proof/sim/cmd/sim -seed %d -steps %d", h.Seed, h.Steps)
	if h.Without != "" {
		line += " -without " + h.Without
	}
	if h.With != "" {
		line += " -with " + h.With
	}
	return line
}

// Result is the outcome of one history. It is a value.
type Result struct {
	History
	// Made is the number of steps made in safety mode.
	Made int
	// Broken is the first broken rule, nil if there is none.
	Broken error
	// Plans are those that were compared with their ends.
	Plans Plans
	// Digest is a hash of the engines' observable behaviour, if it was recorded.
	Digest uint64

	steps   []step               // if they were recorded
	batched [world.BatchEnds]int // batches of several writes, of a history that breaks no rule
}

// Run runs a history in both modes. It adds each step's fingerprint to the count, if
// that is not nil.
func (h History) Run(count *Count) Result {
	return h.run(count, nil, false)
}

// Record is Run with a digest of the engines' observable behaviour. The digest covers
// the events and results that the engines get, their calls, decisions, wake times and
// reports, and the store at the end. Record also writes every line of the digest to
// out, if that is not nil.
func (h History) Record(count *Count, out io.Writer) Result {
	return h.recorded(count, nil, false, newRecorder(out))
}

func (h History) run(count *Count, defect func(*sim, step), note bool) Result {
	return h.recorded(count, defect, note, nil)
}

func (h History) recorded(count *Count, defect func(*sim, step), note bool, rec *recorder) (r Result) {
	r.History = h
	defer func() {
		if p := recover(); p != nil {
			r.Broken = fmt.Errorf("S18: panic: %v\n%s", p, debug.Stack())
		}
		if rec != nil {
			r.Digest = rec.sum(r.Broken)
		}
	}()
	s, err := beginRecorded(h, rec)
	if err != nil {
		r.Broken = err
		return r
	}
	s.defect = defect
	noted := func(st step) {
		if note {
			r.steps = append(r.steps, st)
		}
	}
	if r.Broken = r.makeSteps(s, count, noted); r.Broken != nil {
		return r
	}
	s.defect = nil
	if r.Broken = s.convergeRecorded(rec); r.Broken == nil {
		r.Broken = s.foresee(noted)
	}
	r.Plans, r.batched = s.plans, s.batched
	return r
}

// convergeRecorded is converge, and ends the digest of a recorder, nil for none.
func (s *sim) convergeRecorded(rec *recorder) error {
	if rec == nil {
		return s.converge()
	}
	rec.rest(s)
	err := s.converge()
	rec.rest(s)
	rec.over = true
	return err
}

// makeSteps makes the steps of safety mode, and counts them.
func (r *Result) makeSteps(s *sim, count *Count, note func(step)) error {
	for r.Made < r.Steps {
		st := s.next()
		note(st)
		r.Made++
		if err := s.do(st); err != nil {
			return err
		}
		if count != nil {
			count.Add(s.fingerprint())
		}
	}
	return nil
}

// replay makes the given steps in the world of a plan and runs it to rest. It returns
// the number of steps before the first broken rule, and the rule.
func replay(p plan, trace func(s *sim, st step)) (at int, broken error) {
	defer func() {
		if p := recover(); p != nil {
			broken = fmt.Errorf("S18: panic: %v\n%s", p, debug.Stack())
		}
	}()
	s, err := p.begin()
	if err != nil {
		return 0, err
	}
	s.defect, s.every, s.traced = p.defect, max(p.every, 1), true
	for i, st := range p.steps {
		if trace != nil {
			trace(s, st)
		}
		if err := s.do(st); err != nil {
			return i + 1, err
		}
	}
	s.defect = nil
	if trace != nil {
		trace(s, step{op: numOps})
	}
	return len(p.steps), s.converge()
}
