package brake

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// TestValidate has the faults of settings, with the name of the field.
func TestValidate(t *testing.T) {
	for _, c := range []struct {
		set    Settings
		sick   bool
		want   string
		reason string
	}{
		{Settings{}, false, "", "no brake"},
		{Settings{PerCascade: 1, Window: 1, Per: time.Second}, true, "", "every field"},
		{Settings{PerCascade: -1}, false, "Brake.PerCascade: negative", "no number of deletes is below 0"},
		{Settings{Window: -1, Per: time.Second}, false, "Brake.Window: negative", "the same"},
		{Settings{Window: 1, Per: -1}, false, "Brake.Per: negative", "no time is below 0"},
		{Settings{Per: time.Second}, false, "Brake.Window: zero with Per", "a time without a number"},
		{Settings{Window: 1}, false, "Brake.Per: zero with Window", "a number without a time"},
		{Settings{}, true, "Brake.AwaitSick: set without PerCascade", "nothing counts"},
	} {
		err := c.set.Validate(c.sick)
		if (err == nil) != (c.want == "") || err != nil && (!errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.reason, err, c.want)
		}
	}
}
