package exhaustive

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/internal/portion"
)

// TestFingerprintAgrees: states with one fingerprint act alike. The test takes each
// state that the search reaches a second time. Every move leads from it to the same
// state as from the first one, with the same calls. The same is true for all later
// states, since the test compares them as well. Without -whole each stage has a share of its
// graphs, and some have fewer actions or faults.
func TestFingerprintAgrees(t *testing.T) {
	for i, c := range []struct {
		oneIn  int // of the graphs
		stage  Stage
		every  uint64 // one of so many fingerprints is compared
		reason string
	}{
		{5, Stage{Objects: 2, Scope: Scope{Actions: 2}}, 1, "an engine that has seen everything"},
		{3, Stage{Objects: 2, Scope: Scope{Actions: portion.Number(1, 2), Late: true, Calls: 2}}, uint64(portion.Number(1, 7)), "one that is late"},
		{2, Stage{Objects: 2, Kinds: 1, Scope: Scope{Actions: 1, Crashes: 1}}, 1, "one that knows nothing at first"},
		{1, Stage{Objects: 2, Every: 3, Scope: Scope{Actions: 1, Crashes: portion.Number(0, 1), Listings: 1, Late: true}}, uint64(portion.Number(17, 499)), "one that has to list anew"},
		{5, Stage{Objects: 2, Scope: Scope{Actions: 2, Waits: 1}}, 7, "one that loses patience"},
		{1, Stage{Objects: 2, From: 2, To: 2, Scope: Scope{Actions: portion.Number(1, 2), Rewinds: 1, Users: Restoring}}, uint64(portion.Number(1, 17)), "one whose store is restored"},
		{1, Stage{Objects: 2, From: 2, To: 2, Scope: Scope{Actions: portion.Number(1, 2), Outages: 1}}, uint64(portion.Number(1, 17)), "one that a kind is kept from"},
		{2, Stage{Objects: 2, Scope: Scope{Actions: 1, Listings: 1, Tokens: true}}, 7, "one that gets its tokens late"},
		{7, Stage{Objects: 3, From: 1, Every: 20, Scope: Scope{Actions: 2}}, uint64(portion.Number(11, 97)), "one with more to see"},
		{1, Stage{Objects: 2, From: 2, To: 4, Scope: Scope{Actions: 2, Users: Undeleting}}, 7, "one whose store keeps entries"},
		{8, guardStage(2, Scope{Actions: 2, Late: true, Verdicts: true}, GuardNone), 17, "one with a guard, whose verdicts come late"},
		{4, guardStage(2, Scope{Actions: 2}, GuardOrder), 7, "one with a guard and an order"},
	} {
		if raced && i%2 == 1 { // a search is the same, and the detector looks at its goroutines alone
			continue
		}
		t.Run(c.stage.String(), func(t *testing.T) {
			t.Parallel()
			pairs := 0
			for _, g := range some(c.oneIn, c.stage).graphs() {
				s := newSearch(g, c.stage.Scope)
				first := map[uint64]*state{}
				s.visited = func(h uint64, x *state) {
					if h%c.every != 0 {
						return
					}
					if first[h] == nil {
						first[h] = x.clone()
						return
					}
					pairs++
					if diff := s.differ(first[h], x); diff != "" && !t.Failed() {
						way, _ := tell(g, c.stage.Scope, s.path)
						t.Errorf("%s: %s\n%s", c.reason, diff, way)
					}
				}
				s.run()
				if s.res.Broken != nil {
					t.Fatal(s.res.Broken)
				}
			}
			if pairs < 100 {
				t.Errorf("%d states were reached twice, want more", pairs)
			}
			t.Logf("%d states compared with one reached before", pairs)
		})
	}
}

// differ says what two states with one fingerprint do differently, "" if nothing.
func (s *search) differ(a, b *state) string {
	after := func(x *state) (out []string) {
		for _, m := range s.moves(x) {
			y := x.clone()
			name := y.label(m)
			ok, err := y.do(m, s.scope)
			text := fmt.Sprintf("%s: %v %v %x", name, ok, err, s.fingerprint(y))
			for _, c := range y.w.Sides[0].Calls {
				text += "; " + callText(c.Call)
			}
			out = append(out, text)
		}
		return out
	}
	p, q := strings.Join(after(a), "\n"), strings.Join(after(b), "\n")
	if p == q {
		return ""
	}
	return "first\n" + p + "\nthen\n" + q
}
