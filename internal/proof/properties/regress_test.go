package properties

import (
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
)

// TestHistories runs the shrunk failures of random runs. Each is the printed history,
// with "; " between the steps.
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
			"a living UID under its kind and name in another scope is unknown, if the reference has the empty scope"},
		{mixed, `g/a; p/s/b -> g/s/a@"g/a"`, "",
			"a living UID in another scope is unknown, if the owner has the empty scope"},
		{mixed, `g/a -> g/ax@"g/a"`, "",
			"an object's own UID at other coordinates is no self reference"},
		{mixed, `g/a`, `create g/n -> g/a, g/ax@"g/a"; orphan g/a`,
			"two references with one UID and different coordinates are two"},
		{mixed, `g/a -> g/c!?; g/c -> g/a, g/a!`, "fg g/a",
			"an unresolvable reference closes a ring, since it blocks"},
		{mixed, `g/d -> h/i!; h/i -> ""/d@"g/d"!`, "run; fg h/i",
			"a reference without a kind neither blocks nor closes a ring"},
		{mixed, `g/a -> g/a, g/a^, g/a@"g/a/gone"^`, "",
			"of two equal references, either may name the controller"},
		{narrow, `c*; d -> c`,
			"run; orphan c; see c; vanish c; strip c; touch d; see d; issue store; issue control; all a; all b; all d; issue store; complete 0; serve c",
			"a fence proves nothing about an owner of a kind that it does not cover"},
		{narrow, `a -> b; b; c -> a, a; d*`,
			"list b; all b; list c; orphan b; vanish a; vanish d; see b; all c; issue control; all b; see c; issue control; serve a; issue store; complete 0",
			"a prepared call rests on a fence that does not cover a kind that joined later"},
		{trio, `a; b -> a, a`,
			"run; vanish a; bg a; backup; touch b; see@0 b; vanish b; restore; issue@0 control; serve a; list@0 a; see@0 a; see@0 a; see@0 c; see@0 c; list@0 d; dropref b->a; all@0 d; issue@0 store; serve b; issue@0 store",
			"a kind that was unserved during a rewind is listed anew before a write to it"},
		{narrow, `b`,
			"run; orphan b; see b; restore; issue store; issue control; list d; create d -> b; orphan b; list b; list a; list c; all b; all a; all c; see d; see d; see d; issue store",
			"a mark of a former history at the same version does not count"},
		{narrow, `a*; b -> a, a!, c; c`,
			"list a; all a; list b; all b; list c; all c; list d; all d; fg a; see a; issue control; all a; all b; all c; all d; issue store; bg a; bg c; fg a",
			"an issued trim stands, even if the owner changes before its completion"},
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
