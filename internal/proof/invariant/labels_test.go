package invariant_test

import (
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/proof/invariant"
	"github.com/ownergraph/ownergraph/policy"
)

// byLabel is a sweep of t by the label named of, and by name for objects without
// the label keep.
func byLabel() []guard.Sweep {
	return []guard.Sweep{{
		Finalizer: "x.io/t", Holder: "t",
		Members: []guard.Members{{By: guard.ByLabel, Label: "of"}, {By: guard.ByName, Delimiter: "-", Selector: "!keep"}},
	}}
}

// tagged parses "v/x:of=a" into objects and labels.
func tagged(t *testing.T, text string) ([]graph.Object, map[graph.Key]map[string]string) {
	t.Helper()
	var plain []string
	labels := map[graph.Key]map[string]string{}
	for part := range strings.SplitSeq(text, ";") {
		object, label, has := strings.Cut(strings.TrimSpace(part), ":")
		plain = append(plain, object)
		if name, value, _ := strings.Cut(label, "="); has {
			labels[parse(t, object).Key] = map[string]string{name: value}
		}
	}
	return objects(t, strings.Join(plain, "; ")), labels
}

// TestSweepsJudgeLabels has members by labels: at the deleted version, and at the
// instants since the mark.
func TestSweepsJudgeLabels(t *testing.T) {
	for _, tc := range []struct{ history, write, want, reason string }{
		{"t/a~[x.io/t]; v/x:of=a", "delete v/x", "", "the label names the marked holder"},
		{"t/a~[x.io/t]; v/x", "delete v/x", "S23:", "the object has no label"},
		{"t/a~[x.io/t]; v/x:of=b", "delete v/x", "S23:", "the label names another holder"},
		{"t/a~[x.io/t]; v/x:of=a | t/a~[x.io/t]; v/x#2:of=b", "delete v/x#2", "S23:", "the new version has another label"},
		{"t/a~[x.io/t]; v/x:of=a | v/x:of=a", "delete v/x", "", "the object was a member at an instant, at this version"},
		{"t/a~[x.io/t]; v/a-x", "delete v/a-x", "", "the name makes it a member, and it lacks the label keep"},
		{"t/a~[x.io/t]; v/a-x:keep=", "delete v/a-x", "S23:", "it has the label keep"},
		{"t/a~[x.io/t]; v/a-x | t/a~[x.io/t]; v/a-x#2:keep=", "delete v/a-x#2", "S23:", "the new version has the label keep"},
		{"t/a~[x.io/t]; t/b; v/a-x:of=b", "delete v/a-x", "S23:", "the label names b, which lives"},
		{"t/a~[x.io/t]; t/b~[x.io/t]; v/a-x:of=b", "delete v/a-x", "", "the label names b, which is marked, too"},
		{"t/a~[x.io/t]; v/x:of=b", "release t/a x.io/t", "", "the holder has no members"},
		{"t/a~[x.io/t]; v/x:of=a", "release t/a x.io/t", "S24:", "the holder has a member"},
		{"t/a[x.io/t]; v/x | t/a~[x.io/t]; v/x#2:of=a", "release t/a x.io/t", "S24:", "the holder had no members before its mark only"},
		{"t/a~[x.io/t]; v/x | t/a~[x.io/t]; v/x#2:of=a", "release t/a x.io/t", "", "the holder had no members at one instant"},
		{"t/a~[x.io/t]; w/y:of=a | t/a~[x.io/t]; w/y:of=a; v/x:of=a | t/a~[x.io/t]; v/x:of=a", "release t/a x.io/t", "", "first there was no v, then no w, and each kind has a selection"},
		{"t/a~[x.io/t]; v/y:of=a | t/a~[x.io/t]; v/y:of=a; v/x:of=a | t/a~[x.io/t]; v/x:of=a", "release t/a x.io/t", "S24:", "the selection of the kind shows one or the other"},
	} {
		var s *invariant.Sweeps
		for state := range strings.SplitSeq(tc.history, "|") {
			all, labels := tagged(t, state)
			if s == nil {
				var err error
				if s, err = invariant.NewSweeps(byLabel(), nil); err != nil {
					t.Fatal(err)
				}
				s.Labels = labels
				s.Begin(all)
				continue
			}
			s.Labels = labels
			s.Commit(all)
		}
		if got := s.Judge(write(t, tc.write)); !breaks(got, tc.want) {
			t.Errorf("%s; %s: got %v, want %q: %s", tc.history, tc.write, got, tc.want, tc.reason)
		}
	}
}

// TestSweepsRestByLabels has a held member beside members by labels. The engine
// need not select the latter before the former is gone.
func TestSweepsRestByLabels(t *testing.T) {
	for _, tc := range []struct{ store, want, reason string }{
		{"t/a~[x.io/t]; v/x:of=a", "L12:", "the engine has to delete the member"},
		{"t/a~[x.io/t]; v/y~*:of=a", "", "a finalizer holds the member"},
		{"t/a~[x.io/t]; v/x:of=a; v/y~*:of=a", "", "the engine selects the remaining members when y is gone"},
		{"t/a~[x.io/t]; v/x:of=a; v/y:of=a", "L12:", "neither member is held"},
	} {
		s, err := invariant.NewSweeps(byLabel(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var all []graph.Object
		all, s.Labels = tagged(t, tc.store)
		s.Begin(all)
		if got := s.Rest(func(graph.Object) bool { return false }); !breaks(got, tc.want) {
			t.Errorf("%s: got %v, want %q: %s", tc.store, got, tc.want, tc.reason)
		}
	}
}

// say reports a selection of v to a witness. "of in (a)!" begins the selection.
// "of in (a)=v/x#1" answers it with v/x as a member of a.
func say(t *testing.T, w *invariant.Witness, line string) {
	t.Helper()
	c := engine.Call{ID: 60, Type: engine.CallSelect, Select: ownergraph.SelectRequest{Kind: "v"}}
	text, begins := strings.CutSuffix(line, "!")
	selector, found, _ := strings.Cut(text, "=")
	if c.Select.Selector = selector; strings.HasPrefix(selector, "of") {
		c.Select.Label = "of"
	}
	if begins {
		if err := w.Handed(c, nil); err != nil {
			t.Fatal(err)
		}
		return
	}
	var r engine.Result
	if found != "" {
		o := parse(t, found)
		r.Selected.Objects = []graph.LabelMatch{{Key: o.Key, Version: o.Version, Value: "a"}}
	}
	w.Answered(c, r)
}

// reads reports the read of an object to a witness.
func reads(t *testing.T, w *invariant.Witness, o graph.Object) {
	t.Helper()
	c := engine.Call{ID: 61, Type: engine.CallRead, Key: o.Key}
	if err := w.Handed(c, nil); err != nil {
		t.Fatal(err)
	}
	w.Answered(c, engine.Result{Object: o})
}

// TestWitnessOfLabels has the reports of labels before a deletion by labels.
func TestWitnessOfLabels(t *testing.T) {
	const holder = "put t/a~[x.io/t]; "
	const none = "!keep!; !keep=; "
	for _, tc := range []struct{ history, want, reason string }{
		{"put v/x#1; of!; of=v/x#1; " + none, "", "a selection showed the label at its version"},
		{"put v/x#1; of in (a)!; of in (a)=v/x#1; " + none, "", "a selection for this holder showed the label"},
		{"put v/x#1; " + none, "S23:", "no selection showed the label"},
		{"put v/x#1; of!; of=; " + none, "S23:", "the selection shows no label"},
		{"put v/x#1; of!; of=v/x#1; put v/x#2; " + none, "S23:", "the selection showed another version"},
		{"put v/x#1; of!; put v/x#2; of=v/x#1; " + none, "S23:", "the answer has an older version"},
		{"of!; put v/x#1; of=v/x#1; " + none, "", "the answer has the known version"},
		{"put v/a-x#1; of!; of=; !keep!; !keep=v/a-x#1; ", "", "the name makes it a member, and its labels match"},
		{"put v/a-x#1; !keep!; !keep=v/a-x#1; ", "S23:", "by its label it may belong to another holder"},
		{"of!; put v/a-x#1; of=; !keep!; !keep=v/a-x#1; ", "S23:", "the selection began before the version was known"},
		{"put v/x#1; of!; rewound; put t/a~[x.io/t]; put v/x#1; of=v/x#1; " + none, "S23:", "the selection is of another history"},
		{"put v/x#1; of!; of=; read v/x#2; of!; of=v/x#2; " + none, "", "a conflict's read counts, and a selection showed its version"},
		{"put v/x#1; of!; of=v/x#1; read v/x#2; " + none, "S23:", "no selection showed the version of the read"},
		{"put v/a-x#1; of!; of=; !keep!; read v/a-x#2; !keep=v/a-x#2; ", "S23:", "the selection without the object began before the read"},
		{"put v/a-x#1; read v/a-x#2; of!; of=; !keep!; !keep=v/a-x#2; ", "", "the selection without the object began after the read"},
		{"put v/x#1; read v/x#2; rewound; put t/a~[x.io/t]; put v/x#1; of!; of=v/x#2; " + none, "S23:", "the read is of another history"},
	} {
		w := invariant.NewWitness(ownergraph.Level2, false)
		s, err := invariant.NewSweeps(byLabel(), nil)
		if err != nil {
			t.Fatal(err)
		}
		w.Follow(s.Plans())
		w.Observed(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "t"}, {Kind: "v"}}})
		for line := range strings.SplitSeq(holder+tc.history+"fence 1; passed t", "; ") {
			text, read := strings.CutPrefix(line, "read ")
			switch {
			case strings.HasPrefix(line, "of"), strings.HasPrefix(line, "!"):
				say(t, w, line)
			case read:
				reads(t, w, parse(t, text))
			default:
				tell(t, w, line)
			}
		}
		key := parse(t, "v/x").Key
		if strings.Contains(tc.history, "v/a-x") {
			key = parse(t, "v/a-x").Key
		}
		d := engine.DecisionEvent{Key: key, Call: 7, Holder: parse(t, "t/a").Key, Decision: policy.Decision{Action: policy.Delete}}
		if d.Version = "1"; strings.Contains(tc.history, "read ") {
			d.Version = "2"
		}
		if got := w.SweepDecided(d); !breaks(got, tc.want) {
			t.Errorf("%s: got %v, want %q: %s", tc.history, got, tc.want, tc.reason)
		}
	}
}

// TestWitnessOfReleasesByLabels checks the order of a release. The selections of each
// kind, for all Members by labels, begin after the mark is known and end before.
func TestWitnessOfReleasesByLabels(t *testing.T) {
	const before, after = "of!; of=; !keep!; !keep=; ", "; of!; of=; !keep!; !keep="
	for _, tc := range []struct{ history, want, reason string }{
		{"put t/a~[x.io/t]" + after, "", "both selections are complete"},
		{"put t/a~[x.io/t]; of!; of=", "S24:", "one selection is missing"},
		{before + "put t/a~[x.io/t]", "S24:", "the selections began before the mark was known"},
		{"of!; put t/a~[x.io/t]; of=; !keep!; !keep=", "S24:", "one selection began before the mark was known"},
	} {
		w := invariant.NewWitness(ownergraph.Level2, false)
		s, err := invariant.NewSweeps(byLabel(), nil)
		if err != nil {
			t.Fatal(err)
		}
		w.Follow(s.Plans())
		w.Observed(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "t"}, {Kind: "v"}}})
		for line := range strings.SplitSeq(tc.history+"; fence 1; passed t; passed v; passed", "; ") {
			if strings.HasPrefix(line, "of") || strings.HasPrefix(line, "!") {
				say(t, w, line)
			} else {
				tell(t, w, line)
			}
		}
		live := parse(t, "t/a~[x.io/t]")
		if got := w.Handed(write(t, "release t/a x.io/t"), &live); !breaks(got, tc.want) {
			t.Errorf("%s: got %v, want %q: %s", tc.history, got, tc.want, tc.reason)
		}
	}
}
