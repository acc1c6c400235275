package invariant_test

import (
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/invariant"
)

// checkBreach compares a breach with the begin of the wanted text, "" for no breach.
func checkBreach(t *testing.T, history string, got error, want, reason string) {
	t.Helper()
	if want == "" && got != nil || want != "" && (got == nil || !strings.HasPrefix(got.Error(), want)) {
		t.Errorf("%s: got %v, want %q: %s", history, got, want, reason)
	}
}

// TestJudgePolicies has the writes that the policies of references permit, and the others.
func TestJudgePolicies(t *testing.T) {
	for _, tc := range []struct{ start, then, write, want, reason string }{
		{"a; b -> a, c:cascade", "", "delete b", "", "one absent cascade owner suffices"},
		{"a; b -> a:cascade, c", "", "delete b", "", "a solid cascade owner does not keep"},
		{"a; b -> a:cascade", "", "delete b", "S1:", "the cascade owner lives"},
		{"a~[foreground]; c; b -> a:cascade, c", "", "delete b", "", "a cascade owner waits"},
		{"a; c; b -> a:cascade, c", "", "delete b", "S1:", "each owner lives"},
		{"a; b -> a:cascade", "put a~[orphan]", "delete b", "S2:", "the owner orphans"},
		{"b -> a:release", "", "delete b", "S1b:", "the object has release references only"},
		{"b -> a:restrict", "", "delete b", "S1b:", "the object has restrict references only"},
		{"a; b -> a:release, c", "", "delete b", "", "a release reference does not keep"},
		{"a; b -> a:restrict, c", "", "delete b", "", "nor does a restrict reference"},
		{"a~[foreground]; b -> a:cascade; c -> b!", "", "delete b", "S3b:", "a waits for b, and c blocks b"},
		{"a~[foreground]; b -> a:cascade, x:cascade; c -> b!", "", "delete b", "", "the delete may rest on the absent owner"},
		{"a~[foreground]; b -> a:release, x; c -> b!", "", "delete b", "", "no delete of b rests on a"},
		{"a~[foreground]; b -> a:release", "", "drop b->a", "", "release: the owner waits"},
		{"a; b -> a:release", "", "drop b->a", "S4:", "release: the owner is solid"},
		{"b -> a:release", "", "drop b->a", "", "release: the owner is absent"},
		{"a~[foreground]; b -> a:cascade, c; c", "", "drop b->a", "E3:", "a cascade reference is not trimmed"},
		{"b -> a:cascade, c; c", "", "drop b->a", "E3:", "nor if its owner is absent"},
		{"a~[orphan]; b -> a:cascade", "", "drop b->a", "", "cascade: the owner orphans"},
		{"a; b -> a:cascade", "put a~[orphan]; put a~[foreground]; put b#2 -> a:cascade", "drop b#2->a", "S4:", "cascade: the owner orphaned before the version"},
		{"a~[foreground]; b -> a!, c:cascade; c", "", "drop b->a!", "E3:", "an unset reference is not trimmed beside a cascade owner"},
		{"a~[foreground]; b -> a!, x, c:cascade; c", "", "drop b->a!", "S3t:", "nor beside an absent unset owner and a cascade one"},
		{"a~[foreground]; b -> a!, c, d:release; c; d", "", "drop b->a!", "", "it is trimmed beside an unset owner"},
		{"b -> a, c:release", "", "drop b->a", "E3:", "the last unset reference goes with an orphaning only"},
		{"a; b -> a, c:release", "put a~[orphan]; gone a", "drop b->a", "", "the engine may remember the orphaning"},
		{"a~[orphan]; b -> a:restrict", "", "drop b->a", "E4:", "a restrict reference of an unmarked object stays"},
		{"a~[orphan]; b~* -> a:restrict", "", "drop b->a", "", "one of a marked object goes with an orphaning"},
		{"b~* -> a:restrict", "", "drop b->a", "E4:", "its owner never orphaned"},
		{"a~[foreground]; b -> a:restrict", "", "release a foregroundDeletion", "E4:", "b restricts a since before the mark"},
		{"a~[orphan]; b -> a:restrict", "", "release a orphan", "E4:", "the same for an orphan mark"},
		{"a~[foreground]; b -> a:restrict", "put b#2~* -> a:restrict", "release a foregroundDeletion", "", "b is marked"},
		{"a~[foreground]; b -> a:restrict", "put b#2 -> a", "release a foregroundDeletion", "", "b has another policy"},
		{"a~[foreground]", "put b -> a:restrict", "release a foregroundDeletion", "", "the reference came after the mark"},
		{"a~[foreground]; b -> a!, c; c~[foreground]; d -> c:restrict", "", "drop b->a!", "", "c waits, and counts as solid for an engine that knows of d"},
	} {
		got := history(t, tc.start, tc.then).Clone().Judge(write(t, tc.write))
		checkBreach(t, tc.start+"; "+tc.then+"; "+tc.write, got, tc.want, tc.reason)
	}
	for _, strict := range []bool{false, true} {
		l, want := history(t, "a -> x; b -> a:restrict", ""), ""
		if l.Strict = strict; strict {
			want = "E4:"
		}
		checkBreach(t, "delete a", l.Judge(write(t, "delete a")), want, "a store of level 3 refuses each deletion of a restricted object")
	}
}

// TestJudgeRefused: a refused cascade takes references to absent owners off an object that otherwise goes.
func TestJudgeRefused(t *testing.T) {
	for _, tc := range []struct{ start, then, write, want, reason string }{
		{"b -> a:cascade", "", "drop b->a", "", "the cascade reference deletes b"},
		{"b -> a:cascade, c; c", "", "drop b->a", "", "it does so beside a solid owner"},
		{"b -> a, c:release; c", "", "drop b->a", "", "the unset references delete b"},
		{"b -> a, c", "", "drop b->a", "", "the same without a policy"},
		{"a; b -> a:cascade", "", "drop b->a", "S4:", "the owner lives"},
		{"a~[foreground]; b -> a:cascade", "", "drop b->a", "S4:", "the owner waits: the object stays held"},
		{"b -> a, c; c", "", "drop b->a", "S1:", "c keeps b, so the cascade does not reach b"},
		{"b -> a:release, c", "", "drop b->a", "G5:", "a release reference deletes nothing"},
		{"b~* -> a:restrict, c", "", "drop b->a", "G5:", "nor does a restrict reference"},
		{"b[x] -> a", "", "release b x", "G5:", "the answer removes no finalizer"},
		{"b -> a", "", "delete b", "G5:", "the answer deletes nothing"},
		{"b -> a", "put b#2 -> a", "drop b->a", "S5:", "the version is another one"},
	} {
		got := history(t, tc.start, tc.then).Clone().JudgeRefused(write(t, tc.write))
		checkBreach(t, tc.start+"; "+tc.then+"; "+tc.write, got, tc.want, tc.reason)
	}
}

// TestWitnessPolicies has, for the laws of policies, a call that keeps them and a call that breaks them.
func TestWitnessPolicies(t *testing.T) {
	const fenced = "; fence 1; passed a; passed b; passed"
	for _, c := range []struct{ live, history, write, want, reason string }{
		{"b -> a:cascade, c", "put a; gone a", "delete b", "", "one cascade owner is reported gone"},
		{"b -> a:cascade", "put a", "delete b", "S1a:", "the cascade owner lives"},
		{"b -> a:cascade?", "put a; gone a", "delete b", "S1a:", "the scope of the owner is unresolved"},
		{"b -> a:release, c", "absent c", "delete b", "", "a release owner needs no report"},
		{"b -> a:cascade, a", "put a; gone a", "delete b", "E1:", "two policies of one UID"},
		{"b -> a:cascade, a", "put a~[orphan]", "drop b->a", "", "an orphaning frees it all the same"},
		{"b -> a:release", "put a~[foreground]", "drop b->a", "", "a release reference goes at the foreground mark"},
		{"b -> x", "absent x; put c -> b:restrict; decided", "delete b", "E4:", "c restricts b"},
		{"b -> x", "absent x; put c -> b?:restrict; decided", "delete b", "E4:", "an unresolved reference restricts by UID"},
		{"b -> x", "absent x; decided; put c -> b:restrict", "delete b", "E4:", "c came before the engine handed the call out"},
		{"b -> x", "absent x; put c -> b:restrict; put c~* -> b:restrict; decided", "delete b", "", "c is marked"},
		{"b -> x", "absent x; put c -> b:restrict; gone c; decided", "delete b", "", "c is gone"},
		{"b -> x", "absent x; put a -> b:restrict; vanish a; decided", "delete b", "", "the kind of the restricting object is not served"},
		{"b -> x", "absent x; put c -> b:cascade; decided", "delete b", "", "no other policy restricts"},
		{"b -> a", "put a; put c -> a:restrict; put a~[foreground]", "delete b", "S1a:", "the mark of a restricted owner is held"},
		{"b -> a", "put a~[foreground]; put c -> a:restrict", "delete b", "", "the owner waited before"},
		{"b -> a", "put c -> a:restrict; put a~[foreground]; put c", "delete b", "", "it waits when the restriction ends"},
		{"b -> a", "put c -> a:restrict; read a~[foreground]", "delete b", "S1a:", "a read shows a held mark too"},
		{"b~[orphan]", "put c -> b:restrict; put b~[orphan]" + fenced + "; decided", "release b orphan", "E4:", "c restricts b"},
		{"b~[orphan]", "put c -> b:restrict; put b~[orphan]" + fenced + "; put c; decided", "release b orphan", "R3:", "the mark begins when the restriction ends"},
		{"b~[orphan]", "put c -> b:restrict; put b~[orphan]; put c" + fenced + "; decided", "release b orphan", "", "the fence began afterwards"},
	} {
		for _, policies := range []bool{true, false} {
			w := invariant.NewWitness(ownergraph.Level2, false)
			w.Policies = policies
			w.Observed(graph.Event{Type: graph.KindsKnown, Kinds: kinds})
			for _, line := range strings.Split(c.history, "; ") {
				tell(t, w, strings.TrimSpace(line))
			}
			live := parse(t, c.live)
			want := c.want
			if acts := strings.Contains(c.live, ":"); acts && !policies && !strings.Contains(c.history, "[orphan]") {
				want = "E1:"
			}
			got := w.Handed(write(t, c.write), &live)
			checkBreach(t, c.live+"; "+c.history+"; "+c.write, got, want, c.reason)
		}
	}
}
