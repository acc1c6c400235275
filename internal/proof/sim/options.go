package sim

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/probe"
)

// handled is the finalizer of the engines' handler. References name the kind unserved,
// which no store serves.
const (
	handled               = "x.io/h"
	unserved   graph.Kind = "x"
	ignored    graph.Kind = "ignored" // a kind that the engines ignore
	tightKinds            = "abcd"
	mixedKinds            = "ghPQ"
)

// fault is a fault of a world, or a feature of it.
type fault uint8

const (
	losses fault = iota
	refusals
	conflicts
	crashes
	outages
	breaks
	doubles
	rewinds
	delays
	oneCall
	garbles
	overflows
	lateAnswers
	control
	lateSets
	naps
	duplicateUIDs
	clocks
	handlerFaults
	sweeps     // there are sweeps; drawn apart, as are all below
	tunings    // engines have rare settings
	oddities   // watches make rare reports
	forgeries  // references name objects that are made later
	callers    // callers of WaitIdle
	joins      // kinds join
	undoings   // writes are undone
	lengths    // names have any length
	lateTokens // the result of a fence comes later, maybe after its reports
	plans      // deletions are planned at the end, and carried out
	strict     // the store has level 3
	returns    // callers give calls back; only by History.With
	batches    // the store takes several writes at once
	policies   // references have policies (Owner.OnDelete); drawn apart, or by History.With
	guards     // roots are guarded, and objects protected
	brakes     // engines limit their deletes
	pauses     // engines are paused
	shares     // engines have shares of the objects; only by History.With
	periods    // deletes carry grace periods
	archives   // the store keeps entries, and users restore them
	numFaults
)

var faultNames = [...]string{"losses", "refusals", "conflicts", "crashes", "outages", "breaks", "doubles", "rewinds", "delays",
	"one-call", "garbles", "overflows", "late-answers", "control", "late-sets", "naps", "duplicate-uids", "clocks", "handlers", "sweeps", "tunings", "oddities",
	"forgeries", "callers", "joins", "undoings", "lengths", "late-tokens", "plans", "strict", "returns", "batches", "policies", "guards", "brakes", "pauses", "shares", "periods", "archives"}

// shape is the form of a world's references.
type shape uint8

const (
	loose  shape = iota // any object refers to any other
	star                // one owner of all
	chain               // each owns the next
	ring                // the same, closed
	layers              // a few owners, many dependents of several of them
	odd                 // references that lead to no object, or that no store can resolve
	numShapes
)

var shapeNames = [...]string{"loose", "star", "chain", "ring", "layers", "odd"}

// options are those of one world. They follow from the seed.
type options struct {
	seed      uint64
	kinds     string // a letter for each; a capital one is scoped
	level     ownergraph.Level
	engines   int
	override  bool
	absent    bool // graph.ScopeAbsent
	misnamed  bool // graph.NameAbsent
	counting  bool // versions can be compared
	forgetful bool // the engines remember one owner of each sort
	waits     bool // the first kind gets time to acknowledge
	cold      bool // the engines begin in the middle
	day       bool // the world ends with a day of rest
	empties   bool // then users delete everything
	shape     shape
	objects   int
	most      int // objects that users make it at most
	busy      int // how busy users are
	faults    [numFaults]bool
	lazy      [8]int // how readily each kind's events come
	tenancy   tenancy
	tuning    tuning
	guarding  guarding
	braking   braking
	sharing   sharing
	// unpolicied is the engine for which policies do not act, in a world with policies.
	unpolicied int
	periods    []graph.Kind // whose objects have grace periods
}

// draw returns the options of a seed, with the faults of With and without those of
// Without.
func (h History) draw(r *rand.Rand) options {
	o := draw(h.Seed, r)
	for _, f := range []fault{returns, policies, shares, periods, archives} {
		o.faults[f] = o.faults[f] || strings.Contains(","+h.With+",", ","+faultNames[f]+",")
	}
	if o.has(shares) {
		o.drawShares()
	}
	for f, name := range faultNames {
		if strings.Contains(","+h.Without+",", ","+name+",") {
			o.faults[f] = false
		}
	}
	if o.has(strict) && o.level == ownergraph.Level2 {
		o.level = ownergraph.Level3
	}
	if o.has(sweeps) {
		o.drawTenancy()
	}
	if o.has(tunings) {
		o.drawTuning()
	}
	if o.has(batches) {
		o.drawBatches()
	}
	if o.has(guards) {
		o.drawGuards()
	}
	if o.has(brakes) {
		o.drawBrakes()
	}
	if o.has(policies) {
		o.drawPolicies()
	}
	if o.has(periods) {
		o.drawPeriods()
	}
	if o.has(shares) && o.sharing.alike {
		o.makeAlike()
	}
	return o
}

func draw(seed uint64, r *rand.Rand) options {
	one := func(n int) bool { return r.IntN(n) == 0 }
	o := options{
		seed: seed, kinds: mixedKinds, level: ownergraph.Level2, engines: 1 + max(0, r.IntN(5)-2),
		override: one(5), absent: one(5), counting: one(3), forgetful: one(3), waits: one(5), cold: one(4),
		shape: shape(r.IntN(int(numShapes))), objects: 2 + r.IntN(4), busy: []int{1, 2, 5, 10}[r.IntN(4)],
	}
	if one(2) {
		o.kinds = tightKinds
	}
	if one(10) {
		o.level = ownergraph.Level1
	}
	switch r.IntN(64) {
	case 0:
		o.objects = 40 + r.IntN(60)
	case 1, 2, 3, 4, 5:
		o.objects = 6 + r.IntN(8)
	}
	o.most = o.objects + 1 + r.IntN(3)
	o.day, o.empties = one(8), one(8)
	for f := range sweeps {
		o.faults[f] = one(3)
	}
	o.drawApart()
	o.faults[duplicateUIDs] = one(12)
	o.faults[garbles] = one(8)
	o.faults[clocks] = one(8)
	for k := range o.lazy {
		o.lazy[k] = []int{1, 6, 6, 20}[r.IntN(4)]
	}
	return o
}

// drawApart draws the features that leave every other world unchanged.
func (o *options) drawApart() {
	for f, salt := range map[fault]uint64{
		sweeps: 0x5feed, tunings: 0x70e1, oddities: 0x0dd1, forgeries: 0xf06e, callers: 0xca11, joins: 0x101e, undoings: 0x0d0e,
		lengths: 0x1e96, strict: 0x57c7, batches: 0xba7c, guards: 0x6a4d, brakes: 0xb4a3, pauses: 0x9a5e, policies: 0xed6e,
	} {
		o.faults[f] = rand.New(rand.NewPCG(o.seed, salt)).IntN(5) == 0
	}
	o.faults[lateTokens] = rand.New(rand.NewPCG(o.seed, 0x70ce)).IntN(2) == 0
	o.faults[periods] = rand.New(rand.NewPCG(o.seed, 0x96ad)).IntN(10) == 0
	o.faults[archives] = rand.New(rand.NewPCG(o.seed, 0xa4c1)).IntN(10) == 0
	o.faults[plans] = rand.New(rand.NewPCG(o.seed, 0xf04e)).IntN(planShare) == 0
	o.misnamed = rand.New(rand.NewPCG(o.seed, 0x4a3e)).IntN(5) == 0
}

func (o options) has(f fault) bool { return o.faults[f] }

// String returns the options in one line.
func (o options) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: kinds %q, level %s, %d engines, %s", o.seed, o.kinds, o.level, o.engines, shapeNames[o.shape])
	for _, f := range []struct {
		set  bool
		name string
	}{
		{o.override, "override"}, {o.absent, "scope absent"}, {o.misnamed, "name absent"}, {o.counting, "versions compare"}, {o.forgetful, "forgetful"},
		{o.waits, "acknowledge"}, {o.cold, "cold"},
	} {
		if f.set {
			b.WriteString(", " + f.name)
		}
	}
	if o.has(sweeps) {
		b.WriteString(", " + o.tenancy.String())
	}
	if o.has(tunings) {
		b.WriteString(", " + o.tuning.String())
	}
	if o.has(guards) {
		b.WriteString(", " + o.guarding.String())
	}
	if o.has(brakes) {
		b.WriteString(", " + o.braking.String())
	}
	if o.has(policies) {
		fmt.Fprintf(&b, ", policies, not of engine %d", o.unpolicied)
	}
	if o.has(periods) {
		fmt.Fprintf(&b, ", periods of %v", o.periods)
	}
	if o.has(shares) {
		b.WriteString(", " + o.sharing.String())
	}
	b.WriteString("; faults:")
	for f, set := range o.faults {
		if set {
			b.WriteString(" " + faultNames[f])
		}
	}
	return b.String()
}

// config returns the settings of the engines.
func (o options) config() ownergraph.Config {
	c := ownergraph.Config{
		Override: o.override, Sweeps: o.sweeps(), PropagateGrace: o.periods,
		Handlers: map[string]finalizer.Handler{handled: func(context.Context, graph.Object) error { return nil }},
	}
	if o.has(oddities) {
		c.Ignore = []graph.Kind{ignored}
	}
	if o.absent {
		c.Scope = graph.ScopeAbsent
	}
	if o.misnamed {
		c.OwnerName = graph.NameAbsent
	}
	if o.forgetful {
		t := probe.Tuning(&c)
		t.AbsentOwners, t.OrphanedOwners = 1, 1
	}
	probe.Tuning(&c).Archives = o.has(archives)
	if o.has(sweeps) {
		probe.Tuning(&c).SelectPage = o.tenancy.page
	}
	if o.waits {
		c.Acknowledge = []graph.Kind{graph.Kind(strings.ToLower(o.kinds[:1]))}
	}
	if o.counting {
		c.CompareVersions = func(_ graph.Kind, a, b graph.Version) int {
			x, _ := strconv.Atoi(string(a))
			y, _ := strconv.Atoi(string(b))
			return x - y
		}
	}
	return c
}

// infos returns the kinds of the world.
func (o options) infos() []graph.KindInfo {
	out := make([]graph.KindInfo, len(o.kinds))
	for i := range o.kinds {
		name := strings.ToLower(o.kinds[i : i+1])
		out[i] = graph.KindInfo{Kind: graph.Kind(name), Scoped: name != o.kinds[i:i+1]}
	}
	return out
}
