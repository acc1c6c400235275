package forecast

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/internal/draft"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// links knows the references at the beginning of a forecast, and the last step of each
// object.
type links struct {
	index      *draft.Index
	dependents [][]int32 // by part, see draft.Index.Dependents
	below      [][]int32 // the parts that go with a part, too
	owners     [][]int32 // of below, by part, each one once
	last       []int32   // the number of the last step, by part
	members    map[graph.Key][]int32
	sweeps     [][]int32 // the members of each holder by part, nil without a sweep
	within     [][]int32 // these and the members of each container
	order      draft.Steps
}

func newLinks(parts []excerpt.Part, index *draft.Index, dependents, below [][]int32) links {
	l := links{
		index: index, dependents: dependents, below: below, owners: make([][]int32, len(parts)), last: make([]int32, len(parts)), members: map[graph.Key][]int32{},
	}
	known := make([]int32, len(parts)) // as an owner of the part, from 1
	for i := range parts {
		for j := range parts[i].Object.Owners {
			o, ok := index.OwnerOf(int32(i), &parts[i].Object.Owners[j], below)
			if ok && known[o] != int32(i)+1 {
				known[o] = int32(i) + 1
				l.owners[i] = append(l.owners[i], o)
			}
		}
	}
	return l
}

// linkMembers notes the members of sweeps, as far as they do not depend on labels. A holder that
// does not fit sweeps nothing, but its claim keeps objects from the sweep of another holder. They
// go after it, so they count as its members.
//
//test:by ownergraph.TestUnfitRival ownergraph.TestUnfitHolder
func (f *forecast) linkMembers() {
	if !f.fork.HasSweeps() {
		return
	}
	f.links.sweeps = make([][]int32, len(f.Parts))
	unfit := f.fork.Unfit()
	for i := range f.Parts {
		n, ok := f.fork.Node(f.Parts[i].Object.Key)
		if !ok || n.State() != graph.Observed {
			continue
		}
		holders := f.fork.Holders(n.ID())
		if slices.ContainsFunc(holders, unfit) && !f.isContested(n, holders, unfit) {
			holders = slices.DeleteFunc(holders, unfit)
		}
		for _, h := range holders {
			if at, ok := f.links.index.Of(f.fork.Graph().Node(h).Key()); ok {
				f.links.sweeps[at] = append(f.links.sweeps[at], int32(i))
			}
		}
	}
}

// isContested reports whether a sweep deletes a node once no other holder has a claim on it: the sweep
// of a holder that is gone or marked, or of a target.
//
//test:by ownergraph.TestUnfitRivalOfGoneHolder ownergraph.TestUnfitRivalOfTarget
func (f *forecast) isContested(n graph.Node, holders []graph.NodeID, unfit func(graph.NodeID) bool) bool {
	return f.Behind[n.Key()] || slices.ContainsFunc(holders, func(id graph.NodeID) bool {
		h := f.fork.Graph().Node(id)
		at, ok := f.links.index.Of(h.Key())
		return !unfit(id) && (h.Deleting() && !h.Inside(inside.Key{}).MarkWithheld() || ok && f.target[at])
	})
}

// linkContents notes the members of containers. A sweep takes the place of the actor.
func (f *forecast) linkContents() {
	infos := slices.Clone(f.Defined)
	for _, k := range f.Kinds {
		infos = append(infos, k.KindInfo)
	}
	f.contents = draft.NewContents(f.Parts, infos, func(k graph.KindInfo) bool {
		return slices.ContainsFunc(f.cfg.Sweeps, func(s sweepConfig) bool {
			return s.Holder == k.Kind && s.Finalizer == k.Container.Finalizer
		})
	})
	f.links.within = f.contents.With(f.links.sweeps)
}

// own returns the last step of an object.
func (l *links) own(k graph.Key) []int32 {
	if i, ok := l.index.Of(k); ok && l.last[i] > 0 {
		return []int32{l.last[i]}
	}
	return nil
}

// stepOf describes a write of the engine.
func (f *forecast) stepOf(d *inflight.Sent, out finalizer.Outcome) plan.Step {
	s := plan.Step{
		Actor: plan.Engine, Action: d.Action, Key: d.Key, Reason: d.Reason, Propagation: d.Propagation, Finalizer: d.Finalizer,
		Removes: out.Effect == finalizer.Removed,
	}
	if d.Action != policy.Delete || d.Reason == policy.CascadeOwnerGone || d.Reason == policy.CascadeOwnerWaits {
		for _, r := range d.Owners {
			s.Owners = append(s.Owners, r.Key)
		}
	}
	switch d.Reason {
	case policy.DependentsGone, policy.DependentsFree, policy.RingConfirmed:
		s.Fence = f.cfg.Level >= engine.Level2
	}
	if d.Holder != (graph.Key{}) {
		f.links.members[d.Holder] = append(f.links.members[d.Holder], int32(len(f.steps)+1))
	}
	return s
}

// before returns the steps that a write of the engine waits for: those of its owners, of
// its dependents if it ends their owner, and its own last one.
func (f *forecast) before(d *inflight.Sent) []int32 {
	l := &f.links
	out := l.own(d.Key)
	if d.Holder != (graph.Key{}) {
		out = append(out, l.own(d.Holder)...)
	}
	at, ok := l.index.Of(d.Key)
	if !ok {
		return out
	}
	switch d.Reason {
	case policy.DependentsGone, policy.DependentsFree, policy.RingConfirmed:
		return l.lastOf(out, l.dependents[at])
	case policy.MembersGone:
		return append(out, l.members[d.Key]...)
	}
	return l.lastOf(out, l.owners[at])
}

// lastOf appends the last steps of parts.
func (l *links) lastOf(out, parts []int32) []int32 {
	for _, i := range parts {
		if l.last[i] > 0 {
			out = append(out, l.last[i])
		}
	}
	return out
}

// addStep appends a step with its number, its wave, and the steps before it.
func (f *forecast) addStep(s plan.Step, after []int32) {
	s.Wave, s.After, s.AfterMore = f.links.order.Add(after)
	f.steps = append(f.steps, s)
	if i, ok := f.links.index.Of(s.Key); ok {
		f.links.last[i] = int32(len(f.steps))
	}
}

// userDeletes makes a deletion of the request. An object that goes before is left out.
func (f *forecast) userDeletes(t plan.Target) {
	live, ok := f.store.At(t.Key)
	if !ok || f.tryRefuse(&live) {
		return
	}
	if t.Propagation == graph.Unset && live.Propagation() == graph.Unset {
		f.assume(plan.PropagationAssumed, "")
	}
	out, err := f.store.Delete(t.Key, graph.DeleteOptions{Precondition: graph.Precondition{UID: t.Key.UID}, Propagation: t.Propagation})
	if err != nil {
		return
	}
	f.cost.Writes++
	f.addStep(plan.Step{
		Actor: plan.User, Action: policy.Delete, Key: t.Key, Propagation: t.Propagation, Removes: out.Effect == finalizer.Removed,
	}, nil)
	f.report(out)
	f.others(out)
	f.pass(t.Key)
}

// others takes the steps of the other actors on a marked object, as the request assumes
// them: the end of a grace period, and the controllers of foreign finalizers.
func (f *forecast) others(out finalizer.Outcome) {
	o := out.Object
	if out.Effect != finalizer.Stored || !o.Deleting {
		return
	}
	if o.GraceSeconds > 0 {
		none := int64(0)
		f.assume(plan.GracePasses, "")
		ended, err := f.store.Delete(o.Key, graph.DeleteOptions{GraceSeconds: &none})
		if err != nil {
			return
		}
		f.addStep(plan.Step{Actor: plan.Grace, Action: policy.Delete, Key: o.Key, Removes: ended.Effect == finalizer.Removed}, f.links.own(o.Key))
		f.report(ended)
		f.others(ended)
		return
	}
	for _, name := range o.Finalizers {
		if slices.Contains(f.req.Removed, name) {
			f.controllerReleases(o.Key, name)
			return
		}
	}
}

// controllerReleases removes a finalizer as its controller.
func (f *forecast) controllerReleases(k graph.Key, name string) {
	f.assume(plan.FinalizerRemoved, name)
	out, err := f.store.Patch(k, graph.Precondition{}, graph.Change{DropFinalizer: name})
	if err != nil {
		return
	}
	f.addStep(plan.Step{
		Actor: plan.Controller, Action: policy.Release, Key: k, Finalizer: name, Removes: out.Effect == finalizer.Removed,
	}, f.links.own(k))
	f.report(out)
	f.others(out)
}

// noteContent takes the outcome of a write, for the actors of containers.
func (f *forecast) noteContent(out finalizer.Outcome) {
	gone := out.Effect == finalizer.Removed
	if i, ok := f.links.index.Of(out.Object.Key); ok && (gone || out.Object.Deleting) {
		f.contents.Note(i, gone)
	}
}

// emptyContainers takes the steps of the actors of containers: they delete the members, and end a
// container without one.
//
//test:by ownergraph.TestPlanContainer
func (f *forecast) emptyContainers() {
	for i, members, ok := f.contents.Next(); ok; i, members, ok = f.contents.Next() {
		container, kind := f.Parts[i].Object.Key, f.contents.Container(i)
		for _, m := range members {
			o, lives := f.store.At(f.Parts[m].Object.Key)
			if !lives || o.Deleting || f.tryRefuse(&o) {
				continue
			}
			f.acted = true
			f.assume(plan.MembersRemoved, kind.Actor)
			out, err := f.store.Delete(o.Key, graph.DeleteOptions{Propagation: graph.Background})
			f.actorWrote(plan.Step{Action: policy.Delete, Key: o.Key, Propagation: graph.Background}, out, err, append(f.links.own(container), f.links.own(o.Key)...))
		}
		if now, lives := f.store.At(container); lives && kind.Finalizer != "" && now.HasFinalizer(kind.Finalizer) && f.contents.IsEmpty(i) {
			out, err := f.store.Patch(container, graph.Precondition{}, graph.Change{DropFinalizer: kind.Finalizer})
			f.actorWrote(plan.Step{Action: policy.Release, Key: container, Finalizer: kind.Finalizer}, out, err, f.links.lastOf(f.links.own(container), members))
		}
	}
}

// actorWrote reports a write of the actor of a container. The draft store refuses none.
func (f *forecast) actorWrote(s plan.Step, out finalizer.Outcome, err error, after []int32) {
	if err != nil {
		return
	}
	s.Actor, s.Removes = plan.Container, out.Effect == finalizer.Removed
	f.addStep(s, after)
	f.report(out)
	f.others(out)
}

// findTargets finds the parts that the request deletes. One may have gone during the copy.
func (f *forecast) findTargets() error {
	f.target = make([]bool, len(f.Parts))
	for i, t := range f.req.Delete {
		at, ok := f.links.index.Of(t.Key)
		if !ok || f.Parts[at].State != excerpt.Exists {
			return fmt.Errorf("plan: Delete[%d]: %s: %w", i, t.Key, graph.ErrNotFound)
		}
		f.target[at] = true
	}
	if len(f.Kinds) == 0 {
		return fmt.Errorf("plan: the kinds: %w", graph.ErrKindUnknown)
	}
	return nil
}
