package promstats

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/hook"
)

// Metrics are the metrics of one ownergraph.Collector, as a prometheus.Collector. It is safe
// for concurrent use. Use New.
//
//test:by TestLint TestComplete TestCascade TestOutsiders
type Metrics struct {
	collector *ownergraph.Collector
	calls     *calls
	cascades  *cascades
	labels    *kindLabels
	log       compacting // of the store, or nil
	lasted    prometheus.Histogram
	descs     map[string]*prometheus.Desc // by the name of the family
	scrape    sync.Mutex                  // one scrape at a time, so that scrapes cannot pile up on the engine
}

// New returns a collector on the store, as ownergraph.New does, and its metrics. The errors are
// those of ownergraph.New, and ErrInvalid for a wrong Config.
//
//test:by TestConfig
func New(store ownergraph.Store, engine ownergraph.Config, c Config) (*ownergraph.Collector, *Metrics, error) {
	if err := c.check(); err != nil {
		return nil, nil, err
	}
	c = c.filled()
	m := &Metrics{labels: newKindLabels(c.MaxKinds, c.Kinds), descs: map[string]*prometheus.Desc{}}
	for _, f := range families() {
		m.descs[f.name] = f.desc()
	}
	m.lasted = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "ownergraph_cascade_duration_seconds", Help: "Time from the first delete of a cascade until the last of its objects has gone.",
		Buckets: c.CascadeBuckets,
	})
	m.cascades = newCascades(c.MaxCascadeObjects, c.CascadeQuiet, func(d time.Duration) { m.lasted.Observe(d.Seconds()) })
	m.calls = newCalls(c, m.labels, m.cascades)
	if engine.Handlers != nil {
		engine.Handlers = hook.Handlers(engine.Handlers, m.calls)
	}
	collector, err := ownergraph.New(hook.Store(store, m.calls), engine)
	if err != nil {
		return nil, nil, err
	}
	m.collector, m.calls.roots = collector, collector.Roots
	m.log, _ = ownergraph.As[compacting](store)
	return collector, m, nil
}

// Describe sends the descriptions of all metrics.
func (m *Metrics) Describe(out chan<- *prometheus.Desc) {
	for _, d := range m.descs {
		out <- d
	}
	m.calls.times.Describe(out)
	m.lasted.Describe(out)
}

// Collect sends all metrics. It reads the collector and makes no request of the store.
func (m *Metrics) Collect(out chan<- prometheus.Metric) {
	m.scrape.Lock()
	defer m.scrape.Unlock()
	now := time.Now()
	open, unmeasured := m.cascades.figures(now)
	m.calls.times.Collect(out)
	m.lasted.Collect(out)
	s := sink{m.descs, out}
	s.put("cascades_in_progress", float64(open))
	s.put("unmeasured_cascades_total", float64(unmeasured))
	stats := m.collector.Stats()
	s.stats(stats)
	s.unfinished(stats.Unfinished, now)
	s.kinds(m.collector.Kinds(), m.labels)
	s.held(m.collector.HeldReasons(), now)
	s.pauses(m.collector.Paused())
	s.calls(m.calls)
	s.compactions(m.log, now)
	s.build()
}
