package engine

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/internal/core/sweep"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/internal/run"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/share"
)

// Level is the level of a store's guarantees, and so of the engine's promises. See the
// documentation of package ownergraph, "Writing a Store".
type Level uint8

const (
	// LevelUnset leaves the level to the powers of the store: Level2 with a Fencer,
	// Level1 without.
	LevelUnset Level = iota
	// Level0 is for a store that promises less than the four methods. The engine
	// observes and reports, and refuses to write.
	Level0
	// Level1 is for a store that keeps the contract of Store. Foreground and orphan deletions
	// are best effort, and labelled so: they may miss a dependent.
	Level1
	// Level2 is for a store that has fences too. Foreground and orphan deletions are
	// exact for every object that was committed before the deletion mark.
	Level2
	// Level3 is for a store that also refuses a reference to an owner that does not exist,
	// or that carries a foreground or orphan mark. Foreground and orphan deletions are exact
	// for every object that was ever committed. See Leveler.
	Level3
)

var levelNames = [...]string{"unset", "0", "1", "2", "3"}

// String returns the level's number, or "unset".
func (l Level) String() string {
	if int(l) < len(levelNames) {
		return levelNames[l]
	}
	return fmt.Sprintf("level(%d)", uint8(l))
}

// Config has the settings of an Engine and of its Collector. The zero value works. Every
// zero field takes the default that its comment names. The engine reads a Config only at
// construction.
type Config struct {
	// Level lowers the level of the store. It cannot raise the level.
	Level Level
	// ObserveOnly reports every decision and writes nothing.
	ObserveOnly bool
	// OnDecision, if set, receives every decision with its reason. That includes the
	// decisions of the fast path, during Observe. The engine is locked during the call,
	// so OnDecision must be quick and must not call back.
	OnDecision func(DecisionEvent)
	// Logger receives the log. The default is no log. See the package documentation, "Logs".
	//
	//test:by ownergraph.TestLogOfCascade internal/proof/lattice.TestLogWords
	Logger *slog.Logger

	// Scope is the rule for references across scopes. By default such a reference holds
	// its object, and Held reports it.
	Scope graph.ScopeRule
	// OwnerName is the rule for references that have an owner's UID and another name. By
	// default such a reference holds its object while that owner lives, and Held reports
	// it.
	OwnerName graph.NameRule
	// Policies lets the policies of references act (graph.OnDelete), in all collectors of a store.
	// Without it an object with a policy is held as flawed, and restricts its owners. A new engine deletes
	// nothing before its first fence, which a sick kind blocks: see FenceWait.
	Policies bool
	// Limits bounds the content of one object. The engine holds an object above the
	// bounds as flawed.
	Limits graph.Limits
	// Share is the set of UIDs that the engine writes to at first, by default all: see SetShare.
	// With share.None it is a hot standby.
	Share share.Set

	// Ignore names kinds that take no part. The engine does not collect their objects,
	// and none of them is an owner. A reference to such a kind holds its object. It
	// counts by its UID: an owner with that UID waits for it in a foreground deletion, and
	// an orphan deletion drops it.
	Ignore []graph.Kind
	// Override lets the engine's own deletes replace the propagation finalizer that an
	// object already has, as the collector proposal says. By default the object keeps
	// it, as in Kubernetes with one exception. Kubernetes replaces it if an owner waits
	// and the object has dependents.
	Override bool
	// Acknowledge names kinds whose controllers get time to observe a deletion before
	// the engine orphans the object's dependents (Status.ObservedGeneration of the
	// proposal). AcknowledgeWithin, by default 30 s, bounds that time.
	Acknowledge       []graph.Kind
	AcknowledgeWithin time.Duration

	// PropagateGrace names kinds whose objects have grace periods, by default none. Foreground
	// deletions pass the periods on: see package guard, "Grace periods".
	//
	//test:by ownergraph.TestPropagateGrace
	PropagateGrace []graph.Kind

	// Handlers does the work of finalizers, by the name of the finalizer. HandlerWorkers,
	// by default 4, bounds the runs of one name at once. HandlerTimeout, by default
	// 10 minutes, bounds the time of one run. Two collectors may run a handler for the
	// same object at the same time: see finalizer.Handler.
	//
	//test:by ownergraph.TestCollectorsRunOneHandler
	Handlers       map[string]finalizer.Handler
	HandlerWorkers int
	HandlerTimeout time.Duration

	// Sweeps declare the members of holders, such as tenants or scopes. The engine
	// deletes the members before their holder goes. See package guard.
	// An object of a kind in Ignore is no member. FenceWait releases no sweep.
	//
	//test:by ownergraph.TestSweepStorm ownergraph.TestSweepProofStaleByChange ownergraph.TestSweepProofStaleByLabel ownergraph.TestSweepLabelWorlds
	//test:by internal/proof/properties.TestSweepWorlds internal/proof/properties.TestSweepCost
	//test:by internal/proof/script.TestScenarios/a-sweep
	Sweeps []guard.Sweep
	// Protect has the rules that protect objects from the engine's deletes. A rule keeps an object
	// only as long as the Config has it. The first start without the rule deletes each kept object
	// whose owners are gone. A PlanStore with the new Config and without a target shows them before.
	//
	//test:by ownergraph.TestProtectionLifted
	Protect []guard.Protection
	// Guards judge the deletions of roots before their cascades, and order these. See package guard.
	Guards []guard.Guard

	// Workers, by default 256, bounds the store calls at once. Below the bound a Collector
	// adapts their number to the store, by latency and errors. A store in the same process
	// gets a few at once. A batch of writes (Batcher) is one call. CallTimeout, by default
	// 30 s, bounds the time of each call.
	Workers     int
	CallTimeout time.Duration
	// MaxRetryAfter, by default 5 minutes, bounds the time for which an error of the store puts
	// a call off (RetryAfter). Held and Explain show such a wait with its cause. An error
	// without a time, or with a negative one, gets the engine's own pauses.
	//
	//test:by ownergraph.TestRetryAfterIsBounded
	MaxRetryAfter time.Duration
	// ShutdownTimeout, by default 10 s, bounds the time for which Collector.Run waits
	// after the end of its context. Run waits for handlers, calls of the store and the
	// watch. It leaves behind a goroutine that takes longer, and drops its result.
	// Another collector, or the next one, runs such a handler again. The first run may
	// still be under way then.
	ShutdownTimeout time.Duration
	// FenceWait bounds the time for which a deletion waits for a fence that a sick kind
	// blocks. A deletion past that time is best effort. It opens no phase of a guard, and passes
	// no guarded root. A kind whose listing takes long counts as sick for the brake alone. By
	// default there is no bound.
	FenceWait time.Duration
	// AuditEvery, by default 10 minutes, is the time between two audits. An audit visits
	// every object, and makes no request of its own.
	AuditEvery time.Duration

	// Brake limits the deletes of one cascade, and the deletes in a time. By default there is
	// no brake. See the package documentation, "Brake".
	Brake Brake

	// History bounds the remembered deletions that the watch has shown, by default 10,000. A
	// negative number remembers none. The deletion of a pod with one owner takes about 420
	// bytes. With long names and lists it takes at most 2 KiB, and displaces older ones. The
	// proofs of deletes whose objects have not gone yet are bounded by the same number.
	//
	//test:by TestHistoryMemory TestManyRoots
	History int

	// Record, if set, names the record of this program in a store with the power Records.
	// All replicas of the program have the same name. The record keeps the pauses, so a new
	// Collector is paused before its first write. With a Brake it keeps the trips and the
	// answers, too. An Engine alone leaves it out. See the package documentation, "Record".
	//
	// A crash between a trip and its write loses the trip, as a crash before the trip does. The
	// next Collector counts the objects that are left. It deletes none if these are more than
	// the limit, and otherwise no more of the cascade than the limit.
	//
	//test:by ownergraph.TestRecordSurvivesACrash ownergraph.TestRecordUnreadable ownergraph.TestRecordedBrake ownergraph.TestTripBeforeRecord
	Record string

	// CompareVersions orders two versions of one kind, if the store can. The engine then
	// detects a history that goes backwards.
	CompareVersions func(kind graph.Kind, a, b graph.Version) int

	tuning inside.Tuning
}

// Inside returns the tuning. Only this module can call it, because only it can make a Key.
func (c *Config) Inside(inside.Key) *inside.Tuning { return &c.tuning }

// settings are the Config of an engine with its tuning, both with their defaults.
type settings struct {
	Config
	inside.Tuning
	onCall func(inflight.Sent) // of a fork, or nil
}

// settings returns the settings of an engine. A write waits 10 ms at least for its event
// or another try, so that no engine polls.
//
//test:by ownergraph.TestShortestWaits
func (c Config) settings() settings {
	t := c.tuning
	for _, d := range []*time.Duration{&t.AwaitTimeout, &t.RefusedRetry} {
		if *d > 0 {
			*d = min(max(*d, shortestWait), century)
		}
	}
	return settings{Config: c.filled(), Tuning: inside.Tuning{
		AwaitTimeout: cmp.Or(t.AwaitTimeout, 30*time.Second),
		RefusedRetry: cmp.Or(t.RefusedRetry, 5*time.Minute),
		SelectPage:   cmp.Or(t.SelectPage, 500),
		// Another bound is 512, or one for each 192 objects of the largest number at once
		// if that is more.
		AbsentOwners:   cmp.Or(t.AbsentOwners, 65536),
		OrphanedOwners: cmp.Or(t.OrphanedOwners, 1024),
		Archives:       c.tuning.Archives, Order: t.Order,
	}}
}

// filled returns the config with its defaults. The result shares no slice with c. No time
// is longer than a century, so that a sum of times does not overflow.
func (c Config) filled() Config {
	c.Ignore, c.Acknowledge = slices.Clone(c.Ignore), slices.Clone(c.Acknowledge)
	for _, d := range []*time.Duration{
		&c.AcknowledgeWithin, &c.HandlerTimeout, &c.CallTimeout, &c.MaxRetryAfter, &c.ShutdownTimeout, &c.FenceWait, &c.AuditEvery, &c.Brake.Per,
	} {
		*d = min(*d, century)
	}
	c.HandlerWorkers = cmp.Or(c.HandlerWorkers, 4)
	c.HandlerTimeout = cmp.Or(c.HandlerTimeout, 10*time.Minute)
	c.History = min(cmp.Or(c.History, 10_000), maxHistory)
	c.Workers = cmp.Or(c.Workers, 256)
	c.CallTimeout = cmp.Or(c.CallTimeout, 30*time.Second)
	c.MaxRetryAfter = cmp.Or(c.MaxRetryAfter, 5*time.Minute)
	c.ShutdownTimeout = cmp.Or(c.ShutdownTimeout, 10*time.Second)
	c.AcknowledgeWithin = cmp.Or(c.AcknowledgeWithin, 30*time.Second)
	c.AuditEvery = cmp.Or(c.AuditEvery, 10*time.Minute)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

// named returns the config with functions that name their panics. A panic ends a plan or an
// explanation with an error. In a running collector it stops the engine, so that no object goes
// that the function might have kept, and Run returns it.
//
//test:by ownergraph.TestFunctionPanics
func (c Config) named() Config {
	if !c.tuning.Named {
		c.tuning.Named = true
		c.Sweeps, c.Guards, c.Protect = run.NamedSweeps(c.Sweeps), run.NamedGuards(c.Guards), run.NamedProtections(c.Protect)
	}
	return c
}

const (
	maxHistory   = 1 << 24
	century      = 100 * 365 * 24 * time.Hour
	shortestWait = 10 * time.Millisecond
)

func (c Config) validate() error {
	switch {
	case c.Level > Level3:
		return fmt.Errorf("configure engine: Level: %s: %w", c.Level, graph.ErrInvalid)
	case c.Scope > graph.ScopeAbsent:
		return fmt.Errorf("configure engine: Scope: %s: %w", c.Scope, graph.ErrInvalid)
	case c.OwnerName > graph.NameAbsent:
		return fmt.Errorf("configure engine: OwnerName: %s: %w", c.OwnerName, graph.ErrInvalid)
	}
	if _, err := run.NewRegistry(c.Handlers); err != nil {
		return fmt.Errorf("configure engine: Handlers: %w: %w", err, graph.ErrInvalid)
	}
	if _, err := sweep.New(c.sweepSettings()); err != nil {
		return err
	}
	if err := c.validateGuards(); err != nil {
		return err
	}
	for _, f := range []struct {
		name  string
		value int64
	}{
		{"HandlerWorkers", int64(c.HandlerWorkers)}, {"HandlerTimeout", int64(c.HandlerTimeout)},
		{"Workers", int64(c.Workers)}, {"CallTimeout", int64(c.CallTimeout)},
		{"MaxRetryAfter", int64(c.MaxRetryAfter)}, {"ShutdownTimeout", int64(c.ShutdownTimeout)},
		{"AcknowledgeWithin", int64(c.AcknowledgeWithin)},
		{"FenceWait", int64(c.FenceWait)}, {"AuditEvery", int64(c.AuditEvery)},
	} {
		if f.value < 0 {
			return fmt.Errorf("configure engine: %s: negative: %w", f.name, graph.ErrInvalid)
		}
	}
	if err := c.Brake.settings().Validate(c.Brake.AwaitSick); err != nil {
		return err
	}
	if slices.Contains(c.Ignore, "") || slices.Contains(c.Acknowledge, "") {
		return fmt.Errorf("configure engine: Ignore, Acknowledge: empty kind: %w", graph.ErrInvalid)
	}
	return nil
}

// DecisionEvent is one decision about one object, as OnDecision receives it. The receiver owns it.
type DecisionEvent struct {
	Key     graph.Key
	Version graph.Version
	// Owners are the references of the decision.
	Owners []graph.Owner
	// Elsewhere are the references of a decision to delete whose UID lives at other coordinates.
	Elsewhere []graph.OwnerElsewhere
	policy.Decision
	// Barred is the reason that blocks the write of the decision, or unset: ObserveOnly,
	// LevelTooLow, Paused, NeedListing after a rewind, KindUnserved.
	Barred policy.Reason
	// Call is the call that carries out the decision, or 0 without one.
	Call CallID
	// Root has the roots of a decision to delete, and is zero for every other one. It is
	// known without a request.
	Root Root
	// Holder is the holder whose sweep deletes the object, with the reason HolderDeleted.
	Holder graph.Key
	// Sweep is the progress of the sweep of the object itself, or nil without one.
	Sweep *SweepStatus
	// Cascade is the cascade of the root Key, with a trip of the brake or an answer for it.
	// Otherwise it is nil.
	Cascade *BrakedCascade
}
