package selecting

import (
	"errors"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// TestPace: the pause between selections grows up to its bound, and is short again after a rest.
func TestPace(t *testing.T) {
	now := time.Unix(1000, 0)
	p := Pace{}
	for i, want := range []time.Duration{250, 500, 1000, 2000, 4000, 8000, 8000} {
		p = p.Begin(now)
		if got := p.Next.Sub(now); got != want*time.Millisecond {
			t.Errorf("selection %d: a pause of %v, want %v ms", i+1, got, int(want))
		}
		now = p.Next
	}
	if failed := p.Fail(now, time.Hour); failed.Next.Sub(now) != time.Hour || p.Fail(now, 0).Next.Sub(now) != 64*time.Second {
		t.Errorf("after a failure the next one begins at %v", failed.Next)
	}
	now = now.Add(17 * time.Second)
	if p = p.Begin(now); p.Next.Sub(now) != 250*time.Millisecond {
		t.Errorf("after a rest the pause is %v", p.Next.Sub(now))
	}
}

// TestCheckPage: a page of another kind, without identity, or without progress proves nothing.
func TestCheckPage(t *testing.T) {
	req := graph.SelectRequest{Kind: "a", Selector: "x=y", After: "1"}
	one := func(k graph.Key, v graph.Version, more string) *graph.SelectPage {
		return &graph.SelectPage{Objects: []graph.LabelMatch{{Key: k, Version: v}}, More: more}
	}
	good := graph.Key{Kind: "a", Name: "n", UID: "u"}
	for _, c := range []struct {
		page   *graph.SelectPage
		sound  bool
		reason string
	}{
		{&graph.SelectPage{}, true, "no object is selected"},
		{one(good, "1", "2"), true, "there is another page"},
		{one(good, "1", "1"), false, "the next page is this one"},
		{one(graph.Key{Kind: "b", Name: "n", UID: "u"}, "1", ""), false, "another kind"},
		{one(graph.Key{Kind: "a", Name: "n"}, "1", ""), false, "no UID"},
		{one(good, "", ""), false, "no version"},
	} {
		if err := CheckPage(req, c.page); (err == nil) != c.sound || err != nil && !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("%v: %s", err, c.reason)
		}
	}
}
