package policy_test

import (
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// play is a store without further changes, and an engine that carries out decisions:
// reads, fences, and waits for the watch.
type play struct {
	in       input
	truth    []policy.ReadState // ReadUnset stands for a gone owner
	unread   refs               // the owners that no read reaches
	now      policy.Moment
	decision policy.Decision
}

// end carries out decisions until one needs nothing more, and reports whether that
// happens.
func (p *play) end() bool {
	for range 4 + 4*len(p.in.Owners) {
		p.decision = decide(p.in, policy.Settings{})
		d := p.decision
		p.now += 2
		switch {
		case d.Action.Writes(), d.Action == policy.Keep:
			return true
		case d.Action == policy.Verify:
			if setOf(d.Owners)&^p.unread == 0 {
				return true
			}
			p.read(d.Owners)
		case d.Reason == policy.NeedFence && (p.in.Fence.Exact || p.in.Fence.Blocked):
			p.in.Fence.Passed = p.now
			p.watch(upTo(len(p.in.Owners)))
		case d.Reason == policy.NeedWatch:
			if p.in.Retry = false; len(d.Owners) == 0 {
				p.in.Known = p.now
			}
			p.watch(d.Owners)
		case d.Reason == policy.NeedAcknowledgement:
			p.in.Unacknowledged = false
			for _, i := range d.Owners {
				p.in.Owners[i].Unacknowledged, p.in.Owners[i].Overdue = false, true
			}
		default: // the outside must act: recover a kind, remove a dependent
			return true
		}
	}
	return false
}

// read reads the owners. Each read begins now and is answered at once.
func (p *play) read(owners []int) {
	for _, i := range owners {
		o := &p.in.Owners[i]
		switch {
		case p.unread>>i&1 != 0:
		case p.truth[i] == policy.ReadUnset:
			*o = policy.OwnerFacts{Class: graph.Dangling, Changed: p.now}
		default:
			o.Read, o.ReadBegan, o.SameVersion = p.truth[i], p.now, o.Class != graph.Unknown && o.Mark != 0
		}
	}
}

// watch brings the true state of the owners by the watch. That voids an earlier read with
// another answer.
func (p *play) watch(owners []int) {
	for _, i := range owners {
		o := &p.in.Owners[i]
		is := policy.OwnerFacts{Class: graph.Dangling, Changed: p.now}
		switch p.truth[i] {
		case policy.ReadSolid:
			is.Class = graph.Solid
		case policy.ReadWaiting:
			is.Class, is.Mark = graph.Waiting, p.now
		case policy.ReadOrphaning:
			is.Class, is.Mark, is.Orphaning = graph.Solid, p.now, true
		}
		if is.Class != o.Class || is.Orphaning != o.Orphaning || o.Unconfirmed {
			*o = is
		}
	}
}

// any reports whether a readable owner has the named state, for the graph and in truth.
func (p *play) any(class graph.Class, truth policy.ReadState) bool {
	return spec{in: p.in}.those(func(i int, o policy.OwnerFacts) bool {
		return p.unread>>i&1 == 0 && o.Class == class && p.truth[i] == truth
	}) != 0
}

// plays yields every play of a small scope: three owners with one state in the graph and
// another in the store.
func plays(unread func(n int) refs, yield func(p *play)) {
	graphs := []policy.OwnerFacts{
		{Class: graph.Solid}, {Class: graph.Waiting, Mark: 2}, {Class: graph.Waiting, Mark: 6},
		{Class: graph.Solid, Orphaning: true, Mark: 2}, {Class: graph.Solid, Orphaning: true, Mark: 6},
		{Class: graph.Solid, Orphaning: true, Mark: 6, Unacknowledged: true}, {Class: graph.Dangling},
		{Class: graph.Unknown, Doubt: graph.Unobserved}, {Class: graph.Dangling, Unconfirmed: true},
	}
	fences := []policy.Fence{{Exact: true}, {Exact: true, Passed: 5}, {Exact: true, Passed: 8}, {Exact: true, Passed: 4, Blocked: true}, {Released: 9}}
	marks := [][]string{nil, {graph.FinalizerForeground}, {graph.FinalizerOrphan}}
	each := len(graphs) * 4
	for n := range each * each * each {
		p := play{unread: unread(n)}
		for i, at := range []int{n % each, n / each % each, n / each / each} {
			name := string(rune('a' + i))
			p.in.Owners = append(p.in.Owners, graphs[at/4])
			p.in.Object.Owners = append(p.in.Object.Owners, graph.Owner{Key: graph.Key{Kind: "k", Name: name, UID: graph.UID(name)}})
			if graphs[at/4].Class == graph.Dangling {
				at = 0
			}
			p.truth = append(p.truth, policy.ReadState(at%4))
		}
		p.in.Known, p.now, p.in.Mark = 4, 10, 3
		p.in.Fence = fences[n%len(fences)]
		p.in.Object.Finalizers = marks[n/5%len(marks)]
		p.in.Object.Deleting, p.in.Retry = p.in.Object.Finalizers != nil, n%7 == 0
		yield(&p)
	}
}

// TestDecideEnds: an engine that carries out decisions comes to an end. The end is a
// write, or a reason that others remove. No object with an owner is deleted. The
// exception is an owner that was seen waiting before it changed its state.
func TestDecideEnds(t *testing.T) {
	plays(func(int) refs { return 0 }, func(p *play) {
		begin := clone(p.in)
		if !p.end() {
			t.Fatalf("%+v, in truth %v: no end, at last %s", begin, p.truth, says(p.in.Object, p.decision))
		}
		if p.decision.Action == policy.Delete {
			for i, is := range p.truth {
				before := spec{begin, policy.Settings{}}.fenced(begin.Owners[i])
				if is != policy.ReadUnset && is != policy.ReadWaiting && !before {
					t.Fatalf("%+v: deleted although owner %d is %s", begin, i, is)
				}
			}
		}
	})
}

// TestDecideUnreadable: an owner that no read reaches holds only the references that
// depend on it. The others go on.
func TestDecideUnreadable(t *testing.T) {
	one := func(n int) refs { return 1 << (n % 3) }
	held := 0
	plays(one, func(p *play) {
		begin := clone(p.in)
		if !p.end() {
			t.Fatalf("%+v, in truth %v: no end, at last %s", begin, p.truth, says(p.in.Object, p.decision))
		}
		if p.decision.Action != policy.Verify {
			return
		}
		held++
		s := spec{p.in, policy.Settings{}}
		for i, o := range p.in.Owners {
			if p.unread>>i&1 == 0 && s.leaving(o) && p.truth[i] == policy.ReadOrphaning {
				t.Fatalf("%+v: owner %d orphans, and waits for a read of another: %s", begin, i, says(p.in.Object, p.decision))
			}
		}
		if !p.in.Object.Deleting && p.any(graph.Waiting, policy.ReadWaiting) && p.any(graph.Solid, policy.ReadSolid) {
			t.Fatalf("%+v: an owner waits beside a solid one, and a third is read: %s", begin, says(p.in.Object, p.decision))
		}
		if p.in.Object.Deleting && !p.in.Retry {
			t.Fatalf("%+v: the object's own end waits for a read of an owner", begin)
		}
	})
	if held == 0 {
		t.Fatal("no read held anything")
	}
}
