package processes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

// mustObject returns the object of a text, such as "dep/x@1 -> own/o".
func mustObject(t *testing.T, text string) graph.Object {
	t.Helper()
	o, err := graph.ParseObject(text)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestJudge: the judge takes the changes of correct collectors, and finds those that none makes.
func TestJudge(t *testing.T) {
	put := func(text string) graph.Event { return graph.Event{Type: graph.Put, Object: mustObject(t, text)} }
	gone := func(text string) graph.Event { return graph.Event{Type: graph.Gone, Key: mustObject(t, text).Key} }
	for _, c := range []struct {
		before  []string
		changes []graph.Event
		want    string
		reason  string
	}{
		{[]string{"own/o@1", "dep/x@2 -> own/o@1"}, []graph.Event{gone("own/o@1"), gone("dep/x@2")}, "", "a cascade in the background"},
		{[]string{"own/o@1", "dep/x@2 -> own/o@1"}, []graph.Event{gone("dep/x@2")}, "S1:", "the owner lives"},
		{[]string{"dep/x@2"}, []graph.Event{gone("dep/x@2")}, "S1b:", "it has no owner"},
		{[]string{"own/o@1", "own/k@3", "dep/x@2 -> own/o@1, own/k@3"}, []graph.Event{gone("own/o@1"), put("dep/x@2 -> own/k@3")}, "", "another owner keeps it"},
		{[]string{"own/o@1", "own/k@3", "dep/x@2 -> own/o@1, own/k@3"}, []graph.Event{put("dep/x@2 -> own/k@3")}, "S4:", "the owner lives and never waited"},
		{[]string{"own/o@1", "dep/x@2 -> own/o@1"}, []graph.Event{put("dep/x@2[a/b] -> own/o@1")}, "it was", "no collector adds a finalizer"},
		{[]string{"own/o@1[a/b]"}, []graph.Event{gone("own/o@1")}, "a change of", "the finalizer of another party"},
	} {
		var before []graph.Object
		for _, text := range c.before {
			before = append(before, mustObject(t, text))
		}
		got := strings.Join(judge(before, c.changes, "own"), "; ")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}

// TestFault: each wrong end of a cascade is a fault.
func TestFault(t *testing.T) {
	of := func(how graph.Propagation) *cascade {
		return &cascade{how: how, owner: mustObject(t, "own/o@1"), dependents: []graph.Object{mustObject(t, "dep/x@2 -> own/o@1")}, kept: mustObject(t, "dep/k@3 -> own/o@1, own/keeper@4")}
	}
	const kept = "dep/k@3 -> own/keeper@4"
	for _, c := range []struct {
		how    graph.Propagation
		live   []string
		want   string
		reason string
	}{
		{graph.Background, []string{kept}, "", "the dependent has gone"},
		{graph.Orphan, []string{kept, "dep/x@2"}, "", "the dependent is free"},
		{graph.Background, []string{kept, "own/o@1"}, "own/o@1 is there", "the owner is left"},
		{graph.Foreground, []string{kept, "dep/x@2"}, "dep/x@2 is there", "the dependent is left"},
		{graph.Orphan, []string{kept}, "dep/x@2 has gone", "an orphan has gone"},
		{graph.Orphan, []string{kept, "dep/x@2 -> own/o@1"}, "dep/x@2 has an owner", "an orphan has its owner"},
		{graph.Background, nil, "dep/k@3 has gone", "an object with another owner has gone"},
		{graph.Background, []string{"dep/k@3 -> own/o@1, own/keeper@4"}, "has the owners", "a reference is left"},
	} {
		live := map[graph.UID]graph.Object{}
		for _, text := range c.live {
			o := mustObject(t, text)
			live[o.UID] = o
		}
		got := of(c.how).fault("4", live)
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}

// TestBook: a book keeps each write with its outcome. A kill leaves the last writes without one, and
// may cut the last line.
func TestBook(t *testing.T) {
	task := Task{Name: "a", Dir: t.TempDir()}
	b, err := task.openBook()
	if err != nil {
		t.Fatal(err)
	}
	for i, err := range []error{nil, graph.ErrConflict, graph.ErrNotFound, errors.New("lost"), context.DeadlineExceeded} {
		n, failed := b.begin(engine.CallPatch, graph.Key{Kind: "dep", Name: fmt.Sprint(i)}, graph.Precondition{UID: "1", Version: "2"})
		if failed = errors.Join(failed, b.end(n, err)); failed != nil {
			t.Fatal(failed)
		}
	}
	if _, err := b.begin(engine.CallPatch, graph.Key{Kind: "dep", Name: "5"}, graph.Precondition{UID: "1"}); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(task.file("writes"), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(`{"N":7,"Begun":{"Verb`)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	list, err := ReadWrites(task.Dir)
	got := ""
	for _, w := range list {
		got += fmt.Sprintf("%s %s %s %t %s; ", w.Process, w.Key.Name, w.Outcome, w.Bound, w.Text)
	}
	const want = "a 0 done true ; a 1 lost true conflict; a 2 lost true not found; a 3 failed true lost; a 4 unset true context deadline exceeded; a 5 unset false ; "
	if err != nil || got != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	wrong := strings.Join((&Report{writes: list}).faults(), "; ")
	if wrong != "a: patch dep/3@1: lost; S5: a: patch dep/5@1 without a UID or a version" {
		t.Errorf("the faults are %q", wrong)
	}
}

// TestFailedInStop: a stop excuses the failed writes of its process that were under way meanwhile.
func TestFailedInStop(t *testing.T) {
	at := func(second int64) time.Time { return time.Unix(second, 0) }
	for _, c := range []struct {
		reason, process string
		begun, ended    int64
		excused         bool
	}{
		{"begun before the stop, and ended after it", "b", 9, 31, true},
		{"ended before the stop", "b", 7, 8, false},
		{"begun after the stop", "b", 31, 32, false},
		{"of another process", "a", 9, 31, false},
	} {
		w := Write{Process: c.process, Bound: true, Outcome: OutcomeFailed, At: at(c.begun), Ended: at(c.ended)}
		r := Report{writes: []Write{w}, stops: map[string]stop{"b": {from: at(10), to: at(30)}}}
		if got := len(r.faults()) == 0; got != c.excused {
			t.Errorf("%s: excused: %t, want %t", c.reason, got, c.excused)
		}
	}
}

// TestRatio: a conflict counts, and writes to other objects do not. A conflict of a write that was
// under way during a stop is apart.
func TestRatio(t *testing.T) {
	c := &cascade{how: graph.Foreground, owner: mustObject(t, "own/o@1"), dependents: []graph.Object{mustObject(t, "dep/x@2")}, kept: mustObject(t, "dep/k@3")}
	var r Report
	for uid, outcome := range map[graph.UID]Outcome{"1": OutcomeDone, "2": OutcomeDone, "3": OutcomeDone, "4": OutcomeDone} {
		r.writes = append(r.writes, Write{Process: "a", Key: graph.Key{UID: uid}, Outcome: outcome})
	}
	if ratio, text := r.ratio([]*cascade{c}); ratio != 1 {
		t.Errorf("%v, %s, want 1", ratio, text)
	}
	r.writes = append(r.writes, Write{Process: "b", Key: graph.Key{UID: "2"}, Outcome: OutcomeLost})
	if ratio, text := r.ratio([]*cascade{c}); ratio != 4.0/3 || text != "1.33 writes an object (4 for 3 objects; conflicts map[b:1])" {
		t.Errorf("%v, %s, want 4/3", ratio, text)
	}
	r.stops = map[string]stop{"b": {from: time.Unix(10, 0), to: time.Unix(30, 0)}}
	last := &r.writes[len(r.writes)-1]
	last.At, last.Ended = time.Unix(9, 0), time.Unix(31, 0)
	const want = "1.00 writes an object (3 for 3 objects; conflicts map[b:1]; and 1 in vain, under way during a stop)"
	if ratio, text := r.ratio([]*cascade{c}); ratio != 1 || text != want {
		t.Errorf("%v, %s, want 1, %s", ratio, text, want)
	}
}

// TestNames: each role and each outcome has a word, and the zero value is unset.
func TestNames(t *testing.T) {
	for i, want := range []string{"unset", "member", "alone", "leader", "role(4)"} {
		if got := Role(i).String(); got != want {
			t.Errorf("role %d is %q, want %q", i, got, want)
		}
	}
	for i, want := range []string{"unset", "done", "lost", "failed", "outcome(4)"} {
		if got := Outcome(i).String(); got != want {
			t.Errorf("outcome %d is %q, want %q", i, got, want)
		}
	}
}
