package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/lint"
)

// TestNothingRead: a report without a listed kind fails, and one without some of them says so.
func TestNothingRead(t *testing.T) {
	for _, c := range []struct {
		unread, kinds int
		want, err     string
		reason        string
	}{
		{0, 3, "no findings\n", "", "each kind was read"},
		{1, 3, "no findings\n1 of 3 kinds were not read\n", "", "a part of the store was read"},
		{3, 3, "", "nothing was read: none of the 3 kinds of the store could be listed", "no fact is known"},
		{0, 0, "no findings\n", "", "a dump, or a store without kinds"},
	} {
		var out bytes.Buffer
		err := (&app{stdout: &out}).writeReport(&lint.Report{}, 0, c.unread, c.kinds)
		if got := out.String(); got != c.want || (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
			t.Errorf("%d of %d: %q, error %v, want %q and %q: %s", c.unread, c.kinds, got, err, c.want, c.err, c.reason)
		}
	}
}

// TestRunOfUnrelated: an object that no deletion of the run is about does not change its exit
// code.
func TestRunOfUnrelated(t *testing.T) {
	marked := strings.Replace(pod("held"), `"uid"`, `"deletionTimestamp":"2026-01-02T03:04:05Z","finalizers":["x.io/y"],"uid"`, 1)
	below := strings.Replace(pod("below"), `"uid"`, `"finalizers":["x.io/y"],"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"root","uid":"uid-root"}],"uid"`, 1)
	input := pod("a") + marked + pod("root") + below
	for _, c := range []struct {
		args   []string
		code   int
		asked  string
		reason string
	}{
		{[]string{"pod/a"}, 0, `"asked": false`, "the held object has nothing to do with the deletion"},
		{[]string{"pod/held"}, 3, `"asked": true`, "its own object is held"},
		{[]string{"pod/root"}, 3, `"asked": true`, "an object below it is held"},
		{[]string{"pod/root", "--cascade", "orphan"}, 0, `"asked": false`, "the object below stays, as the user says"},
		{nil, 3, `"asked": true`, "without an object each held object counts"},
	} {
		for _, format := range []string{"text", "json"} {
			got := call(t, input, append(append([]string{"run"}, c.args...), "-f", "-", "-o", format)...)
			if got.code != c.code || format == "json" && !strings.Contains(got.stdout, c.asked) {
				t.Errorf("%v: exit %d, want %d and %s: %s\n%s%s", c.args, got.code, c.code, c.asked, c.reason, got.stdout, got.stderr)
			}
		}
	}
}
