package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

const (
	recordsAbsent   = "records/absent"
	recordsKept     = "records/kept"
	recordsConflict = "records/conflict"
	recordsVersion  = "records/new-version"
)

// lawsOfRecords are about ownergraph.Records.
func lawsOfRecords() []law {
	list := []law{
		{
			name: recordsAbsent,
			why:  "only a proof that there is no record lets a new engine begin: any other answer may hide a pause",
			run:  func(t *trial) { t.wantNoRecord("before the first write", "absent") },
		},
		{
			name: recordsKept, rests: []string{recordsAbsent},
			why: "an engine that reads another value than was written goes on in spite of a pause",
			run: recordsAreKept,
		},
		{
			name: recordsConflict, rests: []string{recordsKept},
			why: "two engines write on one state: the later write takes back what the earlier one recorded",
			run: recordsAreConditional,
		},
		{
			name: recordsVersion, rests: []string{recordsConflict},
			why: "a version that names two states accepts a write that was judged on the other state",
			run: recordsHaveNewVersions,
		},
		{
			name: "records/alias", rests: []string{recordsKept},
			why: "the engine reuses its memory: a store that shares it changes a record without a write",
			run: recordsAreCopied,
		},
		{
			name: "records/bounds", rests: []string{recordsKept},
			why: "a name or a value that one store takes and another refuses moves no engine from one to the other",
			run: recordsAreBounded,
		},
		{
			name: "records/apart", excuse: HiddenRecords, rests: []string{recordsKept, readAbsent, watchListing, watchGone},
			why: "a record that looks like an object may be an owner, and goes with a cascade",
			run: recordsAreNoObjects,
		},
		{
			name: "records/one-wins", rests: []string{recordsVersion},
			why: "two engines write on one state: if both succeed, one of the two values is lost",
			run: oneRecordWins,
		},
	}
	return withDemand(append(list, lawsOfRecordsLost()...), ownergraph.Level1, needRecords)
}

func (t *trial) readRecord(name string) (r ownergraph.Record, err error) {
	t.Helper()
	power, _ := ownergraph.As[ownergraph.Records](t.Store)
	err = t.do(fmt.Sprintf("ReadRecord %.80q", name), func(ctx context.Context) (err error) { r, err = power.ReadRecord(ctx, name); return err })
	return r, err
}

func (t *trial) writeRecord(name, value string, version ownergraph.Version) (next ownergraph.Version, err error) {
	t.Helper()
	power, _ := ownergraph.As[ownergraph.Records](t.Store)
	err = t.do(fmt.Sprintf("WriteRecord %.80q", name), func(ctx context.Context) (err error) {
		next, err = power.WriteRecord(ctx, name, []byte(value), version)
		return err
	})
	return next, err
}

// recorded writes a record, and has to succeed.
func (t *trial) recorded(name, value string, version ownergraph.Version) ownergraph.Record {
	t.Helper()
	next, err := t.writeRecord(name, value, version)
	t.accept(fmt.Sprintf("WriteRecord of %.80q at version %q", name, version), err)
	if next == "" {
		t.broken(fmt.Sprintf("WriteRecord of %.80q returns the new version", name), "it returned an empty one")
	}
	return ownergraph.Record{Value: []byte(value), Version: next}
}

func formatRecord(r ownergraph.Record) string {
	return fmt.Sprintf("%.60q (%d bytes) at version %q", r.Value, len(r.Value), r.Version)
}

func sameRecord(a, b ownergraph.Record) bool {
	return a.Version == b.Version && bytes.Equal(a.Value, b.Value)
}

func (t *trial) wantRecord(when, name string, want ownergraph.Record) {
	t.Helper()
	got, err := t.readRecord(name)
	expected := fmt.Sprintf("%s: record %.80q is %s", when, name, formatRecord(want))
	if err != nil {
		t.broken(expected, fmt.Sprintf("ReadRecord answers: %v", err))
	}
	if !sameRecord(got, want) {
		t.broken(expected, formatRecord(got))
	}
}

func (t *trial) wantNoRecord(when, name string) {
	t.Helper()
	got, err := t.readRecord(name)
	expected := fmt.Sprintf("%s: ReadRecord of %.80q answers ErrNotFound", when, name)
	if err == nil {
		t.broken(expected, formatRecord(got))
	}
	if !errors.Is(err, graph.ErrNotFound) {
		t.broken(expected, err.Error())
	}
}

// wantConflict wants ErrConflict for a write, and then reads the record unchanged.
func (t *trial) wantConflict(what, name, value string, version ownergraph.Version, want ownergraph.Record) {
	t.Helper()
	what = fmt.Sprintf("WriteRecord of %q with %s %q", name, what, version)
	if _, err := t.writeRecord(name, value, version); !errors.Is(err, graph.ErrConflict) {
		t.broken(what+" answers ErrConflict", fmt.Sprintf("it answered %v", err))
	}
	if want.Version == "" {
		t.wantNoRecord("after "+what, name)
		return
	}
	t.wantRecord("after "+what, name, want)
}

// recordValues are values that a store may confuse, lose or cut.
func recordValues() []string {
	return []string{"", "text", `{"paused":true}` + "\n", "a\x00b\xff\xfe", "\x00", " \r\n", "null", strings.Repeat("0123456789abcdef", 1<<12)}
}

func recordsAreKept(t *trial) {
	long := strings.Repeat("n", 62)
	all := map[string]ownergraph.Record{}
	for i, name := range []string{"a", "a-b", "0", "7-up", long + "1", long + "2"} {
		all[name] = t.recorded(name, fmt.Sprint("of ", i), "")
		t.wantRecord("after the first write", name, all[name])
	}
	for _, value := range recordValues() {
		all["a"] = t.recorded("a", value, all["a"].Version)
		t.wantRecord("after another write", "a", all["a"])
	}
	for i, value := range recordValues() {
		name := fmt.Sprint("new-", i)
		all[name] = t.recorded(name, value, "")
	}
	for name, r := range all {
		t.wantRecord("after the writes of all records", name, r)
	}
}

func recordsAreConditional(t *trial) {
	other := t.recorded("other", "of another name", "")
	t.wantConflict("the version of another name", "a", "x", other.Version, ownergraph.Record{})
	first := t.recorded("a", "first", "")
	t.wantConflict("the version of another name", "a", "x", other.Version, first)
	t.wantConflict("no version, although it exists,", "a", "x", "", first)
	t.wantConflict("no version and the present value", "a", "first", "", first)
	second := t.recorded("a", "second", first.Version)
	t.wantConflict("its former version", "a", "x", first.Version, second)
	t.wantConflict("its former version and the present value", "a", "second", first.Version, second)
	t.wantConflict("a version that it never had,", "a", "x", second.Version+"0", second)
	third := t.recorded("a", "third", second.Version)
	t.wantConflict("its first version", "a", "x", first.Version, third)
	t.wantRecord("after the writes of another name", "other", other)
}

func recordsHaveNewVersions(t *trial) {
	former := map[ownergraph.Version]string{}
	r := t.recorded("a", "same", "")
	for i, value := range []string{"same", "same", "other", "same", "other", "other"} {
		former[r.Version] = string(r.Value)
		stale := r.Version
		r = t.recorded("a", value, stale)
		if was, twice := former[r.Version]; twice {
			t.broken(fmt.Sprintf("write %d of the record makes a version that it never had", i+2), fmt.Sprintf("%q, the version of %q before", r.Version, was))
		}
		t.wantConflict("its former version", "a", "x", stale, r)
	}
}

// recordsAreCopied changes the memory of an argument and of a result.
func recordsAreCopied(t *trial) {
	power, _ := ownergraph.As[ownergraph.Records](t.Store)
	want := ownergraph.Record{Value: []byte("the value")}
	value := bytes.Clone(want.Value)
	t.accept("WriteRecord", t.do("WriteRecord", func(ctx context.Context) (err error) {
		want.Version, err = power.WriteRecord(ctx, "a", value, "")
		return err
	}))
	if !bytes.Equal(value, want.Value) {
		t.broken("WriteRecord leaves its value as it is", fmt.Sprintf("%q", value))
	}
	clear(value)
	t.wantRecord("after the value of the write was changed", "a", want)
	got, err := t.readRecord("a")
	t.accept("ReadRecord", err)
	clear(got.Value)
	t.wantRecord("after the value of a read was changed", "a", want)
	t.recordValuesAreKept()
}

func recordsAreBounded(t *trial) {
	kept := t.recorded("a", "kept", "")
	invalid := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, graph.ErrInvalid) {
			t.broken(what+" answers ErrInvalid", fmt.Sprintf("it answered %v", err))
		}
	}
	for _, name := range []string{"", "A", "a/b", "a.b", "a_b", "a b", "-a", "a-", "..", "ä", "a\x00", strings.Repeat("a", 64)} {
		_, err := t.writeRecord(name, "x", "")
		invalid(fmt.Sprintf("WriteRecord of the name %q", name), err)
		_, err = t.readRecord(name)
		invalid(fmt.Sprintf("ReadRecord of the name %q", name), err)
	}
	large := strings.Repeat("x", 64<<10+1)
	_, err := t.writeRecord("a", large, kept.Version)
	invalid("WriteRecord of more than 64 KiB", err)
	_, err = t.writeRecord("large", large, "")
	invalid("WriteRecord of more than 64 KiB", err)
	t.wantRecord("after invalid writes", "a", kept)
	t.wantNoRecord("after an invalid write", "large")
}

// recordsAreNoObjects watches while records are written, and lists and reads afterwards.
func recordsAreNoObjects(t *trial) {
	w := t.watch().ready()
	before, _ := w.reported()
	r := t.recorded("record", "first", "")
	t.recorded("record", "second", r.Version)
	marker := t.made("marker")
	knows := func(r *replica) bool { return r.knows(marker) }
	w.mustSee("the watch reports "+marker.String(), knows)
	after, _ := w.reported()
	late := t.watch().ready()
	late.mustSee("a later watch lists "+marker.String(), knows)
	listed, _ := late.reported()
	for _, e := range append(after[len(before):], listed...) {
		if e.Type == graph.Gone || e.Type == graph.Put && e.Object.Key != marker.Key {
			t.broken("a watch reports no record", "it reported "+formatEvent(e))
		}
	}
	for _, info := range t.few {
		t.absent("after the write of a record of that name", keyOf(info, "record"))
	}
}

func oneRecordWins(t *trial) {
	power, _ := ownergraph.As[ownergraph.Records](t.Store)
	now := ownergraph.Record{}
	for round := range 10 {
		versions := make([]ownergraph.Version, writers)
		value := func(i int) []byte { return fmt.Appendf(nil, "round %d, writer %d", round, i) }
		errs := t.together(func(ctx context.Context, i int) (err error) {
			versions[i], err = power.WriteRecord(ctx, "a", value(i), now.Version)
			return err
		})
		var won []ownergraph.Record
		for i, err := range errs {
			if err == nil {
				won = append(won, ownergraph.Record{Value: value(i), Version: versions[i]})
			} else if !errors.Is(err, graph.ErrConflict) {
				t.broken("each of several writes on one version succeeds or is in conflict", err.Error())
			}
		}
		if len(won) != 1 {
			t.broken("of several writes on one version, one succeeds", fmt.Sprintf("%d did", len(won)))
		}
		now = won[0]
		t.wantRecord("after the only write that succeeded", "a", now)
	}
}
