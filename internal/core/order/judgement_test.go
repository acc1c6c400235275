package order

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// tryDelete judges the delete of an object, and commits the judgement. It fails if the judgement
// has an effect.
func (r *rig) tryDelete(id, holder graph.NodeID) (wait bool) {
	r.Helper()
	j := r.judged(id, func(v View) Judgement { return r.m.JudgeDelete(v, id, holder) })
	r.m.Commit(r.view(), id, &j)
	return j.Wait
}

// tryRelease does the same for the end of a foreground deletion.
func (r *rig) tryRelease(id graph.NodeID) (wait bool) {
	r.Helper()
	before := r.m.Looked()
	j := r.judged(id, func(v View) Judgement { return r.m.JudgeRelease(v, id) })
	if looked := r.m.Looked() - before; looked > 0 {
		r.Errorf("%d looks for the release of %s", looked, r.nodes.Node(id).Key())
	}
	r.m.Commit(r.view(), id, &j)
	return j.Wait
}

// judged makes a judgement, and fails if it changes the machine, or has an effect or a stamp.
func (r *rig) judged(id graph.NodeID, judge func(v View) Judgement) Judgement {
	r.Helper()
	before := r.snapshot()
	j := judge(r.view())
	if !reflect.DeepEqual(before, r.snapshot()) {
		r.Errorf("a judgement about %s has changed the machine", r.nodes.Node(id).Key())
	}
	return j
}

// snapshot is all that a judgement could change. It shares nothing with the machine.
type snapshot struct {
	m      Machine
	walk   *walk
	queued []graph.NodeID // Machine.stale
	out    []effect.Effect
	stamps seq.Counter
}

func (r *rig) snapshot() snapshot {
	s := snapshot{m: r.m.Clone(), queued: slices.Clone(r.m.stale), out: slices.Clone(r.out.Items()), stamps: r.stamps}
	s.m.guards, s.m.looked = nil, 0
	if r.m.walk == nil {
		return s
	}
	w := *r.m.walk
	w.order, w.places = r.m.walk.order.clone(), maps.Clone(w.places)
	for id, p := range w.places {
		p := *p
		w.places[id] = &p
	}
	w.left, w.ids, w.taken, w.marked = slices.Clone(w.left), slices.Clone(w.ids), slices.Clone(w.taken), slices.Clone(w.marked)
	s.walk = &w
	return s
}

// judgements are cascades with all kinds of places that a judgement finds or adds.
var judgements = []struct{ objects, late, reason string }{
	{"x1/a -> r/R!; x2/b -> x1/a!; x3/c -> x2/b!", "x2/late -> x3/c!; x3/d -> x2/late!", "a chain"},
	{"x2/a -> r/R!, x2/a!; x1/b -> x2/a!", "x2/late -> x2/late!, x2/a", "a self reference"},
	{"x2/a -> r/R!, x1/c!; x3/b -> x2/a!; x1/c -> x3/b!", "x3/b#2 -> x2/a!, x1/c!", "a ring"},
	{"x2/solid; x2/a -> r/R!, x2/solid; x1/b -> x2/a!", "x2/late -> x2/a!, x2/solid", "an object that stays"},
	{"s/S~[foreground]; x1/a -> r/R!, s/S!; x2/b -> s/S!, x1/a", "x2/late -> r/R!, s/S!", "two orders"},
	{"s/S~[foreground] -> x1/a; x1/a -> r/R!", "r/R#2~[foreground] -> s/S", "roots below each other"},
	{"x1/a~[foreground] -> r/R!; x2/b -> x1/a!; x2/elsewhere", "x2/elsewhere#2 -> x2/b!", "an object that comes below the root"},
	{"x2/many -> r/R!" + owners(maxAbove), "x2/late -> x2/many", "too many owners"},
}

func owners(n int) (text string) {
	for i := range n {
		text += fmt.Sprintf(", x3/o%d", i)
	}
	return text
}

// TestJudgementHasNoEffects: a judgement about any object changes nothing, at each step of a walk
// and with each holder. The next judgement and the commit agree with it.
func TestJudgementHasNoEffects(t *testing.T) {
	for _, c := range judgements {
		r := newRig(t, "r/R~[foreground]; "+c.objects)
		for _, late := range strings.Split("; "+c.late, "; ") {
			for r.put(late); ; r.m.Step(r.view(), 1+r.nodes.Graph.Len()/9, 1) {
				r.judgeAll(c.reason)
				if !r.m.HasWork() {
					break
				}
			}
			r.looks()
			r.check()
			if r.beginFence() {
				r.passFence()
			}
		}
	}
}

// judgeAll judges each object that is there, with each holder, and commits that on a copy.
func (r *rig) judgeAll(reason string) {
	r.Helper()
	var ids []graph.NodeID
	for n := range r.nodes.Graph.Nodes() {
		if n.State() == graph.Observed && len(ids) < 9 {
			ids = append(ids, n.ID())
		}
	}
	for _, id := range ids {
		for _, holder := range append(ids, 0) {
			judge := func(v View) Judgement { return r.m.JudgeDelete(v, id, holder) }
			first, again := r.judged(id, judge), r.judged(id, judge)
			c := *r
			c.m, c.out = r.m.Clone(), effect.List{} // without the places of a walk
			if wait := c.tryDelete(id, holder); first.Wait != again.Wait || first.Wait != wait && r.m.walk == nil {
				r.Errorf("%s: the delete of %s waits %t, then %t, then %t", reason, r.nodes.Node(id).Key(), first.Wait, again.Wait, wait)
			}
			c.check()
		}
		r.judged(id, func(v View) Judgement { return r.m.JudgeRelease(v, id) })
	}
}

// TestCommitOfNothing: the commit of a zero judgement changes nothing, also during a walk.
func TestCommitOfNothing(t *testing.T) {
	r := newRig(t, "r/R~[foreground]; x2/a -> r/R!; x1/b -> x2/a!")
	for ; r.m.HasWork(); r.m.Step(r.view(), 1, 1) {
		before := r.snapshot()
		r.m.Commit(r.view(), r.id("x2/a"), &Judgement{})
		if !reflect.DeepEqual(before, r.snapshot()) {
			t.Fatal("a commit of nothing has changed the machine")
		}
	}
}

// TestCommitJoins: an object to which no walk has come waits by the judgement, and has its places
// only after the commit.
func TestCommitJoins(t *testing.T) {
	r := newRig(t, "r/R~[foreground]; s/S~[foreground]; x1/a~[foreground] -> r/R!; x2/b -> x1/a!, s/S!")
	r.m.free(r.id("x2/b")) // as if no event had shown it
	id, o, p := r.id("x2/b"), r.m.orders[r.id("r/R")], r.m.orders[r.id("s/S")]
	j := r.m.JudgeDelete(r.view(), id, 0)
	if j.Wait || len(r.m.above[id]) > 0 {
		t.Errorf("it waits %t with %d places, want no wait in its first phase, and no place", j.Wait, len(r.m.above[id]))
	}
	r.m.Commit(r.view(), id, &j)
	if o.places[id] == nil || p.places[id] == nil || !slices.Equal(r.m.above[id], []graph.NodeID{o.root, p.root}) {
		t.Errorf("it has the places %v and %v", o.places[id], p.places[id])
	}
}

// TestJudgementCostsNothing: an object that no order is about costs no allocation.
func TestJudgementCostsNothing(t *testing.T) {
	r := newRig(t, "r/R~[foreground]; x2/a -> r/R!; x2/alone~[foreground]")
	r.rest()
	id, v := r.id("x2/alone"), r.view()
	if n := testing.AllocsPerRun(100, func() {
		j := r.m.JudgeDelete(v, id, 0)
		r.m.Commit(v, id, &j)
		j = r.m.JudgeRelease(v, id)
		r.m.Commit(v, id, &j)
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
