package run

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	promstats "github.com/ownergraph/ownergraph/adapters/prometheus"
)

// maxScrapes bounds the scrapes at one time. A further one gets the status 503.
const maxScrapes = 4

// newMetrics returns the handler of /metrics.
func newMetrics(m *promstats.Metrics) (http.Handler, error) {
	registry := prometheus.NewRegistry()
	if err := registry.Register(m); err != nil {
		return nil, err
	}
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{MaxRequestsInFlight: maxScrapes}), nil
}
