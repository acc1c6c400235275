package run

import (
	"bytes"
	"fmt"
	"net/http"

	"github.com/ownergraph/ownergraph"
)

// metricsType is the content type of Prometheus' text format. The package writes the
// format itself. That takes a dozen lines, and Prometheus' library would add five
// modules to every program.
const metricsType = "text/plain; version=0.0.4; charset=utf-8"

// family is one metric with its samples: one sample for each value of its label, or one
// sample without a label.
type family struct {
	name, kind, help string
	label            string
	samples          []sample
}

type sample struct {
	label string
	value uint64
}

func (p *Program) metrics(w http.ResponseWriter, _ *http.Request) {
	var out bytes.Buffer
	for _, f := range families(p.collector.Stats(), p.collector.Kinds()) {
		f.write(&out)
	}
	w.Header().Set("Content-Type", metricsType)
	_, _ = w.Write(out.Bytes())
}

// write writes the family in the text format. Names, labels and help are constants of
// this file that need no escape.
func (f family) write(out *bytes.Buffer) {
	fmt.Fprintf(out, "# HELP ownergraph_%s %s\n# TYPE ownergraph_%s %s\n", f.name, f.help, f.name, f.kind)
	for _, s := range f.samples {
		if f.label == "" {
			fmt.Fprintf(out, "ownergraph_%s %d\n", f.name, s.value)
		} else {
			fmt.Fprintf(out, "ownergraph_%s{%s=%q} %d\n", f.name, f.label, s.label, s.value)
		}
	}
}

func gauge(name, help string, v int) family {
	return family{name: name, kind: "gauge", help: help, samples: []sample{{value: uint64(max(v, 0))}}}
}

func counter(name, help string, v uint64) family {
	return family{name: name + "_total", kind: "counter", help: help, samples: []sample{{value: v}}}
}

// families returns all metrics: the fields of the stats, and the number of kinds by
// health.
func families(s ownergraph.Stats, kinds []ownergraph.KindStatus) []family {
	return append([]family{
		gauge("objects", "Observed objects.", s.Objects),
		gauge("nodes", "Objects in the graph, including owners that were never observed.", s.Nodes),
		gauge("queued", "Objects that wait for a decision.", s.ByStatus[ownergraph.StatusQueued]),
		gauge("calls", "Calls in flight.", s.InFlight),
		gauge("held", "Objects that wait for an action outside of the engine: waiting or stuck.", s.Held()),
		gauge("working", "Reads, writes and handler runs in flight.", s.ByStatus[ownergraph.StatusWorking]),
		gauge("blocked", "Objects that wait for their dependents or members.", s.ByStatus[ownergraph.StatusBlocked]),
		gauge("waiting", "Objects with a common wait of a deletion, such as for a finalizer's controller.", s.ByStatus[ownergraph.StatusWaiting]),
		gauge("stuck", "Objects that wait for a repair outside of the engine.", s.ByStatus[ownergraph.StatusStuck]),
		gauge("fence_open_kinds", "Kinds that have not passed the current fence.", s.Fences.Open),
		gauge("sweeping", "Holders with a running sweep.", s.Sweeps.Running),
		gauge("braked_cascades", "Cascades of which the brake holds objects.", s.Brake.Cascades),
		gauge("pauses", "Pauses in force. An unknown record pauses, too.", s.Pauses),
		kindsByHealth(kinds),
		requests(s),
	}, counters(s)...)
}

func counters(s ownergraph.Stats) []family {
	return []family{
		counter("events", "Observed events.", s.Events),
		counter("refused_events", "Impossible events, which were refused.", s.Refused),
		counter("decisions", "Decisions.", s.Decisions),
		counter("handlers", "Started runs of finalizer handlers.", s.Calls[ownergraph.CallHandle]),
		counter("failed_handlers", "Failed runs of finalizer handlers.", s.FailedHandlers),
		counter("conflicts", "Writes that met a conflict.", s.Writes.Conflicts),
		counter("refused_writes", "Writes that the server refused.", s.Writes.Refused),
		counter("undone_writes", "Writes that succeeded and were undone in the next version.", s.Writes.Undone),
		counter("unknown_outcomes", "Writes whose outcome is unknown.", s.Writes.Unknown),
		counter("failed_reads", "Reads that failed.", s.FailedReads),
		counter("gone", "Objects whose removal was observed.", s.Gone),
		counter("fences", "Fences that have passed.", s.Fences.Passed),
		counter("lost_fences", "Fences that a kind did not pass in time.", s.Fences.Lost),
		counter("listings", "Requested new listings.", s.Listings),
		counter("rings", "Rings of foreground deletions.", s.Rings),
		counter("rewinds", "Rewinds of the store's history.", s.Rewinds),
		counter("losses", "Writes without an answer, and watches that broke.", s.Losses),
		counter("contradictions", "Reads that contradict the watch.", s.Contradictions),
		counter("twins", "Live objects that shared a UID.", s.DuplicateUIDs),
		counter("best_effort_writes", "Best-effort writes.", s.Writes.BestEffort),
		counter("audits", "Completed audits.", s.Audits),
		counter("audit_repairs", "Writes after decisions of an audit.", s.AuditRepairs),
		counter("swept", "Holders whose sweep has ended.", s.Sweeps.Ended),
		counter("members", "Members of swept holders.", s.Sweeps.Members),
		counter("members_gone", "Members of swept holders that are gone.", s.Sweeps.MembersGone),
		counter("unguarded_holders", "Holders that were deleted before they had the sweep's finalizer.", s.Sweeps.Unguarded),
		counter("judgements", "Started judgements of guarded roots.", s.Calls[ownergraph.CallJudge]),
		counter("passed_roots", "Guarded roots whose deletion this program let pass.", s.Guards.Passed),
		counter("refused_roots", "Guarded roots whose deletion this program refused.", s.Guards.Refused),
		counter("approved_roots", "Guarded roots whose deletion was approved in this process.", s.Guards.Approved),
		counter("released_roots", "Guarded roots whose hold another writer took off, as kubectl does to approve a deletion.", s.Guards.HoldRemoved),
		counter("unguarded_roots", "Roots that were deleted before they had the guard's finalizer.", s.Guards.Unguarded),
		counter("brake_trips", "Cascades that this program has stopped because they are too large.", s.Brake.Trips),
		counter("approved_cascades", "Braked cascades whose deletes were approved.", s.Brake.Approvals),
		counter("refused_cascades", "Braked cascades that were refused.", s.Brake.Refusals),
	}
}

func requests(s ownergraph.Stats) family {
	f := family{name: "calls_total", kind: "counter", help: "Calls to the store.", label: "type"}
	for _, t := range []ownergraph.CallType{
		ownergraph.CallRead, ownergraph.CallPatch, ownergraph.CallDelete, ownergraph.CallFence, ownergraph.CallList, ownergraph.CallSelect,
	} {
		f.samples = append(f.samples, sample{t.String(), s.Calls[t]})
	}
	return f
}

func kindsByHealth(kinds []ownergraph.KindStatus) family {
	var listed, unlisted, sick uint64
	for _, k := range kinds {
		switch {
		case k.Sick != "":
			sick++
		case k.Listed:
			listed++
		default:
			unlisted++
		}
	}
	return family{
		name: "kinds", kind: "gauge", help: "Kinds by health.", label: "health",
		samples: []sample{{"listed", listed}, {"unlisted", unlisted}, {"sick", sick}},
	}
}
