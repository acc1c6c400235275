package promstats

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// TestSick: a sick kind has the value 1, and again 0 when the store serves it.
func TestSick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, []ownergraph.Kind{"app", "pod"}, nil, ownergraph.Config{}, Config{})
		defer r.stop()
		r.idle()
		in := r.store.Inside(inside.Key{})
		if err := in.Sicken("pod", "taken out of reach"); err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		r.wants(r.scrape(), map[string]float64{"kind_sick{kind=pod}": 1, "kind_sick{kind=app}": 0, "kinds{health=sick}": 1, "kinds{health=listed}": 1})
		if err := in.Recover("pod"); err != nil {
			t.Fatal(err)
		}
		pass(time.Hour)
		r.wants(r.scrape(), map[string]float64{"kind_sick{kind=pod}": 0, "kinds{health=sick}": 0, "kinds{health=listed}": 2})
	})
}

// pausesOnly are the metrics of some pauses.
type pausesOnly struct {
	m   *Metrics
	all []engine.PauseReport
}

func (x pausesOnly) Describe(chan<- *prometheus.Desc)     {}
func (x pausesOnly) Collect(out chan<- prometheus.Metric) { sink{x.m.descs, out}.pauses(x.all) }

// TestPausesByExtent: each pause counts for its extent, and a record that cannot be read counts
// apart.
func TestPausesByExtent(t *testing.T) {
	r := newRig(t, []ownergraph.Kind{"app"}, nil, ownergraph.Config{}, Config{})
	defer r.stop()
	registry := prometheus.NewRegistry()
	registry.MustRegister(pausesOnly{r.metrics, []engine.PauseReport{
		{What: engine.Extent{All: true}, Unread: "no rights"}, {What: engine.Extent{All: true}},
		{What: engine.Extent{Kind: "app"}}, {What: engine.Extent{Kind: "pod"}}, {What: engine.Extent{Scope: "s"}},
	}})
	x := &rig{TB: t, registry: registry}
	x.wants(x.scrape(), map[string]float64{"pauses{extent=all}": 1, "pauses{extent=kind}": 2, "pauses{extent=scope}": 1, "pauses{extent=unread}": 1})
}
