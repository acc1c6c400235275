package dump

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ownergraph/ownergraph/graph"
)

// entry is an entry of managedFields that owns a finalizer.
func entry(manager, at, finalizer string) string {
	return `{"manager":"` + manager + `","operation":"Update","apiVersion":"v1","time":"` + at + `","fieldsType":"FieldsV1",` +
		`"fieldsV1":{"f:metadata":{"f:finalizers":{".":{},"v:\"` + finalizer + `\"":{}}}}}`
}

// TestFinalizerWriters: the managed fields name the last writer of each finalizer.
func TestFinalizerWriters(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	const first, later = "2026-01-02T03:04:05Z", "2026-01-02T03:04:06Z"
	writer := func(manager string, at time.Time) Writer {
		return Writer{Finalizer: "x/f", Manager: manager, Operation: "Update", At: at}
	}
	for _, c := range []struct {
		managed    string
		finalizers []string
		want       []Writer
		reason     string
	}{
		{`[` + entry("a", first, "x/f") + `]`, []string{"x/f"}, []Writer{writer("a", at)}, "one writer"},
		{`[` + entry("b", later, "x/f") + `,` + entry("a", first, "x/f") + `]`, []string{"x/f"}, []Writer{writer("b", at.Add(time.Second))}, "the last of two"},
		{`[` + entry("a", first, "x/f") + `,` + entry("b", later, "x/g") + `]`, []string{"x/f"}, []Writer{writer("a", at)}, "a writer of another finalizer"},
		{`[` + entry("a", first, "x/f") + `]`, []string{"x/g"}, nil, "no entry names the finalizer"},
		{`[` + entry("a", first, "x/f") + `]`, nil, nil, "no finalizer"},
		{``, []string{"x/f"}, nil, "a dump without managed fields"},
		{`null`, []string{"x/f"}, nil, "no entries"},
		{`{"a":1}`, []string{"x/f"}, nil, "no list"},
		{`[7,{"time":"soon"},` + entry("a", first, "x/f") + `]`, []string{"x/f"}, []Writer{writer("a", at)}, "malformed entries beside a good one"},
		{`[{"manager":"a","fieldsV1":{"f:metadata":{"f:finalizers":{"v:":{},"v:7":{},"k:x":{}}}}}]`, []string{"x/f"}, nil, "malformed elements"},
		{`[` + entry("a", first, "x/f") + `]`, []string{"x/f", "x/f"}, []Writer{writer("a", at)}, "a finalizer that stands twice"},
	} {
		if diff := cmp.Diff(c.want, FinalizerWriters(json.RawMessage(c.managed), c.finalizers)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.reason, diff)
		}
	}
}

// TestWriters: the content has the writers of the finalizers of marked objects, as kubectl prints
// them with --show-managed-fields.
func TestWriters(t *testing.T) {
	object := func(name, more string) string {
		return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"` + name + `","namespace":"n","uid":"uid-` + name + `","finalizers":["x/f"],` +
			`"managedFields":[` + entry("controller", "2026-01-02T03:04:05Z", "x/f") + `]` + more + `}}`
	}
	const mark = `,"deletionTimestamp":"2026-01-02T03:04:05Z"`
	c, err := Read(strings.NewReader(object("a", mark)+object("b", "")), "test")
	if err != nil {
		t.Fatal(err)
	}
	key := graph.Key{Kind: "ConfigMap", Scope: "n", Name: "a", UID: "uid-a"}
	if len(c.Writers) != 1 || len(c.Writers[key]) != 1 || c.Writers[key][0].Manager != "controller" {
		t.Errorf("the writers are %+v, want those of the marked object", c.Writers)
	}
}
