package properties

import (
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
)

// TestHistories holds what random runs have found, shrunk, each as the failure
// printed it, with "; " between the steps.
func TestHistories(t *testing.T) {
	mixed := settings{Kinds: mixedKinds, Level: ownergraph.Level2, Engines: 1}
	narrow := settings{Kinds: tightKinds, Level: ownergraph.Level2, Engines: 1}
	trio := narrow
	trio.Engines = 3
	for _, c := range []struct {
		set          settings
		start, steps string
		reason       string
	}{
		{mixed, `g/b; p/s/a`, `addref g/b->p/a@"p/s/a"`,
			"a living UID under its kind and name, in another scope, is unknown, whichever of the scopes is empty"},
		{mixed, `g/a; p/s/b -> g/s/a@"g/a"`, "",
			"the same, the other way round"},
		{mixed, `g/a -> g/ax@"g/a"`, "",
			"one's own UID at other coordinates is no reference to oneself"},
		{mixed, `g/a`, `create g/n -> g/a, g/ax@"g/a"; orphan g/a`,
			"two references with one UID are not one"},
		{mixed, `g/a -> g/c!?; g/c -> g/a, g/a!`, "fg g/a",
			"a reference that cannot be resolved closes a ring, since it blocks"},
		{mixed, `g/d -> h/i!; h/i -> ""/d@"g/d"!`, "settle; fg h/i",
			"a reference without a kind blocks nobody, and closes no ring"},
		{mixed, `g/a -> g/a, g/a^, g/a@"g/a/gone"^`, "",
			"the controller among two equal references is one, whichever of them says so"},
		{narrow, `c*; d -> c`,
			"settle; orphan c; see c; vanish c; strip c; touch d; see d; issue store; issue control; all a; all b; all d; issue store; land 0; serve c",
			"a fence proves nothing of an owner whose kind it does not cover"},
		{narrow, `a -> b; b; c -> a, a; d*`,
			"list b; all b; list c; orphan b; vanish a; vanish d; see b; all c; issue control; all b; see c; issue control; serve a; issue store; land 0",
			"a call that was prepared before a kind joined rests on a fence that says nothing of it"},
		{trio, `a; b -> a, a`,
			"settle; vanish a; bg a; backup; touch b; see@0 b; vanish b; restore; issue@0 control; serve a; list@0 a; see@0 a; see@0 a; see@0 c; see@0 c; list@0 d; dropref b->a; all@0 d; issue@0 store; serve b; issue@0 store",
			"a kind that was out of service when history went backwards is listed anew before anything of it is written"},
		{narrow, `b`,
			"settle; orphan b; see b; restore; issue store; issue control; list d; create d -> b; orphan b; list b; list a; list c; all b; all a; all c; see d; see d; see d; issue store",
			"a mark of a former history, at the same version, is no mark of this one"},
		{narrow, `a*; b -> a, a!, c; c`,
			"list a; all a; list b; all b; list c; all c; list d; all d; fg a; see a; issue control; all a; all b; all c; all d; issue store; bg a; bg c; fg a",
			"a trim that was issued stands, whatever is done to the owner before it lands"},
	} {
		h, err := begin(c.set, parsed(t, c.start))
		if err != nil {
			t.Fatal(err)
		}
		if err = h.all(split(c.steps)); err == nil {
			if err = h.permitted(); err != nil {
				err = h.fail(err)
			}
		}
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
		}
	}
}

// split returns the steps of a regression.
func split(steps string) []string {
	if steps == "" {
		return nil
	}
	return strings.Split(steps, "; ")
}
