package engine

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/core/sweep"
)

// maxUnits is the bound on a step that stands on Engine, in kinds and claims looked at.
const maxUnits = 1000

// stepping runs an engine until it has no work. It returns the greatest number of kinds
// and claims that one Next has looked at. The function answer gives the result of each
// call. The token of a fence is the call's id.
func stepping(t *testing.T, e *Engine, now time.Time, answer func(Call) Result) (most uint64) {
	t.Helper()
	for turns, idle := 0, false; !idle; turns++ {
		if turns > 100_000 {
			t.Fatal("there is no end")
		}
		idle = true
		for _, lane := range allLanes {
			before := looked(e)
			c, at := e.Next(now, lane)
			most = max(most, looked(e)-before)
			if c.Type != CallUnset {
				r := answer(c)
				r.Fence = uint64(c.ID)
				e.Done(now, c.ID, r)
			}
			idle = idle && c.Type == CallUnset && (at.IsZero() || at.After(now))
		}
	}
	return most
}

func manyKinds(n int) []graph.KindInfo {
	kinds := make([]graph.KindInfo, n)
	for i := range kinds {
		kinds[i].Kind = graph.Kind(fmt.Sprintf("kind%04d", i))
	}
	return kinds
}

// TestDecisionsAmongManyKinds: a decision looks only at the kinds of its owners, among
// thousands of kinds. This is so below level 2, and where all kinds are sick.
func TestDecisionsAmongManyKinds(t *testing.T) {
	const n = 4000
	for _, tc := range []struct {
		level  Level
		sick   bool
		reason string
	}{
		{Level1, false, "best effort asks whether all kinds are listed"},
		{Level1, true, "and whether one is sick"},
		{Level2, true, "a fence is blocked as long as all kinds are sick that have still to pass it"},
	} {
		e, err := New(tc.level, Config{})
		if err != nil {
			t.Fatal(err)
		}
		now := time.Unix(1, 0)
		see, kinds := seeing(t, e, now), manyKinds(n)
		see(graph.Event{Type: graph.KindsKnown, Kinds: kinds})
		for _, k := range kinds {
			see(graph.Event{Type: graph.ListBegun, Kind: k.Kind}, graph.Event{Type: graph.ListEnded, Kind: k.Kind})
		}
		token := uint64(0)
		answer := func(c Call) Result {
			if c.Type == CallFence {
				token = uint64(c.ID)
			}
			return Result{}
		}
		stepping(t, e, now, answer)
		for i := range 10 { // one fence begins, and waits
			see(put(fmt.Sprintf("kind0000/h%d#1~[foregroundDeletion]", i)))
		}
		stepping(t, e, now, answer)
		for _, k := range kinds {
			if tc.sick {
				see(graph.Event{Type: graph.KindSick, Kind: k.Kind, Reason: "down"})
			}
		}
		if tc.level == Level2 {
			see(graph.Event{Type: graph.FencePassed, Fence: token})
		}
		for i := range 500 {
			see(put(fmt.Sprintf("kind0001/d%d#1~[foregroundDeletion] -> kind0000/h%d!", i, i%10)))
		}
		before := looked(e)
		most := stepping(t, e, now, answer)
		if most > maxUnits || looked(e)-before > maxUnits {
			t.Errorf("level %s, sick %t: %d kinds are looked at, %d of them in one step: %s", tc.level, tc.sick, looked(e)-before, most, tc.reason)
		}
		if err := e.check(); err != nil {
			t.Error(err)
		}
	}
}

// TestKindsKnownIsLinear: the cost of a set of kinds is linear in its length, also if many
// kinds join or leave.
func TestKindsKnownIsLinear(t *testing.T) {
	for _, tc := range []struct {
		change func([]graph.KindInfo) []graph.KindInfo
		reason string
	}{
		{func(k []graph.KindInfo) []graph.KindInfo { return k }, "the same again"},
		{func(k []graph.KindInfo) []graph.KindInfo { return k[:len(k)/2] }, "half of them are gone"},
		{func(k []graph.KindInfo) []graph.KindInfo { return append(k, graph.KindInfo{Kind: "new"}) }, "one has come"},
	} {
		e, err := New(Level2, Config{})
		if err != nil {
			t.Fatal(err)
		}
		see, kinds := seeing(t, e, time.Unix(1, 0)), manyKinds(8000)
		see(graph.Event{Type: graph.KindsKnown, Kinds: kinds})
		before := looked(e)
		see(graph.Event{Type: graph.KindsKnown, Kinds: tc.change(kinds)})
		if looked := looked(e) - before; looked > 4*8000 {
			t.Errorf("%d looks at 8,000 kinds: %s", looked, tc.reason)
		}
		if err := e.check(); err != nil {
			t.Error(err)
		}
	}
}

// longSweep returns an engine that sweeps tenant a, and a function that lets it work for
// some seconds. The function returns all pods deleted so far, and the greatest cost of a
// step.
func longSweep(t *testing.T, suffix bool) (e *Engine, work func() (deleted map[graph.UID]bool, most uint64)) {
	t.Helper()
	e, err := New(Level2, Config{Limits: graph.Limits{Text: 1 << 20}, Sweeps: []guard.Sweep{{
		Finalizer: "x.io/t", Holder: "tenant", Members: []guard.Members{{By: guard.ByName, Delimiter: "-", Suffix: suffix}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	now, deleted := time.Unix(1, 0), map[graph.UID]bool{}
	see := seeing(t, e, now)
	see(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "tenant"}, {Kind: "pod"}}})
	for _, k := range []graph.Kind{"tenant", "pod"} {
		see(graph.Event{Type: graph.ListBegun, Kind: k}, graph.Event{Type: graph.ListEnded, Kind: k})
	}
	see(put("tenant/a#1~[x.io/t]"))
	return e, func() (map[graph.UID]bool, uint64) {
		most := uint64(0)
		for range 8 { // a proof, then the deletes
			most = max(most, stepping(t, e, now, func(c Call) Result {
				switch c.Type {
				case CallDelete:
					deleted[c.Key.UID] = true
				case CallFence:
					for _, k := range []graph.Kind{"tenant", "pod", ""} {
						seeing(t, e, now)(graph.Event{Type: graph.FencePassed, Kind: k, Fence: uint64(c.ID)})
					}
				}
				return Result{}
			}))
			now = now.Add(time.Second)
		}
		return deleted, most
	}
}

// long returns an object with a long name, a-a-a-... with this number of delimiters.
func long(kind graph.Kind, delimiters int, uid string) graph.Object {
	return graph.Object{Key: graph.Key{Kind: kind, Name: "a" + strings.Repeat("-a", delimiters), UID: graph.UID(uid)}, Version: "1"}
}

// TestSweepOfLongNames: members have long names. No step looks at more names than the
// bound, and all members go.
func TestSweepOfLongNames(t *testing.T) {
	for _, suffix := range []bool{false, true} {
		const n = 64
		e, work := longSweep(t, suffix)
		for i := range n {
			seeing(t, e, time.Unix(1, 0))(graph.Event{Type: graph.Put, Object: long("pod", 20_000+i, fmt.Sprint(i))})
		}
		deleted, most := work()
		if len(deleted) != n {
			t.Errorf("suffix %t: %d of %d members are deleted", suffix, len(deleted), n)
		}
		if one := uint64(300); most > maxUnits+one { // the decision that exceeds the bound is carried out
			t.Errorf("suffix %t: a step looks at %d claims", suffix, most)
		}
		if err := e.check(); err != nil {
			t.Error(err)
		}
	}
}

// TestSweepContestedByRest: a living holder of a long name contests an object that may be
// its member, although no claim has its name. So do other holders that are too many to look
// at. When they are gone the member goes.
func TestSweepContestedByRest(t *testing.T) {
	for _, tc := range []struct {
		holders, delimiters, pod int
		contested                bool
		reason                   string
	}{
		{1, 40, 80, true, "the pod's name begins with the tenant's, up to a delimiter"},
		{1, 600, 900, true, "the same, of a tenant whose name is too long for a shadow"},
		{1, 90, 80, false, "no part of the pod's name is the tenant's"},
		{sweep.MaxByRest + 1, 2000, 80, true, "there are too many tenants to compare with"},
		{sweep.MaxByRest, 2000, 80, false, "each of them is compared"},
		{sweep.MaxByRest + 1, 2000, 8, false, "the pod's name has no more delimiters than claims"},
	} {
		for _, suffix := range []bool{false, true} {
			e, work := longSweep(t, suffix)
			see := seeing(t, e, time.Unix(1, 0))
			for i := range tc.holders {
				see(graph.Event{Type: graph.Put, Object: long("tenant", tc.delimiters+i, fmt.Sprint("t", i))})
			}
			see(graph.Event{Type: graph.Put, Object: long("pod", tc.pod, "p")})
			if deleted, _ := work(); deleted["p"] == tc.contested {
				t.Errorf("suffix %t: %d tenants, %d delimiters, pod %d: deleted %t: %s", suffix, tc.holders, tc.delimiters, tc.pod, deleted["p"], tc.reason)
			}
			if err := e.check(); err != nil {
				t.Error(err)
			}
			for i := range tc.holders {
				see(graph.Event{Type: graph.Gone, Key: long("tenant", tc.delimiters+i, fmt.Sprint("t", i)).Key})
			}
			if deleted, _ := work(); !deleted["p"] {
				t.Errorf("suffix %t: %d tenants, %d delimiters, pod %d: it stays though they are gone", suffix, tc.holders, tc.delimiters, tc.pod)
			}
		}
	}
}

// looked returns the number of kinds and claims that an engine has considered so far.
func looked(e *Engine) uint64 { return e.sweeps.Looked() + e.kinds.Walked() }
