package script

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/internal/proof/invariant"
	"github.com/ownergraph/ownergraph/internal/proof/world"
	"github.com/ownergraph/ownergraph/policy"
)

// Run runs a scenario and returns its text with the new output. An error names the
// line of a command that failed, or the fault of the end.
func Run(text string) (string, error) {
	blocks, err := parse(text)
	if err != nil {
		return "", err
	}
	r := &runner{}
	r.again()
	printed := make([]string, len(blocks))
	for i, b := range blocks {
		r.out.Reset()
		for j, line := range b.lines {
			if strings.HasPrefix(line, "#") {
				continue
			}
			if err := r.command(line); err != nil {
				return "", fmt.Errorf("line %d: %s: %w; printed before:\n%s", b.first+j, line, err, r.out.String())
			}
		}
		printed[i] = r.out.String()
	}
	return format(blocks, printed), r.end()
}

// again forgets the world. The next command begins another one.
func (r *runner) again() {
	r.w, r.opt, r.objects, r.fence, r.history = nil, options{}, nil, 0, history{}
	r.printed, r.effort, r.backup, r.wrong = [9]int{}, 0, world.Store{}, nil
	r.reports = nil
	r.decided, r.sweepCalls, r.refusals = map[graph.Key]engine.DecisionEvent{}, map[sweepCall]bool{}, map[sweepCall]bool{}
}

// runner is one scenario under way.
type runner struct {
	out        strings.Builder
	opt        options
	objects    []graph.Object
	w          *world.World
	side       int    // the engine of the command
	fence      uint64 // by hand: the newest fence
	decided    map[graph.Key]engine.DecisionEvent
	reports    []string       // of guards, since the last run
	shadows    []*graph.Graph // a graph of each engine's events
	printed    [9]int         // requests at the last run
	effort     uint64         // best effort at the last run
	backup     world.Store
	sweeps     *invariant.Sweeps // without plans for a world without sweeps
	sweepCalls map[sweepCall]bool
	refusals   map[sweepCall]bool // the writes because a user has refused a cascade
	wrong      error              // the first breach of a sweep
	history
}

// sweepCall is a delete that the engine decided for a holder.
type sweepCall struct {
	call engine.CallID
	key  graph.Key
}

var errUsage = errors.New("not in the form that the package documentation gives")

func (r *runner) printf(format string, args ...any) { fmt.Fprintf(&r.out, format+"\n", args...) }

// command runs one line.
func (r *runner) command(line string) error {
	verb, arg, _ := strings.Cut(strings.TrimSpace(line), " ")
	arg = strings.TrimSpace(arg)
	verb, number, given := strings.Cut(verb, "@")
	n := 1
	if given {
		var err error
		if n, err = strconv.Atoi(number); err != nil {
			return errUsage
		}
	}
	r.side = n - 1
	if verb == "world" && r.w != nil {
		if err := r.end(); err != nil {
			return err
		}
		r.again()
	}
	if setup, ok := r.setups()[verb]; ok && r.w == nil {
		return setup(arg)
	}
	if err := r.begin(); err != nil {
		return err
	}
	if n < 1 || n > len(r.w.Sides) {
		return fmt.Errorf("there is no engine %d", n)
	}
	run, ok := r.verbs()[verb]
	if err := r.allows(verb); err != nil {
		return err
	}
	if !ok {
		return r.user(line)
	}
	if verb != "run" && !passive(verb) {
		r.calm = false
	}
	if err := run(arg); err != nil {
		return err
	}
	return r.check()
}

// passive reports whether a command leaves the world as it is.
func passive(verb string) bool {
	return verb == "held" || verb == "orders" || verb == "graph" || verb == "decide" || verb == "braked" || verb == "paused" || verb == "stats" || verb == "unjudged" || verb == "unsafe" || verb == "backup"
}

func (r *runner) setups() map[string]func(string) error {
	return map[string]func(string) error{"world": r.opt.parse, "objects": r.addObjects}
}

func (r *runner) verbs() map[string]func(string) error {
	return map[string]func(string) error{
		"ack": r.ack, "list": r.list, "see": r.see, "issue": r.issue, "complete": r.complete, "commit": r.commit,
		"crash": r.crash, "label": r.label, "renew": r.renew, "late": r.late, "advance": r.advance, "run": r.run,
		"held": r.held, "graph": r.graph, "decide": r.decide, "orders": r.orders, "stats": r.stats,
		"pause": r.pause, "resume": r.resume, "paused": r.paused,
		"watch": r.watch, "pass": r.pass, "answer": r.answer,
		"sick": r.sick, "recover": r.recover, "vanish": r.vanish, "serve": r.serve,
		"control": r.control, "garble": r.garble, "down": r.down, "up": r.up, "undo": r.undo, "allow": r.allow, "backup": r.keep, "restore": r.restore, "stale": r.stale,
		"braked": r.braked, "approve-cascade": r.approve, "refuse-cascade": r.refuse,
		"remove": r.remove, "unjudged": r.leaveOut, "unsafe": r.distrust,
	}
}

// begin creates the world for the first command that needs it.
func (r *runner) begin() error {
	if r.w != nil {
		return nil
	}
	r.opt.complete()
	cfgs := make([]ownergraph.Config, r.opt.engines)
	for i := range cfgs {
		cfgs[i] = r.opt.config(i + 1)
		cfgs[i].OnDecision = r.decides
	}
	cfg := cfgs[0]
	kinds := r.opt.served(r.objects)
	w, err := world.NewEach(r.opt.level, cfgs, kinds, r.objects)
	if err != nil {
		return err
	}
	if r.opt.versions {
		w.CountRevisions()
	}
	if r.opt.lax {
		w.Strict, w.Ledger.Strict = false, false
	}
	r.w = w
	w.Ledger.Protects = r.opt.protects()
	r.shadows = make([]*graph.Graph, len(w.Sides))
	for i := range r.shadows {
		r.observe(i, graph.Event{Type: graph.KindsKnown, Kinds: kinds})
	}
	w.OnEvent, w.OnWrite = r.observe, r.written
	w.Refused = func(c engine.Call) bool { return r.refusals[sweepCall{c.ID, c.Key}] }
	if r.sweeps, err = invariant.NewSweeps(cfg.Sweeps, w.Store.Objects()); err != nil {
		return err
	}
	r.sweeps.Override = cfg.Override
	w.OnCommit = func(graph.Event) {
		r.sweeps.Labels = w.Store.Labels()
		r.sweeps.Commit(w.Store.Objects())
	}
	r.forget()
	if r.opt.hand {
		return r.open()
	}
	if r.opt.cold {
		return nil
	}
	if err := w.RunToRest(); err != nil {
		return err
	}
	if len(r.opt.guards) > 0 { // they have put their finalizers on
		r.printed = w.Requests
		r.forget()
		return nil
	}
	if w.Total() > 0 {
		return errors.New("the store is not quiet at the beginning: begin cold")
	}
	return nil
}

func (r *runner) decides(d engine.DecisionEvent) {
	r.decided[d.Key] = d
	switch d.Reason {
	case policy.HoldRemoved, policy.RootUnguarded, policy.DeletionApproved:
		r.reports = append(r.reports, d.Key.String()+": "+d.Reason.String())
	}
	if d.Holder.Kind != "" {
		r.sweepCalls[sweepCall{d.Call, d.Key}] = true
	}
	r.refusals[sweepCall{d.Call, d.Key}] = d.Reason == policy.CascadeRefused // an engine after a crash counts anew
}

// observe applies an event to the shadow of the engine's graph. Without a rewind the
// two graphs have to agree.
func (r *runner) observe(side int, ev graph.Event) {
	g := r.shadows[side]
	if g == nil {
		g = graph.New(graph.Config{Scope: r.opt.scope, OwnerName: r.opt.ownerName, Ignore: r.opt.ignore})
		r.shadows[side] = g
	}
	ev.Object = ev.Object.Clone()
	if _, err := g.Apply(ev); err != nil || ev.Type != graph.ListEnded {
		return
	}
	for done := false; !done; {
		var id graph.NodeID
		if id, _, done = g.Inside(inside.Key{}).Prune(ev.Kind, 1); id != 0 && g.Node(id).State() == graph.Observed {
			_, _ = g.Apply(graph.Event{Type: graph.Gone, Key: g.Node(id).Key()})
		}
	}
}

// check verifies the invariants of writes and of engines after every command.
func (r *runner) check() error {
	if err := r.w.Err(); err != nil && !r.unsafe {
		return err
	}
	if r.wrong != nil {
		return r.wrong
	}
	for i, s := range r.w.Sides {
		if err := probe.Check(s.Engine); err != nil {
			return err
		}
		stats, g := s.Engine.Stats(), r.shadows[i]
		agree := stats.Rewinds == 0 && (!r.opt.hand || stats.Refused == 0) // the shadow has neither
		if !probe.Busy(s.Engine) && agree && (stats.Objects != g.Observed() || stats.Nodes != g.Len()) {
			return fmt.Errorf("the engine has %d objects and %d nodes, and its watch showed %d and %d",
				stats.Objects, stats.Nodes, g.Observed(), g.Len())
		}
	}
	return nil
}
