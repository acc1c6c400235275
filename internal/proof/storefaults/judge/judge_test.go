package judge

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// story is a small history with its database, which a test damages.
type story struct {
	history *History
	content *Content
	keys    map[string]graph.Key
	version int
}

// newStory has a team with a bucket, a photo of that bucket with a row of the user, and a
// team that was deleted with its bucket.
func newStory() *story {
	s := &story{history: &History{}, content: &Content{Worked: map[graph.UID]bool{}}, keys: map[string]graph.Key{}}
	s.create("team", false)
	s.create("bucket", false, "team")
	s.create("photo", true, "bucket")
	s.create("old", false)
	s.create("oldbucket", false, "old")
	s.delete("old", graph.Background)
	s.gone("old")
	s.gone("oldbucket")
	return s
}

func (s *story) create(name string, payload bool, owners ...string) {
	o := graph.Object{Key: graph.Key{Kind: "thing", Name: name}}
	for _, owner := range owners {
		o.Owners = append(o.Owners, graph.Owner{Key: s.keys[owner]})
	}
	c := s.history.Begin(Call{Verb: Create, Key: o.Key, Object: o, Payload: payload})
	uid := graph.UID("uid-" + name)
	s.history.End(c, uid, nil)
	o.UID = uid
	s.keys[name] = o.Key
	s.put(o)
	if payload {
		s.content.Rows = append(s.content.Rows, Row{uid, name})
	}
}

func (s *story) delete(name string, p graph.Propagation) {
	s.history.End(s.history.Begin(Call{Verb: Delete, Key: s.keys[name], Propagation: p}), "", nil)
}

// put commits a state, and gone an end.
func (s *story) put(o graph.Object) {
	s.version++
	o.Version = graph.Version(fmt.Sprint(s.version))
	s.content.Changes = append(s.content.Changes, Change{Object: o})
	s.hide(o.Name)
	s.content.Objects = append(s.content.Objects, o)
}

func (s *story) gone(name string) {
	s.content.Changes = append(s.content.Changes, Change{Gone: true, Object: graph.Object{Key: s.keys[name]}})
	s.hide(name)
}

// hide removes an object without a trace in the history.
func (s *story) hide(name string) {
	s.content.Objects = slices.DeleteFunc(s.content.Objects, func(o graph.Object) bool { return o.Name == name })
}

func (s *story) object(name string) graph.Object {
	i := slices.IndexFunc(s.content.Objects, func(o graph.Object) bool { return o.Name == name })
	return s.content.Objects[i].Clone()
}

// answer records a call with an answer.
func (s *story) answer(c Call, err error) { s.history.End(s.history.Begin(c), "", err) }

func TestSound(t *testing.T) {
	s := newStory()
	if found := Judge(s.history, s.content); len(found) > 0 {
		t.Errorf("a sound database has breaches:\n%s", Text(found))
	}
}

// TestPeriodEnds: the agent of an object ends its grace period, and no user's call shows that.
func TestPeriodEnds(t *testing.T) {
	s := newStory()
	o := s.object("photo")
	o.Deleting, o.GraceSeconds = true, 30
	s.delete("photo", graph.Background)
	s.put(o)
	s.gone("photo")
	s.content.Rows = nil
	if found := Judge(s.history, s.content); len(found) > 0 {
		t.Errorf("the end of a period has breaches:\n%s", Text(found))
	}
}

// TestPlanted plants mistakes into a sound history or its database.
func TestPlanted(t *testing.T) {
	for _, tc := range []struct {
		name   string
		plant  func(s *story)
		rule   string
		reason string
	}{
		{"removed by hand", func(s *story) { s.hide("bucket") }, "tables", "the history has no end of the object"},
		{"removed by hand, with its history", func(s *story) { s.gone("bucket") }, "deleted", "its owner lives"},
		{"lost root", func(s *story) { s.gone("team") }, "lost", "a root has no owner whose end explains it"},
		{"lost dependent", func(s *story) { s.gone("bucket") }, "lost", "no user deleted it, and its owner lives"},
		{"orphan left", func(s *story) { s.delete("team", graph.Background); s.gone("team") }, "waiting", "all owners of the bucket are gone"},
		{"waits for ever", func(s *story) {
			o := s.object("photo")
			o.Deleting, o.Finalizers = true, []string{graph.FinalizerForeground}
			s.delete("photo", graph.Foreground)
			s.put(o)
		}, "waiting", "a marked object without dependents has to go"},
		{"period without an end", func(s *story) {
			o := s.object("photo")
			o.Deleting, o.GraceSeconds = true, 30
			s.delete("photo", graph.Background)
			s.put(o)
		}, "waiting", "an agent has to end each period"},
		{"period without a cause", func(s *story) {
			o := s.object("bucket")
			o.Deleting, o.GraceSeconds = true, 30
			s.put(o)
			s.gone("bucket")
		}, "deleted", "its owner lives, and no user deleted it"},
		{"removed in spite of two finalizers", func(s *story) {
			o := s.object("photo")
			o.Deleting, o.GraceSeconds, o.Finalizers = true, 30, []string{FinalizerHold, "x"}
			s.delete("photo", graph.Background)
			s.put(o)
			s.gone("photo")
		}, "deleted", "the end of a period leaves finalizers"},
		{"orphan deleted", func(s *story) {
			s.delete("team", graph.Orphan)
			s.gone("team")
			s.gone("bucket")
		}, "orphan", "the dependent of an orphaning owner stays"},
		{"orphan refers", func(s *story) { s.delete("team", graph.Orphan); s.gone("team") }, "orphan", "the reference goes before the owner"},
		{"reference lost", func(s *story) {
			o := s.object("bucket")
			o.Owners = nil
			s.put(o)
		}, "lost", "the owner lives, and no user dropped the reference"},
		{"conflict of a write that is done", func(s *story) {
			o := graph.Object{Key: graph.Key{Kind: "thing", Name: "new"}}
			s.answer(Call{Verb: Create, Key: o.Key, Object: o}, graph.ErrConflict)
			o.UID = "uid-new"
			s.put(o)
		}, "definite", "a conflict says that nothing is done"},
		{"not found, and there", func(s *story) { s.answer(Call{Verb: Read, Key: s.keys["team"]}, graph.ErrNotFound) }, "definite",
			"an object that is there at the end was never absent, because its UID is used once"},
		{"not found, and deleted by that", func(s *story) {
			s.answer(Call{Verb: Delete, Key: s.keys["photo"], Propagation: graph.Background}, graph.ErrNotFound)
			s.gone("photo")
			s.content.Rows = nil
		}, "lost", "the answer says that this call did not delete it"},
		{"done, and undone", func(s *story) { s.delete("photo", graph.Background) }, "definite", "a deletion that is done stays done"},
		{"creation undone", func(s *story) {
			s.hide("photo")
			s.content.Changes = slices.DeleteFunc(s.content.Changes, func(c Change) bool { return c.Object.Name == "photo" })
		}, "definite", "a creation that is done stays done"},
		{"finalizer without its work", func(s *story) {
			o := s.object("photo")
			o.Finalizers = []string{FinalizerWork}
			s.history.calls[2].Object.Finalizers = o.Finalizers
			s.content.Changes[2].Object.Finalizers = o.Finalizers
			o.Deleting = true
			s.delete("photo", graph.Background)
			s.put(o)
			s.gone("photo")
		}, "handler", "the handler has not run"},
		{"row without an object", func(s *story) { s.content.Rows = append(s.content.Rows, Row{"uid-old", "old"}) }, "tables", "the row goes with its object"},
		{"object without its row", func(s *story) { s.content.Rows = nil }, "tables", "the row and the object commit together"},
		{"state of the history differs", func(s *story) { s.content.Objects[0].Generation = 7 }, "tables", "the log has the last state of each object"},
		{"object that no user made", func(s *story) { s.put(graph.Object{Key: graph.Key{Kind: "thing", Name: "x", UID: "x"}}) }, "deleted", "only users create"},
		{"foreign reference", func(s *story) {
			o := s.object("bucket")
			o.Owners = append(o.Owners, graph.Owner{Key: s.keys["old"]})
			s.put(o)
		}, "definite", "only users add references"},
		{"contradiction of the tables", func(s *story) { s.content.Faults = []string{"owners"} }, "tables", "the reader of the tables has found it"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newStory()
			tc.plant(s)
			found := Judge(s.history, s.content)
			if !slices.ContainsFunc(found, func(b Breach) bool { return b.Rule == tc.rule }) {
				t.Errorf("no breach of the rule %s: %s; found:\n%s", tc.rule, tc.reason, Text(found))
			}
		})
	}
}

func TestWaiting(t *testing.T) {
	for _, tc := range []struct {
		objects, want, reason string
	}{
		{"a; b -> a", "", "nothing is to do"},
		{"a~[x]", "a~[x] is marked", "a mark is an unfinished deletion"},
		{"b -> a", "the owners are gone that its end follows", "a collector deletes it"},
		{"b -> a:cascade, c; c", "the owners are gone that its end follows", "a cascade owner alone suffices"},
		{"b -> a:release", "a collector has a step left", "a collector drops the reference"},
		{"b -> a:restrict", "", "such a reference deletes nothing, and stays"},
		{"b -> a, c; c", "", "a solid owner keeps it; the absent reference may stay"},
		{"a -> b; b -> a", "", "objects that own each other stay"},
	} {
		objects, err := graph.Parse(tc.objects)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(Waiting(objects), "; ")
		if tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
			t.Errorf("%s: waiting %q, want %q: %s", tc.objects, got, tc.want, tc.reason)
		}
	}
}

func TestRestricting(t *testing.T) {
	for _, tc := range []struct {
		objects, want, reason string
	}{
		{"a; b -> a:restrict", "[]", "no deletion waits"},
		{"a~[foregroundDeletion]; b -> a:restrict; c -> a", "[b]", "the mark waits for the end of the restriction"},
		{"a~[foregroundDeletion]; b~[x] -> a:restrict", "[]", "a mark ends the restriction"},
		{"a -> r:cascade; b -> a:restrict; c -> b:restrict; d -> c", "[b c]", "what restricts a restricting object holds the same deletion"},
		{"a -> r:cascade; b -> a:release", "[]", "another policy holds nothing"},
		{"r~[foregroundDeletion]; a -> r!; b -> a:restrict", "[b]", "an owner waits for an object that is restricted"},
	} {
		objects, err := graph.Parse(tc.objects)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, k := range Restricting(objects) {
			names = append(names, k.Name)
		}
		if got := fmt.Sprint(names); got != tc.want {
			t.Errorf("%s: %s, want %s: %s", tc.objects, got, tc.want, tc.reason)
		}
	}
}

// TestPlantedPolicies plants mistakes into a database with policies. A user has deleted the team "gone".
func TestPlantedPolicies(t *testing.T) {
	for _, tc := range []struct {
		refs   string // of the dependent
		ends   bool   // it is gone
		rule   string
		reason string
	}{
		{"gone:release", true, "lost", "release deletes nothing"},
		{"gone:restrict", true, "lost", "restrict deletes nothing"},
		{"gone:cascade, team", true, "", "one cascade owner suffices"},
		{"team:cascade", true, "lost", "the cascade owner lives"},
		{"gone, team", true, "lost", "an unset owner lives"},
		{"gone, team:cascade", true, "", "a cascade owner does not keep"},
		{"gone, team:release", true, "", "a release owner does not keep"},
		{"gone:cascade, team", false, "waiting", "the collector has a step left"},
	} {
		t.Run(tc.refs, func(t *testing.T) {
			s := newStory()
			s.create("gone", false)
			o := graph.Object{Key: graph.Key{Kind: "thing", Name: "x"}}
			list, err := graph.Parse("x -> " + tc.refs)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range list[0].Owners {
				o.Owners = append(o.Owners, graph.Owner{Key: s.keys[r.Name], OnDelete: r.OnDelete})
			}
			c := s.history.Begin(Call{Verb: Create, Key: o.Key, Object: o})
			s.history.End(c, "uid-x", nil)
			o.UID = "uid-x"
			s.keys["x"] = o.Key
			s.put(o)
			s.delete("gone", graph.Background)
			s.gone("gone")
			if tc.ends {
				s.gone("x")
			}
			found := Judge(s.history, s.content)
			if got := slices.ContainsFunc(found, func(b Breach) bool { return b.Rule == tc.rule }); got != (tc.rule != "") || tc.rule == "" && len(found) > 0 {
				t.Errorf("want the rule %q: %s; found:\n%s", tc.rule, tc.reason, Text(found))
			}
		})
	}
}

type later struct{ error }

func (later) RetryAfter() time.Duration { return time.Second }

func TestOutcomes(t *testing.T) {
	for _, tc := range []struct {
		err    error
		want   Outcome
		reason string
	}{
		{nil, Done, "no error"},
		{fmt.Errorf("x: %w", graph.ErrNotFound), Absent, "absence is proof"},
		{fmt.Errorf("x: %w", graph.ErrConflict), Refused, "a conflict changes nothing"},
		{later{errors.New("x")}, Refused, "the call has not begun"},
		{errors.New("x"), Unknown, "no answer"},
	} {
		if got := OutcomeOf(tc.err); got != tc.want {
			t.Errorf("outcome of %v: %s, want %s: %s", tc.err, got, tc.want, tc.reason)
		}
	}
}
