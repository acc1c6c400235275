package promstats

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph"
)

// Config has the settings of the metrics. The zero value works. New reads it once.
type Config struct {
	// Kinds always have a label of their own, so no other kind can take their place.
	Kinds []ownergraph.Kind
	// MaxKinds bounds the kinds with a label of their own, by default 100. The label "other"
	// stands for the rest. Kinds raises the bound to its length.
	MaxKinds int
	// CallBuckets and CascadeBuckets are the upper bounds of the histograms, in seconds and in
	// ascending order. The defaults go from 0.1 ms to 30 s, and from 10 ms to 1 hour.
	CallBuckets, CascadeBuckets []float64
	// CascadeQuiet is the time after which a cascade without a delete under way is over, by
	// default 10 s. The measured duration leaves it out.
	CascadeQuiet time.Duration
	// MaxCascadeObjects bounds the objects whose end the metrics wait for, by default 100,000.
	// An entry takes about 150 bytes. Beyond the bound, cascades are counted and not measured.
	MaxCascadeObjects int
}

// filled returns the config with its defaults. It shares no slice with c.
func (c Config) filled() Config {
	c.Kinds = slices.Clone(c.Kinds)
	c.MaxKinds = max(cmp.Or(max(c.MaxKinds, 0), 100), len(c.Kinds))
	c.CallBuckets, c.CascadeBuckets = slices.Clone(c.CallBuckets), slices.Clone(c.CascadeBuckets)
	if len(c.CallBuckets) == 0 {
		c.CallBuckets = []float64{.0001, .0005, .001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}
	}
	if len(c.CascadeBuckets) == 0 {
		c.CascadeBuckets = []float64{.01, .05, .1, .5, 1, 5, 10, 30, 60, 300, 600, 1800, 3600}
	}
	c.CascadeQuiet = cmp.Or(max(c.CascadeQuiet, 0), 10*time.Second)
	c.MaxCascadeObjects = cmp.Or(max(c.MaxCascadeObjects, 0), 100_000)
	return c
}

// check refuses buckets that no histogram takes.
func (c Config) check() error {
	for _, list := range []struct {
		field   string
		buckets []float64
	}{{"CallBuckets", c.CallBuckets}, {"CascadeBuckets", c.CascadeBuckets}} {
		for i, v := range list.buckets {
			if math.IsNaN(v) || i > 0 && v <= list.buckets[i-1] {
				return fmt.Errorf("configure metrics: %s[%d]: %v: want ascending bounds: %w", list.field, i, v, ownergraph.ErrInvalid)
			}
		}
	}
	return nil
}
