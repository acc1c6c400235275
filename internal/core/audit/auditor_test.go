package audit

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/policy"
)

var now = time.Unix(1000, 0)

// graphOf returns a graph of objects in graph notation, which all are kept for an owner.
func graphOf(t *testing.T, objects string) record.Nodes {
	t.Helper()
	v := record.Nodes{Graph: graph.New(graph.Config{}), Table: &record.Table{}}
	events := []graph.Event{{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "b"}, {Kind: "c"}}}}
	all, err := graph.Parse(objects)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range all {
		events = append(events, graph.Event{Type: graph.Put, Object: o})
	}
	for _, e := range events {
		if _, err := v.Graph.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	for n := range v.Graph.Nodes() {
		v.Edit(n.ID()).Reason = policy.OwnerSolid
	}
	return v
}

// walk ends the walk of an audit, and returns the number of visited objects.
func walk(a *Auditor, v record.Nodes) (n int) {
	for a.HasNode(v.Graph) {
		if a.Next(v.Graph) != 0 {
			n++
		}
	}
	return n
}

// TestAuditor: an audit visits every observed object once, and reports the members of
// isolated cycles at its end.
func TestAuditor(t *testing.T) {
	for _, c := range []struct {
		objects       string
		visited, held int
		reason        string
	}{
		{"a#1; b#1 -> a; c#1 -> a", 3, 0, "no cycle"},
		{"a#1 -> b; b#1 -> a", 2, 2, "two objects own each other"},
		{"a#1 -> b, c; b#1 -> a; c#1", 3, 0, "an object outside of the cycle owns a member"},
		{"a#1 -> b, c; b#1 -> a", 2, 0, "an unobserved owner may exist"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			v := graphOf(t, c.objects)
			var a Auditor
			a.Schedule(now, time.Hour)
			if a.IsDue(now) || !a.IsDue(now.Add(time.Hour)) {
				t.Error("the first audit is due at another time than an hour later")
			}
			for round := range 2 { // the next audit reports the same cycles
				var out effect.List
				a.Begin()
				if got := walk(&a, v); got != c.visited {
					t.Errorf("%d objects visited, want %d", got, c.visited)
				}
				for a.IsRunning() {
					a.Search(v, 1, now, time.Hour, &out)
				}
				if err := a.Check(); err != nil {
					t.Error(err)
				}
				if held := count(&out, effect.Hold); held != c.held || count(&out, effect.Unhold) != round*c.held {
					t.Errorf("audit %d holds %d objects, want %d, and those of the last audit no longer", round, held, c.held)
				}
				for _, x := range out.Items() { // as the engine does
					if x.Type == effect.Hold {
						v.Edit(x.Node).Reason = x.Reason
					}
				}
			}
			if n := a.Counts().Audits; n != 2 || !a.NextAt().Equal(now.Add(time.Hour)) {
				t.Errorf("%d audits, the next at %v, want 2 and one in an hour", n, a.NextAt())
			}
		})
	}
}

// TestReportInSteps: a report of many members takes many steps. Each member is held, and one
// of them no longer once the next audit does not find its cycle. Another audit may begin
// meanwhile.
func TestReportInSteps(t *testing.T) {
	const n, limit = 5000, 16
	var objects strings.Builder
	for i := range n {
		fmt.Fprintf(&objects, "a/%d#1 -> a/%d; ", i, (i+1)%n)
	}
	v := graphOf(t, objects.String()+"b#1 -> c; c#1 -> b")
	var a Auditor
	run := func(steps int) (most int, held map[graph.NodeID]bool) {
		held = map[graph.NodeID]bool{}
		a.Begin()
		walk(&a, v)
		for ; a.IsRunning() && steps != 0; steps-- {
			var out effect.List
			a.Search(v, limit, now, time.Hour, &out)
			most = max(most, len(out.Items()))
			for _, x := range out.Items() {
				if held[x.Node] = x.Type == effect.Hold; x.Type == effect.Hold {
					v.Edit(x.Node).Reason = x.Reason
				}
			}
		}
		return most, held
	}
	if most, held := run(-1); most > 2*limit || len(held) != n+2 {
		t.Errorf("%d effects in one step, and %d objects held, want %d at most and %d", most, len(held), 2*limit, n+2)
	}
	for _, c := range []struct {
		steps   int
		changed string
	}{{100, "a/1#2"}, {4 * n / limit, "b#2"}} {
		run(c.steps)
		all, err := graph.Parse(c.changed)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := v.Graph.Apply(graph.Event{Type: graph.Put, Object: all[0]}); err != nil {
			t.Fatal(err)
		}
	}
	if _, held := run(-1); len(held) > n+2 {
		t.Errorf("%d objects in effects, want those held before", len(held))
	}
	for n := range v.Graph.Nodes() {
		if v.State(n.ID()).IsolatedCycle {
			t.Errorf("%s is still held", n.Key())
		}
	}
	if len(a.isolated) > 0 {
		t.Errorf("%d objects are listed, want none", len(a.isolated))
	}
}

func count(l *effect.List, t effect.Type) (n int) {
	for _, x := range l.Items() {
		if x.Type == t {
			n++
		}
	}
	return n
}

// unhashed names the fields that are no part of the hash, with the reason.
var unhashed = map[string]string{
	"Auditor.next": "decides only when to repair", "Auditor.roots": "a report", "Auditor.search": "a report", "Auditor.report": "a report",
	"Auditor.isolated": "a report", "Auditor.counts": "a report",
}

// TestHash: each field that decides anything changes the hash.
func TestHash(t *testing.T) {
	v := graphOf(t, "a#1; b#1")
	sum := func(a Auditor) uint64 {
		p := fingerprint.New(v.Graph, now, nil)
		a.Hash(p)
		return p.Sum()
	}
	want, changed := sum(Auditor{under: true, at: 1}), map[string]bool{}
	for field, a := range map[string]Auditor{"Auditor.under": {at: 1}, "Auditor.at": {under: true, at: 2}} {
		if changed[field] = true; sum(a) == want {
			t.Errorf("%s: the change leaves the hash as it is", field)
		}
	}
	for i, s := 0, reflect.TypeFor[Auditor](); i < s.NumField(); i++ {
		if f := s.Name() + "." + s.Field(i).Name; changed[f] == (unhashed[f] != "") {
			t.Errorf("%s has to be either tried or left out with a reason", f)
		}
	}
}

// TestReportOfManyOwners: the members of a cycle may have as many owners as an object may have. A step
// looks at no more references than members, so it looks at one such member.
func TestReportOfManyOwners(t *testing.T) {
	const n, limit = 40, 16
	var objects []string
	for i := range n {
		var owners []string
		for j := range n {
			if i != j {
				owners = append(owners, fmt.Sprint("a/", j))
			}
		}
		objects = append(objects, fmt.Sprintf("a/%d#1 -> %s", i, strings.Join(owners, ", ")))
	}
	v := graphOf(t, strings.Join(objects, "; "))
	var a Auditor
	a.Begin()
	walk(&a, v)
	steps, held := 0, 0
	for a.IsRunning() {
		var out effect.List
		a.Search(v, limit, now, time.Hour, &out)
		held += len(out.Items())
		if a.report != nil {
			steps++
		}
	}
	if held != n || steps < 2*n-1 { // one look to judge a member, and one to hold it
		t.Errorf("%d of %d members are held, after %d steps, want %d", held, n, steps, 2*n-1)
	}
}
