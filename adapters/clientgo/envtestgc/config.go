package envtestgc

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo"
)

// Config holds a Collector's settings. The zero value works; every zero field
// takes the default that its comment names. It is read only by Start.
type Config struct {
	// Store says how the server is watched. By default all kinds but events take
	// part, and the set of kinds is looked at every 2 s.
	Store clientgo.Config
	// Engine holds the collector's own settings. By default a sick kind, such as
	// one whose conversion webhook does not run, holds a foreground deletion for
	// 5 s at most (FenceWait).
	Engine ownergraph.Config
	// Logger receives what is done, and what somebody should know, as it comes.
	// By default it is kept for Lines alone.
	Logger *slog.Logger
	// Unhandled names finalizers that nobody takes off on this server: WaitIdle
	// does not wait for an object that these alone hold. Nil stands for
	// DefaultUnhandled.
	Unhandled []string
	// Ready, by default 1 minute, bounds how long Start waits for the first
	// listing of everything.
	Ready time.Duration
	// Keep is how many lines are kept for Lines, by default 1,000.
	Keep int
}

// DefaultUnhandled returns the finalizers that kube-apiserver, or a test with
// common clients, puts on, and that only kube-controller-manager, or a cloud's,
// takes off.
func DefaultUnhandled() []string {
	return []string{
		"kubernetes.io/pv-protection", "kubernetes.io/pvc-protection", "snapshot.storage.kubernetes.io/volumesnapshot-bound-protection",
		"service.kubernetes.io/load-balancer-cleanup", "batch.kubernetes.io/job-tracking",
		"resource.kubernetes.io/delete-protection",
	}
}

func (c Config) filled() (Config, error) {
	switch {
	case c.Ready < 0:
		return c, fmt.Errorf("start collector: Ready: negative: %w", ownergraph.ErrInvalid)
	case c.Keep < 0:
		return c, fmt.Errorf("start collector: Keep: negative: %w", ownergraph.ErrInvalid)
	}
	if c.Unhandled = slices.Clone(c.Unhandled); c.Unhandled == nil {
		c.Unhandled = DefaultUnhandled()
	}
	c.Ready = cmp.Or(c.Ready, time.Minute)
	c.Keep = cmp.Or(c.Keep, 1000)
	c.Store.Rediscover = cmp.Or(c.Store.Rediscover, 2*time.Second)
	c.Engine.FenceWait = cmp.Or(c.Engine.FenceWait, 5*time.Second)
	return c, nil
}
