package engine

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/core/fence"
	"github.com/ownergraph/ownergraph/internal/core/follow"
	"github.com/ownergraph/ownergraph/internal/core/guards"
	"github.com/ownergraph/ownergraph/internal/core/held"
	"github.com/ownergraph/ownergraph/internal/core/history"
	"github.com/ownergraph/ownergraph/internal/core/pause"
	"github.com/ownergraph/ownergraph/internal/core/search"
	"github.com/ownergraph/ownergraph/internal/core/seed"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/internal/run"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// Graph returns the graph, to read it under the driver's lock.
func (d driver) Graph() *graph.Graph { return d.e.graph }

// IsObserved reports whether the engine observes an object.
func (d driver) IsObserved(k graph.Key) bool { return search.IsObserved(d.e.graph, k) }

// WhyUnobserved says why an object of a kind may exist that the engine does not observe, or "".
func (d driver) WhyUnobserved(k graph.Kind) string { return d.e.kinds.WhyUnobserved(k) }

// Seed returns the machines that a copy for a plan reads, for one step of the copy.
func (d driver) Seed() *seed.View {
	v := d.e.seedView()
	return &v
}

// SeedRest returns what a seed needs beside its copy.
func (d driver) SeedRest(now time.Time) seed.Rest {
	rest := seed.Rest{Now: now, Busy: !d.e.Idle(), Brake: d.e.brake.Memory(d.e.brakeView())}
	for _, x := range d.e.Paused() {
		rest.Pauses = append(rest.Pauses, seed.Pause{What: pause.Extent(x.What), Unread: x.Unread})
	}
	return rest
}

// seedView returns the machines that a copy for a plan reads.
func (e *Engine) seedView() seed.View {
	return seed.View{
		View: e.sweepView(), Sweeps: &e.sweeps, Guards: &e.guards, Orphaned: &e.orphaned, Work: e.work,
		Open: &e.copies, Rewinds: e.counts.Rewinds,
	}
}

// GraphConfig returns the settings of a copy of the graph, which outlives the engine.
func (d driver) GraphConfig() graph.Config {
	cfg := d.e.graph.Inside(inside.Key{}).Config()
	if rules := d.e.guards.Rules; rules.Any() { // a copy of the rules
		cfg.WithholdsMark = func(o graph.Object) bool { return rules.MayWithholdMark(&o) }
	}
	return cfg
}

// Follow begins to follow some deletions, and Unfollow ends that.
func (d driver) Follow(f *follow.Follower) {
	f.Open(d.e.graph)
	d.e.follows = append(d.e.follows, f)
}

func (d driver) Unfollow(f *follow.Follower) {
	f.Close(d.e.graph)
	d.e.follows = slices.DeleteFunc(d.e.follows, func(x *follow.Follower) bool { return x == f })
}

// FollowView returns the machines that a follower reads.
func (d driver) FollowView() follow.View { return d.e.followView() }

// BeginFollow finds a root of a follower, whose search is over. An error wraps ErrNotFound or ErrInvalid.
func (d driver) BeginFollow(f *follow.Follower, key graph.Key) error {
	roots := f.Roots(d.e.followView(), key)
	root, err := seed.Only(key, roots)
	if len(roots) == 0 {
		return fmt.Errorf("%w%s", err, d.e.kinds.WhyUnobserved(key.Kind))
	}
	if err == nil {
		f.Begin(d.e.followView(), root)
	}
	return err
}

// Unseen counts the kinds of which a listing is to come. ListedWell reports whether every kind that is
// well is listed, and Synced whether every kind is. WhyUnsynced names the kinds that are not.
func (d driver) Unseen() int         { return d.e.kinds.CountUnseen() }
func (d driver) ListedWell() bool    { return d.e.kinds.ListedWell() }
func (d driver) Synced() bool        { return d.e.kinds.Synced() }
func (d driver) WhyUnsynced() string { return d.e.kinds.Unsynced() }

// IsPruned reports whether no kind waits for the end of its listing.
func (d driver) IsPruned() bool { return d.e.kinds.IsPruned() }

// WhyNotIdle names the fences and listings for which a wait goes on.
func (d driver) WhyNotIdle(now time.Time) (why []string) {
	if f := d.e.fence.Status(&d.e.kinds); len(f.Open) > 0 {
		first := fence.Names(f.Open[:min(len(f.Open), run.MaxNames)])
		why = append(why, fmt.Sprintf("fence not passed by %s for %v", run.FirstNames(first, len(f.Open)), now.Sub(f.Began)))
	}
	if f := d.e.fence.Failing(); f.Times > 0 {
		why = append(why, fmt.Sprintf("the store begins no fence, the next call is in %v: %s", max(f.Next.Sub(now), 0), f.Cause))
	}
	if text := d.e.kinds.ListError(); text != "" {
		why = append(why, "the store begins no listing: "+text)
	}
	return why
}

// HeldFrom appends a slice of the held nodes, and returns the next slice.
func (d driver) HeldFrom(found []held.Node, from graph.NodeID) ([]held.Node, graph.NodeID, bool) {
	return d.e.held.From(d.e.graph, found, from)
}

// Describe appends the reports of those nodes that are still held.
func (d driver) Describe(out []Held, some []held.Node) []Held {
	for _, n := range some {
		if d.e.held.Is(d.e.graph, n) {
			out = append(out, d.HeldAt(n.ID))
		}
	}
	return out
}

// HeldReasons sums up a slice of the held objects by reason. It returns the next slice.
func (d driver) HeldReasons(sum map[policy.Reason]HeldReason, from graph.NodeID) (next graph.NodeID, more bool) {
	e := d.e
	if e.held.Len() <= held.Slice { // one slice has all of them, also in the middle of a walk
		clear(sum)
	}
	return e.held.Entries(e.graph, from, func(x held.Entry) {
		s := sum[x.Reason]
		if s.Objects == 0 || x.Since.Before(s.Oldest) {
			s.Oldest = x.Since
		}
		s.Reason, s.Status, s.Objects = x.Reason, Status(held.StatusOf(x.Reason)), s.Objects+1
		sum[x.Reason] = s
	})
}

// HeldAt returns the report of a held node.
func (d driver) HeldAt(id graph.NodeID) Held { return reports(d).heldAt(id) }

// CountStuck returns the number of held nodes that are stuck.
func (d driver) CountStuck() int { return d.e.held.Stuck() }

// RootsOf returns the roots of an object's deletion: see Collector.Roots.
func (d driver) RootsOf(k graph.Key) Root {
	e := d.e
	n, ok := e.graph.Lookup(k)
	switch {
	case !ok || e.broken != nil:
		return Root{}
	case n.State() == graph.Observed && !n.Deleting(): // of a deletion that begins now
		return Root(e.history.AskRoot(e.view(), n.ID(), e.input(n.ID(), &e.scratch.judgement.evidence)))
	}
	return Root(e.history.RootAt(n, e.state(n.ID()).Root))
}

// TallyFrom adds a slice of the nodes to a tally of the deletions under way. It returns the next slice.
func (d driver) TallyFrom(t *history.Tally, from graph.NodeID) (next graph.NodeID, more bool) {
	return t.AddFrom(&d.e.history, d.e.view(), d.e.kinds.Rewound(), from, from+seed.ScanSlice)
}

// Running returns the runs of handlers under way, by key and finalizer.
func (d driver) Running() []HandlerRun {
	var out []HandlerRun
	for _, s := range d.e.handlers.Running() {
		out = append(out, HandlerRun{d.e.graph.Node(s.Run.Node).Key(), s.Run.Name, s.Since, s.Tries})
	}
	slices.SortFunc(out, func(a, b HandlerRun) int {
		return cmp.Or(a.Key.Compare(b.Key), cmp.Compare(a.Finalizer, b.Finalizer))
	})
	return out
}

// StepSearch looks at a slice of the nodes for the objects with a key. ExplainAt explains the object
// that the search has found.
func (d driver) StepSearch(s *search.Search) error {
	return s.Step(d.e.graph, &d.e.history, searchSlice)
}

// ExplainAt explains the object with the full coordinates at a time.
func (d driver) ExplainAt(k graph.Key, now time.Time) (explain.Explanation, error) {
	x := explainer{e: d.e, now: now, left: maxConditions}
	return x.explain(k)
}

// NeedLabels names the field of the Config that needs a LabelSelector, "" for none.
func (d driver) NeedLabels() string {
	return cmp.Or(d.e.guards.Rules.NeedLabels(), d.e.sweeps.NeedLabels())
}

// GuardOf returns the guard that selects an object, with its name, or nil.
func (d driver) GuardOf(o *graph.Object) (*guard.Guard, string) { return d.e.guards.Roots.Of(o) }

// Again returns the deletion by which a guard repeats that of a marked root: see guards.Machine.
func (d driver) Again(o *graph.Object) (policy.Decision, bool) { return d.e.guards.Roots.Again(o) }

// BeginApproval notes that a user's approval of a root is under way, and EndApproval that it has ended,
// and whether it has taken the hold off. Then the engine reports the end of the hold as an approval.
func (d driver) BeginApproval(k graph.Key) {
	if n, ok := d.e.graph.Lookup(k); ok {
		d.e.guards.Roots.BeginApproval(n.ID())
	}
}

func (d driver) EndApproval(k graph.Key, taken bool) {
	if n, ok := d.e.graph.Lookup(k); ok {
		d.e.guards.Roots.EndApproval(n.ID(), taken)
	}
}

// Unguarded returns an error for an unmarked object that a guard selects, and that lacks a finalizer
// of guards. Its deletion mark would pass by the guard. An engine that writes nothing guards no root.
// The error wraps plan.ErrChanged.
func (d driver) Unguarded(o *graph.Object) error {
	if d.e.cfg.ObserveOnly || d.e.level == Level0 {
		return nil
	}
	if guard, missing := d.e.guards.Roots.Lacks(d.e.graph, o); missing != "" {
		return fmt.Errorf("%s: finalizers: guard %s selects it, and %s is not on yet: %w", o.Key, guard, missing, plan.ErrChanged)
	}
	return nil
}

// Protection reports whether an object is protected, or whether a selection has to tell.
func (d driver) Protection(o *graph.Object) (protected, unknown bool) {
	return d.e.guards.MayProtect(d.e.guardView(), o)
}

// WhyUsed says why a finalizer cannot be retired, or "". It reads the settings alone.
func (d driver) WhyUsed(name string) string {
	return guards.WhyUsed(name, d.e.cfg.Handlers[name] != nil, d.e.cfg.Sweeps)
}

// Carriers returns the observed objects of a slice of the nodes that carry one of the finalizers, and
// that no guard selects.
func (d driver) Carriers(names []string, from graph.NodeID) (found []graph.Object, next graph.NodeID, done bool) {
	return d.e.guards.Roots.Carriers(d.e.graph, names, from, from+seed.ScanSlice)
}

// WhyLeft names an object that is left, the cause, and the time since which it stays.
func (d driver) WhyLeft(id graph.NodeID, now time.Time) string {
	n := d.e.graph.Node(id)
	key := n.Key()
	key.UID = ""
	switch place := seed.PlaceText(key); {
	case d.e.held.Has(id):
		h := d.HeldAt(id)
		return held.Left(place, held.Cause(h.Reason, h.Doubt, h.Detail, h.LastError), h.Since, now)
	case n.Deleting():
		return held.Left(place, "marked", d.e.state(id).Marked, now)
	default:
		return held.Left(place, "not deleted yet", time.Time{}, now)
	}
}

// Node returns the node of an object that the engine has observed, or that a reference names. The
// node leads to its owners and dependents. It is valid until the next call of a method that changes
// the engine, and it belongs to the goroutine that owns the engine.
//
//test:by TestEngineNode
func (e *Engine) Node(key graph.Key) (graph.Node, bool) { return e.graph.Lookup(key) }
