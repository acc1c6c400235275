package e2e

import (
	"flag"
	"net/http"
	"path"
	"slices"
	"sync/atomic"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
)

var planNamespaces = flag.Int("plan.namespaces", 200, "how many random namespaces TestPlansOfNamespaces makes")

// planRounds has, for each deletion in a namespace, the resource whose watch is late until
// all users have deleted. So the collector's writes come in other orders than the plans'.
// A later deletion meets the marks and the held objects that an earlier one left.
var planRounds = [...]string{"", "configmaps", "secrets", "pods"}

// TestPlansOfNamespaces: on a real server, a plan is what then happens (RULES, P3). The
// test plans one deletion in each of many random namespaces while nothing is under way.
// Then a user deletes all targets in the way of kubectl. Each plan has to agree with the
// end state of the server and with the history of etcd.
//
// -rapid.seed draws other namespaces. A namespace depends on the seed and on its number
// alone.
func TestPlansOfNamespaces(t *testing.T) {
	w := begin(t)
	e := &planTest{world: w, count: map[string]int{}}
	e.fill(planSeed())
	c := w.collect(settings{late: e.late})
	c.synced()
	for round := range planRounds {
		e.round(c, round)
	}
	t.Logf("-rapid.seed=%d, %d namespaces: %v", planSeed(), *planNamespaces, e.count)
	for _, what := range []string{"removed", "orphaned", "trimmed", "kept", "held", "possible", "exact plans"} {
		if *planNamespaces >= 200 && e.count[what] == 0 {
			t.Errorf("%s: none, so that the test shows nothing about it", what)
		}
	}
}

// planTest has the namespaces of the test.
type planTest struct {
	*world
	cases  []*planCase
	failed int
	count  map[string]int // of plans, and of their objects by outcome

	gate atomic.Pointer[gate]
}

// gate delays the watch of one resource until open is closed.
type gate struct {
	resource string
	open     chan struct{}
}

// late returns the end of the delay of an answer, nil for no delay.
func (e *planTest) late(r *http.Request) <-chan struct{} {
	if g := e.gate.Load(); g != nil && r.URL.Query().Get("watch") != "" && path.Base(r.URL.Path) == g.resource {
		return g.open
	}
	return nil
}

// round plans a deletion in each namespace, makes all of them, and judges the ends.
func (e *planTest) round(c *collecting, round int) {
	e.t.Helper()
	c.idle()
	before, since, wrote := e.live(), e.revision(), len(c.book.succeeded())
	var targets []plan.Target
	for _, p := range e.cases {
		p.before, p.plan = before[p.space], plan.Plan{}
		if len(p.before) > 0 {
			p.choose(c)
			targets = append(targets, p.plan.Request.Delete...)
		}
	}
	g := &gate{planRounds[round], make(chan struct{})}
	e.gate.Store(g)
	e.parallel(len(targets), func(i int) { e.kubectlDelete(targets[i]) })
	close(g.open)
	c.idle()
	end, past := e.live(), e.changes(since)
	writes := map[string]int{}
	for _, call := range c.book.succeeded()[wrote:] {
		writes[call.Key.Scope]++
	}
	for _, p := range e.cases {
		p.end, p.past, p.writes = end[p.space], past[p.space], writes[p.space]
		e.add(p)
		e.show(p, round)
	}
}

// choose draws a target and a propagation, and plans the deletion. The plan names the
// target by its coordinates, as kubectl does.
func (p *planCase) choose(c *collecting) {
	c.w.t.Helper()
	k := p.target()
	k.UID = ""
	how := []graph.Propagation{graph.Background, graph.Foreground, graph.Orphan}[p.random.IntN(3)]
	made, err := c.Plan(c.w.ctx, plan.Request{Delete: []plan.Target{{Key: k, Propagation: how}}})
	if err != nil {
		c.w.t.Fatalf("namespace %d: %v", p.number, err)
	}
	p.plan = made
}

// kubectlDelete deletes in the way of kubectl: by coordinates, with a propagation, and
// under no precondition.
func (e *planTest) kubectlDelete(x plan.Target) {
	e.t.Helper()
	how := map[graph.Propagation]metav1.DeletionPropagation{graph.Background: background, graph.Foreground: foreground, graph.Orphan: orphan}[x.Propagation]
	k := planKinds[slices.IndexFunc(planKinds, func(k kind) bool { return k.name() == x.Key.Kind })]
	if err := e.in(k, x.Key.Scope).Delete(e.ctx, x.Key.Name, metav1.DeleteOptions{PropagationPolicy: &how}); err != nil {
		e.t.Errorf("delete %s: %v", x.Key, err)
	}
}

// add counts a plan and its objects.
func (e *planTest) add(p *planCase) {
	if len(p.plan.Request.Delete) == 0 {
		return
	}
	e.count["plans"]++
	if !p.plan.Cost.Varies {
		e.count["exact plans"]++
	}
	for _, o := range p.plan.Objects {
		e.count[o.Outcome.String()]++
		if o.Possible {
			e.count["possible"]++
		}
		if o.Possible && p.endsOtherwise(o) {
			e.count["possible, and ended otherwise"]++
		}
	}
}

// show reports a plan that differs from the run. It shows ten of them whole.
func (e *planTest) show(p *planCase, round int) {
	e.t.Helper()
	wrong := p.judge()
	if len(wrong) == 0 {
		return
	}
	e.t.Errorf("-rapid.seed=%d, namespace %d (%s), deletion %d: %q", planSeed(), p.number, p.space, round+1, wrong)
	if e.failed++; e.failed <= 10 {
		e.t.Errorf("start: %s\nend: %s\nplan:\n%s%s", p.line(p.before), p.line(p.end), p.plan.Text(), p.plan.StepsText())
	}
}

// live returns the objects that the server has, by namespace and key. They have no
// version, since a plan says nothing about versions.
func (e *planTest) live() map[string][]graph.Object {
	e.t.Helper()
	r, out := e.reader(), map[string][]graph.Object{}
	for _, k := range planKinds {
		list, err := e.client.Resource(k.at()).List(e.ctx, metav1.ListOptions{})
		if err != nil {
			e.t.Fatalf("list %s: %v", k.plural, err)
		}
		for _, u := range list.Items {
			raw, err := u.MarshalJSON()
			o, ok := r.object(raw, 0)
			if err != nil || !ok {
				e.t.Fatalf("read %s %s/%s: %v", k.plural, u.GetNamespace(), u.GetName(), err)
			}
			o.Version, o.Generation = "", 0
			out[o.Scope] = append(out[o.Scope], o)
		}
	}
	for _, list := range out {
		slices.SortFunc(list, func(a, b graph.Object) int { return a.Key.Compare(b.Key) })
	}
	return out
}
