package mutants

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
)

// bugsGlob matches the files of seeded bugs, from the module's root.
const bugsGlob = "internal/proof/mutants/testdata/bugs/*.txt"

// Load reads the seeded bugs of the module at root, in the order of their names. A file
// has bugs like this one, and comment lines that begin with "#":
//
//	m001 a write carries no version
//	source: R1 K1
//	decl: . Engine.write
//	killers: scripts, exhaustive
//	tests: TestScenarios
//	exhaustive: 3 objects, 2 actions, late engine; graph 17
//	<<<
//	old text
//	===
//	new text
//	>>>
//
// The lines "tests" and "exhaustive" are optional. An error names the file and the line.
func Load(root string) ([]Bug, error) { return LoadFrom(os.DirFS(root)) }

// LoadFrom reads the seeded bugs of the module whose root is the root of files.
func LoadFrom(module fs.FS) ([]Bug, error) {
	files, err := fs.Glob(module, bugsGlob)
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("load bugs: no file is like %s: %w", bugsGlob, os.ErrNotExist)
	}
	var all []Bug
	for _, f := range files {
		text, err := fs.ReadFile(module, f)
		if err != nil {
			return nil, fmt.Errorf("load bugs: %w", err)
		}
		bugs, err := parseBugs(string(text))
		if err != nil {
			return nil, fmt.Errorf("load bugs: %s: %w", path.Base(f), err)
		}
		all = append(all, bugs...)
	}
	slices.SortStableFunc(all, func(a, b Bug) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

func parseBugs(text string) ([]Bug, error) {
	r := &reader{lines: strings.Split(text, "\n")}
	var all []Bug
	for {
		line, ok := r.next()
		if !ok {
			return all, nil
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		b, err := r.bug(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", r.at, err)
		}
		all = append(all, b)
	}
}

// reader walks the lines of a file of bugs.
type reader struct {
	lines []string
	at    int // the number of lines read
}

func (r *reader) next() (string, bool) {
	if r.at == len(r.lines) {
		return "", false
	}
	r.at++
	return r.lines[r.at-1], true
}

func (r *reader) bug(heading string) (b Bug, err error) {
	var found bool
	if b.Name, b.Rule, found = strings.Cut(heading, " "); !found {
		return b, fmt.Errorf("bug %q: want a name and a rule", heading)
	}
	for {
		line, _ := r.next()
		if line == "<<<" {
			break
		}
		field, value, _ := strings.Cut(line, ": ")
		switch field {
		case "source":
			b.Source = value
		case "decl":
			if b.Decl, err = ParseDecl(value); err != nil {
				return b, err
			}
		case "killers":
			if b.Killers, err = ParseMethods(value); err != nil {
				return b, err
			}
		case "tests":
			if _, err := regexp.Compile(value); err != nil || value == "" {
				return b, fmt.Errorf("bug %s: tests %q: want a regular expression: %w", b.Name, value, cmp.Or(err, fs.ErrInvalid))
			}
			b.Tests = value
		case "exhaustive":
			if b.Where, err = parseWhere(value); err != nil {
				return b, err
			}
		default:
			return b, fmt.Errorf("bug %s: %q: want source, decl, killers, tests, exhaustive or <<<", b.Name, line)
		}
	}
	if b.Old, err = r.until("==="); err != nil {
		return b, err
	}
	b.New, err = r.until(">>>")
	return b, err
}

// until returns the lines before an end line, and drops the end line.
func (r *reader) until(end string) (string, error) {
	from := r.at
	for {
		line, ok := r.next()
		if !ok {
			return "", fmt.Errorf("text without %s", end)
		}
		if line == end {
			return strings.Join(r.lines[from:r.at-1], "\n"), nil
		}
	}
}
