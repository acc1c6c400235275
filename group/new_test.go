package group_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/group"
	"github.com/ownergraph/ownergraph/share"
)

// TestNewErrors: an error names the argument or the field.
func TestNewErrors(t *testing.T) {
	c, err := ownergraph.New(newStore(t), ownergraph.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		c      *ownergraph.Collector
		co     group.Coordinator
		cfg    group.Config
		want   string
		reason string
	}{
		{nil, &leases{}, group.Config{}, "collector: nil", "no collector"},
		{c, nil, group.Config{}, "coordinator: nil", "no coordinator"},
		{c, (*leases)(nil), group.Config{}, "coordinator: nil", "a nil pointer"},
		{c, &leases{}, group.Config{Lease: -1}, "Lease: -1ns is negative", "a negative time"},
		{c, &leases{}, group.Config{Renew: -1}, "Renew: -1ns is negative", "a negative time"},
		{c, &leases{}, group.Config{Lease: time.Second - 1}, "Lease: 999.999999ms is shorter than 1s", "too many renewals"},
		{c, &leases{}, group.Config{Lease: time.Hour + 1}, "Lease: 1h0m0.000000001s is longer than 1h0m0s", "a share would stand still for an hour"},
		{c, &leases{}, group.Config{Renew: time.Millisecond}, "Renew: 1ms is shorter than 100ms", "too many renewals"},
		{c, &leases{}, group.Config{Lease: time.Second, Renew: 2 * time.Second}, "Lease: 1s is shorter than the renewal, 2s", "no lease could be renewed"},
		{c, &leases{}, group.Config{Renew: 7500*time.Millisecond + 1}, "Renew: 7.500000001s is more than half of the lease, 15s: one lost renewal would cost the share", "no renewal may be lost"},
		{c, &leases{}, group.Config{Name: strings.Repeat("x", 254)}, "Name: 254 bytes, more than 253", "a long name"},
		{c, &leases{}, group.Config{Name: "a\nb"}, `Name: "a\nb" has a character that cannot be printed`, "a name of two lines"},
		{c, &leases{}, group.Config{Name: "\xff"}, `Name: "\xff" is not UTF-8`, "no text"},
	} {
		m, err := group.New(x.c, x.co, x.cfg)
		if m != nil || !errors.Is(err, graph.ErrInvalid) || err.Error() != "configure membership: "+x.want+": invalid" {
			t.Errorf("%s: %v, error %v, want %s", x.reason, m, err, x.want)
		}
	}
	observer, err := ownergraph.New(newStore(t), ownergraph.Config{ObserveOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := group.New(observer, &leases{}, group.Config{}); !errors.Is(err, graph.ErrRefused) {
		t.Errorf("error %v, want a refusal: the collector only observes", err)
	}
	for _, cfg := range []group.Config{{}, {Lease: time.Second}, {Lease: time.Hour}, {Lease: time.Second, Renew: 500 * time.Millisecond}, {Name: "Café 1"}} {
		if _, err := group.New(c, &leases{}, cfg); err != nil {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
}

// TestNewSetsNone: from New on the collector writes nothing, although its Config has all UIDs. An
// error of the collector is the error of New.
func TestNewSetsNone(t *testing.T) {
	c, err := ownergraph.New(newStore(t), ownergraph.Config{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := group.New(c, &leases{}, group.Config{Name: "a"})
	if err != nil {
		t.Fatal(err)
	}
	if s := m.Status(); s.State != group.StateOut || s.Share != share.None() || s.Reason != "not begun" || len(s.Instance) != 32 {
		t.Errorf("after New: %+v", s)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := group.New(c, &leases{}, group.Config{}); !errors.Is(err, ownergraph.ErrClosed) {
		t.Errorf("a collector that has ended: %v, want ErrClosed", err)
	}
}
