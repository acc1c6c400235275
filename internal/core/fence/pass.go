package fence

import (
	"maps"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/kinds"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/policy"
)

// AwaitingKind returns the nodes that wait for the kind to pass, sorted.
func (f *Machine) AwaitingKind(name graph.Kind) []graph.NodeID {
	return slices.Sorted(maps.Keys(f.byKind[name]))
}

// AwaitedKinds returns the kinds that nodes wait for, sorted.
func (f *Machine) AwaitedKinds() []graph.Kind { return slices.Sorted(maps.Keys(f.byKind)) }

// Waiters returns the nodes that wait for the fence, or for one kind to pass it. Some may be
// out of use.
func (f *Machine) Waiters(g *graph.Graph, nodes *record.Table) (ids []graph.NodeID) {
	for _, id := range f.waiting {
		if nodes.Get(g, id).AwaitsFence {
			ids = append(ids, id)
		}
	}
	for _, name := range f.AwaitedKinds() {
		ids = append(ids, f.AwaitingKind(name)...)
	}
	return ids
}

// MaxWaiters returns the most nodes that Waiters may return.
func (f *Machine) MaxWaiters() int {
	n := len(f.waiting)
	for _, w := range f.byKind {
		n += len(w)
	}
	return n
}

// due returns the time at which the fence under way gives way to another. A fence that
// should have passed counts as lost then. A blocked one makes room for the waiters of a newer
// one.
func (f *Machine) due(blocked bool) time.Time {
	if blocked {
		return f.started.Add(time.Second << min(f.yielded, 5))
	}
	return f.started.Add(timeout << min(f.lost, 7))
}

// Rests reports whether no fence is under way or wanted.
func (f *Machine) Rests() bool { return !f.Under() && !f.Wanted() }

// Times returns the times at which the machine may have to act, and which of them count. A
// time in the past, or the zero time, means now.
func (f *Machine) Times(k *kinds.Table) (at [3]time.Time, counts [3]bool) {
	if f.Rests() {
		return at, counts
	}
	blocked := f.Blocked(k)
	at = [3]time.Time{f.retry, f.due(blocked), f.since.Add(f.release)}
	counts = [3]bool{
		f.exact && f.wanted != 0 && f.id == 0,
		f.id != 0 && (!blocked || f.wanted > f.began),
		blocked && f.id != 0 && f.release != 0 && f.freed < f.began && !k.IsOpenLate(),
	}
	return at, counts
}

// Begin begins a fence, if one is due, and returns its id. A fence under way serves the
// waiters from before its beginning. A blocked one gives way to a newer one. SetBegan follows,
// with the moment of the call that asks the store.
func (f *Machine) Begin(now time.Time, k *kinds.Table, out *effect.List) (id uint64, ok bool) {
	if !f.exact || f.Rests() || now.Before(f.retry) {
		return 0, false
	}
	if f.id != 0 {
		blocked := f.Blocked(k)
		if now.Before(f.due(blocked)) || blocked && f.wanted <= f.began {
			return 0, false
		}
		if blocked {
			f.yielded++
		} else {
			f.lose(now, k, out)
		}
		f.Void(k)
	}
	if f.wanted == 0 || f.passed > f.wanted {
		return 0, false
	}
	f.last++
	f.id, f.started = f.last, now
	k.OpenFence()
	return f.id, true
}

// SetBegan notes the moment of the call that Begin led to.
func (f *Machine) SetBegan(at seq.Stamp) {
	if f.began = at; at > f.wanted {
		f.wanted = 0
	}
}

// Void gives up the fence under way: another one has to begin.
func (f *Machine) Void(k *kinds.Table) {
	if f.id == 0 {
		return
	}
	f.wanted = max(f.wanted, f.began)
	f.id, f.token, f.early = 0, 0, nil
	k.CloseFence()
}

// Forgo gives up the fence under way, and takes back the wants of all nodes, which are decided again. A
// loss still wants its fence.
func (f *Machine) Forgo(now time.Time, k *kinds.Table, out *effect.List) {
	f.Void(k)
	if f.wanted = 0; k.LossOpen() {
		f.Want(k.LostAt(), now)
	}
	for _, name := range slices.Sorted(maps.Keys(f.byKind)) {
		f.WakeKind(name, out)
	}
	out.Do(effect.WakeFence)
}

// TakeBack takes back the passed fences: they prove nothing of a kind that has joined, nor
// of another history. Early reports prove as little.
func (f *Machine) TakeBack() { f.set, f.passed, f.freed, f.early = 0, 0, 0, nil }

// Rewind takes all fences back. Waiters wait from now on.
func (f *Machine) Rewind(now time.Time, k *kinds.Table) {
	f.TakeBack()
	f.Void(k)
	f.since = now
}

// Passage is what has passed the fence under way now. The zero value is nothing.
type Passage struct {
	Set  bool // the set of kinds
	Kind bool // a kind
	Last bool // nothing else was missing
}

// Any reports whether a kind, or the set of kinds, has passed.
func (p Passage) Any() bool { return p.Set || p.Kind }

// Pass notes that a kind has passed the fence with the id (R7), "" for the set of kinds.
func (f *Machine) Pass(name graph.Kind, id uint64, k *kinds.Table, out *effect.List) (p Passage) {
	if id != 0 && id == f.id && k.PassFence(name, id, f.began) {
		f.note(name, k, out, &p)
	}
	return p
}

// note notes that a kind has passed the fence under way.
func (f *Machine) note(name graph.Kind, k *kinds.Table, out *effect.List, p *Passage) {
	p.Set, p.Kind = p.Set || name == "", p.Kind || name != ""
	if name == "" {
		f.set = f.began
	} else {
		f.WakeKind(name, out)
	}
	k.SetAnswered(f.began)
	if open, _ := k.OpenCount(); open > 0 {
		return
	}
	p.Last = true
	f.passed, f.id, f.token = f.began, 0, 0
	f.lost, f.yielded = 0, 0
	f.since = f.started // a waiter of now has not waited for longer
	if f.passed > f.wanted {
		f.wanted = 0
	}
	f.counts.Passed++
}

// lose gives the fence under way up: well kinds should have passed it by now. Its waiters
// are decided again, and reported as held until a fence passes.
func (f *Machine) lose(now time.Time, k *kinds.Table, out *effect.List) {
	open := k.OpenKinds()
	f.lost++
	f.counts.Lost++
	f.late = open[:min(len(open), maxLate)]
	out.Warn("fence lost", "reason", policy.FenceLost.Code(), "kinds", Names(f.late), "count", len(open), "waited", now.Sub(f.started))
	for _, name := range open {
		f.WakeKind(name, out)
	}
	out.Do(effect.WakeFence)
}

// maxLate bounds the kinds that a report names.
const maxLate = 8

// Release frees the deletions that have waited for a blocked fence for longer than the release
// time of New. A late kind is no sick one here: its listing may take long, and has all of its
// dependents.
func (f *Machine) Release(now time.Time, k *kinds.Table, out *effect.List) {
	if f.release == 0 || f.id == 0 || !f.Blocked(k) || k.IsOpenLate() || now.Before(f.since.Add(f.release)) || f.freed >= f.began {
		return
	}
	f.freed = f.began
	out.Warn("fence released", "kinds", k.OpenKinds())
	out.Do(effect.WakeFence)
}

// Released returns the moment up to which marks may end without a passed fence, as best
// effort. Last is the newest stamp.
func (f *Machine) Released(k *kinds.Table, last seq.Stamp) seq.Stamp {
	switch {
	case f.exact:
		return f.freed
	case k.Unseen() || k.LossOpen(): // the observed state may be of a former history (R5)
		return 0
	}
	return last + 1
}

// Names names kinds, with words for the set of kinds.
func Names(kinds []graph.Kind) []string {
	out := make([]string, len(kinds))
	for i, k := range kinds {
		if out[i] = string(k); k == "" {
			out[i] = "the set of kinds"
		}
	}
	return out
}

// Clone returns a machine that shares nothing with f.
func (f *Machine) Clone() Machine {
	c := *f
	c.waiting, c.late, c.early = slices.Clone(f.waiting), slices.Clone(f.late), cloneReports(f.early)
	c.byKind = make(map[graph.Kind]map[graph.NodeID]struct{}, len(f.byKind))
	for name, w := range f.byKind {
		c.byKind[name] = maps.Clone(w)
	}
	return c
}

// Status is the state of the fence under way for reports.
type Status struct {
	Began time.Time // the zero time without a fence under way
	Open  []graph.Kind
	Lost  int
}

// Status returns the state of the fence under way.
func (f *Machine) Status(k *kinds.Table) Status {
	s := Status{Lost: f.lost}
	if f.id != 0 {
		s.Began, s.Open = f.started, k.OpenKinds()
	}
	return s
}
