package draft

import (
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestPossibleKept: nothing goes because of a protected object, so no end below it depends on
// the order. A protected object that is a target is deleted by its user.
func TestPossibleKept(t *testing.T) {
	for _, c := range []struct {
		kept, target string
		want         int
		reason       string
	}{
		{"k/p", "k/r", 0, "p stays, and so do the parts below it"},
		{"k/none", "k/r", 2, "by rule 3 the ends of p and of the object below it depend on the order"},
		{"k/r", "k/r", 2, "a user deletes the protected object"},
	} {
		list := parts(t, "k/p[x] -> k/r; k/q -> k/p!; k/r")
		x := NewIndex(list)
		at := func(key string) int32 { i, _ := x.Of(keyOf(t, key)); return i }
		q := Question{
			Parts: list, Dependents: make([][]int32, len(list)), Targets: map[int32]graph.Propagation{at(c.target): graph.Foreground},
			Stays: func(f string) bool { return f == "x" },
			Kept:  func(i int32) bool { return list[i].Object.Key == keyOf(t, c.kept) },
		}
		q.Dependents[at("k/r")], q.Dependents[at("k/p")] = []int32{at("k/p")}, []int32{at("k/q")}
		got := 0
		for _, possible := range Possible(q) {
			if possible {
				got++
			}
		}
		if got != c.want {
			t.Errorf("kept %s: %d possible ends, want %d: %s", c.kept, got, c.want, c.reason)
		}
	}
}

// TestPossibleOfProtectedBlocker: a protected object may lose its reference to an owner, or block
// that owner for ever. So the end of the owner depends on the order, too.
func TestPossibleOfProtectedBlocker(t *testing.T) {
	list := parts(t, "k/o; k/p -> k/r!, k/o; k/q -> k/p; k/r")
	x := NewIndex(list)
	at := func(key string) int32 { i, _ := x.Of(keyOf(t, key)); return i }
	q := Question{
		Parts: list, Dependents: make([][]int32, len(list)), Stays: func(string) bool { return false },
		Targets: map[int32]graph.Propagation{at("k/o"): graph.Orphan, at("k/r"): graph.Foreground},
		Kept:    func(i int32) bool { return i == at("k/p") },
	}
	q.Dependents[at("k/o")], q.Dependents[at("k/r")], q.Dependents[at("k/p")] = []int32{at("k/p")}, []int32{at("k/p")}, []int32{at("k/q")}
	possible := Possible(q)
	for key, want := range map[string]bool{"k/o": false, "k/p": true, "k/q": false, "k/r": true} {
		if possible[at(key)] != want {
			t.Errorf("%s is possible: %v, want %v", key, !want, want)
		}
	}
}

// TestPossibleOfReplacedPropagation: the propagation of the user replaces the one that an object
// carries. A ring through the object is then no ring of foreground deletions.
func TestPossibleOfReplacedPropagation(t *testing.T) {
	for _, c := range []struct {
		by     graph.Propagation
		want   bool
		reason string
	}{
		{graph.Unset, true, "a goes in the foreground, as it carries, and waits for b in the ring"},
		{graph.Orphan, false, "a leaves b"},
		{graph.Background, false, "a goes at once, and then b"},
	} {
		list := parts(t, "k/a[foreground] -> k/b; k/b -> k/a!")
		q := Question{
			Parts: list, Dependents: [][]int32{{1}, {0}}, Targets: map[int32]graph.Propagation{0: c.by},
			Stays: func(string) bool { return false },
		}
		for i, possible := range Possible(q) {
			if possible != c.want {
				t.Errorf("%s: %s is possible: %v, want %v: %s", c.by, list[i].Object.Key, possible, c.want, c.reason)
			}
		}
	}
}

// TestPossibleOfRestrictedMark: rule 7 is about a marked object, too, whose mark is withheld while another object restricts it.
func TestPossibleOfRestrictedMark(t *testing.T) {
	for _, c := range []struct {
		mark   string
		want   bool
		reason string
	}{
		{"~[x]", true, "it ends if b goes, and stays with b"},
		{"", false, "no owner of it goes, so it stays"},
	} {
		q, list := questionOf(t, "k/a[orphan] -> k/r; k/b -> k/r, k/a, k/c:restrict; k/c"+c.mark+"; k/r", "k/r", graph.Background)
		x := NewIndex(list)
		at, _ := x.Of(keyOf(t, "k/c"))
		q.Kept = func(i int32) bool { return i == at }
		if got := Possible(q)[at]; got != c.want {
			t.Errorf("k/c%s is possible: %t, want %t: %s", c.mark, got, c.want, c.reason)
		}
	}
}
