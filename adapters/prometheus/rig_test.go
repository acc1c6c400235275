package promstats

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
)

// rig is a memory store with a collector, its metrics and a registry.
type rig struct {
	testing.TB
	store     *memory.Store
	collector *ownergraph.Collector
	registry  *prometheus.Registry
	metrics   *Metrics
	stop      func()
}

// newRig runs a collector on a memory store that serves the kinds. Wrap, if set, stands between
// the metrics and the store.
func newRig(t testing.TB, kinds []ownergraph.Kind, wrap func(ownergraph.Store) ownergraph.Store, engine ownergraph.Config, c Config) *rig {
	t.Helper()
	var infos []ownergraph.KindInfo
	for _, k := range kinds {
		infos = append(infos, ownergraph.KindInfo{Kind: k})
	}
	m, err := memory.New(memory.Config{Kinds: infos})
	if err != nil {
		t.Fatal(err)
	}
	if wrap == nil {
		wrap = func(s ownergraph.Store) ownergraph.Store { return s }
	}
	r := &rig{TB: t, store: m, registry: prometheus.NewPedanticRegistry()}
	if r.collector, r.metrics, err = New(wrap(m), engine, c); err != nil {
		t.Fatal(err)
	}
	r.registry.MustRegister(r.metrics)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- r.collector.Run(ctx) }()
	r.stop = func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	return r
}

// create creates an object below owners, and returns its key.
func (r *rig) create(kind ownergraph.Kind, name string, finalizers []string, owners ...ownergraph.Key) ownergraph.Key {
	r.Helper()
	o := ownergraph.Object{Key: ownergraph.Key{Kind: kind, Name: name}, Finalizers: finalizers}
	for _, k := range owners {
		o.Owners = append(o.Owners, ownergraph.Owner{Key: k})
	}
	o, err := r.store.Create(r.Context(), o)
	if err != nil {
		r.Fatal(err)
	}
	return o.Key
}

func (r *rig) delete(k ownergraph.Key, p ownergraph.DeleteOptions) {
	r.Helper()
	if err := r.store.Delete(r.Context(), k, p); err != nil {
		r.Fatal(err)
	}
}

func (r *rig) idle() {
	r.Helper()
	if _, err := r.collector.WaitIdle(r.Context()); err != nil {
		r.Fatal(err)
	}
}

// scrape returns the samples by name and labels. A histogram and a summary have a sample for
// their count and one for their sum.
func (r *rig) scrape() map[string]float64 {
	r.Helper()
	families, err := r.registry.Gather()
	if err != nil {
		r.Fatal(err)
	}
	out := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, fmt.Sprintf("%s=%s", l.GetName(), l.GetValue()))
			}
			slices.Sort(labels)
			name := strings.TrimPrefix(f.GetName(), namespace)
			if len(labels) > 0 {
				name += "{" + strings.Join(labels, ",") + "}"
			}
			switch {
			case m.GetHistogram() != nil:
				out[name+" count"], out[name+" sum"] = float64(m.GetHistogram().GetSampleCount()), m.GetHistogram().GetSampleSum()
			case m.GetSummary() != nil:
				out[name+" count"], out[name+" sum"] = float64(m.GetSummary().GetSampleCount()), m.GetSummary().GetSampleSum()
			default:
				out[name] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
			}
		}
	}
	return out
}

// wants compares samples.
func (r *rig) wants(got, want map[string]float64) {
	r.Helper()
	for name, v := range want {
		if g, ok := got[name]; g != v || !ok {
			r.Errorf("%s is %v (%t), want %v", name, g, ok, v)
		}
	}
}

// pass lets time pass in a bubble of synctest.
func pass(d time.Duration) { <-time.After(d) }
