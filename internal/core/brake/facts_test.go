package brake

import (
	"bytes"
	"reflect"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// TestFacts: a later program reads the facts that the record got.
func TestFacts(t *testing.T) {
	at := start.UTC()
	list := []Fact{
		{Key: graph.Key{Kind: "a", Scope: "s", Name: "n", UID: "u"}, State: Tripped, Cause: TooMany, At: at},
		{Key: graph.Key{Kind: "a", UID: "v"}, State: Approved, Until: at.Add(5), AtMost: 7, At: at},
		{Key: graph.Key{Kind: "a", UID: "w"}, State: Tripped, Cause: ApprovalUsed, Until: at.Add(5), AtMost: 7},
		{Key: graph.Key{Kind: "a", UID: "x"}, State: Tripped, Cause: LimitReached},
		{Key: graph.Key{Kind: "a", UID: "y"}, State: RefusedKeep},
		{Key: graph.Key{Kind: "a", UID: "z"}, State: RefusedOrphan},
	}
	var parts [][]byte
	for _, f := range list {
		parts = append(parts, WriteFact(f))
	}
	if want := `{"kind":"a","scope":"s","name":"n","uid":"u","state":"tripped","cause":"tooMany","at":"1970-01-01T00:16:40Z"}`; string(parts[0]) != want {
		t.Errorf("the text is %s, want %s", parts[0], want)
	}
	got, err := ReadFacts([]byte("[" + string(bytes.Join(parts, []byte(","))) + "]"))
	if err != nil || !reflect.DeepEqual(got, list) {
		t.Errorf("read %v, error %v, want %v", got, err, list)
	}
	for s := range numStates {
		if (factStateNames[s] != "") != (s >= Tripped) {
			t.Errorf("%s has the name %q in the record", s, factStateNames[s])
		}
	}
	for c := range numCauses {
		if (factCauseNames[c] != "") != (c > CauseUnset) {
			t.Errorf("%s has the name %q in the record", c, factCauseNames[c])
		}
	}
}

// TestFactsRefused: a fact that this version does not understand is an error, and never counts as
// absent.
func TestFactsRefused(t *testing.T) {
	const head = `[{"kind":"a","name":"n","uid":"u",`
	for _, c := range []struct{ reason, text, want string }{
		{"it is no list", `{}`, "found an object, want an array"},
		{"it has no state", `[{"kind":"a","name":"n","uid":"u"}]`, "[0].state: missing"},
		{"it has no UID", `[{"kind":"a","name":"n","uid":"","state":"keep"}]`, "[0]: uid: empty"},
		{"the state is unknown", head + `"state":"open"}]`, `[0].state: "open" is unknown`},
		{"the state is empty", head + `"state":""}]`, `[0].state: "" is unknown`},
		{"the cause is unknown", head + `"state":"tripped","cause":"x"}]`, `[0].cause: "x" is unknown`},
		{"an approval has no end", head + `"state":"approved","atMost":1}]`, "[0]: an approval takes until and atMost"},
		{"an approval has no number", head + `"state":"approved","until":"1970-01-01T00:16:40Z"}]`, "[0]: an approval takes until and atMost"},
		{"the time is none", head + `"state":"keep","at":"now"}]`, `[0].at: "now" is no time`},
		{"a field is unknown", head + `"state":"keep","only":"pods"}]`, `[0]."only": unknown field`},
	} {
		if got, err := ReadFacts([]byte(c.text)); err == nil || err.Error() != c.want || got != nil {
			t.Errorf("%s: read %v, error %v, want %s", c.reason, got, err, c.want)
		}
	}
}

// recording returns a brake with a record and two cascades that have tripped.
func recording(t *testing.T) *rig {
	t.Helper()
	r := newRig(t, Settings{PerCascade: 1}, "a/0; a/1; b/0 -> a/0; b/1 -> a/1")
	r.m.KeepRecord()
	r.tripped()
	return r
}

func (r *rig) tripped() {
	r.Helper()
	for _, n := range []string{"0", "1"} {
		r.m.begin(r.view(), key("a/"+n), nil, 3)
		if a := r.judge("b/"+n, "a/"+n); a != Held {
			r.Fatalf("a/%s: %v", n, a)
		}
	}
	r.woken()
}

// TestRecordMerged: the record gets each trip and each answer once. A fresh brake begins with
// them, and two brakes keep the answers of both.
func TestRecordMerged(t *testing.T) {
	r := recording(t)
	until := r.now.Add(time.Hour)
	list := r.m.MergeRecord(nil)
	if len(list) != 2 || list[0].Key != key("a/0") || list[0].State != Tripped || list[0].Cause != TooMany || !list[0].At.Equal(r.now) || !r.m.Unrecorded() {
		t.Fatalf("facts %+v", list)
	}
	r.m.TakeRecord(r.view(), list)
	if r.m.Unrecorded() || r.woken() != 0 || !reflect.DeepEqual(r.m.MergeRecord(list), list) {
		t.Error("a recorded trip is written again")
	}
	other := recording(t)
	if !other.m.TryApprove(other.view(), key("a/0"), until, 5) || !r.m.TryRefuse(r.view(), key("a/1"), true) {
		t.Fatal("no answer")
	}
	list = other.m.MergeRecord(list)
	other.m.TakeRecord(other.view(), list)
	list = r.m.MergeRecord(list)
	r.m.TakeRecord(r.view(), list)
	other.m.TakeRecord(other.view(), list)
	fresh := newRig(t, Settings{PerCascade: 1}, "a/0; a/1; b/0 -> a/0; b/1 -> a/1")
	fresh.m.KeepRecord()
	fresh.begin("a/0") // counted before the record is read
	fresh.m.TakeRecord(fresh.view(), list)
	for _, x := range []*rig{r, other, fresh} {
		if a, b := x.judge("b/0", "a/0"), x.judge("b/1", "a/1"); a != Go || b != Orphan || x.m.Unrecorded() {
			t.Errorf("%v and %v, want go and orphan; facts %+v", a, b, list)
		}
	}
	if n := fresh.m.Counts(); n != (Counts{}) {
		t.Errorf("the counts of a fresh brake are %+v", n)
	}
	if n := r.m.Counts(); n != (Counts{Trips: 2, Approvals: 1, Refusals: 1}) {
		t.Errorf("the counts are %+v", n)
	}
}

// TestRecordAnswers: of a change of this brake and a fact of the record, the right one counts.
func TestRecordAnswers(t *testing.T) {
	until := start.Add(time.Hour)
	fact := func(s State, until time.Time, atMost int) []Fact {
		f := Fact{Key: key("a/0"), State: s, Until: until, AtMost: atMost, At: start}
		if s == Tripped {
			f.Cause = TooMany
		}
		return []Fact{f}
	}
	use := func(r *rig) { // an approval of one delete
		r.m.TryApprove(r.view(), key("a/0"), until, 1)
		r.m.TakeRecord(r.view(), fact(Approved, until, 1))
		r.judge("b/0", "a/0")
		r.take(1)
		r.m.Done(1, false)
		if a := r.judge("b/0", "a/0"); a != Held || !r.m.Unrecorded() {
			r.Errorf("%v, want that the approval is used up", a)
		}
	}
	nothing := func(*rig) {}
	for _, c := range []struct {
		change func(r *rig)
		list   []Fact
		want   Answer
		writes bool
		reason string
	}{
		{nothing, fact(Tripped, time.Time{}, 0), Held, false, "both have it"},
		{nothing, fact(Approved, until, 2), Go, false, "the answer was there before the trip"},
		{nothing, fact(RefusedKeep, time.Time{}, 0), Keep, false, "so was this one"},
		{func(r *rig) { r.m.TryRefuse(r.view(), key("a/0"), false) }, fact(Approved, until, 2), Keep, true, "the later answer"},
		{func(r *rig) { r.m.TryApprove(r.view(), key("a/0"), until, 3) }, fact(Tripped, time.Time{}, 0), Go, true, "an answer ends the trip"},
		{use, fact(Approved, until, 1), Held, true, "the trip ends this approval"},
		{use, fact(Approved, until.Add(1), 1), Go, false, "another approval came meanwhile"},
		{use, fact(RefusedOrphan, time.Time{}, 0), Orphan, false, "a refusal came meanwhile"},
		{func(r *rig) { use(r); r.m.TakeRecord(r.view(), fact(Tripped, until, 1)) }, fact(Approved, until.Add(1), 1), Go, false, "another replica approves again"},
	} {
		r := recording(t)
		r.m.LeaveOut(key("a/1"))
		c.change(r)
		list := r.m.MergeRecord(c.list)
		if r.m.TakeRecord(r.view(), c.list); r.m.Unrecorded() != c.writes {
			t.Errorf("%s: written again %v, want %v", c.reason, r.m.Unrecorded(), c.writes)
		}
		if (list[0].State != c.list[0].State) != c.writes {
			t.Errorf("%s: the merged fact is %+v", c.reason, list[0])
		}
		if r.m.TakeRecord(r.view(), list); r.m.Unrecorded() || r.judge("b/0", "a/0") != c.want {
			t.Errorf("%s: %v, want %v", c.reason, r.judge("b/0", "a/0"), c.want)
		}
	}
}

// TestRecordLost: a fact that leaves the record is written again while objects wait for it. One
// that the record has no room for is not, until it changes.
func TestRecordLost(t *testing.T) {
	r := recording(t)
	list := r.m.MergeRecord(nil)
	r.m.TakeRecord(r.view(), list)
	r.m.Leave(r.id("b/1"))
	r.m.TakeRecord(r.view(), nil)
	if got := r.m.MergeRecord(nil); len(got) != 1 || got[0] != list[0] || !r.m.Unrecorded() {
		t.Errorf("facts %+v, want the trip of a/0", got)
	}
	r.m.LeaveOut(key("a/0"))
	if r.m.TakeRecord(r.view(), nil); r.m.Unrecorded() || len(r.m.MergeRecord(nil)) != 0 {
		t.Error("a fact without room is written again")
	}
	r.m.TryRefuse(r.view(), key("a/0"), false)
	if got := r.m.MergeRecord(nil); len(got) != 1 || got[0].State != RefusedKeep {
		t.Errorf("facts %+v, want the answer", got)
	}
}

// TestLeaving: old answers leave a full record first, and trips that hold objects leave it last.
func TestLeaving(t *testing.T) {
	r := recording(t)
	list := []Fact{
		{Key: key("a/0"), State: Tripped, At: start}, {Key: key("c/0"), State: Tripped, At: start.Add(9)}, {Key: key("c/1"), State: Tripped, At: start.Add(8)},
		{Key: key("c/2"), State: Approved, At: start.Add(8)}, {Key: key("a/1"), State: RefusedKeep, At: start.Add(7)},
	}
	if got := r.m.Leaving(list); !reflect.DeepEqual(got, []int{4, 3, 2, 1, 0}) {
		t.Errorf("order %v", got)
	}
}

// TestFitRecord: a record without room for all facts keeps those that leave last, in their order. The
// caller learns of the cascades that wait and are left out.
func TestFitRecord(t *testing.T) {
	list := []Fact{
		{Key: key("a/0"), State: Tripped, At: start}, {Key: key("c/0"), State: Tripped, At: start.Add(9)}, {Key: key("c/1"), State: RefusedKeep, At: start.Add(7)},
	}
	size := func(facts ...Fact) (n int) {
		for _, f := range facts {
			n += len(WriteFact(f)) + 1
		}
		return n + 2
	}
	for _, c := range []struct {
		room, kept, held int
		reason           string
	}{
		{size(list...), 3, 0, "all of them fit"},
		{size(list...) - 1, 2, 0, "the answer leaves first"},
		{size(list[0]), 1, 0, "then the trip without an object that waits"},
		{size(list[0]) - 1, 0, 1, "the caller learns of the one that holds objects"},
	} {
		r := recording(t)
		kept, texts, held := r.m.FitRecord(list, c.room)
		if len(kept) != c.kept || len(texts) != c.kept || len(held) != c.held {
			t.Errorf("%s: %d kept, %d texts, %d held, want %d, %d and %d", c.reason, len(kept), len(texts), len(held), c.kept, c.kept, c.held)
		}
		for i, f := range kept {
			if f != list[i] || string(texts[i]) != string(WriteFact(f)) {
				t.Errorf("%s: fact %d is %+v, %s", c.reason, i, f, texts[i])
			}
		}
	}
}

// TestRecordRewind: an approval of a former history does not come back from the record.
func TestRecordRewind(t *testing.T) {
	r := recording(t)
	until := r.now.Add(time.Hour)
	r.m.TryApprove(r.view(), key("a/0"), until, 5)
	list := r.m.MergeRecord(nil)
	r.m.TakeRecord(r.view(), list)
	r.m.Rewind(r.view())
	r.m.TakeRecord(r.view(), list)
	if got := r.m.MergeRecord(list); r.judge("b/0", "a/0") != Held || got[0].State != Tripped {
		t.Errorf("facts %+v", got)
	}
}

// TestRecordEndsCount: a fact ends the count of its cascade, and no other count.
func TestRecordEndsCount(t *testing.T) {
	for _, counted := range []int{1, 999} { // a walk under way, and one that waits
		r := newRig(t, Settings{PerCascade: counted}, "a; c"+crowd("a", 1200)+"; c/1 -> c")
		r.m.KeepRecord()
		if counted == 1 {
			r.m.begin(r.view(), key("c"), []graph.NodeID{r.id("c")}, 0)
		}
		r.m.begin(r.view(), key("a"), []graph.NodeID{r.id("a")}, 0)
		r.m.TakeRecord(r.view(), []Fact{{Key: key("a"), State: RefusedKeep}})
		r.steps()
		if a := r.judge("b/0", "a"); a != Keep || r.judge("c/1", "c") != Go {
			t.Errorf("%v, want keep", a)
		}
	}
}
