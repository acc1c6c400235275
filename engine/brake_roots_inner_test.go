package engine

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// crossed returns n objects of kind b, each below last and below some owners of its own, which
// come before last. All owners have gone.
func crossed(t *testing.T, cfg Config, n, own int, last string) *Engine {
	t.Helper()
	objects, gone := []string{last + "#1"}, []string{last}
	for i := range n {
		var owners []string
		for j := range own {
			owners = append(owners, fmt.Sprintf("a/o%d-%d", i, j))
			objects = append(objects, owners[j]+"#1")
		}
		gone = append(gone, owners...)
		objects = append(objects, fmt.Sprintf("b/%d#1 -> %s, %s", i, strings.Join(owners, ", "), last))
	}
	e := listed(t, cfg, objects...)
	for _, g := range gone {
		e.observeEach(t, goneOf(g))
	}
	return e
}

// TestBrakeManyRoots: an object with more roots than the engine keeps goes only with an
// approval, since a cascade that is left out may be beyond its limit.
func TestBrakeManyRoots(t *testing.T) {
	e := crossed(t, braking(3), 20, 8, "a/zzzzzzzzzz")
	if got := e.carries(t, absent); len(got) != 0 || e.whyHeld() != "20 Braked" {
		t.Fatalf("%d are deleted, held %q", len(got), e.whyHeld())
	}
	all := e.Braked(9)
	if len(all) != 1 || all[0].Key != (graph.Key{UID: "roots-left-out"}) || all[0].Over || all[0].Held != 20 {
		t.Fatalf("braked %+v", all)
	}
	if text := all[0].String(); !strings.Contains(text, "these objects have more roots than the engine keeps") {
		t.Errorf("the text is %q", text)
	}
	if err := e.ApproveCascade(e.now, graph.Key{UID: "roots-left-out"}, BrakeApproval{Until: e.now.Add(time.Hour), AtMost: 2}); err != nil {
		t.Fatal(err)
	}
	if got := e.carries(t, absent); len(got) != 2 {
		t.Errorf("%q are deleted, 2 are approved", got)
	}
	if n, err := e.approvesAll(BrakeApproval{Until: e.now.Add(time.Hour), AtMost: 99}); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if got := e.carries(t, absent); len(got) != 18 || len(e.Braked(9)) != 0 {
		t.Errorf("%d are deleted, braked %v, want all others", len(got), e.Braked(9))
	}
}

// TestBrakeLongNames: no root leaves the count because of its name. If a name is too long for
// the history, its objects are held until an approval.
func TestBrakeLongNames(t *testing.T) {
	cfg := braking(3)
	cfg.Limits.Text = 8 << 10
	for _, c := range []struct {
		size, own int
		cause     string
		reason    string
	}{
		{1 << 10, 1, "more than 3 objects", "the key of 2 KiB is counted"},
		{2 << 10, 7, "more than 3 objects", "it is counted beside seven other roots"},
		{4 << 10, 1, "more roots than the engine keeps", "the key of 8 KiB is left out beside another root"},
		{4 << 10, 0, "more roots than the engine keeps", "the key of 8 KiB is left out alone"},
	} {
		long := "a/z" + strings.Repeat("z", c.size)
		e := listed(t, cfg, long+"#1", "b/0#1 -> "+long, "b/1#1 -> "+long, "c/0#1 -> b/0", "c/1#1 -> b/1")
		if c.own == 0 {
			e.observeEach(t, goneOf(long))
		} else {
			e = crossed(t, cfg, 5, c.own, long)
		}
		got, causes := e.carries(t, absent), ""
		for _, b := range e.Braked(9) {
			causes += b.String()[strings.LastIndex(b.String(), ": "):]
		}
		if len(got) != 0 || !strings.Contains(causes, c.cause) {
			t.Errorf("%s: %d are deleted, held %q, causes %.200q", c.reason, len(got), e.whyHeld(), causes)
		}
	}
}

// TestBrakeUnknownRoot: an owner whose own root was not known at its end stands in for that
// root, also beside another owner.
func TestBrakeUnknownRoot(t *testing.T) {
	e := listed(t, braking(3))
	for i := range 5 {
		e.observeEach(t, put(fmt.Sprintf("a/o%d#1", i)), put(fmt.Sprintf("b/%d#1 -> a/x, a/o%d", i, i)))
	}
	e.observeEach(t, put("a/x#1 -> d/unlisted"), goneOf("a/x"))
	for i := range 5 {
		e.observeEach(t, goneOf(fmt.Sprintf("a/o%d", i)))
	}
	got := e.carries(t, absent)
	if all := e.Braked(9); len(got) != 0 || len(all) != 1 || all[0].Key != keyAt("a/x") {
		t.Errorf("%q are deleted, held %q, braked %v; want a/x to be held", got, e.whyHeld(), all)
	}
}

// TestBrakeForgetsSmall: beyond the bound of cascades the engine forgets those with the fewest
// deletes first, and the count of a larger one goes on.
func TestBrakeForgetsSmall(t *testing.T) {
	e := listed(t, braking(4), "a#1")
	total := 0
	e.observeEach(t, goneOf("a"))
	for round := range 3 {
		for i := range 2 {
			e.observeEach(t, put(fmt.Sprintf("b/x%d-%d#1 -> a", round, i)))
		}
		for _, d := range e.carries(t, absent) {
			if strings.HasPrefix(d, "x") {
				total++
			}
		}
		for i := range 4100 {
			n := fmt.Sprintf("a/f%d-%d", round, i)
			e.observeEach(t, put(n+"#1"), put(fmt.Sprintf("b/f%d-%d#1 -> %s", round, i, n)), goneOf(n))
		}
		e.carries(t, absent)
	}
	if total > 4 {
		t.Errorf("%d deletes of the cascade a, limit 4", total)
	}
}

// TestBrakeWindowPrepared checks G5 (d) for deletes that are decided before a caller asks: their
// number since the beginning stays within the rate, also if they are taken back again and again.
func TestBrakeWindowPrepared(t *testing.T) {
	objects, owners := roots(300)
	e := listed(t, window(100, time.Minute), objects...)
	begin, handed, most := e.now, 0, 0
	e.works(t, 0, absent)
	for _, o := range owners {
		e.observeEach(t, goneOf(o))
	}
	for round := range 400 {
		e.now = e.now.Add(500 * time.Millisecond)
		c, _ := e.Next(e.now, LaneControl) // decides, and leaves the deletes prepared
		if c.Type != CallUnset {
			t.Fatal(c)
		}
		most = max(most, len(e.calls.Prepared()))
		switch {
		case round%7 == 3:
			e.revokePrepared()
		case round%50 == 49:
			handed += len(e.carries(t, absent))
		}
		if limit := int(e.now.Sub(begin) * 100 / time.Minute); handed+len(e.calls.Prepared()) > limit {
			t.Fatalf("%d deletes went out and %d are prepared, want %d at most", handed, len(e.calls.Prepared()), limit)
		}
	}
	if handed == 0 || most < 2 || most > maxPrepared {
		t.Errorf("%d deletes went out, and up to %d were prepared", handed, most)
	}
}
