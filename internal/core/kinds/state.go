package kinds

import (
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// State is the knowledge of one kind beyond the graph. It is a value.
type State struct {
	Part           bool   // the kind is served, watched and takes part: fences cover it
	Listed         bool   // a listing is complete and pruned
	Sick           string // the reason why it cannot be watched, "" if it can
	ReportedSick   bool   // the store reported it sick
	NeedsRelist    bool   // an event of it was refused: only a listing makes it well
	ListingInvalid bool   // that event belongs to the listing under way, which proves nothing
	Pruning        bool   // a listing has ended, and its pruning has not
	Open           bool   // it has still to pass the fence under way
	Late           bool   // it was not listed in time: only a listing makes it well

	Begun     seq.Stamp // a listing last began
	Ended     seq.Stamp // a listing last ended
	Passed    seq.Stamp // the newest fence that it has passed began
	Lost      seq.Stamp // a write to it last got no answer
	Confirmed seq.Stamp // a read began that returned its watermark or a newer version, after a loss
	Pending   uint64    // the id of a fence that it passes when its pruning is over
	SickAt    seq.Stamp // a sick kind became sick after the stamps before this one

	waits bool          // for a listing, since then
	since time.Time     //
	spent time.Duration // in former waits, since a listing last ended

	High  graph.Version // the watermark: the newest version observed
	Floor graph.Version // the watermark when the listing under way began
	Max   graph.Version // the newest version of an object since the last rewind
}

// well reports whether the kind can be watched.
func (s *State) well() bool { return s.Sick == "" }

// relisted reports whether a listing is complete that began after the moment.
func (s *State) relisted(after seq.Stamp) bool {
	return after != 0 && s.Begun > after && s.Ended > s.Begun && !s.Pruning
}

// counts counts the kinds that take part, by the questions that decisions ask of all of
// them. A decision that walked the kinds instead would cost as much as there are kinds.
type counts struct {
	part     int
	sick     int // of those, the sick ones
	unseen   int // of those, the sick ones and the ones that are not listed
	unlisted int // of those, the ones that are not listed
	open     int // of all kinds, the ones that have still to pass the fence
	openWell int // of those, the well ones
	openLate int // of those, the late ones that the store has not reported sick
}

func (c *counts) add(s *State, n int) {
	if s.Open {
		c.open += n
		if s.well() {
			c.openWell += n
		}
		if s.Late && !s.ReportedSick {
			c.openLate += n
		}
	}
	if !s.Part {
		return
	}
	c.part += n
	if !s.well() {
		c.sick += n
	}
	if !s.Listed {
		c.unlisted += n
	}
	if !s.well() || !s.Listed {
		c.unseen += n
	}
}
