package steps

import (
	"strings"
	"testing"
)

// TestLoopsCount: the loops of the whole engine count.
func TestLoopsCount(t *testing.T) {
	_, loops, err := Overlay("../../..", t.TempDir())
	if err != nil || loops < 1000 {
		t.Errorf("%d loops count, %v, want those of the whole engine", loops, err)
	}
}

// TestEdit: a loop counts its turns, and a call its elements. A step begins and ends, and the
// lock of the Collector is a step.
func TestEdit(t *testing.T) {
	const meter = `; import stepmeter "github.com/ownergraph/ownergraph/internal/proof/steps/meter"`
	for _, tc := range []struct{ src, want, reason string }{
		{"var x = 1", "", "nothing counts"},
		{"func f() { for { g() } }", "func f() { for {stepmeter.At(0); g() } }", "a loop"},
		{"func f() { for range 3 {} }", "func f() { for range 3 {stepmeter.At(0);} }", "an empty loop"},
		{"func f() { for range g { for x := range y { g() } } }", "func f() { for range g {stepmeter.At(0); for x := range y {stepmeter.At(1); g() } } }", "loops in loops"},
		{"var x = slices.Contains(a, b)", "var x = slices.Contains(stepmeter.Scan(0, a), b)", "a look at each element"},
		{"var x = slices.Sorted(maps.Keys(a))", "var x = stepmeter.Scan(0, slices.Sorted(maps.Keys(a)))", "a result"},
		{"var x = append(a, b...)", "var x = append(a, stepmeter.Copy(0, b)...)", "a copy"},
		{"var x = append(a, b)", "", "one element"},
		{"func (e *Engine) Next() { g() }", `func (e *Engine) Next() {defer stepmeter.Step("Engine.Next")(); g() }`, "a step"},
		{"func (e *Engine) next() { g() }", "", "a part of a step"},
		{"type Collector struct { mu sync.Mutex }", "type Collector struct { mu stepmeter.Mutex }", "the lock"},
		{"type Other struct { mu sync.Mutex }", "", "another lock"},
	} {
		e := editor{}
		out, err := e.edit("file.go", []byte("package p\n\n"+tc.src+"\n"))
		if err != nil {
			t.Errorf("%s: %v", tc.reason, err)
			continue
		}
		want := ""
		if tc.want != "" {
			want = "package p" + meter + "\n\n" + tc.want + "\n"
		}
		if got := string(out); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", tc.reason, got, want)
		}
		if strings.Count(want, "stepmeter.") > 0 && strings.Count(string(out), "\n") != 3 {
			t.Errorf("%s: a line has moved", tc.reason)
		}
	}
}
