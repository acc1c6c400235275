package promstats

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"
)

const namespace = "ownergraph_"

// family is one metric that a scrape reads from the collector, with the names of its labels.
type family struct{ name, help, labels string }

// fenceTime is the name of the only summary.
const fenceTime = "fence_duration_seconds"

func (f family) desc() *prometheus.Desc {
	var labels []string
	if f.labels != "" {
		labels = strings.Split(f.labels, ",")
	}
	return prometheus.NewDesc(namespace+f.name, f.help, labels, nil)
}

// families are the metrics without the histograms. The order is that of the documentation.
func families() []family {
	return []family{
		{"objects", "Observed objects by kind.", "kind"},
		{"graph_nodes", "Objects in the graph, with the owners that were never observed.", ""},
		{"pending_objects", "Objects that wait for an action, by status: see engine.Status.", "status"},
		{"held_objects", "Objects that wait for something outside of the collector, by reason. They are pending or stuck.", "reason"},
		{"oldest_held_seconds", "Time for which the object that is held longest has been held, by reason.", "reason"},
		{"unfinished_objects", "Objects that the engine has begun with, and has neither finished nor held.", ""},
		{"oldest_unfinished_seconds", "Time since the engine began with the oldest unfinished object, or last took one of the objects that wait for a decision.", ""},
		{"share_slots", "Slots of the hashes of UIDs, of 4096, in the share of this program.", ""},
		{"deleted_objects_total", "Deletes that the store has accepted, by kind.", "kind"},
		{"gone_objects_total", "Objects whose removal the watch has shown.", ""},
		{"cascades_in_progress", "Cascades with a delete since the quiet time, or with an object that has not gone.", ""},
		{"unmeasured_cascades_total", "Cascades whose duration was not measured, because too many objects were waited for.", ""},

		{"calls_total", "Calls of the store and runs of handlers, by type and result. A write of a batch is one call.", "type,result"},
		{"calls_in_flight", "Calls of the store and runs of handlers in flight.", ""},
		{"started_calls_total", "Calls that the engine has handed out, by type.", "type"},
		{"failed_reads_total", "Reads that failed.", ""},
		{"failed_handlers_total", "Runs of handlers that failed.", ""},
		{"delayed_calls_total", "Calls that the store has put off, as a server does with Retry-After.", ""},
		{"batch_limit_writes", "Writes that a batch may have now, 0 for a store without batches.", ""},
		{"batch_max_writes", "The largest batch that the store takes.", ""},
		{"batch_limit_before_writes", "The limit of a batch before one took too long, until it is reached again. Otherwise 0.", ""},
		{"late_batches_total", "Batches of writes that exceeded a limit of time.", ""},
		{"write_conflicts_total", "Writes that met a conflict.", ""},
		{"refused_writes_total", "Writes that the store refused.", ""},
		{"unknown_writes_total", "Writes whose outcome is unknown.", ""},
		{"undone_writes_total", "Writes that succeeded, and that the next version asked for again.", ""},
		{"best_effort_writes_total", "Writes that were not exact.", ""},

		{"events_total", "Observed events of the watch.", ""},
		{"refused_events_total", "Impossible events, which were refused.", ""},
		{"decisions_total", "Decisions.", ""},
		{"kinds", "Kinds by health.", "health"},
		{"kind_sick", "Whether the store cannot list or watch the kind. For the other kinds it is their number.", "kind"},
		{"listings_total", "Listings that the engine asked for.", ""},
		{"failed_listings_total", "Requests for a listing that failed.", ""},
		{"losses_total", "Writes without an answer, and watches that broke.", ""},
		{"rewinds_total", "Rewinds of the store's history.", ""},
		{"contradictions_total", "Reads that contradict the watch.", ""},
		{"duplicate_uids_total", "Live objects that shared a UID.", ""},

		{fenceTime, "Time from the call of a fence until every kind has passed it.", ""},
		{"fence_open_kinds", "Kinds that have not passed the fence in progress.", ""},
		{"lost_fences_total", "Fences that a healthy kind did not pass in time.", ""},
		{"failed_fences_total", "Calls for a fence that failed.", ""},
		{"detected_rings_total", "Detected rings of foreground deletions.", ""},
		{"audits_total", "Completed audits.", ""},
		{"audit_repairs_total", "Writes that only an audit caused.", ""},

		{"running_sweeps", "Holders with a running sweep.", ""},
		{"ended_sweeps_total", "Holders whose sweep has ended.", ""},
		{"sweep_members_total", "Observed members of deleted holders.", ""},
		{"sweep_members_gone_total", "Observed members of deleted holders that have gone.", ""},
		{"unguarded_holders_total", "Holders that were deleted before they had the finalizer of their sweep.", ""},
		{"guard_passed_roots_total", "Guarded roots whose deletion this program let pass.", ""},
		{"guard_refused_roots_total", "Guarded roots whose deletion this program refused.", ""},
		{"guard_approved_roots_total", "Guarded roots whose deletion was approved in this process.", ""},
		{"guard_released_roots_total", "Guarded roots whose hold another writer took off, as kubectl does to approve a deletion.", ""},
		{"guard_unguarded_roots_total", "Roots that were deleted before they had the hold of their guard.", ""},
		{"braked_cascades", "Cascades that the brake holds.", ""},
		{"brake_trips_total", "Cascades that the brake has held.", ""},
		{"brake_approvals_total", "Approvals of braked cascades.", ""},
		{"brake_refusals_total", "Refusals of braked cascades.", ""},
		{"brake_uncounted_kinds", "Kinds that the brake does not count, because they are sick and not listed.", ""},
		{"pauses", "Pauses in force, by extent. The extent unread stands for a record that cannot be read.", "extent"},

		{"failed_compactions_total", "Failed compactions of the log of changes, for a store that has one.", ""},
		{"compaction_failing_seconds", "Time since the first failed compaction after one that succeeded, or 0.", ""},

		{"build_info", "The version of ownergraph and of Go, with the value 1.", "version,go_version"},
	}
}
