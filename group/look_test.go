package group

import (
	"testing"

	"github.com/ownergraph/ownergraph/engine"
)

// TestFitOf: the health of the kinds says how far a collector that is not synced can work.
func TestFitOf(t *testing.T) {
	well, listing := engine.KindStatus{Kind: "a", Listed: true}, engine.KindStatus{Kind: "b"}
	sick, down := engine.KindStatus{Kind: "c", Sick: "no disk"}, engine.KindStatus{Kind: "d", Listed: true, Sick: "watch: broke"}
	for _, c := range []struct {
		kinds  []engine.KindStatus
		want   fitness
		reason string
	}{
		{nil, fitNone, "the kinds are not known"},
		{[]engine.KindStatus{listing, listing}, fitNone, "the first listing"},
		{[]engine.KindStatus{sick, down}, fitNone, "all kinds are sick"},
		{[]engine.KindStatus{listing, sick}, fitNone, "it works on no kind"},
		{[]engine.KindStatus{well, listing}, fitSome, "a listing is under way"},
		{[]engine.KindStatus{well, listing, sick}, fitSome, "a listing is under way"},
		{[]engine.KindStatus{well, sick, down}, fitSick, "all others are sick"},
		{[]engine.KindStatus{well}, fitSick, "the newest set of kinds was refused"},
	} {
		if got := fitOf(c.kinds); got != c.want {
			t.Errorf("%v: %v, want %v: %s", c.kinds, got, c.want, c.reason)
		}
	}
}
