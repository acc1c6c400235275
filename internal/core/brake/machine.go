package brake

import (
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/fifo"
	"github.com/ownergraph/ownergraph/internal/core/kinds"
	"github.com/ownergraph/ownergraph/internal/core/record"
)

// Settings are the limits of a brake. Zero is no limit.
type Settings struct {
	PerCascade int // deletes of one cascade without an approval
	Window     int // deletes of all cascades in Per
	Per        time.Duration
	Cascades   int // remembered at once, at most MaxCascades
}

// Validate returns the first fault of the settings as those of a Config. It wraps graph.ErrInvalid and
// names the field. AwaitSick says that a count waits for sick kinds, too.
//
//test:by TestValidate
func (s Settings) Validate(awaitSick bool) error {
	for _, f := range []struct {
		name, why string
		wrong     bool
	}{
		{"PerCascade", "negative", s.PerCascade < 0},
		{"Window", "negative", s.Window < 0},
		{"Per", "negative", s.Per < 0},
		{"Window", "zero with Per", s.Window == 0 && s.Per > 0},
		{"Per", "zero with Window", s.Window > 0 && s.Per == 0},
		{"AwaitSick", "set without PerCascade", awaitSick && s.PerCascade == 0},
	} {
		if f.wrong {
			return fmt.Errorf("configure engine: Brake.%s: %s: %w", f.name, f.why, graph.ErrInvalid)
		}
	}
	return nil
}

// MaxCascades bounds the remembered cascades.
const MaxCascades = 4096

// maxWindow bounds the tokens of a bucket, so that their sums do not overflow.
//
//test:by TestBucketOfMany
const maxWindow = math.MaxInt / 4

// View has the lower machines, the effects and the time. The caller makes one for each call,
// and the machine keeps none. Judge needs neither Out nor Gap.
type View struct {
	record.Nodes
	Out      *effect.List
	Now      time.Time
	Listed   bool       // no listing has to be awaited
	Gap      *kinds.Gap // the kinds that a count leaves out, nil for none
	Returned uint64     // how many kinds a count takes in again, so far
}

// Machine has the brake of one engine. Make one with New. It is not safe for concurrent use.
//
// Its invariants, which Check verifies:
//
//  1. a node waits only while it is in the graph
//  2. each line counts the nodes that wait in it
//  3. each cascade counts its calls under way
//  4. no cascade has more deletes without an approval than the limit (RULES, G5 a)
//  5. the cascades that the record lacks are counted
//  6. the cascades that may be forgotten are counted, and so are the promised places
type Machine struct {
	set Settings
	// limit is the part of PerCascade that this engine may delete. The count of a cascade is not
	// divided (RULES, H3).
	limit int

	cascades []cascade // by slot, from 1
	index    map[graph.Key]slot
	ended    ended // they may be forgotten
	calls    map[uint64][maxRoots]share
	exempt   *exemptions

	waits   map[graph.NodeID]wait
	joins   uint64 // so far
	counted [numAnswers]int
	listing line  // for listings
	full    rooms // for places of cascades
	window  line  // for a token

	pending fifo.List[slot] // cascades to count
	walk    walk
	bucket  bucket
	called  int // nodes that were woken for a token and are not decided yet

	free     int // cascades that may be forgotten
	promised int // places of nodes that were woken for them and are not decided yet

	said   *kinds.Gap // the kinds that the last line of the log has named
	listed bool       // every kind was listed, by the memory of another brake
	counts Counts

	keeps      bool // a record keeps trips and answers
	taken      bool // the record was read
	unrecorded int  // cascades whose trip or answer the record lacks
}

// Counts counts the trips of one engine, and the answers of users.
type Counts struct{ Trips, Approvals, Refusals uint64 }

// New returns a brake that knows no cascade.
func New(s Settings) Machine {
	if s.Cascades <= 0 || s.Cascades > MaxCascades {
		s.Cascades = MaxCascades
	}
	return Machine{
		set: s, limit: s.PerCascade, cascades: make([]cascade, 1), index: map[graph.Key]slot{}, calls: map[uint64][maxRoots]share{},
		exempt: newExemptions(), waits: map[graph.NodeID]wait{}, bucket: bucket{size: min(s.Window, maxWindow), per: s.Per},
	}
}

// SetPart divides the limits by the share of the engine: so many slots of all. They are rounded up,
// and at least 1.
//
//test:by TestPart TestPartOfCascade TestResize
func (m *Machine) SetPart(slots, all int, now time.Time) {
	m.limit = scaled(m.set.PerCascade, slots, all)
	if size := scaled(min(m.set.Window, maxWindow), slots, all); size != m.bucket.size {
		m.bucket.resize(size, now)
	}
}

// scaled returns a part of a limit, rounded up.
func scaled(limit, slots, all int) int {
	if limit == 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(limit), uint64(slots))
	lo, carry := bits.Add64(lo, uint64(all-1), 0)
	q, _ := bits.Div64(hi+carry, lo, uint64(all))
	return max(int(q), 1)
}

// Any reports whether there is a limit. Without one no method but those without a View may
// be called, and these do nothing.
func (m *Machine) Any() bool { return m.set.PerCascade > 0 || m.set.Window > 0 }

// Counts returns the counts of the machine.
func (m *Machine) Counts() Counts { return m.counts }

// Clone returns a machine that shares nothing with m. It begins the walk under way anew.
func (m *Machine) Clone() Machine {
	c := *m
	c.cascades = slices.Clone(m.cascades)
	for i := range c.cascades {
		c.cascades[i].held = c.cascades[i].held.clone()
	}
	c.index, c.calls, c.exempt, c.waits = maps.Clone(m.index), maps.Clone(m.calls), newExemptions(m.exempt.Keys()...), maps.Clone(m.waits)
	c.ended, c.pending = m.ended.clone(), m.pending.Clone()
	c.listing, c.full, c.window = m.listing.clone(), m.full.clone(), m.window.clone()
	c.walk = walk{}
	if s := m.walk.slot; s != 0 {
		c.pending = fifo.List[slot]{}
		c.pending.Push(&s)
		for _, s := range m.pending.All() {
			c.pending.Push(&s)
		}
	}
	return c
}
