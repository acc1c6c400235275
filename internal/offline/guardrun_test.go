package offline

import (
	"context"
	"io"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/dump"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/live"
	"github.com/ownergraph/ownergraph/internal/terminal"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// TestVerdictIsTheJudgement: a guard refuses the deletions that the verdict of a plan refuses, in worlds of
// containers at rest.
func TestVerdictIsTheJudgement(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		objects := drawContained(t)
		if len(objects) == 0 {
			return
		}
		target := rapid.SampledFrom(objects).Draw(t, "target").Key
		by := rapid.SampledFrom([]graph.Propagation{graph.Background, graph.Foreground, graph.Orphan}).Draw(t, "by")
		c := Content{Objects: objects, Kinds: containerKinds, Level: ownergraph.Level2}
		copied, err := c.Copy()
		if err != nil {
			t.Fatal(err)
		}
		cfg := drawGuarded(t)
		cfg.Level = c.Level
		err = Collect(context.Background(), copied, cfg, func(ctx context.Context, of *ownergraph.Collector) error {
			s := &live.Session{Store: copied, Collector: of, Reasons: &live.Reasons{}, Out: terminal.New(io.Discard)}
			if err := s.Play(ctx, dump.Content{Objects: objects, Kinds: containerKinds}, nil); err != nil {
				return err
			}
			if o, err := copied.Get(ctx, target); err != nil || o.Deleting || o.Kind == "ns" || o.Kind == "def" {
				return nil // no guard judges it, or its actor does not wait for one
			}
			return checkVerdict(ctx, t, copied, of, plan.Target{Key: target, Propagation: by})
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// drawGuarded draws the settings of an engine with a guard.
func drawGuarded(t *rapid.T) ownergraph.Config {
	above := rapid.IntRange(0, 3).Draw(t, "above")
	g := guard.Guard{Kinds: []graph.Kind{"node", "pod"}, Above: &above, Protected: rapid.Bool().Draw(t, "protected")}
	if rapid.Bool().Draw(t, "phases") {
		g.Phases = []guard.Phase{{Kinds: []graph.Kind{"pod"}}, {After: true}}
	}
	return ownergraph.Config{
		Guards:  []guard.Guard{g},
		Protect: []guard.Protection{{Kinds: []graph.Kind{"widget"}, Names: []string{"v"}}},
	}
}

// checkVerdict compares the verdict of a plan with the judgement of the deletion.
func checkVerdict(ctx context.Context, t *rapid.T, store *Replica, of *ownergraph.Collector, target plan.Target) error {
	before := graph.Format(store.Objects())
	p, err := of.Plan(ctx, plan.Request{Delete: []plan.Target{target}})
	if err != nil || len(p.Verdicts) == 0 {
		return err
	}
	if err := store.Delete(ctx, target.Key, graph.DeleteOptions{Propagation: target.Propagation}); err != nil {
		return err
	}
	held, err := of.WaitIdle(ctx)
	refusal := ""
	for _, h := range held {
		if h.Key == target.Key && h.Reason == policy.DeletionRefused {
			refusal = h.String()
		}
	}
	if v := p.Verdicts[0]; v.Refused() != (refusal != "") {
		t.Errorf("delete %s (%s) in %s: %s; the judgement has %q\n%s", target.Key, target.Propagation, before, v.String(), refusal, p.Text())
	}
	return err
}
