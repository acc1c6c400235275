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

// Config has a Collector's settings. The zero value works. Each zero field has the
// default that its comment names. Start reads it once.
type Config struct {
	// Store has the settings of the watches. By default the store leaves out only
	// events and measurements, and runs discovery every 2 s.
	Store clientgo.Config
	// Engine has the settings of the engine. By default a sick kind delays a
	// foreground deletion for at most 5 s (FenceWait). An example is a kind whose
	// conversion webhook does not run.
	Engine ownergraph.Config
	// Logger receives the records for the operator at once, and each write at level debug.
	// By default only ReportTo logs them.
	Logger *slog.Logger
	// Unhandled names finalizers that no controller on this server removes. WaitIdle
	// does not wait for an object that only these hold. Nil means DefaultUnhandled.
	Unhandled []string
	// Ready bounds the time that Start waits for the first listing of all kinds. The
	// default is 1 minute.
	Ready time.Duration
	// Keep is the number of lines that the collector keeps for ReportTo. The default is
	// 1,000.
	Keep int
}

// DefaultUnhandled returns the finalizers that only kube-controller-manager or a
// cloud's controller removes. kube-apiserver and common clients add them.
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
