package grace

import (
	"errors"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/reads"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/queue"
)

// TestNew: a kind is named once. The periods share no list with the argument.
func TestNew(t *testing.T) {
	for _, c := range []struct {
		kinds  []graph.Kind
		want   string
		reason string
	}{
		{nil, "", "no kind"},
		{[]graph.Kind{"b", "a"}, "", "in any order"},
		{[]graph.Kind{"a", ""}, "an empty kind", "an empty kind"},
		{[]graph.Kind{"a", "b", "a"}, `kind "a" twice`, "a kind twice"},
	} {
		p, err := New(c.kinds)
		if (err == nil) != (c.want == "") || err != nil && (!errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), "PropagateGrace: "+c.want)) {
			t.Errorf("%s: %v", c.reason, err)
		}
		if err == nil && (p.Any() != (len(c.kinds) > 0) || p.Has("c") || len(c.kinds) > 0 && !p.Has("a")) {
			t.Errorf("%s: %v", c.reason, p)
		}
	}
	kinds := []graph.Kind{"a"}
	p, _ := New(kinds)
	if kinds[0] = "b"; !p.Has("a") || p.Has("b") {
		t.Error("the periods share the list of the caller")
	}
}

// fataler is the part of a test, or of a draw, that helpers use.
type fataler interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// nodesOf returns a graph with the objects.
func nodesOf(t fataler, lines ...string) record.Nodes {
	t.Helper()
	v := record.Nodes{Graph: graph.New(graph.Config{}), Table: &record.Table{}}
	events := []graph.Event{{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "b"}, {Kind: "c"}}}}
	for _, line := range lines {
		o, err := graph.ParseObject(line)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, graph.Event{Type: graph.Put, Object: o})
	}
	for _, ev := range events {
		if _, err := v.Graph.Apply(ev); err != nil {
			t.Fatal(err)
		}
	}
	return v
}

// node returns the node of a name of kind c.
func node(t fataler, v record.Nodes, name string) graph.NodeID {
	t.Helper()
	n, ok := v.Graph.Lookup(graph.Key{Kind: "c", Name: name, UID: graph.UID(name)})
	if !ok {
		t.Fatalf("no node of c/%s", name)
	}
	return n.ID()
}

// carried returns the seconds that a delete of a node carries, 0 for none.
func carried(v record.Nodes, id graph.NodeID, p Periods, d policy.Decision) int64 {
	n, in := v.Node(id), policy.Facts{}
	for i := range n.Owners() {
		in.Owners = append(in.Owners, policy.OwnerFacts{OnDelete: n.OwnerAt(i).OnDelete})
	}
	if p.Carry(v, &reads.Machine{}, id, &in, &d); d.GraceSeconds == nil {
		return 0
	}
	return *d.GraceSeconds
}

// TestOf has the periods of small graphs. Kind b has no grace periods.
func TestOf(t *testing.T) {
	waits := policy.Decision{Action: policy.Delete, Reason: policy.OwnersWaiting}
	cascade := policy.Decision{Action: policy.Delete, Reason: policy.CascadeOwnerWaits, Owners: []int{1}}
	for _, c := range []struct {
		objects string
		d       policy.Decision
		want    int64
		reason  string
	}{
		{"a/r~30[foreground]; c/d -> a/r", waits, 30, "the period of the owner"},
		{"a/r~[foreground]; c/d -> a/r", waits, 0, "the owner has none"},
		{"a/r~30[foreground]; c/d -> a/r", policy.Decision{Action: policy.Delete, Reason: policy.OwnersGone}, 0, "the owners are gone"},
		{"a/r~30[foreground]; c/d -> a/r", policy.Decision{Action: policy.Delete, Reason: policy.HolderDeleted}, 0, "a sweep deletes it"},
		{"a/r~30[foreground]; c/d -> a/r", policy.Decision{Action: policy.Trim, Reason: policy.OwnersWaiting}, 0, "no delete"},
		{"a/r~30[x]; c/d -> a/r", waits, 0, "the owner does not wait"},
		{"a/r~30[orphan]; c/d -> a/r", waits, 0, "the owner leaves it"},
		{"a/r~30[foreground,ownergraph.github.io/hold]; c/d -> a/r", waits, 0, "a guard withholds the mark"},
		{"a/r~30[foreground,ownergraph.github.io/protect]; c/d -> a/r", waits, 0, "a protection withholds the mark"},
		{"a/r~30[foreground]; c/x -> a/r:restrict; c/d -> a/r", waits, 0, "a restriction withholds the mark"},
		{"b/r~30[foreground]; c/d -> b/r", waits, 0, "periods of that kind pass nothing on"},
		{"a/r~30[foreground]; a/s~5[foreground]; c/d -> a/r, a/s", waits, 5, "the shortest period of two owners"},
		{"a/r~30[foreground]; a/s~[foreground]; c/d -> a/r, a/s", waits, 30, "an owner without a period has no say"},
		{"a/r~30[foreground]; b/m~[foreground] -> a/r; c/d -> b/m", waits, 30, "through an owner of another kind"},
		{"a/r~30[foreground]; b/m~7[foreground] -> a/r; c/d -> b/m", waits, 30, "an owner of another kind passes its own period to nothing"},
		{"a/r~30[foreground]; a/m~40[foreground] -> a/r; c/d -> a/m", waits, 30, "the root has the shorter one"},
		{"a/r~30[foreground]; a/m -> a/r; c/d -> a/m", waits, 0, "the owner between is not marked"},
		{"a/r~30[foreground] -> a/s; a/s~20[foreground] -> a/r; c/d -> a/r", waits, 20, "a ring"},
		{"a/r~30[foreground]; a/s~5[foreground]; c/d -> a/r, a/s:cascade", cascade, 5, "the cascade owner decides"},
		{"a/r~5[foreground]; a/s~30[foreground]; c/d -> a/r, a/s:cascade", cascade, 30, "another owner decides nothing"},
		{"a/r~30[foreground]; a/s~5[foreground]; c/d -> a/r, a/s:release", waits, 30, "a release reference decides nothing"},
		{"c/d -> a/r", waits, 0, "a read has shown that the owner waits"},
	} {
		v := nodesOf(t, lines(c.objects)...)
		p, err := New([]graph.Kind{"a", "c"})
		if got := carried(v, node(t, v, "d"), p, c.d); err != nil || got != c.want {
			t.Errorf("%s: %s: %d seconds, want %d: %v", c.objects, c.reason, got, c.want, err)
		}
	}
}

// lines returns the lines of objects with UIDs and versions.
func lines(text string) (out []string) {
	for _, line := range strings.Split(text, "; ") {
		out = append(out, versioned(line))
	}
	return out
}

// versioned gives an object of a short form a UID and a version, by its name, and its owners UIDs.
func versioned(line string) string {
	head, owners, _ := strings.Cut(line, " -> ")
	name, mark, marked := strings.Cut(head, "~")
	out := name + "@" + name[2:] + "#1"
	if marked {
		out += "~" + mark
	}
	if owners == "" {
		return out
	}
	var refs []string
	for _, r := range strings.Split(owners, ", ") {
		name, policy, has := strings.Cut(r, ":")
		if r = name + "@" + name[2:]; has {
			r += ":" + policy
		}
		refs = append(refs, r)
	}
	return out + " -> " + strings.Join(refs, ", ")
}

// TestCarry: a decision keeps its own period, and a marked object or another kind takes none.
func TestCarry(t *testing.T) {
	v := nodesOf(t, lines("a/r~30[foreground]; c/d -> a/r")...)
	own := int64(7)
	waits := policy.Decision{Action: policy.Delete, Reason: policy.OwnersWaiting}
	for _, c := range []struct {
		kinds    []graph.Kind
		deleting bool
		period   *int64
		want     int64
		reason   string
	}{
		{[]graph.Kind{"a", "c"}, false, nil, 30, "both kinds have periods"},
		{[]graph.Kind{"a"}, false, nil, 0, "the kind of the dependent has none"},
		{[]graph.Kind{"c"}, false, nil, 0, "the kind of the owner has none"},
		{nil, false, nil, 0, "no kind has any"},
		{[]graph.Kind{"a", "c"}, true, nil, 0, "the object is marked"},
		{[]graph.Kind{"a", "c"}, false, &own, 7, "a phase of a sweep has its own period"},
	} {
		p, _ := New(c.kinds)
		d, in := waits, policy.Facts{Deleting: c.deleting, Owners: []policy.OwnerFacts{{}}}
		d.GraceSeconds = c.period
		p.Carry(v, &reads.Machine{}, node(t, v, "d"), &in, &d)
		got := int64(0)
		if d.GraceSeconds != nil {
			got = *d.GraceSeconds
		}
		if got != c.want || d.GraceAtMost != (c.want == 30) {
			t.Errorf("%s: %d seconds, at most %t, want %d", c.reason, got, d.GraceAtMost, c.want)
		}
	}
}

// TestWithheld: the engine withholds a mark by labels, which the graph does not show. Such a mark passes
// nothing on, and no owner above it counts.
func TestWithheld(t *testing.T) {
	v := nodesOf(t, lines("c/s~20[foreground]; c/r~30[foreground] -> c/s; c/d -> c/r")...)
	p, _ := New([]graph.Kind{"c"})
	waits := policy.Decision{Action: policy.Delete, Reason: policy.OwnersWaiting}
	for _, c := range []struct {
		withheld string
		want     int64
		reason   string
	}{
		{"", 20, "both marks count"},
		{"s", 30, "the mark above does not count"},
		{"r", 0, "the mark of the owner does not count"},
	} {
		for _, name := range []string{"s", "r"} {
			v.Edit(node(t, v, name)).Withheld = name == c.withheld
		}
		if got := carried(v, node(t, v, "d"), p, waits); got != c.want {
			t.Errorf("%s: %d seconds, want %d", c.reason, got, c.want)
		}
	}
}

// TestCarryOfRead: the period is that of a read, while the graph does not show that the owner waits. The
// owners above it count in the graph alone.
func TestCarryOfRead(t *testing.T) {
	p, _ := New([]graph.Kind{"a", "c"})
	for _, c := range []struct {
		objects string
		period  int64 // of the read
		want    int64
		reason  string
	}{
		{"c/d -> a/r", 30, 30, "the graph has not seen the owner"},
		{"a/r; c/d -> a/r", 30, 30, "the graph has an older version"},
		{"a/r~20[foreground]; c/d -> a/r", 30, 20, "the graph shows the mark"},
		{"a/s~5[foreground]; a/r -> a/s; c/d -> a/r", 30, 5, "an owner above has a shorter one"},
		{"a/s~5[foreground]; a/r -> a/s; c/d -> a/r", 0, 5, "an owner above has the only one"},
		{"b/r; c/d -> b/r", 30, 0, "its kind has no periods"},
		{"c/d -> a/r", 0, 0, "the read has shown no period"},
	} {
		v, r := nodesOf(t, lines(c.objects)...), reads.New(queue.Config[graph.NodeID]{})
		id := node(t, v, "d")
		r.SetResult(v, v.OwnerID(id, 0), reads.Result{State: policy.ReadWaiting, Grace: c.period})
		d, in := policy.Decision{Action: policy.Delete, Reason: policy.OwnersWaiting}, policy.Facts{Owners: []policy.OwnerFacts{{Read: policy.ReadWaiting}}}
		p.Carry(v, &r, id, &in, &d)
		if got := d.GraceSeconds; c.want == 0 && got != nil || c.want > 0 && (got == nil || *got != c.want) {
			t.Errorf("%s: %s: %v, want %d", c.objects, c.reason, got, c.want)
		}
	}
}
