// Package promstats has the metrics of an ownergraph.Collector for Prometheus.
//
//	collector, metrics, err := promstats.New(store, ownergraph.Config{}, promstats.Config{})
//	...
//	registry.MustRegister(metrics)
//	go collector.Run(ctx)
//
// New makes the collector on a store that counts its calls. The store keeps the powers of the
// wrapped one. A scrape reads the collector's own figures, so it makes no request of the store.
//
// # The metrics
//
// Each name begins with ownergraph_. The durations of calls and cascades are histograms, and that
// of fences is a summary. Names that end with _total are counters, and the rest are gauges. The
// help text of each metric describes it.
//
//	objects{kind}
//	graph_nodes
//	pending_objects{status}
//	held_objects{reason}
//	oldest_held_seconds{reason}
//	unfinished_objects
//	oldest_unfinished_seconds
//	share_slots
//	deleted_objects_total{kind}
//	gone_objects_total
//	cascades_in_progress
//	cascade_duration_seconds
//	unmeasured_cascades_total
//	calls_total{type,result}
//	calls_in_flight
//	call_duration_seconds{type}
//	started_calls_total{type}
//	failed_reads_total
//	failed_handlers_total
//	delayed_calls_total
//	batch_limit_writes
//	batch_max_writes
//	batch_limit_before_writes
//	late_batches_total
//	write_conflicts_total
//	refused_writes_total
//	unknown_writes_total
//	undone_writes_total
//	best_effort_writes_total
//	events_total
//	refused_events_total
//	decisions_total
//	kinds{health}
//	kind_sick{kind}
//	listings_total
//	failed_listings_total
//	losses_total
//	rewinds_total
//	contradictions_total
//	duplicate_uids_total
//	fence_duration_seconds
//	fence_open_kinds
//	lost_fences_total
//	failed_fences_total
//	detected_rings_total
//	audits_total
//	audit_repairs_total
//	running_sweeps
//	ended_sweeps_total
//	sweep_members_total
//	sweep_members_gone_total
//	unguarded_holders_total
//	guard_passed_roots_total
//	guard_refused_roots_total
//	guard_approved_roots_total
//	guard_released_roots_total
//	guard_unguarded_roots_total
//	braked_cascades
//	brake_trips_total
//	brake_approvals_total
//	brake_refusals_total
//	brake_uncounted_kinds
//	pauses{extent}
//	failed_compactions_total
//	compaction_failing_seconds
//	build_info{version,go_version}
//
// The metrics of compactions are of a store with a method FailedCompactions, as that of adapters/sql
// has. They are 0 for other stores.
//
// The oldest unfinished object shows a stall of any cause, also one that no other metric shows. See
// ownergraph.UnfinishedStats. An object that waits for a named cause is held instead.
//
// # Groups
//
// A member of a group (package group) has these metrics, too. They are a collector of their own:
//
//	metrics, err := promstats.NewGroup(member)
//	...
//	registry.MustRegister(metrics)
//
// They are gauges:
//
//	share_state{state}
//	share_lease_left_seconds
//	group_members
//	group_oldest_lease_seconds
//	group_gap_slots
//
// A slot is one of 4096 parts of the UIDs. A program without a group has all of them in share_slots.
// The gap of a group is the least one of its members, because a program that is no member knows none.
// Each member observes all objects, so each has all of them in objects and in held_objects.
//
// # Archives
//
// The archive of a store (package archive) has these metrics. They are a collector of their own, and each scrape makes one
// request of the store:
//
//	metrics, err := promstats.NewArchive(store)
//	...
//	registry.MustRegister(metrics)
//
// The last one is a counter, and the others are gauges:
//
//	archive_entries
//	archive_restored_entries
//	archive_bytes
//	archive_oldest_seconds
//	archive_failed_reads_total
//
// # Labels
//
// No label has a name or a UID. The values of type, result, reason, status, health, extent and state
// are fixed sets of this module. A kind has a label of its own up to Config.MaxKinds, and the
// kinds beyond it share the label "other". So no user of the store can grow a label. A kind
// keeps its label until the process ends.
//
// # Cascades
//
// The duration of a cascade goes from the first delete of an object until the watch has shown the
// end of the last one. An object with several roots counts for the first of them. An object that
// a finalizer holds keeps its cascade open, and so does one whose delete has no answer. A cascade
// that has had nothing to wait for during Config.CascadeQuiet is over.
//
// # Dashboard and alerts
//
// The folder deploy, beside this file, has dashboard.json for Grafana and alerts.yaml for
// Prometheus.
package promstats
