package kinds

import (
	"cmp"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// start is the time at which every rig begins.
var start = time.Unix(1000, 0)

// rig is a table, and the parts of an engine that a table uses.
type rig struct {
	*testing.T
	g      *graph.Graph
	t      Table
	stamps seq.Counter
	change Change
	now    time.Time
	left   []graph.Kind
	joined bool
}

// newRig returns a rig over the kinds a and b after the steps of a script. See run.
func newRig(t *testing.T, script string) *rig {
	t.Helper()
	r := &rig{T: t, g: graph.New(graph.Config{Ignore: []graph.Kind{"ignored"}}), t: New([]graph.Kind{"ignored"}), now: start}
	r.t.Tick(start)
	r.run("kinds a b")
	r.run(script)
	return r
}

// run carries out steps, which semicolons separate, and checks the table after each step.
// A step is a verb, mostly with a kind and a version or a reason.
func (r *rig) run(script string) {
	r.Helper()
	for step := range strings.SplitSeq(script, ";") {
		words := strings.Fields(step)
		if len(words) == 0 {
			continue
		}
		args := append(words[1:], "", "")
		if !r.event(words[0], args) {
			r.act(words[0], graph.Kind(args[0]), args[1])
		}
		if err := r.t.Check(); err != nil {
			r.Fatalf("after %q: %v", step, err)
		}
	}
}

// event passes an event to the graph and to the table, and reports whether the verb names
// one.
func (r *rig) event(verb string, args []string) bool {
	r.Helper()
	types := map[string]graph.EventType{
		"begin": graph.ListBegun, "end": graph.ListEnded, "progress": graph.Progress,
		"sick": graph.KindSick, "well": graph.KindRecovered, "vanish": graph.KindVanished, "kinds": graph.KindsKnown,
	}
	ev := graph.Event{Type: types[verb], Kind: graph.Kind(args[0])}
	switch ev.Type {
	case graph.EventUnset:
		return false
	case graph.ListEnded, graph.Progress:
		ev.Version = graph.Version(args[1])
	case graph.KindSick:
		ev.Reason = args[1]
	case graph.KindsKnown:
		ev.Kind = ""
		for _, name := range args {
			if name != "" {
				ev.Kinds = append(ev.Kinds, graph.KindInfo{Kind: graph.Kind(name)})
			}
		}
	}
	if _, err := r.g.Apply(ev); err != nil {
		r.Fatal(err)
	}
	if ev.Type == graph.KindsKnown {
		r.left, r.joined = r.t.SetKinds(ev.Kinds, r.g, &r.stamps)
		r.t.EndSet(r.g, nil)
		return true
	}
	r.change = r.t.Apply(&ev, &r.stamps, compare)
	return true
}

// act calls one method of the table.
func (r *rig) act(verb string, kind graph.Kind, arg string) {
	r.Helper()
	switch verb {
	case "list": // a listing from its beginning to the end of its pruning
		r.run("begin " + string(kind) + "; end " + string(kind) + " " + arg + "; prune " + string(kind))
	case "prune":
		r.t.EndPruning()
		r.t.SetListed(kind)
	case "refuse":
		r.t.Refuse(&graph.Event{Type: graph.Progress, Kind: kind}, "refused")
	case "refuse-set":
		r.t.Refuse(&graph.Event{Type: graph.KindsKnown}, "refused")
	case "want":
		r.t.WantList(kind)
	case "lose":
		r.t.Lose(start, &r.stamps, true, r.g)
	case "answer":
		r.t.SetAnswered(r.stamps.Stamp())
	case "read":
		r.t.ConfirmRead(kind, graph.Version(arg), r.stamps.Stamp(), compare)
	case "confirm":
		r.t.Confirm(&r.stamps)
	case "rewind":
		r.t.Rewind(r.stamps.Stamp())
	case "open":
		r.t.OpenFence()
	case "pass":
		r.t.PassFence(kind, 1, r.stamps.Stamp())
	case "wait":
		d, err := time.ParseDuration(string(kind))
		if err != nil {
			r.Fatal(err)
		}
		r.now = r.now.Add(d)
		r.t.Tick(r.now)
	case "set":
		r.t.SetReported(r.stamps.Stamp())
	default:
		r.Fatalf("no step %q", verb)
	}
}

func compare(_ graph.Kind, a, b graph.Version) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}
