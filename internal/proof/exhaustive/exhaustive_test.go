package exhaustive

import (
	"flag"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/internal/portion"
)

var minutes = flag.Float64("exhaustive.minutes", 0, "minutes for the whole plan on three objects; 0 for the small scopes alone")

// some returns a stage with one in n of its graphs. With -whole it returns the stage. The first
// graph of most stages has no reference, so their shares begin with the second, unless the stage
// says where it begins.
func some(n int, s Stage) Stage {
	if n = portion.Number(n, 1); n == 1 {
		return s
	}
	every := max(s.Every, 1)
	if s.From == 0 && !s.Guarded {
		s.From = 1 + every
	}
	s.Every = n * every
	return s
}

// TestSmallScopes: no rule breaks in scopes that are searched in full. They have all
// graphs of two objects, and one action on all graphs of three. Two of them have engines
// with shares. Without -whole each scope has a part of its graphs.
func TestSmallScopes(t *testing.T) {
	stages := []Stage{
		some(5, Stage{Objects: 2, Scope: Scope{Actions: 2, Late: true}, Whole: true}),
		some(5, Stage{Objects: 2, Scope: Scope{Actions: 2, Late: true, Strict: true}, Whole: true}),
		some(5, Stage{Objects: 2, Scope: Scope{Actions: 2, Listings: 1}, Whole: true}),
		some(5, Stage{Objects: 2, Scope: Scope{Actions: 2, Crashes: 1}, Whole: true}),
		some(5, Stage{Objects: 2, Scope: Scope{Actions: 1, Crashes: 1, Listings: 1}, Whole: true}),
		some(20, Stage{Objects: 3, Scope: Scope{Actions: 1}, Whole: true}),
		some(6, Stage{Objects: 3, From: 1, Every: 23, Scope: Scope{Actions: 2}, Whole: true}),
		some(5, Stage{Objects: 2, Scope: Scope{Actions: 1, Engines: 2, Switches: 2, Shares: 2}, Whole: true}),
		{Objects: 3, From: ringGraph, To: ringGraph, Scope: Scope{Actions: 1, Engines: 2, Switches: 1, Shares: 1}, Whole: true},
	}
	var until time.Time
	if *minutes > 0 {
		stages = Standard()
		until = time.Now().Add(time.Duration(*minutes * float64(time.Minute)))
	}
	t.Log("\n" + Heading())
	Run(stages, 2, until, func(r Row) {
		t.Log("\n" + r.String())
		if r.Broken != nil {
			short := Shorten(*r.Broken)
			t.Errorf("%s, %s: %v\n%s", short.Graph, r.Stage, short.Broken, short.History)
		}
		if *minutes == 0 && len(r.Cut) > 0 {
			t.Errorf("%s: graphs %v were cut off", r.Stage, r.Cut)
		}
	})
}
