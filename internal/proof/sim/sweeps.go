package sim

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/proof/invariant"
	"github.com/ownergraph/ownergraph/policy"
)

// The kinds of worlds of sweeps. Tenants are holders, and so are the spaces n, some of which
// belong to a tenant. Kind g is global, P and Q are scoped.
const (
	tenants, spaces graph.Kind = "t", "n"
	sweepKinds                 = "gtnPQ"
	fewSweepKinds              = "tgP"
)

const (
	tenantFinalizer, spaceFinalizer = "x.io/t", "x.io/n"
	freeFinalizer                   = "foreign" // an object that carries it belongs to no holder, in some worlds
)

// tenancy describes the sweeps of a world. It follows from the seed.
type tenancy struct {
	names             []string // of tenants
	nested            bool     // spaces are holders, too
	owned, free       bool     // members by owner references too; no member is free
	judged            bool     // a free holder has no member
	picked, inverse   bool     // except for tenant a, only a free one is a holder, or has a member
	rings             bool     // tenants have tenants as members that they own
	phases            bool
	unguarded, spared bool
	suffix, ways      bool
	labels, chosen    bool // members by a label too; other members have to match a selector
	page              int
}

// String returns it in one line.
func (y tenancy) String() string {
	line := fmt.Sprintf("tenants %q", y.names)
	for _, f := range []struct {
		set  bool
		name string
	}{
		{y.nested, "nested"}, {y.owned, "owned"}, {y.rings, "rings"}, {y.free, "free"}, {y.phases, "phases"},
		{y.unguarded, "unguarded"}, {y.spared, "spared"}, {y.suffix, "suffix"}, {y.ways, "ways"},
		{y.labels, "labels"}, {y.chosen, "chosen"},
	} {
		if f.set {
			line += " " + f.name
		}
	}
	return line
}

// drawTenancy draws the tenancy from a generator of its own. So a world without sweeps
// does not change.
func (o *options) drawTenancy() {
	r := rand.New(rand.NewPCG(o.seed, 0x5feeb))
	one := func(n int) bool { return r.IntN(n) == 0 }
	o.kinds, o.shape = sweepKinds, shape(r.IntN(int(numShapes)))
	if one(3) {
		o.kinds = fewSweepKinds
	}
	o.tenancy = tenancy{
		names:  [][]string{{"a", "aa"}, {"a"}, {"a", "a-b"}, {"a", "aa", "b"}, {"-", "a"}, {"a", "a-"}}[r.IntN(6)],
		nested: o.kinds == sweepKinds && one(2), owned: one(3), free: one(4), phases: one(2),
	}
	_ = one(5) // it was a feature once, and the other worlds stay the same
	y := &o.tenancy
	y.unguarded, y.spared, y.suffix, y.ways = one(3), one(6), one(6), one(2)
	o.tenancy.rings = one(5)
	defer o.drawLabels()
	if o.shape == odd && one(3) {
		o.tenancy.names = append(o.tenancy.names, "a"+hostile[r.IntN(len(hostile))])
	}
	o.objects = min(o.objects+2+r.IntN(3), 14)
	o.most = o.objects + 1 + r.IntN(4)
	o.drawJudges(r) // last, so that other worlds do not change
	if o.has(lengths) {
		o.tenancy.names = append(o.tenancy.names, o.stretching()(o.tenancy.names[0]))
	}
}

// drawJudges draws the way in which a holder's own state decides about its members.
func (o *options) drawJudges(r *rand.Rand) {
	y := &o.tenancy
	switch which := r.IntN(8); {
	case y.free:
	case which < 2:
		y.judged = true
	case which == 2:
		y.picked, y.unguarded, y.nested = true, false, o.kinds == sweepKinds
	case which == 3:
		y.inverse, y.unguarded = true, false
	}
	if y.picked || y.inverse {
		y.names = [][]string{{"a", "a-b"}, {"a", "a-b", "b"}, {"-", "a", "a-b"}}[r.IntN(3)]
	}
}

// sweeps returns those of the world.
func (o options) sweeps() []guard.Sweep {
	if !o.has(sweeps) {
		return nil
	}
	y := o.tenancy
	s := guard.Sweep{
		Finalizer: tenantFinalizer, Holder: tenants, Unguarded: y.unguarded,
		Members: []guard.Members{{By: guard.ByName, Delimiter: "-", Suffix: y.suffix}, {By: guard.ByScope, Delimiter: "-", Suffix: y.suffix}},
	}
	if y.owned {
		s.Members = append(s.Members, guard.Members{By: guard.ByOwner})
	}
	if y.rings {
		s.Members = append(s.Members, guard.Members{By: guard.ByOwner, Kinds: []graph.Kind{tenants}})
	}
	s.Members = y.byLabels(s.Members)
	for i := range s.Members {
		s.Members[i].Where = y.where()
	}
	if y.picked {
		s.Holders = free
	}
	if y.spared {
		s.Except = func(m graph.Object) bool { return strings.HasSuffix(m.Name, "v") }
	}
	if y.phases {
		s.Phases = []guard.Phase{{Kinds: []graph.Kind{"g"}}, {Kinds: []graph.Kind{"p"}, After: true}}
		if y.ways {
			s.Phases[0].Propagation, s.Phases[1].Propagation = graph.Foreground, graph.Orphan
		}
	}
	if !y.nested {
		return []guard.Sweep{s}
	}
	n := guard.ScopeSweep(spaces, spaceFinalizer, []graph.Kind{"q"})
	n.Holders = s.Holders
	return []guard.Sweep{s, n}
}

// where returns the function that tells whether a member belongs to a holder by their
// states, nil if the states do not matter.
func (y tenancy) where() func(h, m graph.Object) bool {
	switch {
	case y.free:
		return func(_, m graph.Object) bool { return !m.HasFinalizer(freeFinalizer) }
	case y.inverse:
		return func(h, _ graph.Object) bool { return free(h) }
	case y.judged:
		return func(h, _ graph.Object) bool { return !h.HasFinalizer(freeFinalizer) }
	}
	return nil
}

// free reports whether a holder satisfies the condition of being free: it is tenant a,
// or it carries the finalizer.
func free(h graph.Object) bool { return h.Name == "a" || h.HasFinalizer(freeFinalizer) }

// freed makes most tenants of users free, in worlds with that condition.
func (o options) freed(r *rand.Rand, x *graph.Object) {
	if (o.tenancy.picked || o.tenancy.inverse) && x.Kind == tenants && !free(*x) && r.IntN(4) > 0 {
		x.Finalizers = append(x.Finalizers, freeFinalizer)
	}
}

// places returns the places of the objects of a world of sweeps. They have tenants,
// their members by name and scope, and objects that only look like members.
func (o options) places(r *rand.Rand) []graph.Key {
	var out []graph.Key
	add := func(kind graph.Kind, scope, name string) {
		info := slices.IndexFunc(o.infos(), func(i graph.KindInfo) bool { return i.Kind == kind })
		k := graph.Key{Kind: kind, Scope: scope, Name: name}
		if info < 0 || slices.ContainsFunc(out, func(x graph.Key) bool { return x.Place() == k }) {
			return
		}
		k.UID = graph.UID(strings.TrimSuffix(k.String(), `@""`))
		out = append(out, k)
	}
	stretch := o.stretching()
	for _, name := range o.tenancy.names {
		of := func(what string) string {
			if o.tenancy.suffix {
				return what + "-" + stretch(name)
			}
			return stretch(name) + "-" + what
		}
		add(tenants, "", name)
		add("g", "", of("v"))
		add("g", "", of("w"))
		space := of("n")
		add(spaces, "", space)
		add("p", space, "p")
		add("q", space, o.tenancy.names[0]+"-j")
		add("p", of(""), "x")
		add("g", "", name)
	}
	add("g", "", "x")
	add("p", "s", "y")
	first := min(len(o.tenancy.names), 2)
	r.Shuffle(len(out)-1, func(i, j int) { out[i+1], out[j+1] = out[j+1], out[i+1] })
	if first > 1 {
		i := 1 + slices.IndexFunc(out[1:], func(k graph.Key) bool { return k.Kind == tenants })
		out[1], out[i] = out[i], out[1]
	}
	return out
}

// adapt adapts an object to the world: some holders are guarded already.
func (o options) adapt(r *rand.Rand, x *graph.Object) {
	o.freed(r, x)
	if x.Kind != tenants || r.IntN(3) > 0 {
		return
	}
	x.Finalizers = append(x.Finalizers, tenantFinalizer)
}

// sweeping connects the judges of sweeps.
func (s *sim) sweeping(cfg *ownergraph.Config) error {
	if !s.o.has(sweeps) {
		return nil
	}
	var err error
	if s.sweeps, err = invariant.NewSweeps(cfg.Sweeps, s.countAll(s.start)); err != nil {
		return err
	}
	s.sweeps.Override = cfg.Override
	s.bySweep = map[issue]bool{}
	s.sweeps.Hidden = func(c engine.Call, k graph.Kind) bool {
		i := slices.IndexFunc(s.w.Kinds, func(x graph.KindInfo) bool { return x.Kind == k })
		return i >= 0 && s.hidden(c, i)
	}
	cfg.OnDecision = s.decided
	for _, x := range s.witnesses {
		x.Follow(s.sweeps.Plans())
	}
	return nil
}

// decided takes a decision of the engine that was asked last.
func (s *sim) decided(d engine.DecisionEvent) {
	x := s.witnesses[s.w.Polled]
	x.Decided(d.Call)
	if d.Call == 0 || d.Action != policy.Delete {
		return
	}
	s.bySweep[issue{d.Call, d.Key}] = d.Holder.Kind != ""
	if d.Holder.Kind != "" {
		if bad := x.SweepDecided(d); bad != nil {
			s.fail(fmt.Errorf("engine %d: %w", s.w.Polled, bad))
		}
	}
}

// judgeSweep judges a write that may be a sweep's. Without a sweep it would break bad.
func (s *sim) judgeSweep(c engine.Call, bad error) error {
	if c.Type == engine.CallDelete && !s.bySweep[issue{c.ID, c.Key}] {
		return bad
	}
	own := s.sweeps.Judge(c)
	var of *invariant.Breach
	switch {
	case s.o.level < ownergraph.Level2 && errors.As(own, &of) && of.Rule == "S24": // best effort
		return bad
	case own != nil || c.Type != engine.CallDelete:
		return errors.Join(own, bad)
	case errors.As(bad, &of) && (of.Rule == "S5" || of.Rule == "S6"):
		return bad
	}
	return nil
}

// checkSweeps checks that sweeps have done all they can, and report the reason for the
// rest.
func (s *sim) checkSweeps() error {
	if s.sweeps == nil || s.o.has(duplicateUIDs) {
		return nil
	}
	return s.sweeps.Rest(func(o graph.Object) bool {
		h, held := s.heldBy(0, o.Key)
		reasons := []policy.Reason{policy.NeedSweep, policy.NeedMembers, policy.NeedFence}
		if !s.withholdsMark() { // such a holder counts as living, and may contest a member
			reasons = append(reasons, policy.Contested)
		}
		return garbled(o) || s.o.flawed(o) || held && !slices.Contains(reasons, h.Reason)
	})
}
