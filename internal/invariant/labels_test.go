package invariant_test

import (
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/invariant"
	"github.com/ownergraph/ownergraph/policy"
)

// byLabel is a sweep of t by the label of, and by name where there is no label
// keep.
func byLabel() []finalizer.Sweep {
	return []finalizer.Sweep{{
		Finalizer: "x.io/t", Holder: "t",
		Members: []finalizer.Members{{By: finalizer.ByLabel, Label: "of"}, {By: finalizer.ByName, Delimiter: "-", Selector: "!keep"}},
	}}
}

// tagged parts "v/x:of=a" into objects and labels.
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

// TestSweepsJudgeLabels: whose an object is its labels say, at the version that is
// deleted, and at the instants since the mark.
func TestSweepsJudgeLabels(t *testing.T) {
	for _, tc := range []struct{ history, write, want, reason string }{
		{"t/a~[x.io/t]; v/x:of=a", "delete v/x", "", "its label names the marked one"},
		{"t/a~[x.io/t]; v/x", "delete v/x", "S23:", "nothing does"},
		{"t/a~[x.io/t]; v/x:of=b", "delete v/x", "S23:", "it names another one"},
		{"t/a~[x.io/t]; v/x:of=a | t/a~[x.io/t]; v/x#2:of=b", "delete v/x#2", "S23:", "it was relabelled, and is a new version"},
		{"t/a~[x.io/t]; v/x:of=a | v/x:of=a", "delete v/x", "", "it was so at an instant, at this version"},
		{"t/a~[x.io/t]; v/a-x", "delete v/a-x", "", "its name, and it has no such label"},
		{"t/a~[x.io/t]; v/a-x:keep=", "delete v/a-x", "S23:", "it has"},
		{"t/a~[x.io/t]; v/a-x | t/a~[x.io/t]; v/a-x#2:keep=", "delete v/a-x#2", "S23:", "it has by now"},
		{"t/a~[x.io/t]; t/b; v/a-x:of=b", "delete v/a-x", "S23:", "it is another's by its label, who lives"},
		{"t/a~[x.io/t]; t/b~[x.io/t]; v/a-x:of=b", "delete v/a-x", "", "who is marked, too"},
		{"t/a~[x.io/t]; v/x:of=b", "release t/a x.io/t", "", "nothing is left"},
		{"t/a~[x.io/t]; v/x:of=a", "release t/a x.io/t", "S24:", "something is"},
		{"t/a[x.io/t]; v/x | t/a~[x.io/t]; v/x#2:of=a", "release t/a x.io/t", "S24:", "nothing was before the mark"},
		{"t/a~[x.io/t]; v/x | t/a~[x.io/t]; v/x#2:of=a", "release t/a x.io/t", "", "nothing was for an instant"},
		{"t/a~[x.io/t]; w/y:of=a | t/a~[x.io/t]; w/y:of=a; v/x:of=a | t/a~[x.io/t]; v/x:of=a", "release t/a x.io/t", "", "no v was, and then no w: two selections"},
		{"t/a~[x.io/t]; v/y:of=a | t/a~[x.io/t]; v/y:of=a; v/x:of=a | t/a~[x.io/t]; v/x:of=a", "release t/a x.io/t", "S24:", "one selection would have shown either"},
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

// TestSweepsRestByLabels: nobody need look for members by labels as long as
// another one is left that somebody holds.
func TestSweepsRestByLabels(t *testing.T) {
	for _, tc := range []struct{ store, want, reason string }{
		{"t/a~[x.io/t]; v/x:of=a", "L12:", "somebody has to delete it"},
		{"t/a~[x.io/t]; v/y~*:of=a", "", "a finalizer holds it"},
		{"t/a~[x.io/t]; v/x:of=a; v/y~*:of=a", "", "when y is gone, somebody asks who is left"},
		{"t/a~[x.io/t]; v/x:of=a; v/y:of=a", "L12:", "nobody holds either"},
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

// say tells a witness of a selection of v: "of in (a)!": it begins; "of in (a)=
// v/x#1": it is answered, and v/x is a's.
func say(t *testing.T, w *invariant.Witness, line string) {
	t.Helper()
	c := ownergraph.Call{ID: 60, Type: ownergraph.CallSelect, Select: ownergraph.Selection{Kind: "v"}}
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
	var r ownergraph.Result
	if found != "" {
		o := parse(t, found)
		r.Selected.Objects = []ownergraph.Labelled{{Key: o.Key, Version: o.Version, Value: "a"}}
	}
	w.Answered(c, r)
}

// reads tells a witness what the read of an object has shown.
func reads(t *testing.T, w *invariant.Witness, o graph.Object) {
	t.Helper()
	c := ownergraph.Call{ID: 61, Type: ownergraph.CallRead, Key: o.Key}
	if err := w.Handed(c, nil); err != nil {
		t.Fatal(err)
	}
	w.Answered(c, ownergraph.Result{Object: o})
}

// TestWitnessOfLabels: what an engine was told of labels before it deletes by
// them, and before it releases a holder.
func TestWitnessOfLabels(t *testing.T) {
	const holder = "put t/a~[x.io/t]; "
	const none = "!keep!; !keep=; "
	for _, tc := range []struct{ told, want, reason string }{
		{"put v/x#1; of!; of=v/x#1; " + none, "", "a selection showed it at its version"},
		{"put v/x#1; of in (a)!; of in (a)=v/x#1; " + none, "", "one for this holder"},
		{"put v/x#1; " + none, "S23:", "nobody said anything of the label"},
		{"put v/x#1; of!; of=; " + none, "S23:", "it has none"},
		{"put v/x#1; of!; of=v/x#1; put v/x#2; " + none, "S23:", "that was of another version"},
		{"put v/x#1; of!; put v/x#2; of=v/x#1; " + none, "S23:", "the answer was old"},
		{"of!; put v/x#1; of=v/x#1; " + none, "", "the version says it all"},
		{"put v/a-x#1; of!; of=; !keep!; !keep=v/a-x#1; ", "", "its name, and its labels match"},
		{"put v/a-x#1; !keep!; !keep=v/a-x#1; ", "S23:", "it may be another's by its label"},
		{"of!; put v/a-x#1; of=; !keep!; !keep=v/a-x#1; ", "S23:", "that began before it was known"},
		{"put v/x#1; of!; rewound; put t/a~[x.io/t]; put v/x#1; of=v/x#1; " + none, "S23:", "that was another history"},
		{"put v/x#1; of!; of=; read v/x#2; of!; of=v/x#2; " + none, "", "a conflict's read is told, too, and its version was shown"},
		{"put v/x#1; of!; of=v/x#1; read v/x#2; " + none, "S23:", "it was not, and the former one says nothing of it"},
		{"put v/a-x#1; of!; of=; !keep!; read v/a-x#2; !keep=v/a-x#2; ", "S23:", "that it is nobody else's was said before it was read"},
		{"put v/a-x#1; read v/a-x#2; of!; of=; !keep!; !keep=v/a-x#2; ", "", "and here since then"},
		{"put v/x#1; read v/x#2; rewound; put t/a~[x.io/t]; put v/x#1; of!; of=v/x#2; " + none, "S23:", "what was read is of another history"},
	} {
		w := invariant.NewWitness(ownergraph.Level2, false)
		s, err := invariant.NewSweeps(byLabel(), nil)
		if err != nil {
			t.Fatal(err)
		}
		w.Follow(s.Plans())
		w.Told(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "t"}, {Kind: "v"}}})
		for line := range strings.SplitSeq(holder+tc.told+"fence 1; passed t", "; ") {
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
		if strings.Contains(tc.told, "v/a-x") {
			key = parse(t, "v/a-x").Key
		}
		d := ownergraph.Decided{Key: key, Call: 7, Holder: parse(t, "t/a").Key, Decision: policy.Decision{Action: policy.Delete}}
		if d.Version = "1"; strings.Contains(tc.told, "read ") {
			d.Version = "2"
		}
		if got := w.Swept(d); !breaks(got, tc.want) {
			t.Errorf("%s: got %v, want %q: %s", tc.told, got, tc.want, tc.reason)
		}
	}
}

// TestWitnessOfReleasesByLabels: a holder goes behind a selection for each of the
// members by labels, of each kind, that began when its mark was known.
func TestWitnessOfReleasesByLabels(t *testing.T) {
	const before, after = "of!; of=; !keep!; !keep=; ", "; of!; of=; !keep!; !keep="
	for _, tc := range []struct{ told, want, reason string }{
		{"put t/a~[x.io/t]" + after, "", "both are complete"},
		{"put t/a~[x.io/t]; of!; of=", "S24:", "one is not there"},
		{before + "put t/a~[x.io/t]", "S24:", "they began before"},
		{"of!; put t/a~[x.io/t]; of=; !keep!; !keep=", "S24:", "one did"},
	} {
		w := invariant.NewWitness(ownergraph.Level2, false)
		s, err := invariant.NewSweeps(byLabel(), nil)
		if err != nil {
			t.Fatal(err)
		}
		w.Follow(s.Plans())
		w.Told(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "t"}, {Kind: "v"}}})
		for line := range strings.SplitSeq(tc.told+"; fence 1; passed t; passed v; passed", "; ") {
			if strings.HasPrefix(line, "of") || strings.HasPrefix(line, "!") {
				say(t, w, line)
			} else {
				tell(t, w, line)
			}
		}
		live := parse(t, "t/a~[x.io/t]")
		if got := w.Handed(write(t, "release t/a x.io/t"), &live); !breaks(got, tc.want) {
			t.Errorf("%s: got %v, want %q: %s", tc.told, got, tc.want, tc.reason)
		}
	}
}
