package ownergraph_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
)

var policySeed = flag.Uint64("plan.seed", 1, "the first seed of the worlds of TestPlanPoliciesComeTrue")

// TestPlanPolicies: a plan follows the policies, and its definite outcomes come true below level 3.
func TestPlanPolicies(t *testing.T) {
	for _, c := range []struct {
		start, key   string
		propagation  graph.Propagation
		want, reason string
	}{
		{"a; b; c -> a:cascade, b", "a", graph.Background, "a removed; c removed", "b does not keep c"},
		{"a; b; c -> a:release, b", "a", graph.Background, "a removed; c trimmed by [b]", "the reference goes"},
		{"a; c -> a:release!", "a", graph.Foreground, "a removed; c trimmed", "the reference goes at the mark, so a does not wait"},
		{"a; b -> a; c -> b:restrict", "a", graph.Background, "a removed; b held [c]; c kept", "the cascade stops at b"},
		{"a; b -> a; c -> b:restrict, a:cascade", "a", graph.Background, "a removed; b removed; c removed", "c goes by its own path, and then b"},
		{"a; b -> a, c:restrict; c -> b:restrict, a", "a", graph.Background, "a removed; b held [c]; c held [b]", "b and c restrict each other"},
		{"a; c -> a:restrict", "a", graph.Background, "a removed; c kept", "below level 3 nothing stops the deletion of an owner without finalizers"},
		{"a; b -> a; c -> a:restrict", "a", graph.Foreground, "a held [c]; b kept by [a]; c kept", "the mark counts for no dependent"},
		{"a -> b:restrict; b -> a/y; c -> b", "a", graph.Background, "a removed; b removed; c removed", "b has to go, and a alone restricts it"},
		{"a -> b:restrict; b -> a/y; c -> b; d -> b:restrict", "a", graph.Background, "a removed; b held [d]; c kept by [b]; d kept", "d restricts b, too"},
		{"a -> b:restrict; b~[foreground]; c -> b!", "a", graph.Background, "a removed; b removed; c removed", "the mark of b takes effect"},
		{"a -> b:restrict; b -> d:restrict, a/y; c -> b; d -> a/y", "a", graph.Background, "a removed; b removed; c removed; d removed", "b goes, and then d"},
		{"a -> b:restrict; b; c -> b", "a", graph.Background, "a removed", "nothing deletes b"},
		{"a; b; c -> a, b:cascade", "a", graph.Orphan, "a removed; c orphaned", "the cascade owner b does not keep c, and nothing deletes it"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, c.start)
			r := collect(t, s, ownergraph.Config{Policies: true})
			r.idle()
			p, err := r.Plan(t.Context(), request(t, c.key, c.propagation))
			if err != nil || outcomes(p) != c.want {
				t.Errorf("%s: plan %s, %v, want %s: %s", c.start, outcomes(p), err, c.want, c.reason)
			}
			s.delete(t, c.key, c.propagation)
			pass(20 * time.Minute)
			if unmet := p.Unmet(s.Objects()); len(unmet) > 0 {
				t.Errorf("%s: plan %s, end %s: %v", c.start, outcomes(p), s.shape(), unmet)
			}
		})
	}
}

// TestPlanRestricted: at level 3 the store refuses the deletion of a restricted target. The plan says so
// with the dependents, and nothing goes.
func TestPlanRestricted(t *testing.T) {
	for _, c := range []struct {
		start, want, text string
		reason            string
	}{
		{"a; b -> a; c -> a:restrict", "a held [c]; b kept by [a]; c kept", "! the store refuses the deletion of a/a: c/c restricts it\n", "one dependent"},
		{"a; b -> a:restrict; c -> a:restrict", "a held [b c]; b kept; c kept", "! the store refuses the deletion of a/a: b/b, c/c restrict it\n", "two dependents"},
		{"a; b -> a; c~[x] -> a:restrict", "a removed; b removed; c held [x]", "", "a mark ends the restriction"},
		{"a; b -> a; c -> b:restrict", "a removed; b held [c]; c kept", "", "below the target the cascade stops"},
	} {
		synctest.Test(t, func(t *testing.T) {
			list, err := graph.Parse(c.start)
			if err != nil {
				t.Fatal(err)
			}
			s, err := memory.New(memory.Config{Objects: list, UIDPrefix: "new-", Strict: true})
			if err != nil {
				t.Fatal(err)
			}
			r := collect(t, &tap{Store: s}, ownergraph.Config{Policies: true})
			r.idle()
			p, err := r.Plan(t.Context(), request(t, "a", graph.Background))
			if err != nil || outcomes(p) != c.want || (len(p.Refusals) > 0) != (c.text != "") || !strings.Contains(p.Text(), c.text) {
				t.Errorf("%s: plan %s, %v, want %s: %s\n%s", c.start, outcomes(p), err, c.want, c.reason, p.Text())
			}
		})
	}
}

// drawnPolicies returns random objects with policies, in the notation of package graph. The first one is a.
func drawnPolicies(rnd *rand.Rand) string {
	names := []string{"a", "b", "c", "d", "e"}
	var list []string
	for i, n := range names {
		if i == 0 || rnd.IntN(8) == 0 {
			n += []string{"", "", "", "[orphan]", "[x]"}[rnd.IntN(5)]
		}
		var refs []string
		for j, o := range names {
			if j == i || j > i && rnd.IntN(8) > 0 || rnd.IntN(2) == 0 {
				continue
			}
			refs = append(refs, o+[]string{"", "!"}[rnd.IntN(2)]+[]string{"", "", ":cascade", ":release", ":restrict"}[rnd.IntN(5)])
		}
		if len(refs) > 0 {
			n += " -> " + strings.Join(refs, ", ")
		}
		list = append(list, n)
	}
	return strings.Join(list, "; ")
}

// TestPlanPoliciesComeTrue: the definite outcomes of plans come true in random worlds with policies
// (RULES, P3 and E5).
func TestPlanPoliciesComeTrue(t *testing.T) {
	definite := 0
	for n := range uint64(300) {
		seed := *policySeed + n
		rnd := rand.New(rand.NewPCG(seed, 5))
		start, how := drawnPolicies(rnd), []graph.Propagation{graph.Background, graph.Foreground, graph.Orphan}[rnd.IntN(3)]
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, start)
			r := collect(t, s, ownergraph.Config{Policies: true})
			r.idle()
			p, err := r.Plan(t.Context(), request(t, "a", how))
			if err != nil {
				t.Fatalf("seed %d: %s: %v", seed, start, err)
			}
			s.delete(t, "a", how)
			pass(20 * time.Minute)
			for _, o := range p.Objects {
				if !o.Possible {
					definite++
				}
			}
			if unmet := p.Unmet(s.Objects()); len(unmet) > 0 {
				t.Errorf("seed %d: delete a %s of %s: plan %s, end %s: %v", seed, how, start, outcomes(p), s.shape(), unmet)
			}
		})
	}
	if definite < 500 {
		t.Error(fmt.Sprint(definite, " outcomes are definite, which shows nothing"))
	}
}
