package mutants

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// small returns a module of one package, whose file a.go has the source.
func small(source string) *Source {
	return NewSource(fstest.MapFS{
		"p/a.go":      {Data: []byte(source)},
		"p/a_test.go": {Data: []byte("package p\n\nfunc F() {}\n")},
	})
}

const declared = `package p

import "fmt"

// F is a function.
func F() { fmt.Println(1) }

func (t *T[K]) F() {
	fmt.Println(1)
	fmt.Println(2)
}

// T is a type.
type T[K any] struct{ k K }

const (
	// A is the first.
	A, B = 1, 2
	C    = 3
)

var V = 4
`

// TestPlaces: each declaration has a name and its own text with its comment.
func TestPlaces(t *testing.T) {
	places, err := small(declared).Places("p")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range places {
		first, _, _ := strings.Cut(p.Text(), "\n")
		got = append(got, p.Decl.String()+": "+first)
	}
	want := []string{
		"p F: // F is a function.", "p T.F: func (t *T[K]) F() {", "p T: // T is a type.",
		"p A: \t// A is the first.", "p C: \tC    = 3", "p V: var V = 4",
	}
	if !slices.Equal(got, want) {
		t.Errorf("places\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestLocate: a text has to occur once in its own declaration, and only there.
func TestLocate(t *testing.T) {
	source := small(declared)
	for _, c := range []struct{ name, text, want, reason string }{
		{"T.F", "Println(2)", "", "one text in its declaration is a place"},
		{"F", "Println(1)", "", "the same text in another declaration is no matter"},
		{"F", "}\n\nfunc (t", "", "a text may end in the next declaration"},
		{"T.F", "Println(", "occurs 2 times", "two places are none"},
		{"F", "Println(2)", "occurs 0 times", "the text of another declaration is not found"},
		{"G", "Println(2)", "no declaration p G", "the declaration has to exist"},
	} {
		_, _, err := source.Locate(Decl{"p", c.name}, c.text)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.reason, err)
		case c.want != "" && (!errors.Is(err, ErrNoPlace) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: error %v, want %q", c.reason, err, c.want)
		}
	}
	if _, err := source.Find(Decl{"q", "F"}); !errors.Is(err, ErrNoPlace) {
		t.Errorf("a package that does not exist: error %v", err)
	}
}

// TestDirs: packages without production files are left out.
func TestDirs(t *testing.T) {
	source := NewSource(fstest.MapFS{
		"a.go": {}, "p/a.go": {}, "p/q/a.go": {}, "p/testdata/a.go": {}, "p/.x/a.go": {}, "p/t/a_test.go": {}, "o/a.go": {},
	})
	for _, c := range []struct {
		roots []string
		want  string
	}{{[]string{"p", "none"}, "p p/q"}, {[]string{"."}, ". o p p/q"}} {
		got, err := source.Dirs(c.roots...)
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("Dirs(%q) = %q, %v; want %q", c.roots, got, err, c.want)
		}
	}
}
