package lint_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ownergraph/ownergraph/lint"
)

// TestFates: on Kubernetes a finding names the ends by both collectors where they differ, and
// elsewhere the end by the engine alone. The JSON has the same fates.
func TestFates(t *testing.T) {
	const both = "Fate: Kubernetes' collector deletes this now; by the engine of this module: "
	for _, c := range []struct {
		objects, kubernetes, other string
		reason                     string
	}{
		{"pod/s/a -> pod/s/b", "Fate: the collector deletes this now.", "Fate: the collector deletes this now.", "both delete it"},
		{"pod/s/a -> pod/s/b@u; pod/t/b@u", both + "kept while an owner lives.", "Fate: kept while an owner lives.", "the engine sees the UID in another scope"},
		{"pod/s/a -> pod/s/c@u; pod/s/b@u", both + "kept while an owner lives.", "Fate: kept while an owner lives.", "and under another name"},
		{"pod/s/a -> pod/t/b; pod/t/b", both + "kept for ever.", "Fate: kept for ever.", "the reference names another scope"},
		{"pod/s/a -> event/s/b; event/s/b", "Fate: kept while an owner lives; by the engine of this module: kept for ever.", "Fate: kept for ever.", "the kind may not own"},
		{"pod/s/a -> pod/s/a, node/n; node/n", "Fate: kept for ever; by the engine of this module: kept while an owner lives.", "Fate: kept while an owner lives.",
			"the engine does not count the object itself"},
		{"pod/s/a -> rs/s/c@u; pod/s/b@u", "Fate: the collector deletes this now.", "Fate: the collector deletes this now.", "another kind is no place of the owner for either"},
		{"pod/s/a -> secret/s/b", "Fate: not known from this dump.", "Fate: not known from this dump.", "the kind is not listed"},
		{"pod/s/a -> x/s/b", "Fate: kept until the collector can resolve the owner.", "Fate: kept until the collector can resolve the owner.", "the kind is not served"},
		{`pod/s/a -> "lost/P"/s/b`, "Fate: kept until the collector can resolve the owner.", "Fate: kept until the collector can resolve the owner.", "the group is not described now"},
	} {
		for _, on := range []struct {
			kubernetes bool
			want       string
		}{{true, c.kubernetes}, {false, c.other}} {
			in := input(t, c.objects)
			in.Kubernetes = on.kubernetes
			r, err := lint.Check(in, lint.Config{})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Findings) == 0 || !strings.HasSuffix(r.Findings[0].String(), " "+on.want) {
				t.Errorf("%s on Kubernetes %v: want %q: %s\n%s", c.objects, on.kubernetes, on.want, c.reason, r)
			}
			text, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			var back lint.Report
			if err := json.Unmarshal(text, &back); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(r, back); diff != "" {
				t.Errorf("%s: the JSON has another report (-want +got):\n%s", c.objects, diff)
			}
		}
	}
}

// TestNoWordOfKubernetes: a report about another store does not speak of Kubernetes.
func TestNoWordOfKubernetes(t *testing.T) {
	in := input(t, `pod/s/a~[foreground] -> pod/s/a!; pod/s/b -> "apps/dep"/s/d@u; "apps/Dep"/s/d@u; pod/s/e -> pod/s/f!, x/s/g; pod/s/f~[foreground]`)
	in.Kubernetes = false
	r, err := lint.Check(in, lint.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.String(); strings.Contains(got, "Kubernetes") || !strings.Contains(got, "OG009 error pod/s/b") || strings.Contains(got, "OG020 warning pod/s/a:") {
		t.Errorf("small letters are another kind, and an object does not block itself:\n%s", got)
	}
}
