package exhaustive

// node is a state of the search in numbers: of the past, of the engines, of the pending
// events of their watches, and of the calls in flight.
type node struct {
	past    uint32
	actions uint32 // done so far
	late    uint32 // the writes of crashed engines that may still be carried out
	crashes, listings, waits, switches,
	turn uint8 // the side that moved last, from 1; 0 if none has
	rewinds, outages uint8
	down             uint8 // kinds that are sick, a bit each
	pauses           uint8
	paused           uint8 // sides, a bit each
	moves            uint8 // of shares
	masks            [maxSides]uint8
	sides            [maxSides]side
}

const (
	maxSides = 2
	maxKinds = 4
	maxCalls = 2
)

// side is one engine with its pending events and its calls.
type side struct {
	engine     uint32
	streams    [maxKinds]uint32
	calls      [maxCalls]under
	under      uint8 // calls
	unreported uint8 // kinds of which the engine has heard nothing since a crash, a bit each
	set        bool  // the set of kinds has still to pass the fence
	asked      bool  // the engine has not got the fence's token yet
	judging    bool  // nor the verdict of a guard
}

// under is a call in flight. The result of a write is 0 until it is carried out.
type under struct{ call, result uint32 }

// hash stands for the node without the crashes and listings that are left.
func (x *node) hash(sides int) uint64 {
	p := printer{hash: seed}
	p.word(uint64(x.past)<<32 | uint64(x.actions))
	p.word(uint64(x.late)<<32 | uint64(x.waits)<<16 | uint64(x.switches)<<8 | uint64(x.turn))
	p.word(uint64(x.moves)<<40 | uint64(x.rewinds)<<32 | uint64(x.outages)<<24 | uint64(x.pauses)<<16 | uint64(x.paused)<<8 | uint64(x.down))
	for i := range sides {
		s := &x.sides[i]
		p.word(uint64(s.engine)<<32 | uint64(s.under)<<16 | uint64(s.unreported)<<8 | uint64(btoi(s.judging))<<2 | uint64(btoi(s.asked))<<1 | uint64(btoi(s.set)))
		p.word(uint64(s.streams[0])<<32 | uint64(s.streams[1]))
		p.word(uint64(s.streams[2])<<32 | uint64(s.streams[3]))
		for c := range s.under {
			p.word(uint64(s.calls[c].call)<<32 | uint64(s.calls[c].result))
		}
	}
	return p.hash
}

// drop removes the i-th call in flight.
func (s *side) drop(i int) {
	copy(s.calls[i:], s.calls[i+1:])
	s.under--
	s.calls[s.under] = under{}
}

// empty returns the kinds without pending events, a bit each.
func (s *side) empty(kinds int) uint8 {
	mask := uint8(0)
	for k := range kinds {
		if s.streams[k] == 0 {
			mask |= 1 << k
		}
	}
	return mask
}

// reset gives a side a first engine.
func (s *side) reset(engine uint32) { *s = side{engine: engine} }
