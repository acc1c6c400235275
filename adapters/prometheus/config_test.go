package promstats

import (
	"errors"
	"math"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
)

// TestConfig: a wrong config is an error and no panic. The metrics keep no slice of the caller.
func TestConfig(t *testing.T) {
	store, err := memory.New(memory.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		config Config
		ok     bool
		reason string
	}{
		{Config{}, true, "the zero value works"},
		{Config{CallBuckets: []float64{}, CascadeBuckets: []float64{}}, true, "an empty list is the default"},
		{Config{CallBuckets: []float64{1, 2, math.Inf(1)}}, true, "the last bound may be infinite"},
		{Config{CallBuckets: []float64{2, 1}}, false, "the bounds descend"},
		{Config{CascadeBuckets: []float64{1, 1}}, false, "a bound stands twice"},
		{Config{CascadeBuckets: []float64{math.NaN()}}, false, "a bound is no number"},
		{Config{MaxKinds: -1, CascadeQuiet: -1, MaxCascadeObjects: -1}, true, "a negative number is the default"},
	} {
		if _, _, err := New(store, ownergraph.Config{}, c.config); (err == nil) != c.ok || err != nil && !errors.Is(err, ownergraph.ErrInvalid) {
			t.Errorf("error %v: %s", err, c.reason)
		}
	}
	buckets, kinds := []float64{1, 2}, []ownergraph.Kind{"a"}
	filled := Config{CallBuckets: buckets, CascadeBuckets: buckets, Kinds: kinds, MaxKinds: -1}.filled()
	buckets[0], kinds[0] = 9, "b"
	if filled.CallBuckets[0] != 1 || filled.CascadeBuckets[0] != 1 || filled.Kinds[0] != "a" || filled.MaxKinds != 100 {
		t.Errorf("%+v", filled)
	}
	if filled = (Config{CallBuckets: []float64{}}).filled(); len(filled.CallBuckets) != 15 {
		t.Errorf("%d default buckets of calls", len(filled.CallBuckets))
	}
}
