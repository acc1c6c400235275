package sim

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/proof/invariant"
	"github.com/ownergraph/ownergraph/internal/proof/world"
)

// sim is one world at work, with its judges.
type sim struct {
	o         options
	w         *world.World
	rng       *rand.Rand
	pool      []graph.Key
	start     []graph.Object
	witnesses []*invariant.Witness
	defect    func(s *sim, st step) // a defect of the world, done before a step

	backup        world.Store
	down          [8]op                // by kind: opSick, opVanish, opDown, or opList for none
	served        [8]int               // the step at which the kind was last served again
	issued        map[issue]int        // the step at which a write was issued
	decidedBefore [maxEngines]uint64   // decisions of each engine at its last cause
	everStored    map[graph.Key]bool   // objects that are, or were, in the store
	latest        time.Time            // that the clock has shown before it went back
	asleep        [2]int               // the last engine sleeps from one step to another
	sums          map[graph.Key]uint64 // of the objects in the store
	sum           uint64
	at            int               // steps so far
	every         int               // steps between two full checks
	sweeps        *invariant.Sweeps // nil in a world without
	bySweep       map[issue]bool    // of decided deletes: whether a sweep did it
	broken        error
	unlisted      [maxEngines][8]bool     // by engine and kind: sick until it is listed
	callers       [maxEngines][]seq.Stamp // by engine: the beginnings of the waits of WaitIdle
	record        *recorder               // nil unless the history is recorded
	effort        map[issue]bool          // of calls that are labelled best effort
	moves         []move
	weights       int
	calmed        bool               // no step was made since calm
	orphaned      map[graph.Key]bool // since the last plan was made; nil at other times
	spared        map[graph.Key]bool // the engines have ended their orphaning
	traced        bool               // errors name the moves of a plan's end
	plans         Plans
	batched       [world.BatchEnds]int // batches of several writes
	shields       []shield             // by engine; nil in a world without guards
	issuers       map[issue][]int      // the engines that asked for a write
	lives         []life               // by engine; nil in a world without brakes
	graces        graces               // in a world with grace periods
	carried       int                  // deletes with the period of an owner
	repeats       int                  // deletions that a guard has repeated with a period
	unbraked      map[graph.UID]bool   // guarded roots, whose cascades have no limit
	asked         map[issue]cause      // of the writes that engines with brakes ask for
	paused        [maxEngines][]engine.Extent
	parts         []part // by engine; nil in a world without shares
	covered       bool   // the sets are those of cover
	stay          bool   // and they stay
}

// issue names a write. Engines that follow each other count from 1.
type issue struct {
	id  engine.CallID
	key graph.Key
}

// begin makes the world of a seed.
func begin(h History) (*sim, error) { return beginRecorded(h, nil) }

// beginRecorded is begin with a recorder of the history, nil for none.
func beginRecorded(h History, r *recorder) (*sim, error) {
	rng := rand.New(rand.NewPCG(h.Seed, 0x0eed))
	o := h.draw(rng)
	pool := o.pool(rng)
	return beginAll(o, rng, pool, o.start(rng, pool), r)
}

func beginWith(o options, rng *rand.Rand, pool []graph.Key, start []graph.Object) (*sim, error) {
	return beginAll(o, rng, pool, start, nil)
}

func beginAll(o options, rng *rand.Rand, pool []graph.Key, start []graph.Object, r *recorder) (*sim, error) {
	s := &sim{
		o: o, rng: rng, pool: pool, start: start, every: recheck, record: r,
		issued: map[issue]int{}, effort: map[issue]bool{}, sums: map[graph.Key]uint64{}, asked: map[issue]cause{}, everStored: map[graph.Key]bool{}, spared: map[graph.Key]bool{}, graces: graces{},
	}
	for k := range s.down {
		s.down[k], s.served[k] = opList, -1
	}
	cfg := o.config()
	s.makeShields(o.configs(cfg))
	if o.has(duplicateUIDs) || o.has(policies) {
		cfg.OnDecision = func(d engine.DecisionEvent) { s.witnesses[s.w.Polled].Decided(d.Call) }
	}
	infos := o.infos()
	for i := range o.engines {
		x := invariant.NewWitness(o.level, o.absent)
		x.Compares, x.Policies = o.counting, o.policied(i)
		x.Ignores = ignored
		x.Observed(graph.Event{Type: graph.KindsKnown, Kinds: infos})
		s.witnesses = append(s.witnesses, x)
	}
	if err := s.sweeping(&cfg); err != nil {
		return nil, err
	}
	s.efforts(&cfg)
	cfgs := o.configs(cfg)
	for i := range cfgs {
		s.sharing(i, &cfgs[i])
		s.beginLife(i)
		s.braked(i, &cfgs[i])
	}
	if r != nil {
		r.configure(cfgs)
	}
	w, err := world.NewEach(o.level, cfgs, infos, start)
	if err != nil {
		return nil, err
	}
	if o.has(archives) {
		w.Archives()
	}
	s.w, s.backup = w, w.Store
	s.beginShields()
	if o.counting {
		w.CountRevisions()
	}
	for _, x := range w.Store.Objects() {
		s.count(graph.Event{Type: graph.Put, Object: x})
	}
	s.watch()
	s.labelAll()
	if !o.cold {
		if err := w.RunToRest(); err != nil {
			return nil, err
		}
		s.noteCauses()
	}
	w.LateSets, w.LateTokens = o.has(lateSets), o.has(lateTokens)
	return s, s.broken
}

// watch connects the judges to the world.
func (s *sim) watch() {
	s.w.OnCommit = s.count
	if s.sweeps != nil {
		s.w.OnCommit = func(ev graph.Event) {
			s.count(ev)
			s.sweeps.Labels = s.w.Store.Labels()
			s.sweeps.Commit(s.countAll(s.w.Store.Objects()))
		}
	}
	if inner := s.w.OnCommit; s.shields != nil {
		s.w.OnCommit = func(ev graph.Event) {
			s.shieldCommit(ev)
			inner(ev)
		}
	}
	s.w.OnEvent = func(side int, ev graph.Event) {
		s.witnesses[side].Observed(s.seen(side, ev))
		s.noteCause(side)
	}
	s.w.OnAnswer = func(side int, c engine.Call, r engine.Result) {
		s.uncharge(side, c, r)
		s.witnesses[side].Answered(c, s.answered(side, r))
		s.noteCause(side)
		if c.Type == engine.CallPatch && c.Change.DropFinalizer == graph.FinalizerOrphan && r.Err == nil { // the store may have undone it
			s.spared[c.Key] = true
		}
	}
	s.w.OnToken = func(side int, c engine.Call, r engine.Result) {
		s.witnesses[side].Answered(c, r)
		s.noteCause(side)
	}
	s.w.OnCall = s.judgeCall
	s.w.OnAsk = s.lapse
	if s.record != nil {
		s.record.watch(s.w)
	}
	s.w.OnWrite = func(before *world.Store, c engine.Call) {
		if c.Type == engine.CallPatch && c.Change.DropFinalizer == graph.FinalizerOrphan {
			s.spared[c.Key] = true
		}
		if bad := s.judgePeriod(before, c); bad != nil {
			s.fail(bad)
		}
		bad := s.judgeWrite(before, c)
		if s.sweeps != nil {
			bad = s.judgeSweep(c, bad)
		}
		if bad != nil && !s.excused(c, bad) {
			s.fail(bad)
		}
	}
}

// judgeWrite judges a write before its commit.
func (s *sim) judgeWrite(before *world.Store, c engine.Call) error {
	if s.shields == nil {
		return s.judgeBy(s.w.Ledger, c)
	}
	o, _ := before.At(c.Key)
	return s.judgeShield(c, o)
}

// fail keeps the first broken rule.
func (s *sim) fail(err error) {
	if s.broken == nil {
		s.broken = err
	}
}

// judgeCall judges a call at its issue.
func (s *sim) judgeCall(side int, c engine.Call) {
	var live *graph.Object
	if c.Type == engine.CallPatch || c.Type == engine.CallDelete {
		s.issued[issue{c.ID, c.Key}] = s.at
		s.noteAsked(side, c)
		pre := c.Precondition
		if c.Type == engine.CallDelete {
			pre = c.Options.Precondition
		}
		if o, ok := s.w.Store.At(c.Key); ok && pre.Holds(o) {
			live = &o
		}
	}
	if s.o.tuning.observes[side] && (c.Type == engine.CallPatch || c.Type == engine.CallDelete || c.Type == engine.CallHandle) {
		s.fail(fmt.Errorf("S5: engine %d only observes, and asks for %s %s", side, c.Type, c.Key))
	}
	if bad := errors.Join(s.judgeAsked(side, c, live), s.judgeDelete(side, c), s.judgePause(side, c), s.judgeShare(side, c), s.judgeCause(side, c)); bad != nil {
		s.fail(bad)
	}
	repeats := live != nil && repeated(c, live)
	if s.shields != nil && live != nil {
		*live = s.shields[side].counts(*live)
	}
	if bad := s.witnesses[side].Handed(c, live); bad != nil && !s.exempt(c, bad) && !repeats {
		s.fail(fmt.Errorf("engine %d: %w", side, bad))
	}
}

// excused reports whether the promises do not cover a broken rule. Without fences,
// foreground and orphan deletions are best effort. The same is true for the objects of a
// kind that was not served at some time since the issue of the write.
func (s *sim) excused(c engine.Call, err error) bool {
	var bad *invariant.Breach
	if !errors.As(err, &bad) {
		return false
	}
	if s.exempt(c, bad) {
		return true
	}
	if s.o.level < ownergraph.Level2 {
		return bad.Rule[:2] == "S2" || bad.Rule[:2] == "S3" || bad.Rule == "E4" && bad.Ends
	}
	k := slices.IndexFunc(s.w.Kinds, func(i graph.KindInfo) bool { return i.Kind == bad.Other.Kind })
	return bad.Ends && k >= 0 && s.hidden(c, k)
}

// hidden reports whether a kind was not served at some time since the issue of a write.
func (s *sim) hidden(c engine.Call, kind int) bool {
	since, known := s.issued[issue{c.ID, c.Key}]
	return s.down[kind] == opVanish || known && s.served[kind] >= since
}

// count keeps the sum of the objects in the store.
func (s *sim) count(ev graph.Event) {
	s.noteExempt(ev)
	s.notePeriod(ev)
	k, sum := ev.Key, uint64(0)
	if ev.Type == graph.Put {
		k, sum = ev.Object.Key, invariant.Sum(&ev.Object)
		if s.o.tenancy.labelled() {
			sum = mix(sum, invariant.SumLabels(s.w.Store.Labels()[k]))
		}
	}
	s.sum ^= s.sums[k] ^ sum
	if sum == 0 {
		delete(s.sums, k)
	} else {
		s.sums[k] = sum
		s.everStored[k] = true
	}
}

// recount makes the sum anew, after a restore.
func (s *sim) recount() {
	clear(s.sums)
	s.sum = 0
	for _, x := range s.w.Store.Objects() {
		s.count(graph.Event{Type: graph.Put, Object: x})
	}
}

// noteCause notes that an engine got an event or a result. From now on it may decide.
func (s *sim) noteCause(side int) {
	if side < len(s.w.Sides) && s.w.Sides[side] != nil {
		s.decidedBefore[side] = s.w.Sides[side].Engine.Stats().Decisions
	}
}

// noteCauses notes a cause for every engine, since time has passed.
func (s *sim) noteCauses() {
	for side := range s.w.Sides {
		s.noteCause(side)
	}
}

// fingerprint stands for the state of the world. See the package's doc.
func (s *sim) fingerprint() uint64 {
	h := s.sum
	for i, side := range s.w.Sides {
		h = mix(h, s.witnesses[i].Sum())
		for k := range side.Streams {
			st := &side.Streams[k]
			x := uint64(len(st.Events))<<8 | uint64(s.down[k])
			if st.Begun {
				x |= 1 << 7
			}
			h = mix(h, x)
		}
		for c := range side.Calls {
			f := &side.Calls[c]
			x := uint64(f.Type)
			for _, b := range []byte(f.Key.UID) {
				x = x<<5 ^ x>>59 ^ uint64(b)
			}
			h = mix(h, x)
		}
	}
	return mix(h, uint64(len(s.w.Zombies)))
}

func mix(h, x uint64) uint64 {
	h = (h ^ x) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}
