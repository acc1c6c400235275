package run

import (
	"bytes"
	"fmt"
	"net/http"

	"github.com/ownergraph/ownergraph"
)

// metricsType is the content type of Prometheus' text format. It is written by
// hand: numbers under fixed names take a dozen lines, and Prometheus' library
// would be five modules more for everybody who links this package.
const metricsType = "text/plain; version=0.0.4; charset=utf-8"

// family is one metric, with its samples: one for each value of a label, or one
// without a label.
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

// write writes the family in the text format. Names, labels and help are
// constants of this file that need no escape.
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

// families returns all that is measured: every field of the stats, and the
// kinds by their health.
func families(s ownergraph.Stats, kinds []ownergraph.KindStatus) []family {
	return append([]family{
		gauge("objects", "Objects that are observed.", s.Objects),
		gauge("nodes", "Objects in the graph, with owners that were never observed.", s.Nodes),
		gauge("queued", "Objects that wait to be decided.", s.Queued),
		gauge("calls", "Calls that are under way.", s.Calls),
		gauge("held", "Objects that wait for something outside: waiting or stuck.", s.Held),
		gauge("working", "Reads, writes and runs of handlers that are under way.", s.Working),
		gauge("blocked", "Objects that wait for their dependents or members.", s.Blocked),
		gauge("waiting", "Objects that wait for what a deletion commonly waits for, such as a finalizer's controller.", s.Waiting),
		gauge("stuck", "Objects that wait for something outside to be mended.", s.Stuck),
		gauge("fence_open_kinds", "Kinds that have still to pass the fence under way.", s.Fence.Open),
		gauge("sweeping", "Holders that are being swept.", s.Sweeping),
		kindsByHealth(kinds),
		requests(s),
	}, counters(s)...)
}

func counters(s ownergraph.Stats) []family {
	return []family{
		counter("events", "Events that were observed.", s.Events),
		counter("refused_events", "Events that were refused as impossible.", s.Refused),
		counter("decisions", "Decisions that were made.", s.Decisions),
		counter("handlers", "Runs of finalizer handlers that were begun.", s.Handled),
		counter("failed_handlers", "Runs of finalizer handlers that failed.", s.FailedHandlers),
		counter("conflicts", "Writes that met a conflict.", s.Conflicts),
		counter("refused_writes", "Writes that the server refused.", s.RefusedWrites),
		counter("undone_writes", "Writes that succeeded, and that the next version asked for again.", s.UndoneWrites),
		counter("unknown_outcomes", "Writes whose outcome is unknown.", s.UnknownOutcomes),
		counter("failed_reads", "Reads that failed.", s.FailedReads),
		counter("gone", "Objects that were observed to go.", s.Gone),
		counter("fences", "Fences that have passed.", s.Fences),
		counter("lost_fences", "Fences that a kind did not pass in time.", s.LostFences),
		counter("listings", "New listings that were wanted.", s.Listings),
		counter("rings", "Foreground rings that were found.", s.Rings),
		counter("rewinds", "Times that the history went backwards.", s.Rewinds),
		counter("losses", "Writes without an answer, and watches that broke.", s.Losses),
		counter("contradictions", "Reads and the watch that said otherwise of one object.", s.Contradictions),
		counter("twins", "Live objects that shared a UID.", s.Twins),
		counter("best_effort_writes", "Writes that were not exact.", s.BestEffort),
		counter("audits", "Audits that are over.", s.Audits),
		counter("audit_repairs", "Writes that only an audit led to.", s.AuditRepairs),
		counter("swept", "Holders that were swept.", s.Swept),
		counter("members", "Objects that were found to belong to a holder that is swept.", s.Members),
		counter("members_gone", "Those of them that are gone.", s.MembersGone),
		counter("unguarded_holders", "Holders that were deleted before their sweep could guard them.", s.Unguarded),
	}
}

func requests(s ownergraph.Stats) family {
	return family{
		name: "calls_total", kind: "counter", help: "Calls that were made to the store.", label: "type",
		samples: []sample{
			{"read", s.Reads}, {"patch", s.Patches}, {"delete", s.Deletes}, {"fence", s.FenceCalls}, {"list", s.ListCalls},
			{"select", s.Selects},
		},
	}
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
		name: "kinds", kind: "gauge", help: "Kinds that take part, by their health.", label: "health",
		samples: []sample{{"listed", listed}, {"unlisted", unlisted}, {"sick", sick}},
	}
}
