package forecast

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/draft"
	"github.com/ownergraph/ownergraph/internal/portion"
	"github.com/ownergraph/ownergraph/internal/proof/rig"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// dense returns objects of kind t, each owned by all before it.
func dense(n int) []graph.Object {
	out := make([]graph.Object, n)
	for i := range out {
		out[i].Key = graph.Key{Kind: "t", Name: fmt.Sprintf("o%04d", i), UID: graph.UID(fmt.Sprint("u", i))}
		for j := range i {
			out[i].Owners = append(out[i].Owners, graph.Owner{Key: out[j].Key, Block: true})
		}
	}
	return out
}

// denseWorld is a random world with many references: rings, owners that are gone, deletions under
// way, handlers, foreign finalizers, guards with phases, and sweeps.
func denseWorld(random *rand.Rand) (level engine.Level, objects []graph.Object, cfg engine.Config, req plan.Request) {
	level = []engine.Level{engine.Level1, engine.Level2, engine.Level3}[random.IntN(3)]
	objects = dense(3 + random.IntN(30))
	ring, rare := random.IntN(3) == 0, 2+random.IntN(12)
	once := func() bool { return random.IntN(rare) == 0 }
	for i := range objects {
		o := &objects[i]
		o.Owners = slices.DeleteFunc(o.Owners, func(graph.Owner) bool { return random.IntN(8) == 0 })
		if ring && once() {
			o.Owners = append(o.Owners, graph.Owner{Key: objects[len(objects)-1].Key, Block: true})
		}
		if once() {
			o.Owners = append(o.Owners, graph.Owner{Key: graph.Key{Kind: "t", Name: "never", UID: "never"}, Unresolved: random.IntN(4) == 0})
		}
		for j := range o.Owners {
			o.Owners[j].Block = random.IntN(2) == 0
		}
		for _, f := range []string{"x.io/foreign", "x.io/handled", graph.FinalizerOrphan, graph.FinalizerForeground, graph.FinalizerHold} {
			if rare := once(); rare && once() {
				o.Finalizers = append(o.Finalizers, f)
				o.Deleting = o.Deleting || random.IntN(3) == 0
			}
		}
		if random.IntN(9) == 0 {
			o.Kind = "holder"
		}
	}
	for i := range objects { // the kinds have changed
		for j, r := range objects[i].Owners {
			if at := slices.IndexFunc(objects, func(o graph.Object) bool { return o.UID == r.UID }); at >= 0 {
				objects[i].Owners[j].Kind = objects[at].Kind
			}
		}
	}
	cfg.Handlers = map[string]finalizer.Handler{"x.io/handled": func(context.Context, graph.Object) error { return nil }}
	if once() {
		above := 1 << 20
		cfg.Guards = []guard.Guard{{Names: []string{"o0000", "o0001"}, Above: &above, Phases: []guard.Phase{{Name: "first", Kinds: []graph.Kind{"holder"}}, {Name: "rest"}}}}
	}
	if once() {
		cfg.Sweeps = []guard.Sweep{{Finalizer: "x.io/sweep", Holder: "holder", Members: []guard.Members{{By: guard.ByName, Delimiter: "0"}}}}
	}
	if once() {
		req.Failing = []string{"x.io/handled"}
	}
	if once() {
		req.Removed = []string{"x.io/foreign"}
	}
	for i := range 1 + random.IntN(3) {
		p := []graph.Propagation{graph.Foreground, graph.Background, graph.Orphan, graph.Unset}[random.IntN(4)]
		req.Delete = append(req.Delete, plan.Target{Key: objects[i].Key, Propagation: p})
	}
	return level, objects, cfg, req
}

// forecastOf returns the forecast of a request on a store with the objects, before its run.
func forecastOf(t *testing.T, level engine.Level, objects []graph.Object, cfg engine.Config, req plan.Request) *forecast {
	t.Helper()
	e, err := engine.New(level, cfg)
	if err != nil {
		t.Fatal(err)
	}
	rig.Observe(t, e, rig.Listing([]graph.KindInfo{{Kind: "holder"}, {Kind: "t"}}, versioned(objects))...)
	c, s, err := copyAtOnce(driver(e), rig.Now(), req)
	if err != nil {
		t.Fatal(err)
	}
	s.Parts = c.TakeParts()
	f, err := newForecast(driver(e).Settings(), req, s, beside{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// versioned returns the objects with a version.
func versioned(objects []graph.Object) (out []graph.Object) {
	for _, o := range objects {
		o.Version = "1"
		out = append(out, o)
	}
	return out
}

// TestPlanCalls: the calls of a forecast stay far below the bounds, for references of many shapes.
func TestPlanCalls(t *testing.T) {
	for seed := range uint64(200) {
		level, objects, cfg, req := denseWorld(rand.New(rand.NewPCG(seed, 1)))
		f := forecastOf(t, level, objects, cfg, req)
		f.bound.MaxQuiet, f.bound.MaxWrites = f.bound.MaxQuiet/20, f.bound.MaxWrites-900
		if err := f.run(t.Context()); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}

// TestPlanBound: a forecast that reaches a bound says so, with the bound and its value. The engine
// is not broken.
func TestPlanBound(t *testing.T) {
	for _, c := range []struct {
		lower  func(*draft.Bound)
		want   string
		reason string
	}{
		{func(b *draft.Bound) { b.MaxWrites = 7 }, "plan: 20 objects with 190 references and 0 finalizers: more than 7 writes: bound of a plan reached", "writes"},
		{func(b *draft.Bound) { b.MaxQuiet = 0 }, "plan: 20 objects with 190 references and 0 finalizers: more than 0 calls without a write: bound of a plan reached", "reads and fences"},
	} {
		objects := dense(20)
		f := forecastOf(t, engine.Level2, objects, engine.Config{}, plan.Request{Delete: []plan.Target{{Key: objects[0].Key, Propagation: graph.Foreground}}})
		c.lower(&f.bound)
		if err := f.run(t.Context()); !errors.Is(err, plan.ErrBound) || errors.Is(err, engine.ErrBroken) || err.Error() != c.want {
			t.Errorf("%v, want %s: %s", err, c.want, c.reason)
		}
	}
}

// TestJudgeBound: a judgement has a day, since the engine may carry out such a cascade for hours. A
// root whose plan reaches a bound is held, and Held and Explain have the bound and its value.
func TestJudgeBound(t *testing.T) {
	objects := dense(3)
	objects[0].Deleting, objects[0].Finalizers = true, []string{graph.FinalizerHold, graph.FinalizerNew}
	e, err := engine.New(engine.Level2, engine.Config{Guards: []guard.Guard{{Names: []string{"o0000"}, Always: true}}})
	if err != nil {
		t.Fatal(err)
	}
	now := rig.Now()
	rig.Observe(t, e, rig.Listing([]graph.KindInfo{{Kind: "t"}}, versioned(objects))...)
	judged := false
	for range 100 {
		for _, lane := range []engine.Lane{engine.LaneStore, engine.LaneControl} {
			switch c, _ := e.Next(now, lane); c.Type {
			case engine.CallFence:
				_ = e.Done(now, c.ID, engine.Result{Fence: 1})
				rig.Observe(t, e, graph.Event{Type: graph.FencePassed, Fence: 1}, graph.Event{Type: graph.FencePassed, Kind: "t", Fence: 1})
			case engine.CallJudge:
				if judged = true; c.Timeout != 24*time.Hour {
					t.Errorf("the judgement has %v, want a day", c.Timeout)
				}
				_ = e.Done(now, c.ID, engine.Result{Err: fmt.Errorf("plan: more than 7 writes: %w", plan.ErrBound)})
			}
		}
	}
	const want = "plan: more than 7 writes: bound of a plan reached"
	held := e.Held(9)
	if !judged || len(held) != 1 || held[0].Reason != policy.JudgementFails || held[0].Status != engine.StatusStuck || held[0].LastError != want || !strings.Contains(held[0].String(), want) {
		t.Errorf("judged %t, held %+v, want that it is stuck: %s", judged, held, want)
	}
	if n := e.Stats().ByStatus.Of(engine.StatusStuck); n != 1 {
		t.Errorf("%d objects are stuck, want the root", n)
	}
	x, err := e.Explain(objects[0].Key)
	pace, _ := x.Pace()
	if text := x.Text(); err != nil || !strings.Contains(text, want) || pace != explain.Stuck {
		t.Errorf("%v, %s, want that it is stuck: %s", err, text, want)
	}
}

// TestEndLater: the objects that go later are those that a walk over all of them finds, again and
// again until nothing changes.
func TestEndLater(t *testing.T) {
	found := 0
	for seed := range uint64(200) {
		level, objects, cfg, req := denseWorld(rand.New(rand.NewPCG(seed, 2)))
		f := forecastOf(t, level, objects, cfg, req)
		if err := f.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		target, _ := f.links.index.Of(req.Delete[0].Key)
		below, ends := f.endings(target, f.mayEnd())
		possible, want := f.mayEnd(), make([]bool, len(f.Parts))
		want[target] = true
		for _, i := range below {
			want[i] = possible[i] && !f.isKept(i) || f.isEnding(i)
		}
		for again := true; again; {
			again = false
			for _, i := range below {
				if !want[i] && f.mayEndLater(i) && f.losesOwners(i, target, want) {
					want[i], again = true, true
					found++
				}
			}
		}
		if !slices.Equal(ends, want) {
			t.Errorf("seed %d: %v, want %v", seed, ends, want)
		}
	}
	if found < 50 {
		t.Errorf("%d objects go later, which shows nothing", found)
	}
}

// TestPlanDense: a plan follows the references, and so does the verdict about a guarded root.
func TestPlanDense(t *testing.T) {
	above := 1 << 20
	guards := engine.Config{Guards: []guard.Guard{{Names: []string{"o0000"}, Above: &above}}}
	for _, c := range []struct {
		objects []graph.Object
		reason  string
	}{
		{dense(portion.Number(150, 300)), "each object is owned by all before it"},
		{wide(1024, 12), "as many owners as an object may have"},
	} {
		kinds := []graph.KindInfo{{Kind: "t"}}
		req := plan.Request{Delete: []plan.Target{{Key: c.objects[0].Key, Propagation: graph.Foreground}}}
		e, err := engine.New(engine.Level2, guards)
		if err != nil {
			t.Fatal(err)
		}
		rig.Observe(t, e, rig.Listing(kinds, versioned(c.objects))...)
		p, err := PlanAtOnce(t.Context(), driver(e), rig.Now(), req, nil)
		if err != nil {
			t.Errorf("%v: %s", err, c.reason)
			continue
		}
		if n := p.Totals[0].Removed; n != len(c.objects) {
			t.Errorf("%d removed, want %d: %s", n, len(c.objects), c.reason)
		}
		if len(p.Verdicts) != 1 || p.Verdicts[0].Ends != len(c.objects)-1 || p.Verdicts[0].Refused() {
			t.Errorf("verdicts %+v: %s", p.Verdicts, c.reason)
		}
	}
}

// wide returns a root, objects below it, and leaves that each of these owns.
func wide(owners, leaves int) []graph.Object {
	out := dense(1)
	for i := range owners + leaves {
		o := graph.Object{Key: graph.Key{Kind: "t", Name: fmt.Sprintf("w%05d", i), UID: graph.UID(fmt.Sprint("w", i))}}
		for j := range min(i, owners) {
			if i >= owners {
				o.Owners = append(o.Owners, graph.Owner{Key: out[1+j].Key, Block: true})
			}
		}
		if i < owners {
			o.Owners = []graph.Owner{{Key: out[0].Key, Block: true}}
		}
		out = append(out, o)
	}
	return out
}
