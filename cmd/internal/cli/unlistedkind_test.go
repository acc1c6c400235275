package cli

import (
	"strings"
	"testing"
)

// TestUnlistedKinds: no answer calls a kind "not served" because the dump lacks it. A kind that
// the user says is listed has no missing objects.
func TestUnlistedKinds(t *testing.T) {
	owned := func(apiVersion, kind string) string {
		return strings.Replace(pod("a"), `"uid"`, `"ownerReferences":[{"apiVersion":"`+apiVersion+`","kind":"`+kind+`","name":"o","uid":"uid-o"}],"uid"`, 1)
	}
	job, custom := owned("batch/v1", "Job"), owned("x.io/v1", "Y")
	const lacks, gone = "the dump has no object of it", "Pod/n/a is garbage: its only owner Job.batch/n/o is gone."
	for _, c := range []struct {
		input  string
		args   []string
		code   int
		want   string
		reason string
	}{
		{job, []string{"lint"}, 3, "OG002 warning", "a dump lists the kinds of its request"},
		{job, []string{"lint", "--partial", "all"}, 3, "OG002 warning", "the user says the same"},
		{job, []string{"lint", "--partial", "batch/Job"}, 3, "OG002 warning", "of one kind, too"},
		{job, []string{"lint", "--partial", "Job.batch"}, 3, "OG002 warning", "in the spelling of the output"},
		{job, []string{"lint", "--kind", "batch/Job"}, 3, "OG001 error", "the user knows that there is no job"},
		{job, []string{"lint", "--kind", "Job.batch", "--partial", "all"}, 3, "OG001 error", "and says so of this kind alone"},
		{custom, []string{"lint"}, 3, "OG002 warning", "the dump does not have the scope of the kind"},
		{custom, []string{"lint", "--global-kind", "x.io/Y"}, 3, "OG001 error", "the user gives the scope"},
		{job, []string{"explain", "pod/a"}, 3, lacks, "the next actor is the kind"},
		{job, []string{"explain", "pod/a", "-o", "json"}, 3, `"doubt": "Unlisted"`, "in JSON too"},
		{job, []string{"explain", "pod/a", "--kind", "batch/Job"}, 3, gone, "the owner is gone"},
		{custom, []string{"explain", "pod/a"}, 3, lacks, "the scope of the reference is no fault of the reference"},
		{job, []string{"plan"}, 3, "! Pod/n/a stays: owner's kind not listed yet (Job.batch/n/o)\n", "a plan holds it"},
		{job, []string{"plan", "-o", "json"}, 3, `"doubt": "owner's kind not listed yet"`, "in JSON too"},
		{job, []string{"plan", "--kind", "batch/Job"}, 0, "- Pod/n/a\nwithout a deletion 1 object goes in n; 0 are held\n", "nothing holds it"},
		{custom, []string{"run"}, 3, "owner's kind not listed yet", "a run holds it"},
		{job, []string{"run", "-o", "json"}, 3, "owner's kind not listed yet", "in JSON too"},
		{job, []string{"run", "--kind", "batch/Job"}, 0, "gone: 1 of 1", "nothing holds it"},
		{job, []string{"lint", "--global-kind", "batch/Job"}, 2, "scoped: false", "every cluster has namespaced jobs"},
		{job, []string{"lint", "--kind", "batch/Job", "--partial", "batch/Job"}, 2, "says that the dump lists it in full", "a contradiction"},
		{job, []string{"lint", "--partial", "batch/Jop"}, 2, "no reference names it", "a misspelt kind"},
	} {
		got := call(t, c.input, append(c.args, "-f", "-")...)
		if text := got.stdout + got.stderr; got.code != c.code || !strings.Contains(text, c.want) || strings.Contains(text, "not served") || strings.Contains(text, "does not serve") {
			t.Errorf("%v: exit %d, want %d and %q: %s\n%s", c.args, got.code, c.code, c.want, c.reason, text)
		}
	}
}
