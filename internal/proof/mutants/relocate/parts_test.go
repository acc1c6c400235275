package relocate

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func texted(all []unit) string {
	var out []string
	for _, u := range all {
		out = append(out, u.text)
	}
	return strings.Join(out, " ")
}

// TestUnits: a chain of names is one unit, and a comment is none.
func TestUnits(t *testing.T) {
	for _, c := range []struct {
		text string
		cuts []int
		want string
	}{
		{"e.rings.x = f(y).z // why\n\tgo a.b()", nil, "e.rings.x = f ( y ) . z go a.b()"},
		{"e.rings.x", []int{2}, "e . rings.x"},
		{"x = e.now().at() + f(g()) - h()()", nil, "x = e.now().at() + f ( g() ) - h() ( )"},
		{"e.rings.x", []int{0, 9}, "e.rings.x"},
		{`"a.b" + 'c'`, nil, `"a.b" + 'c'`},
		{"for ;; {", nil, "for ; ; {"},
	} {
		if got := texted(units(c.text, c.cuts...)); got != c.want {
			t.Errorf("units of %q at %v: %s, want %s", c.text, c.cuts, got, c.want)
		}
	}
}

// TestAlign: renamed units are partners, and inserted ones have none.
func TestAlign(t *testing.T) {
	a, b := units("e.f(x); return y"), units("s.f(g, x); s.g(); return y")
	var got []string
	for i, j := range align(a, b) {
		if j >= 0 {
			got = append(got, a[i].text+"="+b[j].text)
		}
	}
	if want := "e.f=s.f (=( x=x )=) ;=; return=return y=y"; strings.Join(got, " ") != want {
		t.Errorf("aligned %s, want %s", got, want)
	}
}

// TestHunks: equal units on both sides are no change.
func TestHunks(t *testing.T) {
	for _, c := range []struct{ old, next, want string }{
		{"a b c", "a x c", "[{1 2 1 2}]"},
		{"a b c", "a c", "[{1 2 1 1}]"},
		{"a c", "a b c", "[{1 1 1 2}]"},
		{"a b", "", "[{0 2 0 0}]"},
		{"a b", "a b", "[]"},
		{"a b c d", "x b c y", "[{0 1 0 1} {3 4 3 4}]"},
	} {
		if got := fmt.Sprint(hunks(units(c.old), units(c.next))); got != c.want {
			t.Errorf("hunks of %q and %q: %s, want %s", c.old, c.next, got, c.want)
		}
	}
}

// TestMapping: a chain follows the longest part of it that has votes.
func TestMapping(t *testing.T) {
	a := units("e.rings.x e.rings.y e.now k o.f o.f o.h")
	b := units("s.x s.y now key p.f p.g p.h")
	partners := make([]int, len(a))
	for i := range partners {
		partners[i] = i
	}
	all := lexicon{votes{}, votes{}}
	all.word.add("sights", "reads")
	all.whole.add("e.next", "e.seq.Stamp")
	m := learn(a, b, partners, all)
	for _, c := range []struct {
		text, want string
		certain    bool
	}{
		{"e.rings.x", "s.x", true},
		{"e.rings.z", "s.z", true},
		{"k.f", "key.f", true},
		{"o.f", "o.f", false},
		{"o.z", "p.z", true},
		{"k.sights", "key.reads", true},
		{"v.sights", "v.reads", true},
		{"f(v).sights", "f(v).reads", true},
		{"unknown", "unknown", true},
	} {
		got, doubtful := m.rewrite(c.text)
		if got != c.want || (len(doubtful) == 0) != c.certain {
			t.Errorf("%s is %s (doubtful %q), want %s", c.text, got, doubtful, c.want)
		}
	}
}

// TestNames: the longest old word wins, and a part of a word is none.
func TestNames(t *testing.T) {
	names, err := ParseNames("# old and new\ne.rings s\n\ne state\nmind node\n")
	if err != nil {
		t.Fatal(err)
	}
	const text = "e.rings.x = e.mind(minds, he, e)"
	if got, want := names.Apply(text), "s.x = state.node(minds, he, state)"; got != want {
		t.Errorf("%s is %s, want %s", text, got, want)
	}
	if _, err := ParseNames("a b\nc\n"); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("a line of one word: error %v", err)
	}
}

// TestProductionIsSorted: the list has each directory once.
func TestProductionIsSorted(t *testing.T) {
	all := Production()
	slices.Sort(all)
	if len(slices.Compact(all)) != len(Production()) {
		t.Errorf("a directory is listed twice: %q", all)
	}
}
