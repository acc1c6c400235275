package ownergraph

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/run"
	"github.com/ownergraph/ownergraph/policy"
)

// Level is the level of a store's guarantees, and so of the engine's promises. See the
// package documentation, "Writing a Store".
type Level uint8

const (
	// LevelUnset leaves it to what the store shows: Level2 with a Fencer,
	// Level1 without.
	LevelUnset Level = iota
	// Level0 stores promise less than the four methods say. The engine observes
	// and reports, and refuses to write.
	Level0
	// Level1 stores keep the contract of Store. No wrong deletion; foreground
	// and orphan deletions are best effort, and labelled so.
	Level1
	// Level2 stores have fences too: foreground and orphan deletions are exact
	// for all that was committed before the deletion mark.
	Level2
)

var levelNames = [...]string{"unset", "0", "1", "2"}

// String returns the level's number, or "unset".
func (l Level) String() string {
	if int(l) < len(levelNames) {
		return levelNames[l]
	}
	return fmt.Sprintf("level(%d)", uint8(l))
}

// Config holds the settings of an Engine and of its Collector. The zero value
// works; every zero field takes the default that its comment names. It is read
// only at construction.
type Config struct {
	// Level lowers what the store is taken to guarantee. It cannot raise it.
	Level Level
	// ObserveOnly reports every decision and writes nothing.
	ObserveOnly bool
	// OnDecision, if set, sees every decision with its reason, those made at a
	// glance while an event is observed too. It is called while the engine is
	// locked: it must be quick, and must not call back.
	OnDecision func(DecisionEvent)
	// Logger receives what somebody should know. By default nothing is logged.
	Logger *slog.Logger

	// Scope says how references across scopes are read; by default they are
	// held and reported.
	Scope graph.ScopeRule
	// OwnerName says how references are read that have an owner's UID and another
	// name; by default they are held and reported while that owner lives.
	OwnerName graph.NameRule
	// Limits bounds what one object may carry before it is held as flawed.
	Limits graph.Limits
	// Ignore names kinds that take no part: neither collected nor owners. A reference
	// to such a kind holds its object; it counts by its UID, so that an owner with that
	// UID waits for it, and frees it when it orphans.
	Ignore []Kind
	// Override lets the engine's own deletes replace a propagation finalizer
	// that an object carries already (the collector proposal's reading). By
	// default the object keeps it: as in Kubernetes, but for one case (where an
	// owner waits, and the object has dependents, Kubernetes replaces it).
	Override bool
	// Acknowledge names kinds whose controllers are given time to observe a
	// deletion before the object's dependents are orphaned (Status.
	// ObservedGeneration of the proposal); at most AcknowledgeWithin, by
	// default 30 s.
	Acknowledge       []Kind
	AcknowledgeWithin time.Duration

	// Handlers run what a finalizer stands for, by its name. HandlerWorkers, by
	// default 4, bounds how many of one name run at once, HandlerTimeout, by
	// default 10 minutes, how long one run may take. Two collectors run a handler for
	// the same object at the same time: see finalizer.Handler. Held by
	// TestCollectorsRunOneHandler.
	Handlers       map[string]finalizer.Handler
	HandlerWorkers int
	HandlerTimeout time.Duration

	// Sweeps declare the members of holders, such as tenants or scopes. The engine
	// deletes the members before their holder goes. See the package documentation,
	// "Sweeps". An object of a kind in Ignore is no member. FenceWait releases no sweep.
	//
	// Held by TestSweepConflicts, TestSweepNamesake, TestSweepHeld, TestSweepSickKind,
	// TestSweepStorm, TestSweepLapsedClaim, TestSweepLapsedChange, TestSweepLapsedLabel,
	// TestSweepVeiled, TestSweepNested, TestSweepByLabel,
	// TestSweepRelabelledAtTheLastMoment, TestSelectAhead, TestSweepByLabelContested,
	// TestSweepLabelWorlds and, in internal/properties, TestSweepWorlds and TestSweepCost.
	Sweeps []finalizer.Sweep

	// Workers is how many store calls run at once, by default 20. CallTimeout,
	// by default 30 s, bounds each.
	Workers     int
	CallTimeout time.Duration
	// ShutdownTimeout, by default 10 s, bounds how long Collector.Run waits for what is
	// under way after its context has ended. A handler, a call of the store or a watch
	// that takes longer is left behind: its goroutine goes on, and its result is dropped.
	// Another collector, or the next one, runs such a handler again, maybe while the
	// first run still goes on.
	ShutdownTimeout time.Duration
	// AwaitTimeout, by default 30 s, is how long a write waits for its event,
	// and a contradiction for the watch, before the engine asks again. It is 10 ms
	// at least, as RefusedRetry is: no engine polls. Held by TestShortestWaits.
	AwaitTimeout time.Duration
	// FenceWait is the longest that a deletion waits for a fence that a sick
	// kind holds; what ends that way is best effort. By default without end.
	FenceWait time.Duration
	// RefusedRetry, by default 5 minutes, is when a refused write is tried again.
	RefusedRetry time.Duration
	// SelectPage, by default 500, is how many objects a page of a selection has at
	// most, of members that are told by their labels.
	SelectPage int
	// AuditEvery, by default 10 minutes, is how often every object is looked at
	// again. An audit makes no request of its own.
	AuditEvery time.Duration

	// AbsentOwners, by default 65,536, is how many owners that are gone, and have no
	// dependent left, are remembered at most, and never more than 512 or, where that
	// is more, one for each 192 objects that there were at once. OrphanedOwners, by
	// default 1,024, is how many are whose orphaning this engine ended. Negative: none.
	AbsentOwners, OrphanedOwners int

	// CompareVersions orders two versions of one kind, where the store can. The
	// engine then sees a history that goes backwards.
	CompareVersions func(kind Kind, a, b Version) int
}

// filled returns the config with its defaults, sharing no slice with c. No time
// is longer than a century, so that adding to one stays within bounds.
func (c Config) filled() Config {
	c.Ignore, c.Acknowledge = slices.Clone(c.Ignore), slices.Clone(c.Acknowledge)
	for _, d := range []*time.Duration{
		&c.AcknowledgeWithin, &c.HandlerTimeout, &c.CallTimeout, &c.ShutdownTimeout, &c.AwaitTimeout, &c.FenceWait, &c.RefusedRetry, &c.AuditEvery,
	} {
		*d = min(*d, century)
	}
	for _, d := range []*time.Duration{&c.AwaitTimeout, &c.RefusedRetry} {
		if *d > 0 {
			*d = max(*d, shortestWait)
		}
	}
	c.HandlerWorkers = cmp.Or(c.HandlerWorkers, 4)
	c.HandlerTimeout = cmp.Or(c.HandlerTimeout, 10*time.Minute)
	c.Workers = cmp.Or(c.Workers, 20)
	c.CallTimeout = cmp.Or(c.CallTimeout, 30*time.Second)
	c.ShutdownTimeout = cmp.Or(c.ShutdownTimeout, 10*time.Second)
	c.AwaitTimeout = cmp.Or(c.AwaitTimeout, 30*time.Second)
	c.AcknowledgeWithin = cmp.Or(c.AcknowledgeWithin, 30*time.Second)
	c.RefusedRetry = cmp.Or(c.RefusedRetry, 5*time.Minute)
	c.AuditEvery = cmp.Or(c.AuditEvery, 10*time.Minute)
	c.SelectPage = cmp.Or(c.SelectPage, 500)
	c.AbsentOwners = cmp.Or(c.AbsentOwners, 65536)
	c.OrphanedOwners = cmp.Or(c.OrphanedOwners, 1024)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

const (
	century      = 100 * 365 * 24 * time.Hour
	shortestWait = 10 * time.Millisecond
)

func (c Config) validate() error {
	switch {
	case c.Level > Level2:
		return fmt.Errorf("configure engine: Level: %s: %w", c.Level, ErrInvalid)
	case c.Scope > graph.ScopeAbsent:
		return fmt.Errorf("configure engine: Scope: %s: %w", c.Scope, ErrInvalid)
	case c.OwnerName > graph.NameAbsent:
		return fmt.Errorf("configure engine: OwnerName: %s: %w", c.OwnerName, ErrInvalid)
	}
	if _, err := run.NewRegistry(c.Handlers); err != nil {
		return fmt.Errorf("configure engine: Handlers: %w: %w", err, ErrInvalid)
	}
	if err := c.validateSweeps(); err != nil {
		return err
	}
	for _, f := range []struct {
		name  string
		value int64
	}{
		{"HandlerWorkers", int64(c.HandlerWorkers)}, {"HandlerTimeout", int64(c.HandlerTimeout)},
		{"Workers", int64(c.Workers)}, {"CallTimeout", int64(c.CallTimeout)},
		{"ShutdownTimeout", int64(c.ShutdownTimeout)},
		{"AwaitTimeout", int64(c.AwaitTimeout)}, {"AcknowledgeWithin", int64(c.AcknowledgeWithin)},
		{"FenceWait", int64(c.FenceWait)}, {"RefusedRetry", int64(c.RefusedRetry)},
		{"AuditEvery", int64(c.AuditEvery)}, {"SelectPage", int64(c.SelectPage)},
	} {
		if f.value < 0 {
			return fmt.Errorf("configure engine: %s: negative: %w", f.name, ErrInvalid)
		}
	}
	if slices.Contains(c.Ignore, "") || slices.Contains(c.Acknowledge, "") {
		return fmt.Errorf("configure engine: Ignore, Acknowledge: empty kind: %w", ErrInvalid)
	}
	return nil
}

// DecisionEvent is one decision about one object, as OnDecision sees it. The
// receiver owns it.
type DecisionEvent struct {
	Key     Key
	Version Version
	// Owners are the references that the decision is about.
	Owners []Owner
	policy.Decision
	// Barred says why a decision to write is not carried out: ObserveOnly,
	// LevelTooLow, NeedListing after a rewind, KindUnserved. It is unset if
	// nothing bars it.
	Barred policy.Reason
	// Call is the call that carries the decision out, 0 if none does.
	Call CallID
	// Holder is whose sweep deletes the object, with the reason HolderDeleted.
	Holder Key
	// Sweep says how far the sweep of the object itself is, nil without one.
	Sweep *SweepStatus
}
