package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// shortPatience is for calls that never return.
const shortPatience = 30 * time.Millisecond

// forgetful is a memory store that does not find marked objects.
type forgetful struct{ *testStore }

func (s forgetful) Get(ctx context.Context, key ownergraph.Key) (ownergraph.Object, error) {
	o, err := s.testStore.Get(ctx, key)
	if err == nil && o.Deleting {
		return ownergraph.Object{}, graph.ErrNotFound
	}
	return o, err
}

// newForgetful has no Compact hook.
func newForgetful(tb TB) Subject {
	s := memorySubject(tb)
	s.Store, s.Compact = forgetful{s.Store.(*testStore)}, nil
	return s
}

// newGraceless is newForgetful without grace periods.
func newGraceless(tb TB) Subject {
	s := newForgetful(tb)
	s.Store = graceless{s.Store}
	return s
}

// graceless declares that it keeps no grace periods, also on a store that keeps them.
type graceless struct{ ownergraph.Store }

func (g graceless) Unwrap() ownergraph.Store { return g.Store }
func (graceless) KeepsGrace() bool           { return false }

// ungraced is a store without a declaration.
type ungraced struct{ ownergraph.Store }

// TestGracersPromise: the declaration of a Gracer and Config.Without may not contradict each other.
func TestGracersPromise(t *testing.T) {
	const contradiction = "Config.Without names GracePeriods, and KeepsGrace of the store returns true: only one of them can be right"
	for _, c := range []struct {
		name    string
		wrap    func(ownergraph.Store) ownergraph.Store
		without []Promise
		want    string
		reason  string
	}{
		{"declared and denied", func(s ownergraph.Store) ownergraph.Store { return s }, []Promise{GracePeriods}, contradiction, "no law tries a power that a collector uses"},
		{"declared", func(s ownergraph.Store) ownergraph.Store { return s }, nil, "", "the laws try it"},
		{"no Gracer, denied", func(s ownergraph.Store) ownergraph.Store { return ungraced{s} }, []Promise{GracePeriods}, "", "neither side claims it"},
		{"no Gracer", func(s ownergraph.Store) ownergraph.Store { return ungraced{s} }, nil, "", "the store makes the promise, and no collector uses it"},
		{"declared as false", func(s ownergraph.Store) ownergraph.Store { return graceless{s} }, []Promise{GracePeriods}, "", "both deny it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := judgeBy(t.Context(), lawsAlone(kindsKnown), Config{Without: c.without, New: func(tb TB) Subject {
					s := memorySubject(tb)
					s.Store = c.wrap(s.Store)
					return s
				}})
				text := ""
				for _, x := range r.Of(Unproven) {
					text += x.Detail
				}
				if text != c.want || len(r.Of(Broken)) > 0 {
					t.Errorf("%q, want %q: %s\n%v", text, c.want, c.reason, r.Err())
				}
			})
		})
	}
}

func lawsIn(list []Result) []string {
	var out []string
	for _, r := range list {
		out = append(out, r.Law)
	}
	return out
}

func TestJudge(t *testing.T) {
	var r Report
	synctest.Test(t, func(t *testing.T) {
		r = Judge(t.Context(), Config{New: newGraceless, Search: shortSearch, Without: []Promise{GracePeriods}})
	})
	if got := lawsIn(r.Of(Broken)); !slices.Equal(got, []string{readMarked}) {
		t.Fatalf("broken: %v, want %s alone", got, readMarked)
	}
	for _, c := range []struct{ law, detail, reason string }{
		{"watch/compaction", "no Compact hook, and Config.Without does not name Compaction", "a law without its hook is never passed"},
		{deleteMarks, "they rest on read/marked, which is not kept", "it would only repeat the other one"},
		{"kinds/recovered", "they rest on read/marked, which is not kept", "and so does a law that rests on such a one"},
	} {
		i := slices.IndexFunc(r.Results, func(x Result) bool { return x.Law == c.law })
		if got := r.Results[i]; got.Outcome != Unproven || got.Detail != c.detail {
			t.Errorf("%s: %s, %q, want it unproven, %q: %s", c.law, got.Outcome, got.Detail, c.detail, c.reason)
		}
	}
	excused := 0
	for _, x := range r.Of(NotOwed) {
		switch {
		case x.Detail == "Config.Without names GracePeriods":
			excused++
		case x.Detail == "it is owed from level 3 on", x.Detail == "the store lacks an archive", x.Law == "archive/batch":
		case x.Detail != "the store lacks batches" || !strings.HasPrefix(x.Law, "batch/"):
			t.Errorf("%s is not owed: %s; the store is of level 2, and without grace periods, batches and an archive only", x.Law, x.Detail)
		}
	}
	if excused != 7 {
		t.Errorf("%d laws are not owed, want the seven of grace periods", excused)
	}
}

func TestCheck(t *testing.T) { synctest.Test(t, testCheck) }

func testCheck(t *testing.T) {
	if err := Check(t.Context(), Config{New: memorySubject, Search: shortSearch}); err != nil {
		t.Errorf("the memory store: %v", err)
	}
	err := Check(t.Context(), Config{New: newForgetful, Search: shortSearch})
	if !errors.Is(err, ErrBroken) || !errors.Is(err, ErrUnproven) {
		t.Fatalf("a store that forgets: %v, want it broken and unproven", err)
	}
	for _, want := range []string{
		"law read/marked is broken\nexpected: ",
		" is there until its finalizer is gone\nseen:     not found\nwhy it matters: an object that is being deleted",
		"\nnot proven: no Compact hook, and Config.Without does not name Compaction: watch/compaction",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q:\n%v", want, err)
		}
	}
	err = Check(t.Context(), Config{Search: shortSearch, New: func(tb TB) Subject { s := memorySubject(tb); s.Compact = nil; return s }})
	if errors.Is(err, ErrBroken) || !errors.Is(err, ErrUnproven) {
		t.Errorf("a store without a hook: %v, want it unproven and not broken", err)
	}
}

// TestCheckOf checks the errors of a wrong Config.
func TestCheckOf(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	panics := func(tb TB) Subject {
		s := memorySubject(tb)
		s.Store = panicking{s.Store.(*testStore)}
		return s
	}
	for _, c := range []struct {
		ctx          context.Context
		conf         Config
		is           error
		want, reason string
	}{
		{t.Context(), Config{}, ErrUnproven, "Config.New: nil", "nothing to test"},
		{t.Context(), Config{New: memorySubject, Patience: -1}, ErrUnproven, "Config.Patience: -1ns is negative", "no law could be kept"},
		{t.Context(), Config{New: memorySubject, Level: 9}, ErrUnproven, "Config.Level: there is no level(9)", "the duties of that level are unknown"},
		{t.Context(), Config{New: memorySubject, Without: []Promise{Rewinds, 99}}, ErrUnproven, "Config.Without[1]: there is no Promise(99)", "nothing is excused by it"},
		{t.Context(), Config{New: memorySubject, Kinds: []ownergraph.Kind{"pod", "pot"}}, ErrUnproven, `Config.Kinds[1]: the store does not serve "pot"`, "nothing can be made of it"},
		{t.Context(), Config{New: memorySubject, Without: []Promise{PromiseUnset}}, ErrUnproven, "Config.Without[0]: there is no PromiseUnset", "it would excuse anything"},
		{t.Context(), Config{New: newHangingStore, Patience: shortPatience}, ErrBroken, "it has not returned", "a call that hangs does not hang the kit"},
		{t.Context(), Config{New: func(TB) Subject { return Subject{} }}, ErrUnproven, "New returned no Store", "nothing to test"},
		{t.Context(), Config{New: func(tb TB) Subject { tb.Fatalf("no database"); return Subject{} }}, ErrUnproven, "no database", "it says why"},
		{t.Context(), Config{New: func(tb TB) Subject { return Subject{Store: memorySubject(tb).Store} }}, ErrUnproven, "New returned no Client", "no client can write"},
		{ended, Config{New: memorySubject}, ErrUnproven, "the context ended", "nothing is judged by a context that has ended"},
		{t.Context(), Config{New: panics}, ErrBroken, "panic: boom", "a panic is a breach, and ends nothing else"},
		{t.Context(), Config{New: func(TB) Subject { panic("bang") }}, ErrBroken, "panic: bang", "also of the harness"},
		{t.Context(), Config{New: relistingConfig().New, Level: ownergraph.Level2}, ErrUnproven, "the store is no Fencer", "it claims more than it has"},
	} {
		err := Check(c.ctx, c.conf)
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Check: %.300v, want %v with %q: %s", err, c.is, c.want, c.reason)
		}
	}
}

// hangingStore answers no read until the law is over, also after the end of the
// read's context.
type hangingStore struct {
	*testStore
	over <-chan struct{}
}

func (s hangingStore) Get(ctx context.Context, key ownergraph.Key) (ownergraph.Object, error) {
	<-s.over
	return s.testStore.Get(ctx, key)
}

func newHangingStore(tb TB) Subject {
	over := make(chan struct{})
	tb.Cleanup(func() { close(over) })
	s := memorySubject(tb)
	s.Store = hangingStore{s.Store.(*testStore), over}
	return s
}

// panicking panics at a patch.
type panicking struct{ *testStore }

func (panicking) Patch(context.Context, ownergraph.Key, ownergraph.Precondition, ownergraph.Change) error {
	panic("boom")
}

// TestLevels checks that laws above a store's level are not owed.
func TestLevels(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		level  ownergraph.Level
		want   []string
		reason string
	}{
		{ownergraph.Level0, []string{"client/create", "read/fresh", "fence/passes"}, "it promises nothing"},
		{ownergraph.Level1, []string{"fence/passes", "rewind/told"}, "no fences"},
		{ownergraph.Level2, []string{"level3/absent-owner", "search/level3"}, "no judgement of references"},
		{ownergraph.Level3, nil, "everything"},
	} {
		var r Report
		synctest.Test(t, func(t *testing.T) {
			r = Judge(t.Context(), Config{New: strictArchiveSubject, Level: c.level, Search: shortSearch})
		})
		if r.Level != c.level || r.Err() != nil {
			t.Errorf("level %s: %s", c.level, r)
		}
		not := lawsIn(r.Of(NotOwed))
		for _, name := range c.want {
			if !slices.Contains(not, name) {
				t.Errorf("level %s: %s is owed: %s", c.level, name, c.reason)
			}
		}
		if (len(not) == 0) != (c.want == nil) {
			t.Errorf("level %s: not owed: %v: %s", c.level, not, c.reason)
		}
	}
}

func TestReportOf(t *testing.T) {
	r := Report{Level: ownergraph.Level1, Results: []Result{
		{Law: "a/kept", Outcome: Kept, Why: "w"},
		{Law: "b/broken", Outcome: Broken, Detail: "expected: x\nseen:     y", Why: "w"},
		{Law: "c/open", Outcome: Unproven, Detail: "no hook", Excuse: Rewinds, Why: "w"},
		{Law: "e/open", Outcome: Unproven, Detail: "no hook", Excuse: Rewinds, Why: "w"},
		{Law: "d/free", Outcome: NotOwed, Detail: "lacks", Why: "w"},
	}}
	const want = `level 1, 5 laws, 1 kept, 1 broken, 2 not proven, 1 not owed
law b/broken is broken
expected: x
seen:     y
why it matters: w
not proven: no hook: c/open, e/open
not owed: lacks: d/free
a store that cannot show these says: Without: []storetest.Promise{storetest.Rewinds}`
	if r.String() != want {
		t.Errorf("String:\n%s\nwant:\n%s", r, want)
	}
	text, err := json.Marshal(Report{Level: ownergraph.Level2, Results: []Result{r.Results[0], r.Results[2]}})
	if err != nil || string(text) != `{"level":"2","results":[{"law":"a/kept","outcome":"kept","why":"w"},`+
		`{"law":"c/open","outcome":"not proven","detail":"no hook","excuse":"Rewinds","why":"w"}]}` {
		t.Errorf("JSON: %s, %v", text, err)
	}
	if (Report{Results: r.Results[:1]}).Err() != nil {
		t.Error("a report of kept laws is an error")
	}
	if Outcome(9).String() != "outcome(9)" || Promise(99).String() != "Promise(99)" || Durability.String() != "Durability" {
		t.Errorf("enums: %s, %s, %s", Outcome(9), Promise(99), Durability)
	}
}
