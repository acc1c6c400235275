package sim

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/portion"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
	"github.com/ownergraph/ownergraph/internal/proof/world"
	"github.com/ownergraph/ownergraph/share"
)

// defects are worlds that break their contract, and engines with settings that differ
// from those of their judge. The simulator has to find each by one of the named rules.
var defects = []struct {
	name   string
	defect func(*sim, step)
	rules  string // any of these
	reason string
}{
	{"lost event", lostEvent, "S22 L1", "a Gone that is lost without a gap stays in the graph for ever"},
	{"lost put", lostPut, "S22 L1 S1 S2 S3 S3t", "an object of which no event tells is missing from the graph, and a listing ends without it"},
	{"time travel", timeTravel, "S22 S1 S1a S2 S3 S4 L1", "an old state is reported again after the new one"},
	{"stale reads", staleReads, "S1 S1c S2 S3 S4 S3t S22 L1", "a read answers with a state of long ago"},
	{"false absence", falseAbsence, "S1 S1c S2 S4 S22", "a read denies an object that lives"},
	{"half a listing", halfAListing, "S1 S2 S3 S4 S22 L1", "a listing leaves out live objects"},
	{"fence too early", fenceTooEarly, "S2 S3 S3t", "a fence passes before what it covers"},
	{"blind to versions", blindToVersions, "S5 S6 S1 S1b S1c S2 S3 S3t S3r S4 S14", "a write is carried out at any version"},
	{"batch blind to versions", batchBlindToVersions, "S5 S6 S1 S1b S1c S2 S3 S3t S3r S4 S14", "a write of a batch is carried out at any version"},
	{"batch without an answer", batchAbsent, "S1 S1a S1c S2 S4 S22 L1", "a batch of which a part is done answers that no object is there"},
	{"blind to UIDs", blindToUIDs, "S6", "a write changes another incarnation"},
	{"unconditional write", byHand(func(o graph.Object) engine.Call {
		return engine.Call{Type: engine.CallDelete, Key: o.Key}
	}), "S5", "a delete without UID and version, whatever its result"},
	{"delete of a root", byHand(func(o graph.Object) engine.Call {
		return engine.Call{Type: engine.CallDelete, Key: o.Key, Options: graph.DeleteOptions{Precondition: pre(o)}}
	}), "S1 S1b S1c S2", "an object dies without the end of an owner"},
	{"lost owners", byHand(func(o graph.Object) engine.Call {
		return engine.Call{Type: engine.CallPatch, Key: o.Key, Precondition: pre(o), Change: graph.Change{DropOwners: o.Owners}}
	}), "S4 S3t", "references are dropped though their owners live"},
	{"lost block", byHand(func(o graph.Object) engine.Call {
		return engine.Call{Type: engine.CallPatch, Key: o.Key, Precondition: pre(o), Change: graph.Change{Unblock: o.Owners}}
	}), "S3r", "a reference no longer blocks, outside of every ring"},
	{"released too early", byHand(func(o graph.Object) engine.Call {
		name := o.Propagation().Finalizer()
		return engine.Call{Type: engine.CallPatch, Key: o.Key, Precondition: pre(o), Change: graph.Change{DropFinalizer: name}}
	}), "S2 S3", "an owner ends that dependents still block"},
	{"another scope rule", settings(ownergraph.Level2, func(c *ownergraph.Config) { c.Scope = graph.ScopeAbsent }), "S1a S4 S1 S2 L1 S22", "references across scopes are taken to be absent"},
	{"another propagation", settings(ownergraph.Level2, func(c *ownergraph.Config) { c.Override = true }), "S14", "an object's own propagation is replaced"},
	{"no fences", settings(ownergraph.Level1, func(*ownergraph.Config) {}), "R3 S2 S3", "deletions end without a fence"},
	{"impatient", settings(ownergraph.Level2, func(c *ownergraph.Config) { c.FenceWait = 1 }), "R3 S2 S3", "a fence that is held is waited for no longer"},
	{"restless", settings(ownergraph.Level2, func(c *ownergraph.Config) { c.AuditEvery = 1 }), "L1 L2", "everything is looked at all the time"},
	{"blind", settings(ownergraph.Level2, func(c *ownergraph.Config) { c.Ignore = []graph.Kind{"a", "g"} }), "L1 S22 R3 S1 S2 S3", "a kind is left out"},
	{"swept by hand", byHand(func(o graph.Object) engine.Call {
		return engine.Call{ID: forSweep, Type: engine.CallDelete, Key: o.Key, Options: graph.DeleteOptions{Precondition: pre(o)}}
	}), "S23", "a sweep takes every object"},
	{"holder released by hand", byHand(func(o graph.Object) engine.Call {
		return engine.Call{Type: engine.CallPatch, Key: o.Key, Precondition: pre(o), Change: graph.Change{DropFinalizer: tenantFinalizer}}
	}), "S24", "a holder goes before what belongs to it"},
	{"approved by hand", byHand(func(o graph.Object) engine.Call {
		return engine.Call{ID: forGuard, Type: engine.CallPatch, Key: o.Key, Precondition: pre(o), Change: graph.Change{DropFinalizer: graph.FinalizerHold}}
	}), "G2", "an engine approves in place of a user"},
	{"no protection", settings(ownergraph.Level2, func(c *ownergraph.Config) { c.Protect = nil }), "G1 G3", "a protected object is deleted"},
	{"no guards", settings(ownergraph.Level2, func(c *ownergraph.Config) { c.Guards = nil }), "G2", "no root is guarded"},
	{"guards that pass everything", settings(ownergraph.Level2, func(c *ownergraph.Config) {
		limit := 99
		c.Guards = slices.Clone(c.Guards)
		for i := range c.Guards {
			c.Guards[i].Always, c.Guards[i].Protected, c.Guards[i].Above = false, false, &limit
		}
	}), "G2", "a deletion needs no approval"},
	{"another delimiter", tenanciesOf(func(s *guard.Sweep) { s.Members[0].Delimiter = "a" }), "S23 L12 S24 S25", "members are read in another way"},
	{"no phases", tenanciesOf(func(s *guard.Sweep) { s.Phases = nil }), "S25", "the order of phases is left out"},
	{"no exceptions", tenanciesOf(func(s *guard.Sweep) { s.Except = nil }), "S23 L12", "an object of no holder is swept"},
	{"no predicate", tenanciesOf(func(s *guard.Sweep) {
		s.Members = slices.Clone(s.Members)
		for i := range s.Members {
			s.Members[i].Where = nil
		}
	}), "S23 L12", "a predicate is left out"},
	{"another label", tenanciesOf(func(s *guard.Sweep) {
		s.Members = slices.Clone(s.Members)
		for i := range s.Members {
			if s.Members[i].Label != "" {
				s.Members[i].Label = "other"
			}
		}
	}), "S23 S24 L12", "members have another label"},
	{"no selector", tenanciesOf(func(s *guard.Sweep) {
		s.Members = slices.Clone(s.Members)
		for i := range s.Members {
			s.Members[i].Selector = ""
		}
	}), "S23 S24 L12", "labels that keep an object are not looked at"},
	{"empty selections", emptySelections, "S23 S24 L12", "a selection leaves out what matches"},
	{"unguarded", tenanciesOf(func(s *guard.Sweep) { s.Unguarded = true }), "S23 L12", "an unguarded holder is swept"},
	{"no sweeps", settings(ownergraph.Level2, func(c *ownergraph.Config) { c.Sweeps = nil }), "L12", "no holder is guarded"},
	{"lax store", func(s *sim, _ step) { s.w.Strict = false }, "S2 S3", "a store of level 3 takes a reference to an owner that waits or orphans"},
	{"no brake", settings(ownergraph.Level2, func(c *ownergraph.Config) { c.Brake.PerCascade, c.Brake.AwaitSick = 0, false }), "G5", "a cascade has no limit"},
	{"no window", settings(ownergraph.Level2, func(c *ownergraph.Config) { c.Brake.Window, c.Brake.Per = 0, 0 }), "G5", "all cascades together have no limit"},
	{"approved unasked", approvedUnasked, "G5", "a cascade goes without a user's answer"},
	{"resumed unasked", resumedUnasked, "G6", "a pause ends without a user"},
	{"share moved unasked", movedUnasked, "H1 H4", "an engine has all objects, and its judge does not know it"},
	{"share without an end", endless, "H1 H4", "a share does not end at its time"},
	{"first share ignored", settings(ownergraph.Level2, func(c *ownergraph.Config) { c.Share = share.All() }), "H1 H4 G5", "an engine begins with all objects"},
	{"periods of all kinds", settings(ownergraph.Level2, func(c *ownergraph.Config) {
		c.PropagateGrace = []graph.Kind{"a", "b", "c", "d", "g", "h", "p", "q"}
	}), "E6", "a delete carries a period in a kind that has none"},
	{"deaf", settings(ownergraph.Level2, func(c *ownergraph.Config) { c.ObserveOnly = true }), "L1", "nothing is ever done"},
}

// found has a seed shortly before one that shows the defect, if the first seeds do not, or if
// their histories take long to shorten.
var found = map[string]uint64{
	"lost put": 34, "blind to versions": 166, "stale reads": 205, "false absence": 495, "fence too early": 20, "batch without an answer": 205, "blind to UIDs": 40,
	"another scope rule": 20, "another propagation": 10, "impatient": 290, "restless": 17, "no protection": 120,
	"guards that pass everything": 1450, "no phases": 480, "no exceptions": 180, "no predicate": 60, "empty selections": 810,
	"unguarded": 330, "no sweeps": 595, "lax store": 867, "no brake": 40, "no window": 260, "approved unasked": 20,
	"resumed unasked": 10,
}

// TestDefectsAreFound: the simulator finds each defect by the rule that the defect
// breaks. The printed history is short and breaks the rule again. With -whole the search for each
// defect begins with the first seed.
func TestDefectsAreFound(t *testing.T) {
	for _, c := range defects {
		t.Run(c.name, func(t *testing.T) {
			const most = 1000
			first := portion.Number(int(found[c.name]), 0)
			for seed := range uint64(most) {
				h := History{Seed: uint64(first) + seed + 1, Steps: 300, Without: "rewinds,duplicate-uids,garbles,clocks,tunings,oddities,plans"}
				if !ofSweeps(c.rules) {
					h.Without += ",sweeps" // where a sweep's judge judges the defect too
				}
				if c.rules != "E6" {
					h.Without += ",periods"
				}
				if strings.Contains(c.rules, "H") {
					h.With = "shares"
				}
				if !strings.Contains(c.rules, "G") {
					h.Without += ",guards,brakes,pauses" // the same
				}
				r := h.run(nil, c.defect, false)
				if r.Broken == nil {
					continue
				}
				if got := rule(r.Broken); !slices.Contains(strings.Fields(c.rules), got) {
					t.Errorf("seed %d: reported %q, which is none of %s: %s", h.Seed, r.Broken, c.rules, c.reason)
				}
				text := h.explain(c.defect)
				if !strings.Contains(text, rule(r.Broken)+":") || !strings.Contains(text, " steps, of ") {
					t.Errorf("seed %d: the trace says\n%s\nwant %q", h.Seed, text, r.Broken)
				}
				t.Logf("found by seed %d\n%s", h.Seed, text)
				return
			}
			t.Errorf("not found in %d seeds: %s", most, c.reason)
		})
	}
}

// ofSweeps reports whether a rule about sweeps is among the rules.
func ofSweeps(rules string) bool {
	return strings.Contains(rules, "S23") || strings.Contains(rules, "S24") || strings.Contains(rules, "S25") || strings.Contains(rules, "L12")
}

// tenanciesOf gives the engines other sweeps of tenants than their judges have.
func tenanciesOf(change func(*guard.Sweep)) func(*sim, step) {
	return settings(ownergraph.Level2, func(c *ownergraph.Config) {
		for i := range c.Sweeps {
			if c.Sweeps[i].Holder == tenants {
				change(&c.Sweeps[i])
			}
		}
	})
}

// The ids of calls by a test. One claims to be a sweep's, and one to be a guard's.
const (
	forSweep = 1 << 40
	forGuard = forSweep + 1
)

func pre(o graph.Object) graph.Precondition {
	return graph.Precondition{UID: o.UID, Version: o.Version}
}

// head returns the event that a step is about to deliver.
func (s *sim) head(st step) (*world.Stream, bool) {
	stream := &s.w.Sides[st.side].Streams[st.kind]
	ok := (st.op == opDeliver || st.op == opAll || st.op == opTwice) && len(stream.Events) > 0
	return stream, ok
}

func lostEvent(s *sim, st step) {
	if stream, ok := s.head(st); ok && stream.Events[0].Type == graph.Gone {
		stream.Events = stream.Events[1:]
	}
}

func lostPut(s *sim, st step) {
	if stream, ok := s.head(st); ok && stream.Events[0].Type == graph.Put {
		stream.Events = stream.Events[1:]
	}
}

// timeTravel lets a watch report the state of an object at the backup, after its
// present state.
func timeTravel(s *sim, st step) {
	if stream, ok := s.head(st); ok && stream.Events[0].Type == graph.Put {
		o := stream.Events[0].Object
		if old, there := s.backup.At(o.Key); there && old.UID == o.UID && old.Version != o.Version {
			stream.Events = slices.Insert(slices.Clone(stream.Events), 1, graph.Event{Type: graph.Put, Object: old})
		}
	}
}

// answers replaces the result of a read.
func answers(s *sim, st step, answer func(graph.Key) engine.Result) {
	calls := s.w.Sides[st.side].Calls
	if st.op == opComplete && int(st.number) < len(calls) && calls[st.number].Type == engine.CallRead {
		calls[st.number].Answer = answer(calls[st.number].Key)
	}
}

func staleReads(s *sim, st step) {
	answers(s, st, func(k graph.Key) engine.Result {
		o, ok := s.backup.At(k)
		if !ok {
			return engine.Result{Err: graph.ErrNotFound}
		}
		return engine.Result{Object: o.Clone()}
	})
}

func emptySelections(s *sim, st step) {
	calls := s.w.Sides[st.side].Calls
	if st.op == opComplete && int(st.number) < len(calls) && calls[st.number].Type == engine.CallSelect {
		calls[st.number].Answer.Selected = ownergraph.SelectPage{}
	}
}

func falseAbsence(s *sim, st step) {
	answers(s, st, func(graph.Key) engine.Result { return engine.Result{Err: graph.ErrNotFound} })
}

func halfAListing(s *sim, st step) {
	if stream, ok := s.head(st); ok && stream.Events[0].Type == graph.ListBegun {
		end := slices.IndexFunc(stream.Events, func(e graph.Event) bool { return e.Type == graph.ListEnded })
		rest := stream.Events[end:]
		stream.Events = append([]graph.Event{stream.Events[0]}, rest...)
	}
}

func fenceTooEarly(s *sim, _ step) {
	for _, side := range s.w.Sides {
		for k := range side.Streams {
			slices.SortStableFunc(side.Streams[k].Events, func(a, b graph.Event) int { return cmp.Compare(b.Fence, a.Fence) })
		}
	}
}

// blind lets the write that a step completes hit the object that is at its place now.
func blind(s *sim, st step, defect func(p *graph.Precondition, o graph.Object)) {
	calls := s.w.Sides[st.side].Calls
	if st.op != opComplete && st.op != opExecute || int(st.number) >= len(calls) {
		return
	}
	c := &calls[st.number].Call
	if o, ok := s.w.Store.At(c.Key); ok {
		if c.Type == engine.CallDelete {
			defect(&c.Options.Precondition, o)
		} else if c.Type == engine.CallPatch {
			defect(&c.Precondition, o)
		}
	}
}

func blindToVersions(s *sim, st step) {
	blind(s, st, func(p *graph.Precondition, o graph.Object) { p.Version = o.Version })
}

// batchBlindToVersions is blindToVersions for the calls that a batch may carry out.
func batchBlindToVersions(s *sim, st step) {
	if st.op != opBatch {
		return
	}
	for range st.number { // as the step itself does
		if _, ok, err := s.w.Issue(int(st.side), engine.LaneStore); err != nil || !ok {
			break
		}
	}
	for i := range s.w.Sides[st.side].Calls {
		blindToVersions(s, step{op: opExecute, side: st.side, number: int16(i)})
	}
}

// batchAbsent lets the store answer that no object is there, to each write of a batch.
func batchAbsent(s *sim, st step) {
	if st.op != opBatch {
		return
	}
	calls := s.w.Sides[st.side].Calls
	for i := len(calls) - 1; i >= 0; i-- {
		if s.w.Uncommitted(int(st.side), i) {
			_, err := s.w.CompleteAs(int(st.side), i, world.Lies)
			s.fail(err)
		}
	}
}

// approvedUnasked approves each cascade that an engine holds, and tells no judge.
func approvedUnasked(s *sim, _ step) {
	for _, side := range s.w.Sides {
		for _, b := range side.Engine.Braked(9) {
			s.fail(side.Engine.ApproveCascade(s.w.Now, b.Key, engine.BrakeApproval{Until: s.w.Now.Add(time.Hour), AtMost: 9}))
		}
	}
}

// resumedUnasked ends each pause, and tells no judge.
func resumedUnasked(s *sim, _ step) {
	for _, side := range s.w.Sides {
		for _, x := range side.Engine.Paused() {
			s.fail(side.Engine.Resume(s.w.Now, x.What))
		}
	}
}

// movedUnasked gives an engine all objects, and tells no judge.
func movedUnasked(s *sim, st step) {
	s.fail(s.w.Sides[st.side].Engine.SetShare(s.w.Now, share.All(), time.Time{}))
}

// endless takes the end off each share, and tells no judge.
func endless(s *sim, _ step) {
	for i, side := range s.w.Sides {
		if p := s.parts[i]; !p.until.IsZero() {
			s.fail(side.Engine.SetShare(s.w.Now, p.set, time.Time{}))
		}
	}
}

func blindToUIDs(s *sim, st step) {
	blind(s, st, func(p *graph.Precondition, o graph.Object) {
		if o.UID != p.UID {
			*p = pre(o)
		}
	})
}

// byHand writes in an engine's name, once in a while.
func byHand(make func(graph.Object) engine.Call) func(*sim, step) {
	return func(s *sim, _ step) {
		if objects := s.w.Store.Objects(); s.at%16 == 0 && len(objects) > 0 {
			c := make(objects[s.at/16%len(objects)])
			if c.ID == forSweep && s.sweeps == nil || c.ID == forGuard && s.shields == nil {
				return
			}
			if c.ID == forSweep {
				s.bySweep[issue{c.ID, c.Key}] = true
			}
			s.w.Zombies = append(s.w.Zombies, c)
			if p := c.Precondition; c.ID == forGuard || p.UID == "" && c.Options.Precondition.UID == "" { // judged at its issue
				s.judgeCall(0, c)
			}
			s.fail(s.w.CompleteZombie(len(s.w.Zombies) - 1))
		}
	}
}

// settings restarts the engines of a world with other settings than those of their
// judges.
func settings(level ownergraph.Level, change func(*ownergraph.Config)) func(*sim, step) {
	return func(s *sim, _ step) {
		if s.at != 1 || s.o.level != ownergraph.Level2 {
			return
		}
		for i, side := range s.w.Sides {
			cfg := s.o.configs(s.o.config())[i]
			change(&cfg)
			if s.sweeps != nil {
				cfg.OnDecision = s.decided
			}
			s.braked(i, &cfg)
			e, err := engine.New(level, cfg)
			if err != nil {
				s.fail(err)
				return
			}
			s.witnesses[i].Reset()
			*side = world.Side{Engine: e, Streams: make([]world.Stream, len(s.w.Kinds))}
			known := graph.Event{Type: graph.KindsKnown, Kinds: slices.Clone(s.w.Kinds)}
			s.w.OnEvent(i, known)
			s.fail(e.Observe(s.w.Now, known))
		}
	}
}

// user returns a user's step.
func user(t *testing.T, line string) step {
	t.Helper()
	a, err := oracle.ParseAction(line)
	if err != nil {
		t.Fatal(err)
	}
	return step{op: opUser, action: &a}
}
