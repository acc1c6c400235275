package sim

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// held is an invariant, or a real case that an engine of this sort got wrong. It names
// the checks here, or the missing feature for which the case waits. A check is one of
//
//	rule S1           a rule of package invariant, which TestSeeds and most other
//	                  random tests apply to every write or call, with a test case
//	                  of its own that breaks it
//	sim L1            a rule that package sim applies to every world
//	script NAME       a text scenario of package script
//	DIRECTORY.Test    a test, fuzz target, or table
type held struct {
	name, what string
	checks     string // separated by ", "
	waits      string
}

// list names every invariant and every case of the catalogue.
var list = []held{
	{"S1", "no wrong delete", "rule S1, rule S1a, rule S1b, rule S1c, rule E1, rule E4, internal/proof/invariant.TestJudgePolicies, internal/proof/exhaustive.TestSmallScopes, internal/proof/properties.TestTightWorlds, script r8-unknown-is-not-absent, script r8-a-read-that-fails-is-tried-again", ""},
	{"S2", "orphaning is complete", "rule S2, rule R3, internal/proof/exhaustive.TestSmallScopes, internal/proof/invariant.TestStrictLedger, script r3-a-fence-before-an-orphan-ends, script level-3-refuses-late-dependents", ""},
	{"S3", "a foreground deletion ends last", "rule S3, rule S3b, rule S3t, rule S3r, rule R3, internal/proof/invariant.TestStrictLedger, script r3-a-fence-before-the-end", ""},
	{"S4", "minimal writes", "rule S4, finalizer.TestPatch, graph.TestChange", ""},
	{"S5", "UID and version on every write that is asked for", "rule S5, script r1-delete-carries-the-version", ""},
	{"S6", "nothing that was begun for one incarnation touches another", "rule S6, script a-name-that-returns, script a-name-that-returns-unseen", ""},
	{"S7", "foreign references change the fate of no object", "internal/proof/properties.TestNonInterference, graph.TestNonInterference", ""},
	{"S8", "two live objects with one UID are two, and nothing is done because of either", "rule S8, .TestDuplicateUIDsAreHeld, graph.TestAliveDuplicates", ""},
	{"S9", "owners that were never observed are bounded, and go", "rule S9, sim S22, internal/proof/invariant.TestPhantoms, script r5-a-phantom-outlives-a-listing", ""},
	{"S10", "no write between a rewind and the listings that end it", "rule S10, script r5-a-listing-from-before-a-rewind, script r5-a-rewind-stops-writes, script r5-a-version-that-falls", ""},
	{"S11", "only a complete listing makes an object gone", "rule S1a, sim S22, script a-torn-listing, script lost-transition", ""},
	{"S12", "a kind that is out of reach proves nothing, and its graph is kept", "rule S1a, sim S12, script a-kind-vanishes-and-returns, script r8-a-kind-that-is-not-served", ""},
	{"S13", "known absence is proven, by full coordinates, bounded, and ends with its history", "rule S1a, script absent-owner-cache, script r2-absence-is-by-uid, script r5-a-rewind-announced", ""},
	{"S14", "orphaning never becomes a cascade; an object's own propagation is kept", "rule S14, rule S2, script own-deletes-keep-a-propagation, script policy-foreground-to-orphan", ""},
	{"S15", "any number of engines, one of which may sleep", "internal/proof/sim.TestSeeds, internal/proof/properties.TestEnginesAtOnce, .TestCollectorsTogether, script two-engines-one-behind", ""},
	{"S16", "a crash before, after or in the middle of every call", "internal/proof/sim.TestSeeds, internal/proof/exhaustive.TestSmallScopes, script a-crash-and-a-late-write, script restart-in-mid-orphan", ""},
	{"S17", "blast radius", "sim G5, sim G6, engine.TestBrakeLimit, .TestPauseStopsWrites", ""},
	{"S18", "hostile input: no panic, bounded work and memory", "sim S18, .FuzzEngine, graph.FuzzEvents, policy.FuzzDecide, graph.TestHostileText, graph.TestLongChain, internal/proof/properties.TestBulkInSlices, policy.TestDecideCountsOnce", ""},
	{"S19", "protection", "sim G1", ""},
	{"S20", "accountability", "", "certificates and their archive, which are not built yet"},
	{"S21", "a handler succeeds before its finalizer goes, and no other finalizer ever goes", "rule S21, internal/proof/invariant.TestWitnessOfHandlers, script r5-a-rewind-forgets-handlers, script handler-of-another, script handler-fails-and-is-retried, internal/run.TestRunTellsWhereItPanicked", ""},
	{"S22", "at rest the graph is what a new listing shows", "sim S22, graph.TestRebuild", ""},
	{"S23", "a sweep deletes the members of marked holders, and no other object", "rule S23, internal/proof/properties.TestSweepWorlds, internal/core/sweep.TestSweepExact, script a-sweep-and-a-member-of-a-namesake, script a-sweep-spares-a-neighbour, script a-sweep-and-a-namesake", ""},
	{"S24", "a holder goes when at some instant since its mark nothing was left of it", "rule S24, rule R3, script a-sweep-waits-for-its-fences, script a-sweep-of-a-late-member, script a-sweep-holds-for-a-sick-kind", ""},
	{"S25", "a phase that waits begins when those before it are over", "rule S25, internal/core/sweep.TestSweepEnds, .TestSweepPhases", ""},

	{"L1", "everything ends, in work proportional to what there is", "sim L1, internal/proof/properties.TestConverges, internal/proof/properties.TestLinear", ""},
	{"L2", "nothing is handled again without a cause; rest costs nothing", "sim L2, internal/proof/properties.TestIdleDay, .TestCollectorIdleIsQuiet, script cost-quiet", ""},
	{"L3", "a permanent error costs few requests", "internal/proof/sim.TestRetryBudget, internal/proof/properties.TestRefusedForADay, queue.TestBackoff", ""},
	{"L4", "a failing kind delays only the objects that refer to it", "internal/proof/properties.TestSickKindIsABulkhead, script r8-a-sick-kind-holds-its-dependents-only", ""},
	{"L5", "a faster writer costs no more than its own rate, and is reported", "internal/proof/properties.TestFasterWriter, script faster-writers-hold-an-object", ""},
	{"L6", "rings end", "sim L1, internal/proof/properties.TestLinearRingAtOnce, graph.TestLargeRing, script ring-foreground-is-broken, script restart-loses-no-ring", ""},
	{"L7", "what was garbage before the engine began goes", "sim L1, internal/proof/properties.TestCostOfUnseenOwners, script cost-cold-start", ""},
	{"L8", "a slow consumer lists anew, and loses nothing", "internal/proof/sim.TestSeeds, adapters/memory.TestWatchFallsBehind, .TestCollectorSlowStore", ""},
	{"L9", "a marked object that stays is reported", "sim L9, policy.TestHeld, script held-is-named", ""},
	{"L10", "memory returns", "sim L10, queue.TestRoomComesBack, internal/core/dense.TestList, graph.TestRecordsAreUsedAgain, engine.TestFingerprintForgets", ""},
	{"L11", "a stop is bounded, and nothing stays behind", ".TestCollectorShutdown, .TestCollectorStuck, .TestCollectorHangingStore", ""},
	{"L12", "a sweep ends, or says what holds it", "rule L12, internal/proof/properties.TestSweepCrashes, script a-sweep-is-held, script a-sweep-goes-on-after-a-crash", ""},
	{"L13", "a user who goes on creating costs waves, and no endless work", "internal/proof/sim.TestStorms, .TestSweepStorm", ""},
	{"L14", "a caller of WaitIdle returns when the world has come to rest", "sim L14, .TestWaitIdleFenceTakenBack", ""},

	{"K1", "k/k 114603: the owner changes between read and delete", "rule S5, script r1-delete-carries-the-version", ""},
	{"K2", "a conflict that ends in a delete by UID alone", "rule S5, script r1-a-conflict-judged-anew, script conflicting-data-17-conflict-references-changed", ""},
	{"K3", "k/k 65200: one bad reference poisons the known absences", "rule S1a, script absent-owner-cache, internal/proof/properties.TestNonInterference", ""},
	{"K4", "its victims: a copied Secret deletes volumes", "internal/proof/properties.TestNonInterference, script conflicting-data-02-bad-child-other-namespace-child-first, script cross-namespace-references", ""},
	{"K5", "k/k 54940: a global owner looked up in the dependent's scope", "script cluster-scoped-owners, script conflicting-data-01-good-child-cluster-scoped-owner", ""},
	{"K6", "k/k 26120: orphaning is seen before the dependents", "rule S2, rule R3, script r3-a-fence-before-an-orphan-ends", ""},
	{"K7", "k/k 125796: an owner ends before those that block it", "rule S3, rule R3, script r3-a-fence-before-the-end", ""},
	{"K8", "an old controller adopts an object that is being orphaned", "rule S2, script adopted-in-time, script deployment-orphan-not-acknowledged", ""},
	{"K9", "k/k 47843: half a tree is orphaned by default", "rule S14, script own-deletes-are-foreground-below, script deployment-cascade", ""},
	{"K10", "k/k 98040: an unresolvable reference changes a valid one's fate", "graph.TestNonInterference, script conflicting-data-09-missing-owner-inaccessible-first", ""},
	{"K11", "k/k 72192: another outcome after a restart", "graph.TestOrderIndependence, internal/proof/properties.TestFatesOfManyObjects, script conflicting-data-07-inaccessible-version-child-first", ""},
	{"K12", "k/k 109748: the owner died while no collector ran", "sim L1, script cost-cold-start, internal/proof/properties.TestCostOfUnseenOwners", ""},
	{"K13", "k/k 101078: one broken kind stops everything", "internal/proof/properties.TestSickKindIsABulkhead, script crd-conversion-failure", ""},
	{"K14", "k/k 56121: an owner that came and went unseen strands its node", "sim S22, sim L1, script r5-a-phantom-outlives-a-listing, script park-asks-for-a-listing", ""},
	{"K15", "k/k 115620: a listing while the creation is still queued", "sim S22, script work-the-end-of-a-listing-speaks, graph.TestListing", ""},
	{"K16", "k/k 141382: healthy objects are handled for ever", "sim L2, internal/proof/properties.TestIdleDay", ""},
	{"K17", "k/k 107457: a restore, and caches that keep the future", "rule S10, script r5-a-uid-that-comes-back, script r5-a-listing-from-before-a-rewind", ""},
	{"K18", "Velero 10556: restored dependents die of stale owners", "", "the restore mode of the archive, which is not built yet"},
	{"K19", "k/k 129584: a delete and a new finalizer both succeed", "rule S5, finalizer.TestDeletePreconditions, script r1-delete-carries-the-version", ""},
	{"K20", "k/k 102641: a reference to a version that is no longer served", "script conflicting-data-06-non-preferred-version, script custom-resource-cascading-deletion", ""},
	{"K21", "k/k 96065: references written twice", "policy.TestDecideCountsOnce, graph.TestFlawed, graph.TestManyOwners", ""},
	{"K22", "k/k 121113: foreground deletes what does not block at once", "", "a choice of the specification, which no policy of a reference offers"},
	{"K23", "Argo CD 9227: an error read as an empty list", "sim G5, engine.TestBrakeLimit, script g5-a-cascade-above-the-limit", ""},
	{"K24", "Flux 1366: a sweep of what one never managed", "sim G1, .TestProtectedStays, script g2-a-protected-object-below-a-root", ""},
	{"K25", "cloudplane: a wrong chart removes the roots of everything", "sim G5, engine.TestBrakeWalk, script g5-a-cascade-above-the-limit", ""},
	{"K26", "crossplane 1082: a kind goes, and every object with it", "sim G5, internal/core/brake.TestWalkContents, adapters/clientgo.TestCascadeOfDefinition", ""},
	{"K27", "Atlassian 2022: an identifier of another kind", "sim G5, engine.TestBrakeLimit, .TestDuplicateUIDsAreHeld", ""},
	{"K28", "Sieve: a stale read deletes what lives", "rule S1, rule S1a, internal/proof/sim.TestDefectsAreFound, adapters/storetest.TestMutants, script r2-waiting-is-not-the-graph", ""},
	{"K29", "deckhouse 1471: after a restart everything unknown is deleted", "rule S1a, .TestCollectorStartsInTheMiddle, script level-1-waits-for-every-listing, script restart-in-mid-cascade", ""},
	{"K30", "people delete the wrong thing", "sim G5, engine.TestBrakeLimit, .TestVerdict", ""},
}

// TestInvariantsAreTested: the list is complete, and each named check exists.
func TestInvariantsAreTested(t *testing.T) {
	have := map[string]bool{}
	for _, h := range list {
		if have[h.name] {
			t.Errorf("%s is listed twice", h.name)
		}
		have[h.name] = true
		if (h.checks == "") == (h.waits == "") {
			t.Errorf("%s, %s: a case has checks, or waits for a feature", h.name, h.what)
		}
		for check := range strings.SplitSeq(h.checks, ", ") {
			if check == "" {
				continue
			}
			if err := there(check); err != nil {
				t.Errorf("%s, %s: %v", h.name, h.what, err)
			}
		}
	}
	for letter, n := range map[string]int{"S": 25, "L": 14, "K": 30} {
		for i := range n {
			if name := fmt.Sprint(letter, i+1); !have[name] {
				t.Errorf("%s is not listed", name)
			}
		}
	}
}

// TestListCanFail: a check that does not exist is reported.
func TestListCanFail(t *testing.T) {
	for _, check := range []string{
		"rule S99", "sim L99", "script no-such-scenario", "internal/proof/sim.TestNoSuchThing", "no/such/directory.TestSeeds", "something else",
	} {
		if err := there(check); err == nil {
			t.Errorf("%q is there", check)
		}
	}
}

const top = "../../.." // of the repository

// there returns an error if a check does not exist.
func there(check string) error {
	if rule, ok := strings.CutPrefix(check, "rule "); ok {
		if !says(top+"/internal/proof/invariant", false, `Rule: "`+rule+`"`) || !says(top+"/internal/proof/invariant", true, `"`+rule+`:`) {
			return fmt.Errorf("%s: package invariant has no such rule, or no test of it", check)
		}
		return nil
	}
	if rule, ok := strings.CutPrefix(check, "sim "); ok {
		if !says(".", false, `"`+rule+`: `) {
			return fmt.Errorf("%s: package sim has no such rule", check)
		}
		return nil
	}
	if name, ok := strings.CutPrefix(check, "script "); ok {
		_, err := os.Stat(filepath.Join(top, "internal/proof/script/testdata", name+".txt"))
		return err
	}
	dir, name, ok := strings.Cut(check, ".")
	if !ok {
		return fmt.Errorf("%q is no check", check)
	}
	return declared(filepath.Join(top, dir), name)
}

// says reports whether a source file of the directory contains the text. It looks at
// tests or at the other files.
func says(dir string, tests bool, text string) bool {
	paths, _ := filepath.Glob(dir + "/*.go")
	for _, p := range paths {
		src, err := os.ReadFile(p)
		if err == nil && strings.HasSuffix(p, "_test.go") == tests && strings.Contains(string(src), text) {
			return true
		}
	}
	return false
}

// declared returns an error if no test file of the directory declares the function.
func declared(dir, name string) error {
	paths, _ := filepath.Glob(dir + "/*_test.go")
	for _, p := range paths {
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == name {
				return nil
			}
		}
	}
	return fmt.Errorf("%s has no %s", dir, name)
}
