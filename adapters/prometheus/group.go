package promstats

import (
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/group"
)

// GroupMetrics are the metrics of one member of a group, as a prometheus.Collector. Use NewGroup.
// It is safe for concurrent use.
//
//test:by TestGroup TestGroupStates TestLint
type GroupMetrics struct {
	status func() group.Status
	descs  map[string]*prometheus.Desc // by the name of the family
}

// NewGroup returns the metrics of a member, to register beside those of its collector. A scrape
// makes no request of the coordinator. The error wraps graph.ErrInvalid for a nil Membership.
//
//test:by TestGroup TestGroupNil
func NewGroup(member *group.Membership) (*GroupMetrics, error) {
	if member == nil {
		return nil, fmt.Errorf("configure metrics: membership: nil: %w", graph.ErrInvalid)
	}
	return newGroup(member.Status), nil
}

func newGroup(status func() group.Status) *GroupMetrics {
	m := &GroupMetrics{status: status, descs: map[string]*prometheus.Desc{}}
	for _, f := range groupFamilies() {
		m.descs[f.name] = f.desc()
	}
	return m
}

// groupFamilies are the metrics of a member. No label has the name of a member, because other
// programs choose the names.
func groupFamilies() []family {
	return []family{
		{"share_state", "Whether this program is in the state of a member: see package group.", "state"},
		{"share_lease_left_seconds", "Time until the lease of this program ends, 0 without a lease.", ""},
		{"group_members", "Members of the group with a lease, 0 for a program that is no member.", ""},
		{"group_oldest_lease_seconds", "Time since the last renewal of the lease that was not renewed for the longest time.", ""},
		{"group_gap_slots", "Slots of the hashes of UIDs, of 4096, without a working member, as this program knows.", ""},
	}
}

// Describe sends the descriptions of the metrics.
func (m *GroupMetrics) Describe(out chan<- *prometheus.Desc) {
	for _, d := range m.descs {
		out <- d
	}
}

// Collect sends the metrics of one moment.
func (m *GroupMetrics) Collect(out chan<- prometheus.Metric) {
	s := sink{m.descs, out}
	x := m.status()
	for state := group.StateOut; state <= group.StateLost; state++ {
		in := 0.0
		if x.State == state {
			in = 1
		}
		s.put("share_state", in, state.String())
	}
	s.put("share_lease_left_seconds", x.Left.Seconds())
	s.put("group_members", float64(len(x.Members)))
	oldest := time.Duration(0)
	for _, y := range x.Members {
		oldest = max(oldest, y.Age)
	}
	s.put("group_oldest_lease_seconds", oldest.Seconds())
	s.put("group_gap_slots", float64(x.Gap.Len()))
}
