package kinds

import (
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// maxEpochs bounds the remembered epochs. A store announces only the newest epoch, so one
// would suffice for a store that keeps its contract.
const maxEpochs = 16

// TakeEpoch notes the epoch of an announced rewind, and reports whether the rewind is new
// (R5). A rewind without an epoch is new each time.
func (t *Table) TakeEpoch(epoch string) bool {
	if epoch == "" {
		return true
	}
	if slices.Contains(t.epochs, epoch) {
		return false
	}
	if len(t.epochs) == maxEpochs {
		t.epochs = slices.Delete(t.epochs, 0, 1)
	}
	t.epochs = append(t.epochs, strings.Clone(epoch))
	return true
}

// Rewind takes back the knowledge of all kinds: the store's history went backwards. Every
// kind has to be listed again (R5).
func (t *Table) Rewind(at seq.Stamp) {
	t.rewound, t.relisting = at, true
	for _, name := range t.names {
		s := t.of(name)
		s.High, s.Floor, s.Max = "", "", ""
		s.Passed = 0
		s.Listed, s.Pruning, s.Pending = false, false, 0
		t.set(name, s)
	}
	t.WantLists()
}

// EndRewind ends a rewind once every kind has been listed since. It reports whether it
// did. It looks at no kind, because the end of each listing asks.
//
//test:by TestRewind
func (t *Table) EndRewind() bool {
	if !t.relisting || t.counts.unlisted > 0 {
		return false
	}
	t.relisting = false
	return true
}

// A fence passes kind by kind. Package fence begins and ends it. The table notes
// which kinds have passed it.

// OpenFence opens every kind that takes part, and the set of kinds, for a new fence.
func (t *Table) OpenFence() {
	t.CloseFence()
	for _, name := range t.names {
		if s := t.of(name); s.Part {
			s.Open = true
			t.set(name, s)
		}
	}
	t.setOpen = true
}

// CloseFence ends the fence under way for all kinds.
func (t *Table) CloseFence() {
	t.setOpen = false
	if t.counts.open == 0 {
		return
	}
	for _, name := range t.names {
		if s := t.of(name); s.Open {
			s.Open = false
			t.set(name, s)
		}
	}
}

// OpenCount returns the number of kinds that have still to pass the fence under way, and
// of the well ones among them. The set of kinds counts as one, and is well unless it is
// lost.
func (t *Table) OpenCount() (all, well int) {
	all, well = t.counts.open, t.counts.openWell
	if t.setOpen {
		all++
		if !t.setLost {
			well++
		}
	}
	return all, well
}

// OpenKinds returns the kinds that have still to pass the fence under way, sorted. The set
// of kinds is "".
func (t *Table) OpenKinds() (out []graph.Kind) {
	if t.setOpen {
		out = append(out, "")
	}
	for _, name := range t.names {
		if t.states[name].Open {
			out = append(out, name)
		}
	}
	return out
}

// CanPass reports whether a report that the kind has passed counts now for the fence under
// way. "" is the set of kinds.
func (t *Table) CanPass(name graph.Kind) bool {
	if name == "" {
		return t.setOpen && !t.setLost
	}
	s := t.states[name]
	return s != nil && s.Open && !s.NeedsRelist
}

// PassFence notes that a kind has passed the fence under way, which has the id and began
// then. A kind whose pruning is under way passes when that is over. It reports whether the
// kind has passed now.
func (t *Table) PassFence(name graph.Kind, id uint64, began seq.Stamp) bool {
	if !t.CanPass(name) {
		return false
	}
	if name == "" {
		t.setOpen = false
		t.loss.set = max(t.loss.set, began)
		return true
	}
	s := t.of(name)
	if s.Pruning {
		s.Pending = id
		t.set(name, s)
		return false
	}
	s.Passed, s.Open = began, false
	t.set(name, s)
	return true
}

// PassEarly is PassFence for a report from before the fence had its token. A kind that is
// being listed now passes at the end of that listing.
func (t *Table) PassEarly(name graph.Kind, id uint64, began seq.Stamp) bool {
	if s := t.of(name); s.Open && s.Begun > s.Ended {
		s.Pending = id
		t.set(name, s)
		return false
	}
	return t.PassFence(name, id, began)
}
