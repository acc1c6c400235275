package world

import (
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/engine"
)

// TestLivelock: an engine that asks to be called again and again, and brings nothing, is an error.
// Nothing of an engine does that, so the bound is tried at its place.
func TestLivelock(t *testing.T) {
	for _, c := range []struct {
		calls, nodes int
		ends         bool
		reason       string
	}{
		{restless, 0, false, "some calls are for the work of any engine"},
		{restless + 1, 0, true, "an engine without objects has no further work"},
		{restless + restNodes*9, 9, false, "each object may bring some"},
		{restless + restNodes*9 + 1, 9, true, "there is an end to that"},
	} {
		err := livelock(c.calls, engine.Stats{Nodes: c.nodes})
		if (err != nil) != c.ends || err != nil && !strings.Contains(err.Error(), "livelock") {
			t.Errorf("%s: %v", c.reason, err)
		}
	}
}
