package inflight

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

var (
	errOther   = errors.New("timeout")
	errRefused = fmt.Errorf("quota: %w", graph.ErrRefused)
)

// TestSound: the answer of a read is about the place that was asked for.
func TestSound(t *testing.T) {
	k := graph.Key{Kind: "a", Scope: "s", Name: "x", UID: "u"}
	for _, c := range []struct {
		change func(o *graph.Object)
		err    error
		want   error
		reason string
	}{
		{func(*graph.Object) {}, nil, nil, "it is the object"},
		{func(o *graph.Object) { o.UID = "w" }, nil, nil, "another object has the place"},
		{func(o *graph.Object) { o.UID = "" }, nil, graph.ErrInvalid, "it has no UID"},
		{func(o *graph.Object) { o.Version = "" }, nil, graph.ErrInvalid, "it has no version"},
		{func(o *graph.Object) { o.Scope = "t" }, nil, graph.ErrInvalid, "it has another scope"},
		{func(o *graph.Object) { o.Version = "" }, errOther, errOther, "there is no answer"},
	} {
		o := graph.Object{Key: k, Version: "1"}
		c.change(&o)
		if got := Sound(k, &o, c.err); !errors.Is(got, c.want) {
			t.Errorf("%v, want %v: %s", got, c.want, c.reason)
		}
	}
}

// TestOfWrite: each result of a write has its outcome.
func TestOfWrite(t *testing.T) {
	const former, later = 1, 3 // the rewind is at 2
	for _, c := range []struct {
		err     error
		delayed bool
		call    Call
		want    Outcome
		reason  string
	}{
		{nil, false, Call{Began: former}, Succeeded, "the store has made the change, whatever history it is of"},
		{graph.ErrNotFound, false, Call{Began: later}, Vanished, "proof of absence"},
		{graph.ErrNotFound, false, Call{Began: former}, Conflicted, "it proves the absence in a former history"},
		{graph.ErrNotFound, false, Call{Began: 2}, Conflicted, "it began before the rewind ended"},
		{graph.ErrNotFound, false, Call{Began: later, Shown: true}, Conflicted, "the watch goes first"},
		{graph.ErrNotFound, true, Call{Began: later}, Vanished, "proof comes before a delay"},
		{graph.ErrConflict, false, Call{Began: later}, Conflicted, "another writer was first"},
		{graph.ErrConflict, true, Call{Began: later}, Conflicted, "the object is read at once"},
		{errRefused, false, Call{Began: later}, Refused, "a retry soon fails again"},
		{errRefused, true, Call{Began: later}, Refused, "a retry soon fails again, whatever delay it names"},
		{errOther, true, Call{Began: later}, Delayed, "the store has done nothing"},
		{graph.ErrKindUnknown, true, Call{Began: later}, Delayed, "the store names the time"},
		{graph.ErrKindUnknown, false, Call{Began: later}, Unserved, "it proves nothing about the object"},
		{errOther, false, Call{Began: later}, Unknown, "the store may have made the change"},
	} {
		if got := OfWrite(&c.call, c.err, c.delayed, 2); got != c.want {
			t.Errorf("%v: %v, want %v: %s", c.err, got, c.want, c.reason)
		}
	}
}

// TestOfRead: each result of a read of an owner has its outcome.
func TestOfRead(t *testing.T) {
	for _, c := range []struct {
		uid       graph.UID
		err       error
		backwards bool
		call      Call
		want      Outcome
		reason    string
	}{
		{"u", nil, false, Call{Began: 3}, Found, "the owner exists"},
		{"u", nil, true, Call{Began: 3}, Backwards, "the watch had shown its end"},
		{"w", nil, false, Call{Began: 3}, Vanished, "another object has the name"},
		{"", graph.ErrNotFound, false, Call{Began: 3}, Vanished, "proof of absence"},
		{"", graph.ErrNotFound, false, Call{Began: 3, Shown: true}, Overtaken, "the watch goes first"},
		{"", graph.ErrNotFound, false, Call{Began: 1}, Outdated, "it is about a former history"},
		{"u", nil, false, Call{Began: 2}, Outdated, "it began before the rewind ended"},
		{"u", nil, true, Call{Began: 1}, Outdated, "one rewind is detected once"},
		{"", errOther, false, Call{Began: 3}, Failed, "an error proves nothing"},
		{"", graph.ErrKindUnknown, false, Call{Began: 3, Shown: true}, Failed, "an error proves nothing"},
	} {
		c.call.Key.UID = "u"
		if got := OfRead(&c.call, c.uid, c.err, c.backwards, 2); got != c.want {
			t.Errorf("UID %q, %v: %v, want %v: %s", c.uid, c.err, got, c.want, c.reason)
		}
	}
}

// TestOfReread: each result of the read after a conflict or a deadline has its outcome.
func TestOfReread(t *testing.T) {
	fail := func(err error) func(*Call, *RereadFacts) {
		return func(_ *Call, f *RereadFacts) { f.Err, f.UID = err, "" }
	}
	with := func(err error, change func(f *RereadFacts)) func(*Call, *RereadFacts) {
		return func(_ *Call, f *RereadFacts) {
			f.Err, f.UID = err, ""
			change(f)
		}
	}
	for _, c := range []struct {
		reason string
		change func(x *Call, f *RereadFacts)
		want   Outcome
	}{
		{"only the version is new", func(*Call, *RereadFacts) {}, Retry},
		{"it is about a former history", func(x *Call, _ *RereadFacts) { x.Began = 2 }, Outdated},
		{"the watch has shown a newer version", func(_ *Call, f *RereadFacts) { f.Known = 6 }, Overtaken},
		{"the watch has shown a version in the same moment", func(x *Call, f *RereadFacts) { f.Known = x.Began }, Retry},
		{"the graph's version is of a former history", func(_ *Call, f *RereadFacts) { f.Known = 2 }, Overtaken},
		{"no object is there", fail(graph.ErrNotFound), Vanished},
		{"another object has the name", func(_ *Call, f *RereadFacts) { f.UID = "w" }, Vanished},
		{"the watch has shown it meanwhile", func(x *Call, f *RereadFacts) { x.Shown, f.Err = true, graph.ErrNotFound }, Overtaken},
		{"the watch has shown it, and it is there", func(x *Call, _ *RereadFacts) { x.Shown = true }, Retry},
		{"once the kind is served again it is listed", with(graph.ErrKindUnknown, func(f *RereadFacts) { f.Part = false }), Unserved},
		{"the kind takes part", fail(graph.ErrKindUnknown), Failed},
		{"the kind is sick", with(errOther, func(f *RereadFacts) { f.Sick = true }), Sick},
		{"a sick kind may refuse, too", with(errRefused, func(f *RereadFacts) { f.Sick = true }), Sick},
		{"only the outside can help", fail(errRefused), Refused},
		{"the watch has shown the kind since the write", with(errRefused, func(f *RereadFacts) { f.OutcomeUnknown, f.ShownSince = true, true }), Settled},
		{"the outcome of the write may still come", with(errRefused, func(f *RereadFacts) { f.OutcomeUnknown = true }), Refused},
		{"no write has an unknown outcome", with(errRefused, func(f *RereadFacts) { f.ShownSince = true }), Refused},
		{"an error proves nothing", fail(errOther), Failed},
		{"the store names the time", with(errOther, func(f *RereadFacts) { f.Delayed = true }), Delayed},
		{"a retry soon fails again", with(errRefused, func(f *RereadFacts) { f.Delayed = true }), Refused},
		{"the kind's recovery comes first", with(errOther, func(f *RereadFacts) { f.Delayed, f.Sick = true, true }), Sick},
		{"the store went back", func(_ *Call, f *RereadFacts) { f.Backwards = true }, Backwards},
		{"the graph has this version", func(_ *Call, f *RereadFacts) { f.SameVersion, f.OutcomeUnknown = true, true }, Same},
		{"the write may have made this version", func(_ *Call, f *RereadFacts) { f.OutcomeUnknown = true }, Different},
		{"a decision rests on content that the watch has shown", func(_ *Call, f *RereadFacts) { f.SameContent = false }, Different},
	} {
		x, f := Call{Began: 5, Key: graph.Key{UID: "u"}}, RereadFacts{UID: "u", Known: 4, Rewound: 2, Part: true, SameContent: true}
		c.change(&x, &f)
		if got := OfReread(&x, &f); got != c.want {
			t.Errorf("%v, want %v: %s", got, c.want, c.reason)
		}
	}
}

// TestOutcomeTraits: the store has answered, an object may be used, or it is read again.
func TestOutcomeTraits(t *testing.T) {
	seen := map[string]bool{}
	for o := range numOutcomes + 1 {
		seen[o.String()] = true
		if again := slices.Contains([]Outcome{Outdated, Refused, Delayed, Sick, Failed}, o); o.ReadsAgain() != again {
			t.Errorf("%v: the object is read again %v, want %v", o, !again, again)
		}
		if o.HasObject() && !o.IsAnswer() || o.IsAnswer() && o.ReadsAgain() {
			t.Errorf("%v: an object is an answer, and after an answer the object is not read again", o)
		}
	}
	if len(seen) != int(numOutcomes)+1 {
		t.Errorf("%d names of outcomes, want %d", len(seen), numOutcomes+1)
	}
}
