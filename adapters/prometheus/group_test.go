package promstats

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/group"
	"github.com/ownergraph/ownergraph/share"
)

// TestGroup: a member of two has the metrics of its status.
func TestGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		coordinator, members := memory.NewGroup(), [2]*rig{}
		for i, name := range []string{"a", "b"} {
			r := newRig(t, []ownergraph.Kind{"app"}, nil, ownergraph.Config{}, Config{})
			defer r.stop()
			m, err := group.New(r.collector, coordinator, group.Config{Name: name})
			if err != nil {
				t.Fatal(err)
			}
			metrics, err := NewGroup(m)
			if err != nil {
				t.Fatal(err)
			}
			r.registry.MustRegister(metrics)
			r.wants(r.scrape(), map[string]float64{"share_state{state=out}": 1, "share_slots": 0, "group_members": 0, "group_gap_slots": share.Slots})
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- m.Run(ctx) }()
			defer func() {
				cancel()
				if err := <-ended; err != nil {
					t.Error(err)
				}
			}()
			members[i] = r
		}
		pass(time.Minute)
		slots := 0.0
		for _, r := range members {
			got := r.scrape()
			r.wants(got, map[string]float64{"share_state{state=member}": 1, "share_state{state=out}": 0, "group_members": 2, "group_gap_slots": 0})
			if slots += got["share_slots"]; got["share_lease_left_seconds"] <= 0 || got["group_oldest_lease_seconds"] > 10 {
				t.Errorf("metrics %v", got)
			}
		}
		if slots != share.Slots {
			t.Errorf("the members write to %v slots", slots)
		}
	})
}

// TestGroupStates: each state has a sample, and one of them is 1. The oldest lease is the maximum.
func TestGroupStates(t *testing.T) {
	ages := []group.MemberStatus{{Member: group.Member{Age: time.Second}}, {Member: group.Member{Age: time.Minute}}, {}}
	for state := group.StateOut; state <= group.StateLost; state++ {
		registry := prometheus.NewPedanticRegistry()
		registry.MustRegister(newGroup(func() group.Status { return group.Status{State: state, Members: ages} }))
		r := &rig{TB: t, registry: registry}
		want := map[string]float64{
			"share_state{state=out}": 0, "share_state{state=joining}": 0, "share_state{state=member}": 0, "share_state{state=lost}": 0,
			"group_members": 3, "group_oldest_lease_seconds": 60,
		}
		want["share_state{state="+state.String()+"}"] = 1
		r.wants(r.scrape(), want)
	}
}

// TestGroupNil: an error names the argument.
func TestGroupNil(t *testing.T) {
	m, err := NewGroup(nil)
	if want := "configure metrics: membership: nil: invalid"; m != nil || !errors.Is(err, graph.ErrInvalid) || err.Error() != want {
		t.Errorf("%v, error %v, want %s", m, err, want)
	}
}
