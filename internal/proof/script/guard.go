package script

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// guardOption is a guard of one engine, or of all if its number is 0.
type guardOption struct {
	engine int
	guard  oracle.Guard
	phases []guard.Phase
}

// protectOption is the name of the objects that one engine protects, or all engines do.
type protectOption struct {
	engine int
	name   string
}

// setGuard parses a guard or a rule of protection, as in "team:engine=2:above=1".
func (o *options) setGuard(option, text string) (err error) {
	flags := strings.Split(text, ":")
	engine, g := 0, oracle.Guard{Roots: flags[:1]}
	var phases []guard.Phase
	for _, f := range flags[1:] {
		name, value, _ := strings.Cut(f, "=")
		switch {
		case name == "engine":
			engine, err = strconv.Atoi(value)
		case option == "protect":
			return errUsage
		case name == "always":
			g.Always = true
		case name == "protected":
			g.Protected = true
		case name == "phase":
			g.Ordered = true
			phases = append(phases, guard.Phase{Name: value, Kinds: kindList(strings.ReplaceAll(value, "+", ",")), After: len(phases) > 0})
		case name == "above":
			g.Above = new(int)
			*g.Above, err = strconv.Atoi(value)
		default:
			return errUsage
		}
		if err != nil {
			return err
		}
	}
	if option == "protect" {
		o.protect = append(o.protect, protectOption{engine, flags[0]})
	} else {
		o.guards = append(o.guards, guardOption{engine, g, phases})
	}
	return nil
}

// complete sets the defaults.
func (o *options) complete() {
	if o.level == ownergraph.LevelUnset {
		o.level = ownergraph.Level2
	}
	o.engines = max(o.engines, 1)
}

// guardsOf returns the guards of an engine.
func (o *options) guardsOf(engine int) (out []guard.Guard) {
	for _, x := range o.guards {
		if g := x.guard; x.engine == 0 || x.engine == engine {
			out = append(out, guard.Guard{Names: g.Roots, Always: g.Always, Protected: g.Protected, Above: g.Above, Phases: x.phases})
		}
	}
	return out
}

// protectOf returns the rules of protection of an engine.
func (o *options) protectOf(engine int) (out []guard.Protection) {
	for _, x := range o.protect {
		if x.engine == 0 || x.engine == engine {
			out = append(out, guard.Protection{Names: []string{x.name}})
		}
	}
	return out
}

// protects returns the rule of protection that all engines have, or nil.
func (o *options) protects() func(graph.Object) bool {
	if len(o.protect) == 0 {
		return nil
	}
	return func(x graph.Object) bool {
		return slices.ContainsFunc(o.protect, func(p protectOption) bool { return p.engine == 0 && p.name == x.Name })
	}
}

// guarded returns the settings of the oracle with the guards of each engine.
func (o *options) guarded(c oracle.Config) oracle.Config {
	if len(o.guards) == 0 && len(o.protect) == 0 {
		return c
	}
	base := c
	for engine := 1; engine <= max(o.engines, 1); engine++ {
		x := base
		for _, g := range o.guards {
			if g.engine == 0 || g.engine == engine {
				x.Guards = append(x.Guards, g.guard)
			}
		}
		for _, p := range o.protect {
			if p.engine == 0 || p.engine == engine {
				x.Protect = append(x.Protect, p.name)
			}
		}
		if engine == 1 {
			c.Guards, c.Protect = x.Guards, x.Protect
		} else {
			c.Beside = append(c.Beside, x)
		}
	}
	return c
}
