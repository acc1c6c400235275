package exhaustive

import (
	"flag"
	"testing"
	"time"
)

var minutes = flag.Float64("exhaustive.minutes", 0, "minutes for the whole plan on three objects; 0 for the small scopes alone")

// share returns all of a list. Under the race detector it returns every eighth: the searches
// compute the same, and the detector looks at their goroutines alone.
func share[T any](list []T) (part []T) {
	if !raced {
		return list
	}
	for i := 0; i < len(list); i += 8 {
		part = append(part, list[i])
	}
	return part
}

// TestSmallScopes: no rule breaks in scopes that are searched in full. They have all
// graphs of two objects, and one action on all graphs of three.
func TestSmallScopes(t *testing.T) {
	stages := []Stage{
		{Objects: 2, Scope: Scope{Actions: 2, Late: true}, Whole: true},
		{Objects: 2, Scope: Scope{Actions: 2, Late: true, Strict: true}, Whole: true},
		{Objects: 2, Scope: Scope{Actions: 2, Listings: 1}, Whole: true},
		{Objects: 2, Scope: Scope{Actions: 2, Crashes: 1}, Whole: true},
		{Objects: 2, Scope: Scope{Actions: 1, Crashes: 1, Listings: 1}, Whole: true},
		{Objects: 3, Scope: Scope{Actions: 1}, Whole: true},
		{Objects: 3, Every: 23, Scope: Scope{Actions: 2}, Whole: true},
	}
	stages = share(stages)
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
