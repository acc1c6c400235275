package promstats

import (
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/hook"
)

// sink takes the metrics of one scrape.
type sink struct {
	descs map[string]*prometheus.Desc
	out   chan<- prometheus.Metric
}

// put sends one sample of a family. A family whose name ends with _total is a counter.
func (s sink) put(name string, v float64, labels ...string) {
	t := prometheus.GaugeValue
	if strings.HasSuffix(name, "_total") {
		t = prometheus.CounterValue
	}
	s.out <- prometheus.MustNewConstMetric(s.descs[name], t, v, labels...)
}

func (s sink) count(name string, v uint64, labels ...string) { s.put(name, float64(v), labels...) }

// stats sends the figures of the engine, by part.
func (s sink) stats(x engine.Stats) {
	s.put("graph_nodes", float64(x.Nodes))
	s.put("share_slots", float64(x.Share.Len()))
	s.put("unfinished_objects", float64(x.Unfinished.Objects))
	for _, k := range [...]engine.Status{
		engine.StatusMoving, engine.StatusQueued, engine.StatusBlocked, engine.StatusPending, engine.StatusStuck,
	} {
		s.put("pending_objects", float64(x.ByStatus.Of(k)), k.String())
	}
	s.put("calls_in_flight", float64(x.InFlight))
	for t := engine.CallRead; t <= engine.CallJudge; t++ {
		s.count("started_calls_total", x.Calls.Of(t), t.String())
	}
	s.count("gone_objects_total", x.Gone)
	s.count("events_total", x.Events)
	s.count("refused_events_total", x.Refused)
	s.count("decisions_total", x.Decisions)
	s.count("listings_total", x.Listings)
	s.count("losses_total", x.Losses)
	s.count("rewinds_total", x.Rewinds)
	s.count("contradictions_total", x.Contradictions)
	s.count("duplicate_uids_total", x.DuplicateUIDs)
	s.count("detected_rings_total", x.Rings)
	s.count("audits_total", x.Audits)
	s.count("audit_repairs_total", x.AuditRepairs)
	s.count("failed_reads_total", x.FailedReads)
	s.count("failed_handlers_total", x.FailedHandlers)
	s.count("failed_listings_total", x.FailedListings)
	s.count("delayed_calls_total", x.PutOff)
	s.batches(x.Batches)
	s.writes(x.Writes)
	s.fences(x.Fences)
	s.protection(x)
}

func (s sink) batches(x engine.BatchStats) {
	s.put("batch_limit_writes", float64(x.Limit))
	s.put("batch_max_writes", float64(x.Max))
	s.put("batch_limit_before_writes", float64(x.Before))
	s.count("late_batches_total", x.Late)
}

func (s sink) writes(x engine.WriteStats) {
	s.count("write_conflicts_total", x.Conflicts)
	s.count("refused_writes_total", x.Refused)
	s.count("unknown_writes_total", x.Unknown)
	s.count("undone_writes_total", x.Undone)
	s.count("best_effort_writes_total", x.BestEffort)
}

func (s sink) fences(x engine.FenceStats) {
	s.put("fence_open_kinds", float64(x.Open))
	s.count("lost_fences_total", x.Lost)
	s.count("failed_fences_total", x.Failed)
	s.out <- prometheus.MustNewConstSummary(s.descs[fenceTime], x.Passed, x.Time.Seconds(), nil)
}

// protection sends the figures of sweeps, guards and the brake.
func (s sink) protection(x engine.Stats) {
	s.put("running_sweeps", float64(x.Sweeps.Running))
	s.count("ended_sweeps_total", x.Sweeps.Ended)
	s.count("sweep_members_total", x.Sweeps.Members)
	s.count("sweep_members_gone_total", x.Sweeps.MembersGone)
	s.count("unguarded_holders_total", x.Sweeps.Unguarded)
	s.count("guard_passed_roots_total", x.Guards.Passed)
	s.count("guard_refused_roots_total", x.Guards.Refused)
	s.count("guard_approved_roots_total", x.Guards.Approved)
	s.count("guard_released_roots_total", x.Guards.HoldRemoved)
	s.count("guard_unguarded_roots_total", x.Guards.Unguarded)
	s.put("braked_cascades", float64(x.Brake.Cascades))
	s.count("brake_trips_total", x.Brake.Trips)
	s.count("brake_approvals_total", x.Brake.Approvals)
	s.count("brake_refusals_total", x.Brake.Refusals)
	s.put("brake_uncounted_kinds", float64(x.Brake.Uncounted))
}

// unfinished sends the age of the oldest unfinished object, 0 without one.
func (s sink) unfinished(x engine.UnfinishedStats, now time.Time) {
	age := time.Duration(0)
	if !x.Since.IsZero() {
		age = max(now.Sub(x.Since), 0)
	}
	s.put("oldest_unfinished_seconds", age.Seconds())
}

// kinds sends the figures by kind, and the number of kinds by health.
func (s sink) kinds(all []engine.KindStatus, labels *kindLabels) {
	objects, sick := map[string]int{}, map[string]int{}
	var listed, unlisted, unwell int
	for _, k := range all {
		label := labels.of(k.Kind)
		objects[label] += k.Objects
		sick[label] += 0
		switch {
		case k.Sick != "":
			sick[label]++
			unwell++
		case k.Listed:
			listed++
		default:
			unlisted++
		}
	}
	for label, n := range objects {
		s.put("objects", float64(n), label)
		s.put("kind_sick", float64(sick[label]), label)
	}
	s.put("kinds", float64(listed), "listed")
	s.put("kinds", float64(unlisted), "unlisted")
	s.put("kinds", float64(unwell), "sick")
}

// held sends the held objects by reason. A reason without an object has no sample. Blocked objects wait
// for others, and pending_objects counts them.
//
//test:by TestBlockedIsNotHeld
func (s sink) held(all []engine.HeldReason, now time.Time) {
	for _, r := range all {
		if r.Status == engine.StatusBlocked {
			continue
		}
		s.put("held_objects", float64(r.Objects), r.Reason.Code())
		s.put("oldest_held_seconds", max(now.Sub(r.Oldest), 0).Seconds(), r.Reason.Code())
	}
}

// pauses sends the number of pauses by extent.
func (s sink) pauses(all []engine.PauseReport) {
	n := map[string]int{"all": 0, "kind": 0, "scope": 0, "unread": 0}
	for _, p := range all {
		switch {
		case p.Unread != "":
			n["unread"]++
		case p.What.All:
			n["all"]++
		case p.What.Kind != "":
			n["kind"]++
		default:
			n["scope"]++
		}
	}
	for extent, k := range n {
		s.put("pauses", float64(k), extent)
	}
}

// calls sends the counts of the observed calls. A call without success has a sample after its
// first occurrence.
func (s sink) calls(x *calls) {
	for _, t := range hook.Types() {
		if t == hook.Batch { // its writes are counted
			continue
		}
		for _, r := range hook.Results() {
			if n := x.counts[t][r].Load(); n > 0 || r == hook.OK {
				s.count("calls_total", n, t.String(), r.String())
			}
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for label, n := range x.deleted {
		s.count("deleted_objects_total", n, label)
	}
}

const modulePath = "github.com/ownergraph/ownergraph"

// compacting is a store with a log of changes. Since is zero if the last compaction succeeded.
type compacting interface {
	FailedCompactions() (count uint64, since time.Time, err error)
}

// compactions has the failed compactions of a store, 0 for nil.
func (s sink) compactions(store compacting, now time.Time) {
	var count uint64
	var since time.Time
	if store != nil {
		count, since, _ = store.FailedCompactions()
	}
	s.count("failed_compactions_total", count)
	if since.IsZero() {
		since = now
	}
	s.put("compaction_failing_seconds", max(now.Sub(since), 0).Seconds())
}

// build sends the versions. A program that replaces the module has the version "(devel)".
func (s sink) build() {
	version := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == modulePath && m.Replace == nil && m.Version != "" {
				version = m.Version
			}
		}
	}
	s.put("build_info", 1, version, runtime.Version())
}
