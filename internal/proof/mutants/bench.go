package mutants

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"time"
)

// maxMemory bounds the address space of a mutant, in KiB. A mutant that grows without
// end counts as killed, as a mutant that hangs does.
const maxMemory = 6 << 20

// sharePackage has the flag -whole, as an import names it.
const sharePackage = `"github.com/ownergraph/ownergraph/internal/portion"`

// Edit replaces one file of the module for one build. The zero value changes
// nothing. It is a value.
type Edit struct {
	File    string // from the module's root, with slashes
	Content []byte
}

// Bench builds and runs suites on edited sources. Several goroutines may use it at
// once. Its fields do not change after its first use.
type Bench struct {
	// Root is the module's directory.
	Root string
	// Scratch is a directory for overlays and programs. Each use makes its own
	// directory below it, and removes it.
	Scratch string
	// Timeout bounds one run of one suite.
	Timeout time.Duration
	// Procs is the GOMAXPROCS of each suite, 0 for all.
	Procs int
}

// errUnbuilt says that an edited source does not compile.
var errUnbuilt = errors.New("does not compile")

// build compiles suites over an edit into programs in dir/bin. It compiles all tests of a
// workspace at once, because they share most packages. An error wraps errUnbuilt and has the first
// lines of the compiler's message.
func (b *Bench) build(ctx context.Context, dir string, e Edit, suites []suite) error {
	flags := []string{"-buildvcs=false", "-ldflags=-s -w", "-o", filepath.Join(dir, "bin") + "/"}
	if e.File != "" {
		overlay, err := b.overlay(dir, e)
		if err != nil {
			return err
		}
		flags = append(flags, "-overlay", overlay)
	}
	tests, commands := append([]string{"test", "-c", "-vet=off"}, flags...), append([]string{"build"}, flags...)
	for len(suites) > 0 {
		at, line, n := homeOf(b.Root, suites[0].pkg), commands, len(commands)
		if suites[0].test {
			line, n = tests, len(tests)
		}
		same := func(s suite) bool { return s.test == suites[0].test && homeOf(b.Root, s.pkg) == at }
		line = slices.Clone(line)
		var rest []suite
		for _, s := range suites {
			switch arg := at.argument(s.pkg); {
			case !same(s):
				rest = append(rest, s)
			case !slices.Contains(line[n:], arg):
				line = append(line, arg)
			}
		}
		suites = rest
		cmd := exec.CommandContext(ctx, "go", line...)
		cmd.Dir = filepath.Join(b.Root, filepath.FromSlash(at.dir))
		cmd.Env = append(at.environ(), "GOGC=800") // compilers and linkers live short
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build: %w: %s", errors.Join(errUnbuilt, ctx.Err()), tail(out))
		}
	}
	return nil
}

// program returns the file that build makes of the suite.
func (s suite) program(dir string) string {
	name := path.Base(s.pkg)
	if s.pkg == "." {
		name = "ownergraph"
	}
	if s.test {
		name += ".test"
	}
	return filepath.Join(dir, "bin", name)
}

// overlay writes the edited file and the go command's description of it.
func (b *Bench) overlay(dir string, e Edit) (string, error) {
	edited := filepath.Join(dir, "edited.go")
	if err := os.WriteFile(edited, e.Content, 0o600); err != nil {
		return "", fmt.Errorf("write mutant: %w", err)
	}
	real := filepath.Join(b.Root, filepath.FromSlash(e.File))
	text, err := json.Marshal(map[string]map[string]string{"Replace": {real: edited}})
	if err != nil {
		return "", fmt.Errorf("describe overlay: %w", err)
	}
	path := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return "", fmt.Errorf("write overlay: %w", err)
	}
	return path, nil
}

// run runs a built suite and returns the outcome.
func (b *Bench) run(ctx context.Context, dir string, s suite) Outcome {
	begun := time.Now()
	bounded, cancel := context.WithTimeout(ctx, b.Timeout)
	defer cancel()
	script := fmt.Sprintf(`ulimit -v %d; exec "$@"`, maxMemory)
	cmd := exec.CommandContext(bounded, "sh", append([]string{"-c", script, "sh", s.program(dir)}, s.args...)...)
	cmd.Dir = b.Root
	if s.test {
		cmd.Dir = filepath.Join(b.Root, filepath.FromSlash(s.pkg))
		if shares(cmd.Dir) {
			cmd.Args = append(cmd.Args, "-whole")
		}
	}
	cmd.Env = append(os.Environ(), "RAPID_NOFAILFILE=1") // the tree gets no file
	if b.Procs > 0 {
		cmd.Env = append(cmd.Env, fmt.Sprintf("GOMAXPROCS=%d", b.Procs))
	}
	out, err := cmd.CombinedOutput()
	o := Outcome{Verdict: Survived, Took: time.Since(begun)}
	var status *exec.ExitError
	switch {
	case err == nil:
	case ctx.Err() != nil:
		o.Verdict = Unbuilt
	case bounded.Err() != nil:
		o.Verdict, o.Word = Hung, "no end"
	case errors.As(err, &status):
		o.Verdict, o.Word = Killed, firstFailure(out)
	default:
		o.Verdict, o.Word = Unbuilt, err.Error()
	}
	return o
}

// shares reports whether the tests in a directory run a share of their cases, and know the flag
// -whole for all. The others refuse that flag.
func shares(dir string) bool {
	files, _ := filepath.Glob(filepath.Join(dir, "*_test.go")) // the pattern is well formed
	return slices.ContainsFunc(files, func(f string) bool {
		text, err := os.ReadFile(f)
		return err == nil && bytes.Contains(text, []byte(sharePackage))
	})
}

// try builds suites on an edit, runs them in order, and returns an outcome for each run.
// If asked, it stops at the first kill. Then it builds the first suite alone, because
// the first suite kills most mutants.
func (b *Bench) try(ctx context.Context, e Edit, suites []suite, untilKilled bool) []Outcome {
	dir, err := os.MkdirTemp(b.Scratch, "mutant")
	if err != nil {
		return []Outcome{{Verdict: Unbuilt, Word: err.Error()}}
	}
	defer os.RemoveAll(dir)
	var all []Outcome
	for built := 0; len(all) < len(suites); {
		if i := len(all); i == built {
			built = len(suites)
			if untilKilled && i == 0 {
				built = 1
			}
			if err := b.build(ctx, dir, e, suites[i:built]); err != nil {
				return append(all, Outcome{Verdict: Unbuilt, Word: err.Error()})
			}
		}
		o := b.run(ctx, dir, suites[len(all)])
		all = append(all, o)
		if o.Verdict == Unbuilt || untilKilled && o.Dead() {
			break
		}
	}
	return all
}
