package fingerprint

import (
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/queue"
)

var now = time.Unix(1000, 0)

func graphOf(t *testing.T) *graph.Graph {
	t.Helper()
	g := graph.New(graph.Config{})
	objects, err := graph.Parse("a#1; b#2 -> a")
	if err != nil {
		t.Fatal(err)
	}
	events := []graph.Event{{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "b"}}}}
	for _, o := range objects {
		events = append(events, graph.Event{Type: graph.Put, Object: o})
	}
	for _, ev := range events {
		if _, err := g.Apply(ev); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

func sum(g *graph.Graph, write func(p *Printer)) uint64 {
	p := New(g, now, nil)
	write(p)
	return p.Sum()
}

// TestPrinter: different values have different hashes, and equal values have equal ones.
func TestPrinter(t *testing.T) {
	g := graphOf(t)
	p := New(g, now, nil)
	a, b := p.Nodes()[0], p.Nodes()[1]
	o, other := g.Node(b).Object(), g.Node(b).Object()
	other.Finalizers = []string{"f"}
	policy := g.Node(b).Object()
	policy.Owners[0].OnDelete = graph.OnDeleteRestrict
	q := queue.New(queue.Config[graph.NodeID]{Hash: func(graph.NodeID) uint64 { return 0 }})
	full := q.Clone()
	full.Add(a, queue.Normal)
	for _, c := range []struct {
		reason      string
		one, second func(p *Printer)
		same        bool
	}{
		{"numbers", func(p *Printer) { p.Word(1) }, func(p *Printer) { p.Word(2) }, false},
		{"texts that join alike", func(p *Printer) { p.Text("a"); p.Text("bc") }, func(p *Printer) { p.Text("ab"); p.Text("c") }, false},
		{"flags of another number", func(p *Printer) { p.Flags(false) }, func(p *Printer) { p.Flags(false, false) }, false},
		{"nodes", func(p *Printer) { p.Node(a) }, func(p *Printer) { p.Node(b) }, false},
		{"objects", func(p *Printer) { p.Object(o) }, func(p *Printer) { p.Object(other) }, false},
		{"policies of a reference", func(p *Printer) { p.Object(o) }, func(p *Printer) { p.Object(policy) }, false},
		{"lists in another order", func(p *Printer) { p.List([]graph.NodeID{a, b}) }, func(p *Printer) { p.List([]graph.NodeID{b, a}) }, false},
		{"sets in another order", func(p *Printer) { p.Set([]graph.NodeID{a, b}) }, func(p *Printer) { p.Set([]graph.NodeID{b, a}) }, true},
		{"the rest of a walk", func(p *Printer) { p.From(a) }, func(p *Printer) { p.From(max(a, b)) }, false},
		{"times ahead", func(p *Printer) { p.Until(now.Add(1)) }, func(p *Printer) { p.Until(now.Add(2)) }, false},
		{"times in the past", func(p *Printer) { p.Until(now.Add(-1)) }, func(p *Printer) { p.Until(now) }, true},
		{"no time, and now", func(p *Printer) { p.Until(time.Time{}) }, func(p *Printer) { p.Until(now) }, false},
		{"queues", func(p *Printer) { p.Queue(q) }, func(p *Printer) { p.Queue(full) }, false},
	} {
		if got := sum(g, c.one) == sum(g, c.second); got != c.same {
			t.Errorf("%s: equal hashes %v, want %v", c.reason, got, c.same)
		}
	}
}

// TestPrinterRename: the result of rename stands for a version.
func TestPrinterRename(t *testing.T) {
	g := graphOf(t)
	hash := func(v graph.Version, rename func(graph.Key, graph.Version) uint64) uint64 {
		p := New(g, now, rename)
		p.Version(graph.Key{}, v)
		return p.Sum()
	}
	one := func(graph.Key, graph.Version) uint64 { return 1 }
	if hash("5", one) != hash("6", one) || hash("5", nil) == hash("6", nil) {
		t.Error("a version is hashed by another value than the result of rename")
	}
}

// TestPrinterFreed: an id that is not in use has a hash of its own.
func TestPrinterFreed(t *testing.T) {
	g := graphOf(t)
	p := New(g, now, nil)
	b := p.Nodes()[1]
	if _, err := g.Apply(graph.Event{Type: graph.Gone, Key: g.Node(b).Key()}); err != nil {
		t.Fatal(err)
	}
	if freed, none := sum(g, func(p *Printer) { p.List([]graph.NodeID{b}) }), sum(g, func(p *Printer) { p.List([]graph.NodeID{0}) }); freed == none {
		t.Error("a freed id is hashed as no id")
	}
}
