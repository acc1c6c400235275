package exhaustive

import (
	"fmt"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// Guard is the guard in the settings of one engine. The root of each graph is the object a.
type Guard uint8

const (
	// GuardUnset: the engine has no guard. It knows the names of the finalizers all the same.
	GuardUnset Guard = iota
	// GuardAlways refuses each deletion, GuardProtected one that would end a protected object.
	GuardAlways
	GuardProtected
	// GuardNone and GuardOne refuse a deletion that ends more than none or one object beside
	// the root. GuardMany lets each deletion of these graphs pass.
	GuardNone
	GuardOne
	GuardMany
	// GuardRule is GuardProtected, and the settings protect the object b.
	GuardRule
	// GuardOrder lets each deletion pass, and the objects go in phases.
	GuardOrder
	// GuardBrake has no guard, and a brake that counts the objects of a cascade and stops none
	// of these graphs. GuardBraked stops each cascade of more than one object. GuardWindow
	// sends one delete an hour.
	GuardBrake
	GuardBraked
	GuardWindow
)

var guardNames = [...]string{"no guard", "always", "protected", "above 0", "above 1", "above 9", "b protected by a rule", "order", "brake of 9", "brake of 1", "one delete an hour"}

// String returns the settings in words.
func (g Guard) String() string {
	if int(g) < len(guardNames) {
		return guardNames[g]
	}
	return fmt.Sprintf("guard(%d)", uint8(g))
}

// root and protected are the names of the guarded root, and of the object that GuardRule
// protects.
const (
	root      = "a"
	protected = "b"
)

// brakes reports whether the settings have a brake, and no guard.
func (g Guard) brakes() bool { return g >= GuardBrake }

// oracle returns the settings of the oracle.
func (g Guard) oracle(c oracle.Config) oracle.Config {
	limit := map[Guard]int{GuardNone: 0, GuardOne: 1, GuardMany: 9}
	set := oracle.Guard{Roots: []string{root}, Always: g == GuardAlways, Protected: g == GuardProtected || g == GuardRule, Ordered: g == GuardOrder}
	if n, ok := limit[g]; ok {
		set.Above = &n
	}
	if g == GuardRule {
		c.Protect = []string{protected}
	}
	c.Braked = g == GuardBraked
	if g != GuardUnset && !g.brakes() {
		c.Guards = []oracle.Guard{set}
	}
	return c
}

// config returns the settings of an engine.
func (g Guard) config() ownergraph.Config {
	c := config
	for _, x := range g.oracle(oracle.Config{}).Guards {
		set := guard.Guard{Names: x.Roots, Always: x.Always, Protected: x.Protected, Above: x.Above}
		if x.Ordered {
			set.Phases = []guard.Phase{{Kinds: []graph.Kind{protected}}}
		}
		c.Guards = append(c.Guards, set)
	}
	switch g {
	case GuardBrake:
		c.Brake.PerCascade = 9
	case GuardBraked:
		c.Brake.PerCascade = 1
	case GuardWindow:
		c.Brake = engine.Brake{Window: 1, Per: time.Hour}
	case GuardRule:
		c.Protect = []guard.Protection{{Names: []string{protected}}}
	}
	return c
}

// guard returns the guard of a side.
func (s Scope) guard(side int) Guard {
	if side < len(s.Guards) {
		return s.Guards[side]
	}
	return GuardUnset
}

// configs returns the settings of each engine.
func (s Scope) configs() (out []ownergraph.Config) {
	for i := range s.engines() {
		c := s.guard(i).config()
		c.Policies = s.Policies
		probe.Tuning(&c).Archives = s.archives()
		out = append(out, c)
	}
	return out
}

// oracle returns the settings of the oracle.
func (s Scope) oracle() oracle.Config {
	base := oracle.Config{Strict: s.Strict, Policies: s.Policies, Archives: s.archives()}
	c := s.guard(0).oracle(base)
	for i := 1; i < s.engines(); i++ {
		if s.guard(i) != s.guard(0) {
			c.Beside = append(c.Beside, s.guard(i).oracle(base))
		}
	}
	return c
}

// protects returns the rule of protection that each engine has, or nil.
func (s Scope) protects() func(graph.Object) bool {
	for i := range s.engines() {
		if s.guard(i) != GuardRule {
			return nil
		}
	}
	return func(o graph.Object) bool { return o.Name == protected }
}

// guardWords returns the guards in words.
func (s Scope) guardWords() string {
	var words []string
	for _, g := range s.Guards {
		words = append(words, g.String())
	}
	return "guard: " + strings.Join(words, " and ")
}

// guarded are the graphs with a root that is guarded already. HN stands for its finalizers,
// and P for that of protection.
var guarded = map[int][]string{
	2: {
		"a[HN]; b -> a",
		"a[HN]; b -> a!",
		"a[HN]; b[P] -> a!",
		"a[HN]; b[P] -> a",
		"a[HN]; b",
		"a[HN,foreign]; b -> a!",
		"a[HN] -> b; b",
		"a[HN] -> b!; b",
	},
	3: {
		"a[HN]; b -> a; c -> b",
		"a[HN]; b -> a!; c -> b!",
		"a[HN]; b[P] -> a!; c -> b!",
		"a[HN]; b -> a; c -> a",
		"a[HN]; b -> a!; c[P] -> b!",
		"a[HN] -> c; b -> a; c",
		"a[HN] -> c!; b -> a!; c",
		"a[HN]; b -> a!, c; c",
		"a[HN]; b -> a!; c",
	},
}

// guardedGraphs returns the graphs of n objects with a guarded root.
func guardedGraphs(n int) (out [][]graph.Object) {
	names := strings.NewReplacer("HN", graph.FinalizerHold+","+graph.FinalizerNew, "P", graph.FinalizerProtect)
	for _, text := range guarded[n] {
		g, err := graph.Parse(names.Replace(text))
		if err != nil {
			panic(err)
		}
		for i := range g {
			g[i].Version = "1"
		}
		out = append(out, g)
	}
	return out
}

// guarding appends the possible actions of Guarding users.
func (a *actions) guarding(start []graph.Object) {
	for i, first := range start {
		o, err := a.store.Get(first.Key)
		switch {
		case err != nil && i == 0:
			a.add(oracle.Recreate, first.Key)
			continue
		case err != nil:
			continue
		}
		if owner := refersTo(start[0], first.Key); i == 0 || owner {
			a.add(oracle.Background, o.Key)
			a.add(oracle.Foreground, o.Key)
			a.add(oracle.Orphan, o.Key)
		}
		if i == 0 {
			a.guardedRoot(o)
			continue
		}
		switch {
		case o.HasFinalizer(graph.FinalizerProtect):
			a.add(oracle.Unprotect, o.Key)
		case !o.Deleting && o.Name == protected:
			a.add(oracle.Protect, o.Key)
		}
		if len(first.Owners) == 0 && !refersTo(start[0], first.Key) && len(o.Owners) == 0 {
			a.add(oracle.AddRef, o.Key, graph.Owner{Key: start[0].Key, Block: true})
		}
	}
}

// guardedRoot appends the actions on a root that stands between its deletion and its end.
func (a *actions) guardedRoot(o graph.Object) {
	if o.HasFinalizer(graph.FinalizerHold) {
		a.add(oracle.Approve, o.Key)
	}
	if o.HasFinalizer(foreign) {
		a.add(oracle.Finish, o.Key)
	}
}

func refersTo(o graph.Object, k graph.Key) bool {
	for _, r := range o.Owners {
		if r.Key == k {
			return true
		}
	}
	return false
}
