package exhaustive

import "testing"

func TestDbg(t *testing.T) {
	for i, g := range Graphs(2) {
		if i != 2 && i != 8 { continue }
	for _, p := range []bool{true, false} {
	for _, s := range []Scope{{Crashes: 1}, {Crashes:1, Listings: 1}, {Actions: 1, Crashes: 1},  {Actions: 1, Crashes: 1, Listings: 1}, {Actions: 2}, {Actions: 2, Crashes: 1}} {
		s.Prompt, s.Hasten, s.HoldSet = p, p, true
		r := Search(g, s)
		t.Log(r.Graph, p, s, r.States, r.Transitions)
	}
	}
	}
}
