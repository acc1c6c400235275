package run

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	promstats "github.com/ownergraph/ownergraph/adapters/prometheus"
	"github.com/ownergraph/ownergraph/group"
)

// maxScrapes bounds the scrapes at one time. A further one gets the status 503.
const maxScrapes = 4

// newMetrics returns the handler of /metrics. The member is nil without a group.
func newMetrics(m *promstats.Metrics, member *group.Membership) (http.Handler, error) {
	registry := prometheus.NewRegistry()
	if err := registry.Register(m); err != nil {
		return nil, err
	}
	if member != nil {
		shared, err := promstats.NewGroup(member)
		if err != nil {
			return nil, err
		}
		if err := registry.Register(shared); err != nil {
			return nil, err
		}
	}
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{MaxRequestsInFlight: maxScrapes}), nil
}
