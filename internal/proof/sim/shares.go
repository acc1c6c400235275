package sim

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/world"
	"github.com/ownergraph/ownergraph/share"
)

// maxEngines is the largest number of engines of a world. Only worlds with shares have more than
// three.
const maxEngines = 5

// sharing has the shares of a world. It follows from the seed.
type sharing struct {
	first  [maxEngines]share.Set // at the beginning
	alike  bool                  // the engines have one Config
	static bool                  // the first sets are disjoint, have every UID, and stay
	busy   int                   // weight of a move of a set
	stale  int                   // the engine whose set moves least
	// early: the sets may come to have every UID in safety mode, and stay from then on.
	early bool
	// unaudited: no audit repairs what the engines have missed.
	unaudited bool
	cover     coverage
}

// unaudited is the time between two audits of a world that has none.
const unaudited = 100_000 * time.Hour

// coverage is the form of the sets that have every UID together.
type coverage uint8

const (
	disjoint    coverage = iota
	overlapping          // each set has a part of another one, too
	standby              // one engine has all UIDs, and the others none
	every                // each engine has all UIDs
	numCoverages
)

var coverageNames = [...]string{"disjoint", "overlapping", "standby", "every"}

// String returns it in one line.
func (y sharing) String() string {
	line := fmt.Sprintf("shares, moves %d, stale %d, cover %s", y.busy, y.stale, coverageNames[y.cover])
	if y.alike {
		line += ", alike"
	}
	if y.static {
		line += ", static"
	}
	if y.unaudited {
		line += ", unaudited"
	}
	return line
}

// drawShares draws the number of engines and their sets, from a generator of its own. It comes
// before the settings of the engines.
func (o *options) drawShares() {
	r := rand.New(rand.NewPCG(o.seed, 0x54a4e))
	y := &o.sharing
	o.engines = 2 + r.IntN(maxEngines-1)
	y.alike, y.static = r.IntN(4) > 0, r.IntN(5) == 0
	if how := r.IntN(8); how < 6 { // most laws of shares are about these
		o.faults[[]fault{sweeps, sweeps, sweeps, guards, guards, brakes}[how]] = true
	}
	y.busy, y.stale = []int{1, 3, 8}[r.IntN(3)], r.IntN(o.engines)
	y.cover, y.early = coverage(r.IntN(int(numCoverages))), r.IntN(2) == 0
	if y.unaudited = r.IntN(2) == 0; y.unaudited {
		o.day = false
	}
	if y.static {
		y.alike, y.busy, y.cover = true, 0, disjoint
	}
	parts := divide(r, o.engines)
	for i := range y.first[:o.engines] {
		if y.first[i] = parts[i]; !y.static {
			y.first[i] = drawSet(r)
		}
	}
}

// makeAlike gives each engine the settings of the first one.
func (o *options) makeAlike() {
	o.tuning.observes, o.tuning.bare = [maxEngines]bool{}, [maxEngines]bool{}
	for i := range maxEngines {
		o.guarding.attitudes[i], o.braking[i] = o.guarding.attitudes[0], o.braking[0]
	}
	o.unpolicied = noEngine
}

// isLike reports whether two engines have the same settings. Only such engines divide the work.
func (o *options) isLike(i, j int) bool {
	return o.tuning.observes[i] == o.tuning.observes[j] && o.tuning.bare[i] == o.tuning.bare[j] &&
		o.guarding.attitudes[i] == o.guarding.attitudes[j] && o.braking[i] == o.braking[j] && o.policied(i) == o.policied(j)
}

// spread is the end of the UIDs of a world with shares. The last bytes of a text hardly change its
// slot.
const spread = "/spread"

// spreadUIDs gives the places UIDs that are spread over the slots.
func (o options) spreadUIDs(keys []graph.Key) []graph.Key {
	if o.has(shares) {
		for i := range keys {
			keys[i].UID += spread
		}
	}
	return keys
}

// divide draws n disjoint sets that have every UID.
func divide(r *rand.Rand, n int) []share.Set {
	names, salt := make([]string, n), r.Uint64()
	for i := range names {
		names[i] = fmt.Sprint(salt, "-", i)
	}
	sets, _ := share.Divide(names) // the names differ
	return sets
}

// drawSet draws a set, which may be None or All.
func drawSet(r *rand.Rand) share.Set {
	switch r.IntN(8) {
	case 0:
		return share.None()
	case 1:
		return share.All()
	}
	parts := divide(r, 2+r.IntN(3))
	set := parts[0]
	for _, p := range parts[1+r.IntN(len(parts)-1):] {
		set = set.Or(p)
	}
	return set
}

// around returns the set of one slot, and the set of all others.
func around(slot int) (own, others share.Set) {
	first := uint64(slot) << 52
	last := first | (1<<52 - 1)
	own, _ = share.OfRanges(share.Range{First: first, Last: last})
	var rest []share.Range
	if first > 0 {
		rest = append(rest, share.Range{Last: first - 1})
	}
	if last < ^uint64(0) {
		rest = append(rest, share.Range{First: last + 1, Last: ^uint64(0)})
	}
	others, _ = share.OfRanges(rest...)
	return own, others
}

// allotment is a new share of an engine.
type allotment struct {
	set   share.Set
	lasts time.Duration // 0 for ever
}

// text returns the share in one line, with the objects of the store that are in it.
func (a *allotment) text(w *world.World) string {
	var own []string
	for _, o := range w.Store.Objects() {
		if a.set.Has(o.UID) {
			own = append(own, o.Place().String())
		}
	}
	line := fmt.Sprintf(" %d slots with {%s}", a.set.Len(), strings.Join(own, " "))
	if a.lasts != 0 {
		line += " for " + a.lasts.String()
	}
	return line
}

// shareMove draws a share of an engine: one object joins or leaves, the engine gets the set of
// another one, or a new one. One in four ends by itself.
func (s *sim) shareMove(side int8) *allotment {
	a := &allotment{set: s.parts[side].set}
	switch how := s.rng.IntN(8); {
	case how < 3:
		uid := s.pool[s.rng.IntN(len(s.pool))].UID
		if objects := s.w.Store.Objects(); len(objects) > 0 {
			uid = objects[s.rng.IntN(len(objects))].UID
		}
		own, others := around(share.SlotOf(uid))
		if a.set.Has(uid) {
			a.set = a.set.And(others)
		} else {
			a.set = a.set.Or(own)
		}
	case how == 3:
		a.set = s.parts[s.rng.IntN(len(s.parts))].set
	default:
		a.set = drawSet(s.rng)
	}
	if s.rng.IntN(4) == 0 {
		a.lasts = []time.Duration{-time.Second, time.Second, 31 * time.Second, 6 * time.Minute, time.Hour}[s.rng.IntN(5)]
	}
	return a
}

// ofShares adds a move of the engine's set to the possible moves.
func (s *sim) ofShares(side int8) {
	if !s.o.has(shares) || s.o.sharing.static || s.stay {
		return
	}
	if side == 0 && s.o.sharing.early && s.rng.IntN(4) == 0 {
		s.may(1, step{op: opCover})
	}
	weight := s.o.sharing.busy
	if int(side) == s.o.sharing.stale && s.rng.IntN(8) > 0 {
		return
	}
	s.may(weight, step{op: opShare, side: side})
}

// restarted draws the share with which the next engine of a side begins, nil for the former one.
func (s *sim) restarted(side int8) *allotment {
	if s.parts == nil || s.o.sharing.static || s.stay || s.rng.IntN(2) == 0 {
		return nil
	}
	a := s.shareMove(side)
	a.lasts = 0
	return a
}

// share gives an engine a share.
func (s *sim) share(st step) error {
	if s.parts == nil || st.share == nil {
		return nil
	}
	s.covered = false
	return s.setShare(int(st.side), st.share)
}

func (s *sim) setShare(side int, a *allotment) error {
	p := &s.parts[side]
	until := time.Time{}
	if s.o.tuning.observes[side] { // it is no member of a group
		return nil
	}
	if a.lasts != 0 {
		until = s.w.Now.Add(a.lasts)
	}
	s.noteCause(side)
	if err := s.w.Sides[side].Engine.SetShare(s.w.Now, a.set, until); err != nil {
		return err
	}
	p.set, p.until = a.set, until
	s.lapse(side)
	s.resize(side)
	return s.judgeLeft(side)
}

// configure gives the engines that a side begins from now on a set.
func (s *sim) configure(side int, set share.Set) {
	if s.o.tuning.observes[side] {
		return
	}
	s.parts[side].first = set
	s.w.Reconfigure(side, func(c *ownergraph.Config) { c.Share = set })
}

// crashed ends the share of an engine. The next one begins with the set of its Config.
func (s *sim) crashed(st step) {
	if s.parts == nil {
		return
	}
	p := &s.parts[st.side]
	if st.share != nil {
		s.covered = false
		s.configure(int(st.side), st.share.set)
	}
	*p = part{first: p.first, set: p.first, crashes: p.crashes + 1, lapses: p.lapses}
}

// restInGaps runs half of the worlds to rest before their sets have every UID. A gap delays work, and
// no engine goes on in it.
func (s *sim) restInGaps() error {
	if s.parts == nil || s.covered || s.o.seed%2 == 0 {
		return nil
	}
	if err := s.runAnswered(); err != nil {
		return err
	}
	for i, side := range s.w.Sides {
		if !side.Engine.Idle() {
			return fmt.Errorf("H4: engine %d is not idle, and waits for nothing in its share", i)
		}
		if err := s.checkForeign(i); err != nil {
			return err
		}
	}
	return nil
}

// coverAll gives the engines sets that have every UID together, for each group of engines with the
// same settings. The sets stay.
func (s *sim) coverAll() error {
	if s.parts == nil || s.covered {
		return nil
	}
	r := rand.New(rand.NewPCG(s.o.seed, 0x54a4f))
	given := make([]bool, len(s.parts))
	for i := range s.parts {
		if given[i] {
			continue
		}
		var group []int
		for j := i; j < len(s.parts); j++ {
			if s.o.isLike(i, j) {
				group, given[j] = append(group, j), true
			}
		}
		for n, set := range s.o.sharing.covering(r, len(group)) {
			if s.o.sharing.static {
				set = s.o.sharing.first[group[n]]
			}
			s.configure(group[n], set)
			if err := s.setShare(group[n], &allotment{set: set}); err != nil {
				return err
			}
		}
	}
	s.covered = true
	return nil
}

// covering draws n sets that have every UID together.
func (y *sharing) covering(r *rand.Rand, n int) []share.Set {
	sets := divide(r, n)
	switch y.cover {
	case overlapping:
		more := divide(r, n)
		for i := range sets {
			sets[i] = sets[i].Or(more[i])
		}
	case standby, every:
		one := r.IntN(n)
		for i := range sets {
			if sets[i] = share.None(); i == one || y.cover == every {
				sets[i] = share.All()
			}
		}
	}
	return sets
}
