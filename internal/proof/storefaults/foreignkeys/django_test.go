package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
)

// TestDjango: the recorded worlds end as in Django. A line of a world names each class that permits another end.
func TestDjango(t *testing.T) {
	text, err := os.ReadFile("testdata/django.txt")
	if err != nil {
		t.Fatal(err)
	}
	list, err := readScenarios(string(text))
	if err != nil {
		t.Fatal(err)
	}
	c := counts{runs: map[string]int{}}
	seen := map[onDelete]bool{}
	for _, sc := range list {
		answer, err := parseAnswer(sc.django)
		if err != nil {
			t.Fatal(err)
		}
		want, err := sc.world.endOfAnswer(&answer)
		if err != nil {
			t.Fatal(err)
		}
		differs, err := sc.world.compare(t.Context(), want, &c)
		if err != nil || differs != (sc.differs != "") {
			t.Errorf("%s: %v, differs: %t, want %q: %s", &sc.world, err, differs, sc.differs, sc.reason)
		}
		if of := sc.world.classOf(true).String(); differs && of != sc.differs {
			t.Errorf("%s is of the class %s, want %s: %s", &sc.world, of, sc.differs, sc.reason)
		}
		for d := djangoCascade; d <= djangoUnchecked; d++ {
			if sc.world.has(d) {
				seen[d] = true
			}
		}
	}
	if len(list) < 40 || len(seen) < int(djangoUnchecked) {
		t.Errorf("%d worlds with %d values of on_delete", len(list), len(seen))
	}
	t.Logf("\n%s", c)
}

// TestDjangoJudge: the judge reports an end that no class permits.
func TestDjangoJudge(t *testing.T) {
	for _, c := range []struct {
		world, got, django string
		right              bool
		reason             string
	}{
		{"a1; b1 -> a1 CASCADE", "left:", "left:", true, "both ends are the same"},
		{"a1; b1 -> a1 CASCADE", "left: b1", "left:", false, "the row of a cascade stays"},
		{"a1; b1 -> a1 SET_NULL", "left: b1 -> a1", "left: b1", false, "the reference stays"},
		{"a1; b1 -> a1 PROTECT", "left: b1 -> a1", "refused: ProtectedError", false, "a protected root goes"},
		{"a1; b1 -> a1 CASCADE; c1 -> a1 CASCADE, b1 PROTECT", "left:", "refused: ProtectedError", true, "Django has no exemption from PROTECT"},
		{"a1; b1 -> a1 CASCADE; c1 -> a1 CASCADE, b1 PROTECT", "left:", "left:", false, "Django deletes a protected row"},
		{"a1; b1 -> a1 DO_NOTHING_UNCHECKED", "left: b1", "left: b1 -> a1", true, "our store has no such reference"},
	} {
		w, err := parseWorld(c.world)
		if err != nil {
			t.Fatal(err)
		}
		var ends [2]end
		for i, text := range []string{c.got, c.django} {
			answer, err := parseAnswer(text)
			if err != nil {
				t.Fatal(err)
			}
			if ends[i], err = w.endOfAnswer(&answer); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.judge(outcome{forecastOf(ends[0]), ends[0]}, ends[1], true); (err == nil) != c.right {
			t.Errorf("%s: got %s, Django has %s: %v: %s", c.world, c.got, c.django, err, c.reason)
		}
	}
}

// TestDangling is our end of a reference as DO_NOTHING leaves it: the owner with its UID is gone. A store of
// level 3 refuses to make one.
func TestDangling(t *testing.T) {
	for _, c := range []struct{ start, want, reason string }{
		{"a'; b -> a", "a'", "an object without a living owner goes"},
		{"a'; b -> a:cascade", "a'", "its cascade reaches the object"},
		{"a'; b -> a:release", "a'; b", "the reference is dropped"},
		{"a'; b -> a:restrict", "a'; b -> a:restrict", "the reference restricts no object, and deletes none"},
	} {
		list, err := graph.Parse(c.start)
		if err != nil {
			t.Fatal(err)
		}
		m, err := memory.New(memory.Config{Objects: list})
		if err != nil {
			t.Fatal(err)
		}
		col, err := ownergraph.New(m, ownergraph.Config{Policies: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := collect(t.Context(), col, func() error { return nil }); err != nil {
			t.Fatal(err)
		}
		left := m.Objects()
		for i := range left {
			left[i].Version = ""
		}
		if got := graph.Format(left); got != c.want {
			t.Errorf("%s: got %q, want %q: %s", c.start, got, c.want, c.reason)
		}
	}
}

// TestDjangoNotation: a world is read as it is written, and an error names the part that is wrong.
func TestDjangoNotation(t *testing.T) {
	for _, c := range []struct{ text, wrong, reason string }{
		{"a1; a2 -> a1 CASCADE; b1 -> a1 SET_NULL, c1 RESTRICT; c1", "", "the whole notation"},
		{"a1; a1", "row a1: twice", "a name is a row"},
		{"a1; B1", `row "B1"`, "a model is a small letter"},
		{"a1; b", `row "b"`, "a row has a number"},
		{"a1; b1 -> a1", "1 words", "a reference has an on_delete"},
		{"a1; b1 -> a1 DROP", "on_delete", "the value is unknown"},
		{"a1; b1 -> a2 CASCADE", "another row", "the owner is unknown"},
		{"a1; b1 -> b1 CASCADE", "another row", "the row refers to itself"},
		{"a1; a2; b1 -> a1 CASCADE, a2 CASCADE", "two references", "a key has one value"},
		{"a1; b1 -> a1 CASCADE; b2 -> a1 PROTECT", "both CASCADE and PROTECT", "a key has one on_delete"},
		{"a1; a2; a3; a4; a5; a6; a7; a8; a9", "9 rows", "the rows have a bound"},
	} {
		w, err := parseWorld(c.text)
		if c.wrong == "" && (err != nil || w.String() != c.text) || c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
			t.Errorf("%s: %s, %v, want %q: %s", c.text, &w, err, c.wrong, c.reason)
		}
	}
	for seed := range uint64(500) {
		w := drawWorld(seed)
		if again, err := parseWorld(w.String()); err != nil || again.String() != w.String() {
			t.Fatalf("seed %d: %s: %s, %v", seed, &w, &again, err)
		}
	}
}

// TestRecord: a record changes the lines of the oracle alone. A program stands for Django here.
func TestRecord(t *testing.T) {
	const before = "# words\n\noracle: none\n\nreason: r\nworld: a1; b1 -> a1 SET_NULL\ndjango: left:\n"
	for _, c := range []struct{ answer, want, wrong, reason string }{
		{`echo '{"versions":"D","ends":[{"refused":"","left":[{"row":["b",1],"refs":[]}]}]}'`, strings.NewReplacer("none", "D", "left:", "left: b1").Replace(before), "", "the row is left"},
		{`echo '{"versions":"D","ends":[{"refused":"E","left":[]}]}'`, strings.NewReplacer("none", "D", "left:", "refused: E").Replace(before), "", "the deletion is refused"},
		{`echo '{"versions":"D","ends":[{"refused":"E","left":[{"row":["b",1],"refs":[]}]}]}'`, "", "the world has changed", "a refusal changes the world"},
		{`echo '{"versions":"D","ends":[{"refused":"","left":[{"row":["c",1],"refs":[]}]}]}'`, "", "row c1: unknown", "an end of another world"},
		{`echo '{"versions":"D","ends":[]}'`, "", "0 ends for 1 worlds", "an end is missing"},
		{`echo no such module >&2; exit 1`, "", "apt-get install -y python3-django", "Django is not installed"},
	} {
		dir := t.TempDir()
		python, file := filepath.Join(dir, "python"), filepath.Join(dir, "django.txt")
		for path, text := range map[string]string{python: "#!/bin/sh\ncat >/dev/null\n" + c.answer + "\n", file: before} {
			if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		err := record(t.Context(), python, file)
		if c.wrong == "" && err != nil || c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
			t.Errorf("got %v, want %q: %s", err, c.wrong, c.reason)
		}
		want := c.want
		if want == "" {
			want = before
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("the file has %q, %v, want %q: %s", got, err, want, c.reason)
		}
	}
}
