package storetest

import (
	"context"
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// lawsOfRecordsLost are about records beside restarts, restores, other processes and calls
// without an answer.
func lawsOfRecordsLost() []law {
	const unknown = "an engine that takes an unknown record for absent goes on in spite of a pause"
	return []law{
		{
			name: "records/cancelled", rests: []string{recordsConflict},
			why: unknown,
			run: cancelledRecordsProveNothing,
		},
		{
			name: "records/restart", needs: []need{needRestart}, rests: []string{recordsVersion},
			why: "a record is there for the next engine: a pause that ends with the process stops nothing",
			run: restartsKeepRecords,
		},
		{
			name: "records/second", needs: []need{needSecond}, rests: []string{recordsVersion},
			why: "a pause has to stop the engines of all processes",
			run: secondsShareRecords,
		},
		{
			name: "records/rewind", level: ownergraph.Level2, needs: []need{needBackup}, rests: []string{recordsVersion},
			why: "a version that returns after a restore accepts a write that was judged on a lost state",
			run: rewindsReuseNoRecordVersion,
		},
		{
			name: "records/outage", needs: []need{needOutage}, rests: []string{recordsConflict},
			why: unknown,
			run: outagesHideNoRecord,
		},
		{
			name: "records/commit-failed", needs: []need{needFailCommits}, rests: []string{recordsConflict},
			why: "an engine relies on an acknowledged pause",
			run: func(t *trial) { t.failRecordCommits(false) },
		},
		{
			name: "records/commit-unanswered", needs: []need{needFailCommits}, rests: []string{recordsConflict},
			why: "after a definite error, an engine takes a write that is done for not done",
			run: func(t *trial) { t.failRecordCommits(true) },
		},
	}
}

// recordWrite is a write of a record that may fail. Before has no version if there was no
// record.
type recordWrite struct {
	name   string
	value  string
	before ownergraph.Record
}

// recordWrites prepares a write of a new record, and one of a present record.
func (t *trial) recordWrites(round string) []recordWrite {
	t.Helper()
	old := "old" + round
	return []recordWrite{{name: "new" + round, value: "a"}, {old, "b", t.recorded(old, "a", "")}}
}

// doneOrNot breaks the law if the record is neither as before nor as written, or if the answer
// is wrong.
func (t *trial) doneOrNot(what string, w recordWrite, next ownergraph.Version, answer error) {
	t.Helper()
	what = fmt.Sprintf("WriteRecord of %q %s", w.name, what)
	answered := "it answered that it was done"
	if answer != nil {
		answered = fmt.Sprintf("it answered %q", answer)
	}
	if errors.Is(answer, graph.ErrNotFound) || errors.Is(answer, graph.ErrKindUnknown) {
		t.broken(what+" does not prove absence", answered)
	}
	now, err := t.readRecord(w.name)
	if err != nil && !errors.Is(err, graph.ErrNotFound) {
		t.broken("a read of a record succeeds after "+what, err.Error())
	}
	isBefore := sameRecord(now, w.before)
	isAfter := string(now.Value) == w.value && now.Version != "" && now.Version != w.before.Version
	switch {
	case answer == nil && !(isAfter && now.Version == next), (definite(answer) || comesAgain(answer)) && !isBefore, !isBefore && !isAfter:
		t.broken(what+" is done or not done, as it is answered", answered+", and the record is "+formatRecord(now))
	}
}

// unknownRecord breaks the law if a read of a present record proves anything wrong.
func (t *trial) unknownRecord(when string, want, got ownergraph.Record, err error) {
	t.Helper()
	switch {
	case err == nil && !sameRecord(got, want):
		t.broken(fmt.Sprintf("ReadRecord that succeeds %s answers %s", when, formatRecord(want)), formatRecord(got))
	case err != nil && definite(err):
		t.broken("ReadRecord "+when+" proves nothing", err.Error())
	}
}

func cancelledRecordsProveNothing(t *trial) {
	power, _ := ownergraph.As[ownergraph.Records](t.Store)
	kept := t.recorded("kept", "a", "")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	var got ownergraph.Record
	err := t.doWith(ended, "ReadRecord with a context that has ended", func(ctx context.Context) (err error) {
		got, err = power.ReadRecord(ctx, "kept")
		return err
	})
	t.unknownRecord("with a context that has ended", kept, got, err)
	for i := range 12 {
		for _, w := range t.recordWrites(fmt.Sprint(i)) {
			ctx, cancel := context.WithCancel(t.Context())
			if i < 4 {
				cancel()
			}
			var next ownergraph.Version
			done := start(ctx, func(ctx context.Context) (err error) {
				next, err = power.WriteRecord(ctx, w.name, []byte(w.value), w.before.Version)
				return err
			})
			cancel()
			err := t.doWith(t.Context(), "WriteRecord whose context ends", func(context.Context) error { return <-done })
			t.doneOrNot("whose context ends", w, next, err)
		}
	}
	t.endedRecordsAnswerTruly()
}

func restartsKeepRecords(t *trial) {
	first := t.recorded("a", "first", "")
	second := t.recorded("a", "second", first.Version)
	other := t.recorded("b", "\x00\xff", "")
	t.restart()
	t.wantRecord("after a restart", "a", second)
	t.wantRecord("after a restart", "b", other)
	t.wantNoRecord("after a restart", "c")
	t.wantConflict("its former version", "a", "x", first.Version, second)
	t.newRecordVersion("a restart", "a", second.Version, first, second)
}

// newRecordVersion writes a record, and breaks the law if the version was used before.
func (t *trial) newRecordVersion(event, name string, at ownergraph.Version, former ...ownergraph.Record) ownergraph.Record {
	t.Helper()
	next := t.recorded(name, "after "+event, at)
	for _, r := range former {
		if r.Version == next.Version {
			t.broken(fmt.Sprintf("the version of a record never names another value, not even after %s", event), fmt.Sprintf("version %q, of %s before", next.Version, formatRecord(r)))
		}
	}
	t.wantRecord("after "+event, name, next)
	return next
}

func secondsShareRecords(t *trial) {
	t.bothWays(func(one, other *trial, round string) {
		first := one.recorded(round, "of one", "")
		other.wantRecord("read by another process", round, first)
		other.wantConflict("no version, although another process has written it,", round, "x", "", first)
		second := other.recorded(round, "of the other", first.Version)
		one.wantRecord("changed by another process", round, second)
		one.wantConflict("a version from before the write of another process,", round, "x", first.Version, second)
		if second.Version == first.Version {
			one.broken("two processes make different versions of a record", fmt.Sprintf("both made %q", first.Version))
		}
	})
}

// rewindsReuseNoRecordVersion accepts a store that keeps the newest record in a restore.
func rewindsReuseNoRecordVersion(t *trial) {
	saved := t.recorded("a", "saved", "")
	restore := t.backup()
	former, last := []ownergraph.Record{saved}, saved
	for i := range 4 {
		last = t.recorded("a", fmt.Sprint("lost ", i), last.Version)
		former = append(former, last)
	}
	restore()
	now, err := t.readRecord("a")
	t.accept("ReadRecord after a restore", err)
	for _, r := range former {
		if r.Version == now.Version && !sameRecord(r, now) {
			t.broken("after a restore a version names no other value than "+formatRecord(r), formatRecord(now))
		}
	}
	for range 8 {
		now = t.newRecordVersion("a restore", "a", now.Version, former...)
	}
}

func outagesHideNoRecord(t *trial) {
	kept := t.recorded("kept", "a", "")
	writes := t.recordWrites("")
	versions, answers := make([]ownergraph.Version, len(writes)), make([]error, len(writes))
	end := t.outage()
	for range 3 {
		got, err := t.readRecord("kept")
		t.unknownRecord("during an outage", kept, got, err)
	}
	for i, w := range writes {
		versions[i], answers[i] = t.writeRecord(w.name, w.value, w.before.Version)
	}
	end()
	t.wantRecord("after an outage", "kept", kept)
	for i, w := range writes {
		t.doneOrNot("during an outage", w, versions[i], answers[i])
	}
}

func (t *trial) failRecordCommits(done bool) {
	t.Helper()
	for i := range 3 {
		for _, w := range t.recordWrites(fmt.Sprint(i)) {
			end := t.begin("FailCommits", func(ctx context.Context) (func(context.Context) error, error) { return t.FailCommits(ctx, done) })
			next, err := t.writeRecord(w.name, w.value, w.before.Version)
			end()
			t.doneOrNot("whose commit fails", w, next, err)
		}
	}
}
