package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/internal/proof/figures"
)

// TestCounts: the working tree has every row, and each row has a name of its own.
func TestCounts(t *testing.T) {
	program, err := os.ReadFile("counted/main.go")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, r := range counts() {
		if seen[r.name] || r.objects() < 500 {
			t.Errorf("%s: there twice, or only %d objects", r.name, r.objects())
		}
		seen[r.name] = true
		if r.places != nil {
			if _, err := findBenchmark("../../..", r.places, r.benchmark); err != nil {
				t.Errorf("%s: %v", r.name, err)
			}
		} else if !strings.Contains(string(program), fmt.Sprintf("\t%q:", r.name)) {
			t.Errorf("%s: program counted has no such row", r.name)
		}
	}
}

// TestRan: a test program succeeds without its benchmark, and its output shows that.
func TestRan(t *testing.T) {
	const out = "goos: linux\nBenchmarkDecide/rules/delete \t  50000\t  161.3 ns/op\t 0 B/op\nPASS\n"
	for _, c := range []struct {
		benchmark string
		n         int
		fails     string
		absent    bool
		reason    string
	}{
		{"BenchmarkDecide/rules/delete", 50000, "", false, "it ran"},
		{"BenchmarkDecide/rules/delete", 9, "50000 turns, want 9", false, "another number of turns"},
		{"BenchmarkDecide/rules/keep", 50000, "absent", true, "another part ran"},
		{"BenchmarkDecide", 50000, "absent", true, "the whole is not one of its parts"},
	} {
		err := ran(out, c.benchmark, c.n)
		if (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) || errors.Is(err, errAbsent) != c.absent {
			t.Errorf("%s: %v", c.reason, err)
		}
	}
}

// TestBenchArgs: the arguments name one benchmark, and not those whose names begin alike.
func TestBenchArgs(t *testing.T) {
	got := strings.Join(benchArgs("BenchmarkCycle/keys=1", 7), " ")
	if want := "-test.run=^$ -test.bench=^BenchmarkCycle$/^keys=1$ -test.benchtime=7x -test.cpu=1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestSteady: the present Go version is known. The runtime of another one is an error,
// since its counts would not be exact.
func TestSteady(t *testing.T) {
	folder := t.TempDir()
	if _, err := steady(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{"proc.go": "const forcePreemptNS = 3600 ", "os_linux.go": `const name = "` + seedName + `="`} {
		text, err := os.ReadFile(filepath.Join(folder, file+".txt"))
		if err != nil || strings.Count(string(text), want) != 1 {
			t.Errorf("%s lacks %q: %v", file, want, err)
		}
	}
	for _, p := range patches() {
		const line = "const forcePreemptNS = 10 * 1000 * 1000 // 10ms\n\t\t\tstartupRand = (*[16]byte)(unsafe.Pointer(val))[:]\n"
		if _, err := p.apply([]byte("package runtime\n\n" + line)); err != nil {
			t.Errorf("%s: %v", p.file, err)
		}
		for _, text := range []string{"package runtime\n", line + line} {
			if _, err := p.apply([]byte(text)); err == nil {
				t.Errorf("%s: %q: no error", p.file, text)
			}
		}
	}
	if got := strings.TrimPrefix(seed(3), seedName+"="); len(got) != 16 {
		t.Errorf("seed %q has %d bytes, want 16", got, len(got))
	}
}

// two returns the versions of a repository without sources. The benchmark stands in
// another folder of each, or in neither.
func two(t *testing.T, a, b string) []*tree {
	t.Helper()
	var out []*tree
	for version, place := range map[string]string{former: a, present: b} {
		root := t.TempDir()
		if place != "" {
			write(t, filepath.Join(root, place, "x_test.go"), "package x\n\nfunc BenchmarkX(b *testing.B) {}\n")
		}
		v := &tree{version: version, root: root, programs: root, built: map[string]build{}}
		v.built[filepath.Join(root, place)+" test -c ."] = build{path: filepath.Join(root, version)}
		out = append(out, v)
	}
	return out
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestCountRow: the count is the difference of two runs by the objects of that difference.
// A row that a version lacks is named, and is not equal.
func TestCountRow(t *testing.T) {
	r := count{name: "x", benchmark: "BenchmarkX", places: []string{"new", "old"}, work: 100, each: 5}
	// One unit of work has 4000 instructions in A, and 4040 in B.
	of := func(_ context.Context, p process) (uint64, error) {
		n, _, _ := strings.Cut(strings.TrimPrefix(p.args[2], "-test.benchtime="), "x")
		each := map[string]uint64{former: 4000, present: 4040}[filepath.Base(p.path)]
		return 1_000_000 + each*map[string]uint64{"100": 100, "200": 200}[n], nil
	}
	flat := func(context.Context, process) (uint64, error) { return 7, nil }
	refuse := func(context.Context, process) (uint64, error) { return 0, fmt.Errorf("exit: %w", os.ErrPermission) }
	for _, c := range []struct {
		a, b   string
		tool   counter
		cells  string
		fails  string
		reason string
	}{
		{"old", "new", of, "x|500|800.0|808.0|1.0100|0.00 %|more|2", "", "the benchmark has moved"},
		{"", "new", of, "x|500|-|-|-|-|absent in A|0", "A: BenchmarkX: absent from new and old", "it is new"},
		{"old", "", of, "x|500|-|-|-|-|absent in B|0", "B: BenchmarkX: absent from new and old", "it was removed"},
		{"", "", of, "x|500|-|-|-|-|absent in both|0", "B: BenchmarkX: absent", "it is a slip in the plan"},
		{"old", "new", flat, "x|500|-|-|-|-|failed|0", "twice the work", "the work does not depend on its amount"},
		{"old", "new", refuse, "x|500|-|-|-|-|failed|0", "A: exit: permission denied", "the program fails"},
	} {
		got, err := countRow(t.Context(), two(t, c.a, c.b), r, 2, c.tool)
		cells := strings.Join(got.cells(r), "|")
		if cells != c.cells || (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%s: %s, error %v\nwant %s, error %q", c.reason, cells, err, c.cells, c.fails)
		}
	}
}

// TestCountRows: a row that fails does not end the others, and only the rows that are
// asked for are counted.
func TestCountRows(t *testing.T) {
	o := standard(t)
	o.only = regexp.MustCompile("^queue BenchmarkDrain$|^graph BenchmarkFan$")
	var text strings.Builder
	err := o.countRows(t.Context(), two(t, "", ""), nil, figures.TSV(&text))
	want := "row\tobjects\tA\tB\tB/A\tnoise\tverdict\trounds\n" +
		"queue BenchmarkDrain\t200000\t-\t-\t-\t-\tabsent in both\t0\n" +
		"graph BenchmarkFan\t1000000\t-\t-\t-\t-\tabsent in both\t0\n"
	if text.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", text.String(), want)
	}
	if err == nil || !strings.Contains(err.Error(), "queue BenchmarkDrain: A: ") || !strings.Contains(err.Error(), "graph BenchmarkFan: A: ") {
		t.Errorf("error %v", err)
	}
}

// TestCountVerdict: a difference within the noise, or below three thousandths, has no verdict.
func TestCountVerdict(t *testing.T) {
	for _, c := range []struct {
		a, b    []float64
		noise   float64
		verdict string
		reason  string
	}{
		{[]float64{1000, 1000}, []float64{1000, 1000}, 0, "", "equal"},
		{[]float64{1000, 1000}, []float64{1004, 1004}, 0, "more", "four thousandths"},
		{[]float64{1000, 1000}, []float64{990, 990}, 0, "fewer", "a hundredth"},
		{[]float64{1000, 1000}, []float64{1002.9, 1002.9}, 0, "", "less than three thousandths"},
		{[]float64{1000, 1000, 2000}, []float64{1010, 1030, 2020}, 0.02, "", "within the noise of the ratio"},
		{[]float64{1000, 2000}, []float64{1010, 2020}, 0, "more", "the seeds differ, and the ratio does not"},
		{[]float64{1000}, []float64{2000}, math.NaN(), "one round", "the noise is not known"},
	} {
		got := comparison{each: map[string][]float64{former: c.a, present: c.b}}
		if noise := got.noise(); !same(noise, c.noise) && math.Abs(noise-c.noise) > 1e-9 || got.verdict() != c.verdict {
			t.Errorf("%s: noise %v, verdict %q, want %v, %q", c.reason, noise, got.verdict(), c.noise, c.verdict)
		}
	}
}

// TestBrokenCommit: a commit that does not exist, has no benchmark or does not build is an
// error that names it, and its worktree is removed.
func TestBrokenCommit(t *testing.T) {
	repo, folder := t.TempDir(), t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		out, err := command(t.Context(), repo, "git", append([]string{"-c", "user.name=x", "-c", "user.email=x@example.com"}, args...)...)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(out)
	}
	save := func() string {
		t.Helper()
		git("add", ".")
		git("commit", "-m", "x")
		return git("rev-parse", "HEAD")
	}
	git("init")
	write(t, filepath.Join(repo, "README.md"), "x\n")
	empty := save()
	write(t, filepath.Join(repo, "internal/proof/bench/go.mod"), "module x\n\ngo 1.25\n")
	write(t, filepath.Join(repo, "internal/proof/bench/counted/main.go"), "package main\n\nfunc main() { missing() }\n")
	broken := save()
	for _, c := range []struct{ commit, fails, reason string }{
		{"missing", "missing", "no such commit"},
		{empty, "no benchmark there", "it is too old"},
		{broken, "A does not build: go build", "its sources are wrong"},
	} {
		home, remove, err := checkout(t.Context(), repo, c.commit, filepath.Join(folder, c.commit))
		if err == nil {
			overlay := filepath.Join(folder, "overlay.json")
			write(t, overlay, "{}")
			old := &tree{version: former, module: home, programs: folder, overlay: overlay, built: map[string]build{}}
			_, err = old.process(t.Context(), count{name: "engine update"}, 1)
			remove()
		}
		if err == nil || !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%s: error %v, want %q", c.reason, err, c.fails)
		}
		if _, err := os.Stat(filepath.Join(folder, c.commit)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the worktree is still there: %v", c.reason, err)
		}
	}
}
