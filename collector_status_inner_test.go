package ownergraph

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/held"
	"github.com/ownergraph/ownergraph/internal/proof/rig"
)

// TestHeldInSlices: the Collector's report is the engine's, for any number of held objects.
// No slice of the report looks at more than its share.
func TestHeldInSlices(t *testing.T) {
	for _, c := range []struct {
		n, limit int
		reason   string
	}{
		{0, 10, "nothing is held"},
		{held.Slice / 2, 10, "one slice will do"},
		{3*held.Slice + 5, 10, "a few of many"},
		{3*held.Slice + 5, 3*held.Slice + 5, "all of many"},
		{3*held.Slice + 5, 0, "none is asked for"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			e, err := engine.New(Level2, Config{})
			if err != nil {
				t.Fatal(err)
			}
			var objects []Object
			for i := range c.n {
				o := Object{Key: Key{Kind: "pod", Name: fmt.Sprint(i * 7919 % 10007), UID: graph.UID(fmt.Sprint("u", i))}, Version: "1"}
				if i%3 > 0 { // the engine holds it
					o.Deleting, o.Finalizers = true, []string{"x.io/held"}
				}
				objects = append(objects, o)
			}
			rig.Observe(t, e, rig.Listing([]KindInfo{{Kind: "pod"}}, objects)...)
			rig.Answer(t, e, nil)
			d := drive(e)
			if all, from, _ := d.engine.HeldFrom(nil, 1); c.n > held.Slice && (len(all) > held.Slice || from != held.Slice+1) {
				t.Errorf("a slice finds %d and goes on at %d", len(all), from)
			}
			if n := len(d.engine.Held(1 << 20)); n != c.n-(c.n+2)/3 {
				t.Errorf("%d are held, which shows nothing", n)
			}
			got, want := d.Held(c.limit), e.Held(c.limit)
			same := func(a, b engine.Held) bool { return a.Key == b.Key && slices.Equal(a.Detail, b.Detail) }
			if !slices.EqualFunc(got, want, same) {
				t.Errorf("%d of %d held: the collector says %d, the engine %d", c.limit, len(d.engine.Held(1<<20)), len(got), len(want))
			}
		})
	}
}
