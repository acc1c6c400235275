package lattice

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata/api.txt, shorten the lists of exceptions, lower the ratchets")

// golden is the file of the public API, with one exported name a line. The names that only this module
// can call are apart, behind insideHead.
func golden() string { return filepath.Join(root(), "testdata", "api.txt") }

// insideHead begins the list of the names that users cannot call.
const insideHead = "# Only this module can call these: a caller needs a key of an internal package."

// api returns the sorted lines of every public package, without the examples. Those that only this
// module can call come last, behind an empty line and insideHead.
func (r *repository) api() []string {
	var list []string
	for _, f := range r.files {
		if f.public() && !f.below(manuals...) {
			list = append(list, f.exports()...)
		}
	}
	return apart(list)
}

// apart sorts lines, and moves those that take a key of package inside to the end.
func apart(list []string) []string {
	slices.Sort(list)
	list = slices.Compact(list)
	isInside := func(line string) bool { return strings.Contains(line, "(inside.Key)") }
	inside := slices.DeleteFunc(slices.Clone(list), func(line string) bool { return !isInside(line) })
	public := slices.DeleteFunc(list, isInside)
	if len(inside) == 0 {
		return public
	}
	return slices.Concat(public, []string{"", insideHead}, inside)
}

// difference lists the lines that only one side has, in the order of the lines.
// It marks a line of old with "-" and a line of now with "+".
func difference(old, now []string) []string {
	side := map[string]string{}
	for _, line := range old {
		side[line] = "-"
	}
	for _, line := range now {
		if side[line] == "-" {
			delete(side, line)
		} else {
			side[line] = "+"
		}
	}
	var list []string
	for _, line := range slices.Sorted(maps.Keys(side)) {
		list = append(list, side[line]+" "+line)
	}
	return list
}

func TestAPI(t *testing.T) {
	now := repo(t).api()
	if *update {
		writeGolden(t, now)
	}
	content, err := os.ReadFile(golden())
	if err != nil {
		t.Fatal(err)
	}
	old := strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
	if diff := difference(old, now); len(diff) > 0 {
		t.Errorf("the public API differs from testdata/api.txt. Describe an intended change in CHANGELOG.md, and run\n"+
			"go test ./%s -run TestAPI -update\n%s", here(), strings.Join(diff, "\n"))
	}
	if !slices.Equal(old, apart(slices.DeleteFunc(slices.Clone(old), func(line string) bool { return line == "" || line == insideHead }))) {
		t.Error("testdata/api.txt is not sorted")
	}
}

func writeGolden(t *testing.T, lines []string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(golden()), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(golden(), []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestAPIApart: a name that only this module can call is no name of the public API.
func TestAPIApart(t *testing.T) {
	got := apart([]string{"p func Zoom()", "p method (*T) Inside(inside.Key) inner", "p func A(insides.Key)", "p func A(insides.Key)"})
	want := []string{"p func A(insides.Key)", "p func Zoom()", "", insideHead, "p method (*T) Inside(inside.Key) inner"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := apart([]string{"p func A()"}); !slices.Equal(got, []string{"p func A()"}) {
		t.Errorf("%q, want no second list", got)
	}
}

func TestAPICanFail(t *testing.T) {
	for _, c := range []struct {
		old, now, want []string
		reason         string
	}{
		{[]string{"a", "b"}, []string{"a", "b"}, nil, "the same"},
		{[]string{"a", "b"}, []string{"b"}, []string{"- a"}, "a name is gone"},
		{[]string{"b"}, []string{"a", "b"}, []string{"+ a"}, "a name is new"},
		{[]string{"f(int)"}, []string{"f(string)"}, []string{"- f(int)", "+ f(string)"}, "a signature changed"},
	} {
		if got := difference(c.old, c.now); !slices.Equal(got, c.want) {
			t.Errorf("difference(%v, %v) = %v, want %v: %s", c.old, c.now, got, c.want, c.reason)
		}
	}
}
