package memory

import (
	"errors"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestRecords writes and reads records, and checks the versions and the texts of errors. The
// laws "records/..." of adapters/storetest check the rest.
func TestRecords(t *testing.T) {
	s, err := New(Config{UIDPrefix: "u"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, value string
		version     graph.Version
		want        graph.Version
		err         error
		text        string
		reason      string
	}{
		{"pause", "a", "1", "", graph.ErrConflict, `write record "pause": version "", not "1": conflict`, "there is none"},
		{"pause", "a", "", "1", nil, "", "with UIDPrefix the versions count from 1"},
		{"pause", "a", "", "", graph.ErrConflict, `write record "pause": version "1", not "": conflict`, "there is one now"},
		{"pause", "b", "1", "2", nil, "", "it has the version"},
		{"brake", "c", "", "3", nil, "", "one counter serves all names"},
		{"pause", "b", "2", "4", nil, "", "another version of the same value"},
		{"Pause", "b", "", "", graph.ErrInvalid, `write record "Pause": name: byte 0: 'P' is not allowed there: invalid`, "no such name"},
	} {
		got, err := s.WriteRecord(t.Context(), c.name, []byte(c.value), c.version)
		if got != c.want || !errors.Is(err, c.err) || (err != nil) != (c.err != nil) || err != nil && err.Error() != c.text {
			t.Errorf("write %s at %q: %q, %v; want %q, %v: %s", c.name, c.version, got, err, c.want, c.text, c.reason)
		}
	}
	if r, err := s.ReadRecord(t.Context(), "pause"); err != nil || string(r.Value) != "b" || r.Version != "4" {
		t.Errorf("read: %+v, %v", r, err)
	}
	if _, err := s.ReadRecord(t.Context(), "other"); !errors.Is(err, graph.ErrNotFound) || err.Error() != `read record "other": not found` {
		t.Errorf("read of another name: %v", err)
	}
	if _, err := s.ReadRecord(t.Context(), ""); !errors.Is(err, graph.ErrInvalid) || errors.Is(err, graph.ErrNotFound) {
		t.Errorf("read of no name: %v", err)
	}
}

// TestRecordVersions: two stores never give one version.
func TestRecordVersions(t *testing.T) {
	seen := map[graph.Version]bool{}
	for range 4 {
		s, err := New(Config{})
		if err != nil {
			t.Fatal(err)
		}
		v, err := s.WriteRecord(t.Context(), "a", nil, "")
		if err != nil || v == "" || seen[v] {
			t.Errorf("version %q, %v, after %v", v, err, seen)
		}
		seen[v] = true
	}
}
