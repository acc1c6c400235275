package script

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestHarnessCanFail checks that a faulty scenario, or a faulty engine, is an error.
func TestHarnessCanFail(t *testing.T) {
	const why = "# why: x\n\n"
	for _, tc := range []struct{ text, want, reason string }{
		{"objects a\n", errNoReason.Error(), "every scenario has a reason"},
		{why + "----\n", "without a command", "output follows a command"},
		{why + "world guard=a:sometimes\n", "guard=a:sometimes", "a guard has known conditions"},
		{why + "world guard=a:above=few\n", "guard=a:above=few", "a limit is a number"},
		{why + "world protect=a:always\n", "protect=a:always", "a rule of protection has no conditions"},
		{why + "world level=1 guard=a:above=9\nobjects a; b -> a\nbg a\n", "not permitted", "a verdict is due"},
		{why + "objects a; a\nrun\n", "is there twice", "the notation is checked"},
		{why + "world colour=red\n", "colour=red", "the option is unknown"},
		{why + "objects a\nfrobnicate a\n", "frobnicate", "the command is unknown"},
		{why + "objects a\nbg b\n", `no kind "b"`, "a user cannot act on a kind that is not served"},
		{why + "objects a\nissue@2\n", "no engine 2", "the world has one engine"},
		{why + "objects a\nrun\nobjects b\n", "objects", "objects come before the first step"},
		{why + "objects a\ncomplete a\n", "not in the form", "no such call is under way"},
		{why + "objects a\nlabel a x\n", "not in the form", "a label has a value, which may be empty"},
		{why + "objects a\nrenew 1\n", "not in the form", "no selection is under way"},
		{why + "objects a\nsee a 1\n", "not in the form", "the watch has no event"},
		{why + "world kinds=x\nobjects b -> x\nrun\n", "begin cold", "a beginning without rest hides requests"},
		{why + "world level=0\nobjects a; b -> a\nbg a\n", "not permitted", "the oracle judges the end"},
		{why + "objects a\nissue store a\n", "not in the form", "a limit is a number"},
		{why + "objects a\nwatch a#1\n", errNotHand.Error(), "a store has the events"},
		{why + "objects a\npass\n", errNotHand.Error(), "a store passes the fences"},
		{why + "objects a\nanswer 1 ok\n", errNotHand.Error(), "a store has the answers"},
		{why + "world hand kinds=a\nbg a\n", errByHand.Error(), "there are no users"},
		{why + "world hand kinds=a\nrun\n", errByHand.Error(), "there is no store to run to rest"},
		{why + "world hand kinds=a\nobjects a\nissue\n", errByHand.Error(), "the watch alone shows objects"},
		{why + "world hand kinds=a\nwatch gone\n", "parse key", "an event has a key"},
		{why + "world hand kinds=a\nwatch b#1 ->\n", "parse object", "an object is in the notation"},
		{why + "world hand kinds=a\nwatch a#1\nanswer a ok\n", "not in the form", "no such call is under way"},
		{why + "world hand kinds=a,b\nwatch b#1 -> a\nissue\nanswer a b#\n", "parse object", "an answer is an object or an error"},
		{why + "world level=0\nobjects a; b -> a\nbg a\nworld\nobjects c\n", "not permitted", "the oracle judges each world of a file"},
		{why + "world level=1\nobjects a; b\naddref b->a\norphan a\nsee a\nissue\ncomplete\n", "S2", "the ledger judges each write"},
	} {
		if _, err := Run(tc.text); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want %q in it:\n%s", tc.reason, err, tc.want, tc.text)
		}
	}
}

// TestHarnessPrints checks that a run replaces the output and keeps all other text.
func TestHarnessPrints(t *testing.T) {
	const before = "# why: x\n\n# A comment.\nobjects a; b -> a\nbg a\n# Another.\nrun\n----\nnonsense\n\nheld\n"
	const after = "# why: x\n\n# A comment.\nobjects a; b -> a\nbg a\n# Another.\nrun\n----\nstore: (empty)\nrequests: delete 1\n\nheld\n"
	got, err := Run(before)
	if err != nil || got != after {
		t.Errorf("got %q, error %v, want %q", got, err, after)
	}
}

// TestUnjudged names the scenarios with a store that the oracle does not judge. A new
// one has to enter this list.
func TestUnjudged(t *testing.T) {
	want := []string{
		"a-false-not-found-is-believed",
		"a-sweep-after-an-orphaning",
		"a-sweep-after-two-orphaning-holders",
		"a-sweep-and-a-holder-of-another-history",
		"a-sweep-and-a-late-acknowledgement", "a-sweep-and-a-misnamed-release", "a-sweep-and-a-namesake",
		"a-sweep-and-a-returned-holder",
		"a-sweep-and-a-sick-kind-with-a-new-member",
		"a-sweep-and-a-stale-selection",
		"a-sweep-and-an-unseen-release",
		"a-sweep-at-rest-and-an-audit",
		"a-sweep-by-label-and-a-phase",
		"a-sweep-by-label-and-a-sick-kind",
		"a-sweep-by-label-goes-on-after-a-crash",
		"a-sweep-by-label-in-pages",
		"a-sweep-by-label-is-contested",
		"a-sweep-by-label-without-fences",
		"a-sweep-by-label",
		"a-sweep-by-name-and-scope",
		"a-sweep-by-owner",
		"a-sweep-by-two",
		"a-sweep-goes-on-after-a-crash",
		"a-sweep-holds-for-a-sick-kind",
		"a-sweep-inside-of-another-holder",
		"a-sweep-is-held",
		"a-sweep-meets-conflicts",
		"a-sweep-of-a-kind-that-comes-late",
		"a-sweep-of-a-late-label",
		"a-sweep-of-a-late-member",
		"a-sweep-of-a-marked-and-relabelled-member",
		"a-sweep-of-a-member-relabelled-at-the-last-moment",
		"a-sweep-of-a-member-touched-at-the-last-moment",
		"a-sweep-of-a-new-kind",
		"a-sweep-of-a-withheld-and-relabelled-member", "a-sweep-of-an-unguarded-holder",
		"a-sweep-of-an-unserved-kind",
		"a-sweep-of-many-needs-an-approval",
		"a-sweep-spares-a-neighbour",
		"a-sweep-that-is-refused-and-a-flaw", "a-sweep-that-only-observes",
		"a-sweep-with-a-guard",
		"a-sweep-without-a-guard",
		"a-sweep-without-fences",
		"a-verdict-counts-members-by-label",
		"an-ignored-kind-does-not-block",
		"e3-a-kept-object-releases",
		"e4-a-restricted-holder",
		"e6-a-member-of-a-holder",
		"g5-a-conflict-counts-once",
		"g5-a-refusal-and-policies",
		"g5-a-refusal-is-a-write",
		"g5-a-refusal-without-a-write",
		"g5-a-restore",
		"g5-an-approval-serves-one-cascade",
		"g5-kinds-to-list",
		"g6-a-pause-and-a-sweep",
		"g7-a-ring-with-the-root",
		"g7-a-sweep-below-the-root",
		"guard-holds-a-sweep",
		"guard-needs-fences",
		"handler-of-another",
		"holders-that-hold-each-other",
		"level-0-observes-only",
		"level-1-orphan-and-a-crash",
		"level-1-orphan-is-best-effort",
		"observe-only",
		"stressing-cascading-deletion",
	}
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if s := string(text); strings.Contains(s, "\nunjudged ") || strings.Contains(s, "\nunsafe ") {
			got = append(got, strings.TrimSuffix(filepath.Base(path), ".txt"))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("unjudged: %v, want %v", got, want)
	}
}
