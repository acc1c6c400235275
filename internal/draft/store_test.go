package draft

import (
	"errors"
	"testing"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
)

// parts returns the objects of a line of the notation as members.
func parts(t *testing.T, line string) (out []excerpt.Part) {
	t.Helper()
	list, err := graph.Parse(line)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range list {
		out = append(out, excerpt.Part{Object: o, State: excerpt.Exists, Member: true})
	}
	return out
}

func keyOf(t *testing.T, text string) graph.Key {
	t.Helper()
	k, err := graph.ParseKey(text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestStoreAnswers: NotFound is a proof, or an assumption that the store notes. Otherwise the
// object is unknown (RULES, P2).
func TestStoreAnswers(t *testing.T) {
	list := parts(t, "k/a; p/b")
	list = append(list, excerpt.Part{Object: graph.Object{Key: keyOf(t, "p/gone")}, State: excerpt.Absent}, excerpt.Part{Object: graph.Object{Key: keyOf(t, "p/open")}, State: excerpt.Unknown})
	s := NewStore(list, func(k graph.Kind) bool { return k == "k" })
	for _, c := range []struct {
		key    string
		want   error
		reason string
	}{
		{"k/a", nil, "it exists"},
		{"k/a@other", nil, "another incarnation is at the place"},
		{"p/gone", graph.ErrNotFound, "it is proven absent"},
		{"k/none", graph.ErrNotFound, "its kind is listed in full"},
		{"p/open", ErrUnknown, "nothing proves it absent"},
		{"p/none", ErrUnknown, "its kind is not listed in full"},
	} {
		if _, err := s.Get(keyOf(t, c.key)); !errors.Is(err, c.want) {
			t.Errorf("Get %s: %v, want %v: %s", c.key, err, c.want, c.reason)
		}
	}
	if len(s.Assumed()) != 1 || s.Assumed()[0].Name != "none" || len(s.Unknown()) != 2 {
		t.Errorf("assumed %v, unknown %v, want k/none, and the two of p", s.Assumed(), s.Unknown())
	}
	out, err := s.Delete(keyOf(t, "p/b"), graph.DeleteOptions{})
	if err != nil || out.Effect != finalizer.Removed {
		t.Fatal(out, err)
	}
	if _, err := s.Get(keyOf(t, "p/b")); !errors.Is(err, graph.ErrNotFound) {
		t.Errorf("Get of an object that the run removed: %v", err)
	}
}

// TestStoreKeepsOwners: the references of an owner that is no member lead out of the copy, so
// they must not look like references to absent owners.
func TestStoreKeepsOwners(t *testing.T) {
	list := parts(t, "k/a -> k/outside; k/b -> k/outside")
	list[0].Member = false
	s := NewStore(list, func(graph.Kind) bool { return true })
	a, _ := s.At(keyOf(t, "k/a"))
	b, _ := s.At(keyOf(t, "k/b"))
	if len(a.Owners) != 0 || len(b.Owners) != 1 {
		t.Errorf("%s and %s, want the references of the member alone", a, b)
	}
}

// unprotected is the protection of objects that no rule protects.
func unprotected(*graph.Object) string { return "" }

// TestFingerprint: a fingerprint has the facts of decisions, and leaves out versions,
// generations and the order of finalizers (RULES, P5).
func TestFingerprint(t *testing.T) {
	base := Fingerprint(parts(t, "k/a; k/b[x,y] -> k/a"), unprotected)
	for _, c := range []struct {
		line   string
		same   bool
		reason string
	}{
		{"k/a#7; k/b#8[x,y]%3/2 -> k/a", true, "versions and generations change all the time"},
		{"k/a; k/b[y,x] -> k/a", true, "no decision depends on the order"},
		{"k/a@other; k/b[x,y] -> k/a", false, "another incarnation"},
		{"k/a; k/b[x,y] -> k/a!", false, "b blocks a"},
		{"k/a; k/b[x,y] -> k/a?", false, "the reference is not resolved"},
		{"k/a; k/b[x,y] -> k/a:release", false, "a policy is a change of the content"},
		{"k/a; k/b[x,y] -> k/a@other", false, "another owner"},
		{"k/a; k/b[x,y]", false, "no owner"},
		{"k/a; k/b[x] -> k/a", false, "a finalizer less"},
		{"k/a; k/b~[x,y] -> k/a", false, "a mark"},
		{"k/a; k/b[x,y] -> k/a; k/c", false, "another object"},
		{"k/a; k/b[xy] -> k/a", false, "other names with the same letters"},
	} {
		if got := Fingerprint(parts(t, c.line), unprotected) == base; got != c.same {
			t.Errorf("%s: same fingerprint %v, want %v: %s", c.line, got, c.same, c.reason)
		}
	}
	unknown := parts(t, "k/a; k/b[x,y] -> k/a")
	unknown[0].State = excerpt.Unknown
	if Fingerprint(unknown, unprotected) == base {
		t.Error("an owner that is unknown has the fingerprint of one that exists")
	}
}
