package script

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// options are the settings of a scenario.
type options struct {
	level               ownergraph.Level
	engines             int
	scope               graph.ScopeRule
	ownerName           graph.NameRule
	kinds               []graph.KindInfo
	unserved, ignore    []graph.Kind
	acknowledge, grace  []graph.Kind
	handlers            []string
	override, observing bool
	policies            bool
	versions, cold      bool
	lax                 bool // at level 3: the store refuses no reference
	hand                bool
	fenceWait           time.Duration
	audit               time.Duration
	absent, workers     int
	page                int
	sweeps              []guard.Sweep
	brake               engine.Brake
	guards              []guardOption
	protect             []protectOption
}

// parse parses the settings of the command "world".
func (o *options) parse(text string) error {
	for _, word := range strings.Fields(text) {
		name, value, _ := strings.Cut(word, "=")
		if err := o.set(name, value); err != nil {
			return fmt.Errorf("%s: %w", word, err)
		}
	}
	return nil
}

func (o *options) set(name, value string) (err error) {
	switch name {
	case "level":
		l, err := strconv.Atoi(value)
		o.level = ownergraph.Level0 + ownergraph.Level(l)
		return err
	case "engines":
		o.engines, err = strconv.Atoi(value)
	case "scope":
		if value == "absent" {
			o.scope = graph.ScopeAbsent
		}
	case "name":
		if value == "absent" {
			o.ownerName = graph.NameAbsent
		}
	case "kinds":
		for k := range strings.SplitSeq(value, ",") {
			o.kinds = append(o.kinds, kindInfo(k))
		}
	case "unserved":
		o.unserved = kindList(value)
	case "ignore":
		o.ignore = kindList(value)
	case "acknowledge":
		o.acknowledge = kindList(value)
	case "grace":
		o.grace = kindList(value)
	case "handlers":
		o.handlers = strings.Split(value, ",")
	case "sweep":
		o.sweeps = append(o.sweeps, sweep(value))
	case "brake":
		o.brake.PerCascade, err = strconv.Atoi(value)
	case "awaitsick":
		o.brake.AwaitSick = true
	case "window":
		n, per, _ := strings.Cut(value, "/")
		if o.brake.Window, err = strconv.Atoi(n); err == nil {
			o.brake.Per, err = time.ParseDuration(per)
		}
	case "guard", "protect":
		return o.setGuard(name, value)
	case "override":
		o.override = true
	case "policies":
		o.policies = true
	case "observe":
		o.observing = true
	case "hand":
		o.hand = true
	case "lax":
		o.lax = true
	case "cold":
		o.cold = true
	case "versions":
		o.versions = true
	case "page":
		o.page, err = strconv.Atoi(value)
	case "fencewait":
		o.fenceWait, err = time.ParseDuration(value)
	case "audit":
		o.audit, err = time.ParseDuration(value)
	case "handlerworkers":
		o.workers, err = strconv.Atoi(value)
	case "remember":
		o.absent, err = strconv.Atoi(value)
	default:
		return errUsage
	}
	return err
}

// sweep parses a holder kind with its members, as in "tenant:name:select=!keep".
func sweep(text string) guard.Sweep {
	flags := strings.Split(text, ":")
	s := guard.Sweep{Finalizer: "x.io/" + flags[0], Holder: graph.Kind(flags[0])}
	for _, f := range flags[1:] {
		name, value, _ := strings.Cut(f, "=")
		switch name {
		case "name":
			s.Members = append(s.Members, guard.Members{By: guard.ByName, Delimiter: "-"})
		case "scope":
			s.Members = append(s.Members, guard.Members{By: guard.ByScope})
		case "scopes":
			s.Members = append(s.Members, guard.Members{By: guard.ByScope, Delimiter: "-"})
		case "owner":
			s.Members = append(s.Members, guard.Members{By: guard.ByOwner})
		case "label":
			s.Members = append(s.Members, guard.Members{By: guard.ByLabel, Label: value})
		case "select":
			if n := len(s.Members); n > 0 {
				s.Members[n-1].Selector = value
			}
		case "of":
			if n := len(s.Members); n > 0 {
				s.Members[n-1].Kinds = kindList(strings.ReplaceAll(value, "+", ","))
			}
		case "where":
			if n := len(s.Members); n > 0 {
				s.Members[n-1].Where = carries(value)
			}
		case "phase", "then":
			s.Phases = append(s.Phases, guard.Phase{Kinds: kindList(strings.ReplaceAll(value, "+", ",")), After: name == "then"})
		case "unguarded":
			s.Unguarded = true
		}
	}
	return s
}

// carries returns whether a holder says by a finalizer that an object is its member. A
// "!" before the finalizer inverts it.
func carries(name string) func(holder, o graph.Object) bool {
	want, inverted := strings.CutPrefix(name, "!")
	return func(holder, _ graph.Object) bool { return holder.HasFinalizer(want) != inverted }
}

// kindInfo parses a kind with its flags, as in "pod:scoped".
func kindInfo(text string) graph.KindInfo {
	flags := strings.Split(text, ":")
	return graph.KindInfo{
		Kind: graph.Kind(flags[0]), Scoped: slices.Contains(flags, "scoped"), NoOwner: slices.Contains(flags, "noowner"),
		Unwatched: slices.Contains(flags, "unwatched"),
	}
}

func kindList(text string) (out []graph.Kind) {
	for k := range strings.SplitSeq(text, ",") {
		out = append(out, graph.Kind(k))
	}
	return out
}

// served returns the kinds that the store serves at the beginning.
func (o *options) served(objects []graph.Object) []graph.KindInfo {
	out := slices.Clone(o.kinds)
	add := func(k graph.Key) {
		known := func(i graph.KindInfo) bool { return i.Kind == k.Kind }
		if k.Kind != "" && !slices.ContainsFunc(out, known) && !slices.Contains(o.unserved, k.Kind) {
			out = append(out, graph.KindInfo{Kind: k.Kind, Scoped: k.Scope != ""})
		}
	}
	for _, obj := range objects {
		add(obj.Key)
	}
	for _, obj := range objects {
		for _, r := range obj.Owners {
			add(r.Key)
		}
	}
	return out
}

// config returns the settings of an engine, from 1.
func (o *options) config(engine int) ownergraph.Config {
	c := ownergraph.Config{
		Scope: o.scope, OwnerName: o.ownerName, Ignore: o.ignore, Override: o.override, Acknowledge: o.acknowledge,
		ObserveOnly: o.observing, Policies: o.policies, FenceWait: o.fenceWait, Sweeps: o.sweeps,
		AuditEvery: o.audit, HandlerWorkers: o.workers, Brake: o.brake, Guards: o.guardsOf(engine), Protect: o.protectOf(engine),
		PropagateGrace: o.grace,
	}
	*probe.Tuning(&c) = inside.Tuning{SelectPage: o.page, AbsentOwners: o.absent}
	if o.versions {
		c.CompareVersions = func(_ graph.Kind, a, b graph.Version) int {
			x, err1 := strconv.Atoi(string(a))
			y, err2 := strconv.Atoi(string(b))
			if err1 != nil || err2 != nil { // a version that is no number compares with none
				return 0
			}
			return x - y
		}
	}
	for _, name := range o.handlers {
		if c.Handlers == nil {
			c.Handlers = map[string]finalizer.Handler{}
		}
		c.Handlers[name] = func(context.Context, graph.Object) error { return nil }
	}
	return c
}

func (o *options) oracle() oracle.Config {
	c := oracle.Config{Override: o.override, Strict: o.level >= ownergraph.Level3 && !o.lax, Policies: o.policies}
	if o.scope == graph.ScopeAbsent {
		c.Scope = oracle.ScopeAbsent
	}
	if o.ownerName == graph.NameAbsent {
		c.OwnerName = oracle.NameAbsent
	}
	return o.guarded(c)
}
