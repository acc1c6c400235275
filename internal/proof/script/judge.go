package script

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
	"github.com/ownergraph/ownergraph/internal/proof/world"
)

// history is the input of the oracle for a scenario.
type history struct {
	start   []graph.Object
	actions []oracle.Action
	calm    bool   // the world is at rest
	quiet   bool   // every action came at rest, in a quiet state
	without string // the reason to leave the scenario out
	unsafe  bool
}

// forget begins a new history with the present store.
func (r *runner) forget() {
	r.start = slices.Clone(r.w.Store.Objects())
	r.actions, r.calm, r.quiet = nil, true, true
}

// leaveOut takes the scenario out of the judgement.
func (r *runner) leaveOut(why string) error {
	if r.without = why; why == "" {
		return errUsage
	}
	return nil
}

// distrust permits writes that are wrong because of the store's low guarantees.
func (r *runner) distrust(why string) error {
	r.unsafe = true
	return r.leaveOut(why)
}

// user carries out an action of a user.
func (r *runner) user(line string) error {
	a, err := oracle.ParseAction(line)
	if err != nil {
		return err
	}
	if _, err := r.kind(string(a.Object.Kind)); err != nil {
		return err
	}
	if r.w.Strict && r.w.Refuses(a) {
		r.printf("refused")
		return nil
	}
	r.note(a)
	if !r.w.Do(a) {
		r.printf("unchanged")
	}
	return nil
}

// ack lets a controller acknowledge a generation. For the oracle it is a new version.
func (r *runner) ack(arg string) error {
	k, err := graph.ParseKey(arg)
	if err != nil {
		return err
	}
	r.note(oracle.Action{Verb: oracle.Touch, Object: graph.Object{Key: k}})
	if !r.w.Acknowledge(k) {
		r.printf("unchanged")
	}
	return nil
}

func (r *runner) note(a oracle.Action) {
	r.quiet = r.quiet && r.calm && oracle.Quiet(oracle.NewState(r.known(r.w.Store.Objects())), r.opt.oracle())
	r.actions = append(r.actions, a)
	r.calm = false
}

// written lets package invariant judge the writes of a sweep. It also records the end
// of a handler's finalizer. For the oracle that is an action of a user.
func (r *runner) written(before *world.Store, c engine.Call) {
	if r.wrong == nil && r.opt.level >= ownergraph.Level2 && (c.Type != engine.CallDelete || r.sweepCalls[sweepCall{c.ID, c.Key}]) {
		r.wrong = r.sweeps.Judge(c)
	}
	if !slices.Contains(r.opt.handlers, c.Change.DropFinalizer) {
		return
	}
	o, _ := before.Get(c.Key)
	for _, f := range o.Finalizers {
		if f != c.Change.DropFinalizer && f != graph.FinalizerOrphan && f != graph.FinalizerForeground && !graph.IsGuardFinalizer(f) {
			return
		}
	}
	r.actions = append(r.actions, oracle.Action{Verb: oracle.Finish, Object: graph.Object{Key: c.Key}})
	r.quiet = false
}

// end runs the world until it is at rest, and judges it.
func (r *runner) end() error {
	if err := r.begin(); err != nil {
		return err
	}
	if r.opt.hand {
		return r.check()
	}
	if err := r.w.RunToRest(); err != nil {
		return err
	}
	if err := r.check(); err != nil || r.without != "" {
		return err
	}
	var actions []oracle.Action
	for _, a := range r.actions {
		if a.Verb == oracle.AddRef || a.Verb == oracle.Create {
			a.Object.Owners = r.believed(a.Object.Owners)
		}
		actions = append(actions, a)
	}
	ends := oracle.Ends(r.known(r.start), actions, r.opt.oracle())
	if r.quiet {
		if one := oracle.EndsQuiet(r.known(r.start), actions, r.opt.oracle()); len(one) == 1 {
			ends = one
		}
	}
	if got := oracle.Line(r.known(r.w.Store.Objects())); !slices.Contains(ends, got) {
		return fmt.Errorf("the end %q is not permitted: want one of\n  %s", got, strings.Join(ends, "\n  "))
	}
	return nil
}

// known returns the objects for the oracle. It leaves out kinds that take no part. A
// reference to a kind that the engine can never know is unresolved.
func (r *runner) known(objects []graph.Object) (out []graph.Object) {
	for _, o := range objects {
		if slices.Contains(r.opt.ignore, o.Kind) {
			continue
		}
		o.Owners = r.believed(o.Owners)
		out = append(out, o)
	}
	return out
}

func (r *runner) believed(refs []graph.Owner) []graph.Owner {
	refs = slices.Clone(refs)
	for i, o := range refs {
		banned := func(k graph.KindInfo) bool { return k.Kind == o.Kind && k.NoOwner }
		refs[i].Unresolved = o.Unresolved || slices.Contains(r.opt.ignore, o.Kind) ||
			slices.Contains(r.opt.unserved, o.Kind) || slices.ContainsFunc(r.opt.kinds, banned)
	}
	return refs
}
