package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// attitude is the way in which the settings of one engine differ from those of the world.
type attitude uint8

const (
	strictly  attitude = iota // all guards and protections
	carefree                  // none of them
	loosely                   // the guards with higher limits, and the first protection
	judging                   // the guards alone
	shielding                 // the protections alone
	numAttitudes
)

var attitudeNames = [...]string{"strict", "none", "loose", "guards", "protections"}

// guarding has the guards and protections of a world. It follows from the seed.
type guarding struct {
	guards    []guard.Guard
	protect   []guard.Protection
	attitudes [maxEngines]attitude // by engine
}

// String returns it in one line.
func (y guarding) String() string {
	var b strings.Builder
	b.WriteString("guards")
	for _, g := range y.guards {
		fmt.Fprintf(&b, " {kinds %v names %q where %t always %t protected %t phases %d", g.Kinds, g.Names, g.Where != nil, g.Always, g.Protected, len(g.Phases))
		if g.Above != nil {
			fmt.Fprintf(&b, " above %d", *g.Above)
		}
		b.WriteString("}")
	}
	b.WriteString(" protections")
	for _, p := range y.protect {
		fmt.Fprintf(&b, " {kinds %v scopes %q names %q where %t}", p.Kinds, p.Scopes, p.Names, p.Where != nil)
	}
	for _, a := range y.attitudes {
		b.WriteString(" " + attitudeNames[a])
	}
	return b.String()
}

// drawGuards draws guards and protections from a generator of its own. So a world without
// them does not change.
func (o *options) drawGuards() {
	r := rand.New(rand.NewPCG(o.seed, 0x6a4e))
	y := &o.guarding
	for range 1 + r.IntN(2) {
		y.guards = append(y.guards, o.drawGuard(r))
	}
	if o.has(sweeps) && r.IntN(2) == 0 { // the members of a sweep are counted
		limit := 1
		y.guards = append(y.guards, guard.Guard{Kinds: []graph.Kind{tenants}, Above: &limit})
	}
	for range r.IntN(3) {
		y.protect = append(y.protect, o.drawProtection(r))
	}
	for i := range y.attitudes {
		if o.engines > 1 && r.IntN(2) == 0 {
			y.attitudes[i] = attitude(r.IntN(int(numAttitudes)))
		}
	}
}

// drawGuard draws the roots of a guard, and its conditions.
func (o *options) drawGuard(r *rand.Rand) (g guard.Guard) {
	infos := o.infos()
	switch how := r.IntN(4); {
	case how == 0:
		g.Names = []string{o.nameOf(r), o.nameOf(r)}
	case how == 1:
		g.Where = func(x graph.Object) bool { return !x.HasFinalizer(foreignFinalizer) }
	default:
		g.Kinds = []graph.Kind{infos[r.IntN(len(infos))].Kind, infos[r.IntN(len(infos))].Kind}
	}
	switch r.IntN(6) {
	case 0:
		g.Always = true
	case 1:
		g.Protected = true
	case 2:
		g.Protected = true
		fallthrough
	default:
		limit := r.IntN(4)
		g.Above = &limit
	}
	if r.IntN(6) == 0 {
		g.Phases = []guard.Phase{{Kinds: []graph.Kind{infos[0].Kind}}, {After: true}}
	}
	return g
}

// drawProtection draws a rule of protection by kind, scope, name or content.
func (o *options) drawProtection(r *rand.Rand) (p guard.Protection) {
	infos := o.infos()
	switch r.IntN(5) {
	case 0:
		p.Scopes = []string{[]string{"s", "t"}[r.IntN(2)]}
	case 1:
		p.Where = func(x graph.Object) bool { return x.HasFinalizer(handled) }
	case 2:
		p.Kinds = []graph.Kind{infos[r.IntN(len(infos))].Kind}
	default:
		p.Names = []string{o.nameOf(r)}
	}
	return p
}

// nameOf draws a name that objects of the world may have.
func (o *options) nameOf(r *rand.Rand) string {
	if names := o.tenancy.names; len(names) > 0 && names[0] != "" {
		return names[r.IntN(len(names))]
	}
	return string(rune('a' + r.IntN(min(o.most, 6))))
}

// guard gives the settings of the i-th engine its guards and protections.
func (y guarding) guard(i int, c *ownergraph.Config) {
	a := y.attitudes[i]
	if a == strictly || a == judging || a == loosely {
		c.Guards = y.guards
	}
	if a == strictly || a == shielding {
		c.Protect = y.protect
	}
	if a != loosely {
		return
	}
	c.Guards, c.Protect = slices.Clone(y.guards), y.protect[:min(len(y.protect), 1)]
	for i := range c.Guards {
		limit := 9
		if above := c.Guards[i].Above; above != nil {
			limit = *above + 2
		}
		c.Guards[i].Above, c.Guards[i].Always, c.Guards[i].Protected = &limit, false, false
	}
}

// guard lets some of the first objects carry the finalizers of guards already.
func (o options) guard(r *rand.Rand, x *graph.Object) {
	if !o.has(guards) || x.Deleting && r.IntN(2) == 0 {
		return
	}
	switch r.IntN(8) {
	case 0, 1:
		x.Finalizers = append(x.Finalizers, graph.FinalizerHold, graph.FinalizerNew)
	case 2:
		x.Finalizers = append(x.Finalizers, graph.FinalizerHold)
	case 3:
		x.Finalizers = append(x.Finalizers, graph.FinalizerProtect)
	}
}

// guardVerbs are the moves of users in a world with guards.
type guardVerb int16

const (
	approves guardVerb = iota // takes the hold off a root, after a look at it
	protects                  // puts the finalizer of protection on
	exposes                   // takes it off
	refuses                   // takes off the finalizer of a root that is not judged
	unguards                  // takes both finalizers off a root
)

var guardVerbNames = [...]string{"approves", "protects", "exposes", "refuses", "unguards"}

// guardMove draws a move of a user about a guarded root, or its deletion with any
// propagation. The deletion may be another one of a marked root.
func (s *sim) guardMove(objects []graph.Object) step {
	root := s.root(objects)
	if s.rng.IntN(2) == 0 {
		st := s.acts(opUser, graph.Object{Key: root.Key})
		st.action.Verb = verbs[s.rng.IntN(3)]
		return st
	}
	st := s.acts(opGuard, graph.Object{Key: root.Key})
	st.number = int16([...]guardVerb{approves, approves, approves, protects, protects, exposes, exposes, refuses, unguards}[s.rng.IntN(9)])
	switch guardVerb(st.number) {
	case protects:
		st.action.Object.Key = s.target(objects).Key
	case exposes:
		for i := range objects {
			if objects[i].HasFinalizer(graph.FinalizerProtect) {
				st.action.Object.Key = objects[i].Key
			}
		}
	}
	return st
}

// root draws an object. It prefers roots that a guard holds, marked ones most of all.
func (s *sim) root(objects []graph.Object) *graph.Object {
	o := s.target(objects)
	for range 4 {
		x := &objects[s.rng.IntN(len(objects))]
		if x.HasFinalizer(graph.FinalizerHold) && (x.Deleting || !o.HasFinalizer(graph.FinalizerHold)) {
			o = x
		}
	}
	return o
}

// guard carries out a move of a user.
func (s *sim) guard(st step) {
	k := st.action.Object.Key
	o, ok := s.w.Store.At(k)
	if !ok || o.UID != k.UID {
		return
	}
	switch guardVerb(st.number) {
	case approves:
		if o.Deleting { // a user looks before
			s.w.Drop(k, graph.FinalizerHold)
		}
	case protects:
		s.w.Add(k, graph.FinalizerProtect)
	case exposes:
		s.w.Drop(k, graph.FinalizerProtect)
	case refuses:
		s.w.Drop(k, graph.FinalizerNew)
	case unguards:
		s.w.Drop(k, graph.FinalizerHold)
		s.w.Drop(k, graph.FinalizerNew)
	}
}
