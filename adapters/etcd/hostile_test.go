package etcdstore

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// hostileNames are names that other stores take for other text.
func hostileNames() map[string]string {
	return map[string]string{
		"SQL":             `x'; DROP TABLE kine; --`,
		"quotes":          `a"b'c` + "`",
		"a separator":     "a/b",
		"a path":          "../../origin",
		"a blank":         " a ",
		"NUL":             "a\x00b",
		"a newline":       "a\nb",
		"invalid UTF-8":   "a\xff\xfeb",
		"a surrogate":     "a\xed\xa0\x80b",
		"an overlong NUL": "a\xc0\x80b",
		"NFC":             "caf\u00e9",
		"NFD":             "cafe\u0301",
		"NFKC":            "fine\u212b",
		"NFKD":            "\ufb01ne\u2460",
		"no width":        "a\u200bb",
		"right to left":   "a\u202eb",
		"a range's end":   "a\xff\xff\xff\xff",
		"1,024 bytes":     strings.Repeat("n", 1024),
		"1 MB":            strings.Repeat("n", 1<<20),
		"1 MB of NUL":     strings.Repeat("\x00", 1<<20),
		"8 MB":            strings.Repeat("n", 8<<20),
	}
}

// TestHostileNames: a name is refused with ErrInvalid, or stored byte by byte. Nothing else
// is there afterwards.
func TestHostileNames(t *testing.T) {
	for _, onKine := range []bool{false, true} {
		r := newRig(t, Config{Kine: onKine})
		for what, name := range hostileNames() {
			for _, o := range []graph.Object{
				{Key: graph.Key{Kind: "pod", Scope: "ns", Name: name}},
				{Key: graph.Key{Kind: "pod", Scope: name, Name: "a"}},
				{Key: graph.Key{Kind: "pod", Scope: "ns", Name: "a"}, Finalizers: []string{name}},
				{Key: graph.Key{Kind: "pod", Scope: "ns", Name: "a"}, Owners: []graph.Owner{{Key: graph.Key{Kind: "app", Scope: "ns", Name: name, UID: "u"}}}},
			} {
				if err := r.refusedOrKept(t, o); err != nil {
					t.Errorf("kine %t: %s: %v", onKine, what, err)
				}
			}
		}
	}
}

func (r *rig) refusedOrKept(t *testing.T, o graph.Object) error {
	before, err := r.Get(t.Context(), o.Key)
	if err == nil || !errors.Is(err, graph.ErrNotFound) && !errors.Is(err, graph.ErrInvalid) {
		return fmt.Errorf("a read before it was made: %.200v, %.200v", before, err)
	}
	made, err := r.Create(t.Context(), Record{Object: o})
	if err != nil {
		if !errors.Is(err, graph.ErrInvalid) || !errors.Is(err, graph.ErrRefused) {
			return fmt.Errorf("Create: %.300v is no ErrInvalid", err)
		}
		return nil
	}
	seen, err := r.Get(t.Context(), o.Key)
	if err != nil || !seen.Equal(made.Object) || seen.Place() != o.Place() {
		return fmt.Errorf("made as %.200v, read as %.200v, %.200v", made.Object, seen, err)
	}
	w := watchOf(t, r.Store)
	defer w.cancel()
	w.until(t, "the watch has the object alone", func(m *mirror) bool { return m.is(made.Object) })
	freed, err := r.Update(t.Context(), Record{Object: graph.Object{Key: made.Object.Key}})
	if err != nil {
		return err
	}
	if err := r.Delete(t.Context(), o.Key, exactly(freed.Object)); err != nil {
		return err
	}
	if _, err := r.Get(t.Context(), o.Key); !errors.Is(err, graph.ErrNotFound) {
		return fmt.Errorf("a read after its end: %w", err)
	}
	return nil
}

// TestLargeValue: a payload is kept byte by byte up to the limit, and refused with
// ErrInvalid above it.
func TestLargeValue(t *testing.T) {
	for _, onKine := range []bool{false, true} {
		r := newRig(t, Config{Kine: onKine})
		for _, tc := range []struct {
			bytes  int
			kept   bool
			reason string
		}{
			{0, true, "no payload"},
			{1 << 20, true, "below the limit of a request"},
			{defaultMaxBytes - 1024, true, "almost the limit"},
			{defaultMaxBytes, false, "the key and the metadata need room"},
			{4 << 20, false, "more than the client can send"},
		} {
			payload := bytes.Repeat([]byte{0, '\n', 0xff, '{'}, tc.bytes/4)
			key := graph.Key{Kind: "pod", Scope: "ns", Name: fmt.Sprint("p", tc.bytes)}
			_, err := r.Create(t.Context(), Record{Object: graph.Object{Key: key}, Payload: payload})
			if tc.kept != (err == nil) || err != nil && (!errors.Is(err, graph.ErrInvalid) || !errors.Is(err, graph.ErrRefused)) {
				t.Errorf("kine %t: Create with %d bytes: %v, want it kept: %t: %s", onKine, tc.bytes, err, tc.kept, tc.reason)
			}
			if err != nil {
				continue
			}
			if seen, err := r.Read(t.Context(), key); err != nil || !bytes.Equal(seen.Payload, payload) {
				t.Errorf("kine %t: %d bytes come back as %d, %v: %s", onKine, tc.bytes, len(seen.Payload), err, tc.reason)
			}
			patch := graph.Change{AddFinalizer: "example.org/x"}
			if err := r.Patch(t.Context(), key, graph.Precondition{}, patch); err != nil {
				t.Errorf("kine %t: Patch beside %d bytes: %v", onKine, tc.bytes, err)
			}
			if seen, err := r.Read(t.Context(), key); err != nil || !bytes.Equal(seen.Payload, payload) {
				t.Errorf("kine %t: %d bytes come back as %d after a Patch, %v: %s", onKine, tc.bytes, len(seen.Payload), err, tc.reason)
			}
		}
	}
}
