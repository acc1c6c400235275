package lint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/lint"
)

// checkPolicies checks objects in the notation of package graph on a store that is not Kubernetes. Its
// collector acts by the policies.
func checkPolicies(t *testing.T, objects string, cfg lint.Config) lint.Report {
	t.Helper()
	in := input(t, objects)
	in.Kubernetes = false
	r, err := lint.Check(in, cfg)
	if err != nil {
		t.Fatalf("%s: %v", objects, err)
	}
	return r
}

// ofCode returns the findings of one code as text.
func ofCode(r lint.Report, code lint.Code) (list []string) {
	for _, f := range r.Findings {
		if f.Code == code {
			list = append(list, strings.TrimPrefix(f.String(), code.String()+" "))
		}
	}
	return list
}

func TestCascadeBeside(t *testing.T) {
	const one, lost = "The end of this owner alone deletes the object, even if its other owners exist. ", "One wrong cascade reference suffices to lose the object."
	for _, c := range []struct {
		objects string
		want    string
		reason  string
	}{
		{"pod/s/a -> pod/s/b:cascade; pod/s/b", "", "the only owner decides in any case"},
		{"pod/s/a -> node/m, pod/s/b:cascade; pod/s/b; node/m", "warning pod/s/a: owners[1].onDelete: " + one + lost, "the other owner seems to keep it"},
		{"pod/s/a -> node/m:cascade, pod/s/b:cascade; pod/s/b; node/m", "note pod/s/a: owners[0].onDelete: The end of each one of 2 owners deletes the object, even if its other owners exist. " + lost,
			"each owner decides alone, as rows of a join table have it"},
		{"pod/s/a -> node/m:release, pod/s/b:cascade, pod/s/c:restrict; pod/s/b; pod/s/c; node/m", "", "such references never keep it"},
		{"pod/s/a -> pod/s/b:cascade, pod/s/b:cascade; pod/s/b", "", "one owner, named twice"},
		{"pod/s/a~[f] -> node/m, pod/s/b:cascade; pod/s/b; node/m", "warning pod/s/a: owners[1].onDelete: " + one + lost, "the reference is there all the same"},
	} {
		r := checkPolicies(t, c.objects, lint.Config{Policies: true})
		got := ""
		for _, f := range r.Findings {
			if f.Code == lint.CascadeBeside {
				got += fmt.Sprintf("%s %s: %s: %s", f.Severity, f.Object, f.Field, f.Message)
			}
		}
		if got != c.want {
			t.Errorf("%s: %s\ngot  %s\nwant %s", c.objects, c.reason, got, c.want)
		}
	}
}

func TestRestrictRing(t *testing.T) {
	for _, c := range []struct {
		objects string
		want    string
		reason  string
	}{
		{"pod/s/a -> pod/s/b:restrict; pod/s/b", "", "no ring"},
		{"pod/s/a -> pod/s/b:restrict; pod/s/b -> pod/s/a", "", "an unset reference restricts nothing"},
		{"pod/s/a -> pod/s/b:restrict; pod/s/b -> pod/s/a:restrict", "warning pod/s/a: owners: 2 objects restrict each other, so none of them is deleted: pod/s/a, pod/s/b. Fate: kept for ever.", "two objects"},
		{"pod/s/a -> pod/s/b:restrict; pod/s/b -> pod/s/c:restrict; pod/s/c -> pod/s/a:restrict, pod/s/d:restrict; pod/s/d",
			"warning pod/s/a: owners: 3 objects restrict each other, so none of them is deleted: pod/s/a, pod/s/b and 1 more. Fate: kept for ever.", "the list is bounded, and d is outside"},
		{"pod/s/a -> pod/s/b:restrict; pod/s/b~[f] -> pod/s/a:restrict", "", "the mark of b ends what b restricts"},
		{"pod/s/a -> pod/s/a:restrict", "", "an object does not restrict itself"},
		{"pod/s/b -> pod/s/a:restrict; pod/s/a -> pod/s/b:restrict; pod/s/d -> pod/s/c:restrict; pod/s/c -> pod/s/d:restrict",
			"warning pod/s/a: owners: 2 objects restrict each other, so none of them is deleted: pod/s/a, pod/s/b. Fate: kept for ever.|" +
				"warning pod/s/c: owners: 2 objects restrict each other, so none of them is deleted: pod/s/c, pod/s/d. Fate: kept for ever.", "two rings"},
	} {
		r := checkPolicies(t, c.objects, lint.Config{Policies: true, Details: 2})
		if got := strings.Join(ofCode(r, lint.RestrictRing), "|"); got != c.want {
			t.Errorf("%s: %s\ngot  %s\nwant %s", c.objects, c.reason, got, c.want)
		}
	}
}

// TestRestrictsAbsent: such a reference is no missing owner, because nothing is deleted for it.
func TestRestrictsAbsent(t *testing.T) {
	r := checkPolicies(t, "pod/s/a -> pod/s/b:restrict, node/n; node/n; pod/s/c -> secret/s/d:restrict", lint.Config{Policies: true})
	if got := ofCode(r, lint.RestrictsAbsent); len(got) != 1 || !strings.HasPrefix(got[0], "warning pod/s/a: owners[0].onDelete: No object has the UID of the owner pod/s/b, so the reference restricts nothing.") {
		t.Errorf("got %q", got)
	}
	if got := append(ofCode(r, lint.MissingOwner), ofCode(r, lint.UnlistedOwner)...); len(got) != 1 || !strings.HasPrefix(got[0], "warning pod/s/c") {
		t.Errorf("an owner of an unlisted kind is not known to be absent, and only that one: %q", got)
	}
}

// TestDormantPolicies: a report counts the references by policy before the step, and not afterwards.
func TestDormantPolicies(t *testing.T) {
	const world = "pod/s/a -> node/n:cascade, node/m:cascade; pod/s/b -> node/n:cascade; pod/s/c -> node/n:restrict; pod/s/d -> node/n; node/n; node/m"
	r := checkPolicies(t, world, lint.Config{Details: 1})
	want := []string{
		"note policy/cascade: onDelete: References with the policy cascade: 3, of 2 objects: pod/s/a and 1 more. After the step the end of such an owner deletes its dependent, even if the other owners exist.",
		"note policy/restrict: onDelete: References with the policy restrict: 1, of 1 objects: pod/s/c. They restrict their owners already. After the step the collector judges these objects by their other references.",
	}
	if got := ofCode(r, lint.DormantPolicy); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := ofCode(r, lint.Malformed); got != nil {
		t.Errorf("a policy that does not act is no malformed object: %q", got)
	}
	if got := ofCode(checkPolicies(t, world, lint.Config{Policies: true}), lint.DormantPolicy); got != nil {
		t.Errorf("after the step: %q", got)
	}
	text, err := r.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var back lint.Report
	if err := back.UnmarshalJSON(text); err != nil || back.String() != r.String() {
		t.Errorf("the JSON has another report, error %v:\n%s", err, back)
	}
}

// TestWrongPolicies: a policy that no engine knows, and two policies for one owner.
func TestWrongPolicies(t *testing.T) {
	unknown := input(t, "pod/s/a -> pod/s/b; pod/s/b")
	unknown.Objects[0].Owners[0].OnDelete = 9
	for _, c := range []struct {
		in     lint.Input
		want   string
		reason string
	}{
		{unknown, "error pod/s/a: owners[0].onDelete: The policy onDelete(9) is unknown.", "a later version stored it"},
		{input(t, "pod/s/a -> pod/s/b, pod/s/b:cascade; pod/s/b"), "error pod/s/a: owners[1].onDelete: The policy is cascade, and owners[0] has the policy unset for the same UID.", "the two contradict each other"},
	} {
		c.in.Kubernetes = false
		r, err := lint.Check(c.in, lint.Config{Policies: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := ofCode(r, lint.Malformed); len(got) != 1 || got[0] != c.want+" Fate: kept for ever." {
			t.Errorf("%s: got %q, want %q", c.reason, got, c.want)
		}
	}
}

// TestPoliciesOnKubernetes: a reference with a policy is no owner reference there, so Kubernetes' own
// collector does not delete by it.
func TestPoliciesOnKubernetes(t *testing.T) {
	for _, c := range []struct {
		objects string
		want    lint.Fate
		reason  string
	}{
		{"pod/s/a -> pod/s/b:cascade", lint.KeptForever, "the object has no owner reference"},
		{"pod/s/a -> pod/s/b:cascade, pod/s/c", lint.Deleted, "the only owner reference is to an absent object"},
	} {
		r, err := lint.Check(input(t, c.objects), lint.Config{Policies: true})
		if err != nil || len(r.Findings) == 0 || r.Findings[0].Fate != c.want {
			t.Errorf("%s: error %v, want %q: %s\n%s", c.objects, err, c.want, c.reason, r)
		}
	}
}

// TestManyRestrictions: a long chain of such references takes a bounded stack.
func TestManyRestrictions(t *testing.T) {
	var b strings.Builder
	const n = 5000
	for i := range n {
		fmt.Fprintf(&b, "node/n%d -> node/n%d:restrict;", i, (i+1)%n)
	}
	r := checkPolicies(t, strings.TrimSuffix(b.String(), ";"), lint.Config{Policies: true})
	if got := ofCode(r, lint.RestrictRing); len(got) != 1 || !strings.Contains(got[0], "5000 objects restrict each other") || !strings.Contains(got[0], "and 4995 more") {
		t.Errorf("got %.300q", got)
	}
}
