package pause

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
)

// Max bounds the pauses of one record. An engine begins none of its own beyond it.
const Max = 1000

// Pauses has the pauses of one engine. The zero value has none. It is not safe for
// concurrent use.
//
// Its invariants, which Check verifies:
//
//  1. the pauses are valid, sorted and different
//  2. a write of unknown outcome is kept only for a node in use
type Pauses struct {
	list    []Pause
	record  unread
	at      graph.NodeID // the next node of the walk, 0 without a walk
	again   bool         // another walk follows
	unknown map[graph.NodeID]Write
}

// Pause is one pause. It is a value.
type Pause struct {
	What     Extent
	Since    time.Time
	Recorded bool // the record has it
}

// unread says that the record of the program is unknown.
type unread struct {
	is    bool
	since time.Time
	why   string // "" before the first read has failed
}

// Any reports whether there is a pause.
func (p *Pauses) Any() bool { return len(p.list) > 0 || p.record.is }

// Len returns the number of pauses. That of the unknown record counts.
func (p *Pauses) Len() int {
	if p.record.is {
		return len(p.list) + 1
	}
	return len(p.list)
}

// Covers reports whether a pause covers the objects of a kind in a scope.
func (p *Pauses) Covers(kind graph.Kind, scope string) bool {
	return p.record.is || slices.ContainsFunc(p.list, func(x Pause) bool { return x.What.Covers(kind, scope) })
}

// Of names the pauses that cover a node, and the time of the first one.
func (p *Pauses) Of(n graph.Node) (names []string, since time.Time) {
	why, since, is := p.Unread()
	if is {
		names = append(names, "everything, since the record is unknown")
		if why != "" {
			names[0] += ": " + why
		}
	}
	for _, x := range p.list {
		if !x.What.Covers(n.Kind(), n.Scope()) {
			continue
		}
		names = append(names, x.What.String())
		if since.IsZero() || x.Since.Before(since) {
			since = x.Since
		}
	}
	return names, since
}

// All returns the pauses in their order. The caller owns the slice.
func (p *Pauses) All() []Pause { return slices.Clone(p.list) }

// Get returns the pause of an extent, and reports whether there is one.
func (p *Pauses) Get(what Extent) (Pause, bool) {
	i, ok := p.find(what)
	if !ok {
		return Pause{}, false
	}
	return p.list[i], true
}

func (p *Pauses) find(what Extent) (int, bool) {
	return slices.BinarySearchFunc(p.list, what, func(x Pause, y Extent) int { return x.What.compare(y) })
}

// errMany refuses a pause beyond the bound.
var errMany = errors.New("more than 1000 pauses")

// Begin begins a pause. A pause that is there stays as it is. An error says that there are
// too many.
func (p *Pauses) Begin(what Extent, now time.Time, out *effect.List) error {
	if _, ok := p.find(what); !ok && len(p.list) >= Max {
		return errMany
	}
	p.add(Pause{What: what, Since: now}, out)
	return nil
}

// add begins a pause. It takes back the calls that no caller has begun.
func (p *Pauses) add(x Pause, out *effect.List) {
	i, ok := p.find(x.What)
	if ok {
		p.list[i].Recorded = p.list[i].Recorded || x.Recorded
		return
	}
	p.list = slices.Insert(p.list, i, x)
	begun(x.What, x.What.String(), out)
}

// End ends a pause, and asks for decisions of the objects that it covered.
func (p *Pauses) End(what Extent, out *effect.List) {
	if i, ok := p.find(what); ok {
		p.list = slices.Delete(p.list, i, i+1)
		p.ended(what, what.String(), out)
	}
}

// begun asks for the effects of a new pause.
func begun(what Extent, text string, out *effect.List) {
	out.Do(effect.Revoke)
	out.Report(keyOf(what), "", policy.Decision{Action: policy.Wait, Reason: policy.Paused})
	out.Keep(effect.Record{Level: effect.Info, Text: "paused", Args: []any{"extent", text}})
}

// ended asks for the effects of the end of a pause.
func (p *Pauses) ended(what Extent, text string, out *effect.List) {
	p.WalkAgain()
	out.Report(keyOf(what), "", policy.Decision{Reason: policy.Paused})
	out.Keep(effect.Record{Level: effect.Info, Text: "resumed", Args: []any{"extent", text}})
}

// keyOf returns the zero key with the scope or the kind of an extent.
func keyOf(what Extent) graph.Key { return graph.Key{Kind: what.Kind, Scope: what.Scope} }

// Walks reports whether the walk after the end of a pause is under way.
func (p *Pauses) Walks() bool { return p.at != 0 }

// WalkAgain begins a walk, as the end of a pause does. A walk under way goes on to its end first, so that
// it comes to every node however often another one is wanted.
func (p *Pauses) WalkAgain() {
	if p.at > 1 {
		p.again = true
		return
	}
	p.at = 1
}

// Next moves the walk on by one node and returns it. It returns 0 if no object is observed
// there, or at the end.
func (p *Pauses) Next(g *graph.Graph) graph.NodeID {
	id := p.at
	if int(id) >= g.Inside(inside.Key{}).Cap() {
		if p.at = 0; p.again {
			p.at, p.again = 1, false
		}
		return 0
	}
	p.at++
	if !g.Inside(inside.Key{}).InUse(id) || g.Node(id).State() != graph.Observed {
		return 0
	}
	return id
}

// Check verifies the invariants of Pauses.
func (p *Pauses) Check(g *graph.Graph) error {
	for i, x := range p.list {
		if err := x.What.Check(); err != nil {
			return fmt.Errorf("pauses: %s: %w", x.What, err)
		}
		if i > 0 && p.list[i-1].What.compare(x.What) >= 0 {
			return fmt.Errorf("pauses: %s is out of order", x.What)
		}
	}
	for id := range p.unknown {
		if !g.Inside(inside.Key{}).InUse(id) {
			return errors.New("pauses: a write of unknown outcome to a node that is not in the graph")
		}
	}
	return nil
}

// Clone returns pauses that share nothing with p.
func (p *Pauses) Clone() Pauses {
	c := *p
	c.list, c.unknown = slices.Clone(p.list), nil
	if len(p.unknown) > 0 {
		c.unknown = maps.Clone(p.unknown)
	}
	return c
}

// Hash writes the state to the printer. The writes of unknown outcome are a report.
func (p *Pauses) Hash(to *fingerprint.Printer) {
	to.Word(uint64(len(p.list)))
	for _, x := range p.list {
		to.Flags(x.What.All, x.What.InScope, x.Recorded)
		to.Text(x.What.Scope)
		to.Text(string(x.What.Kind))
	}
	if to.Flags(p.record.is, p.Walks(), p.again); p.Walks() {
		to.From(p.at)
	}
}
