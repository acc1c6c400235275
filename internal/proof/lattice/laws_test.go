package lattice

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// lawsFile defines the laws that comments and the manual cite.
const lawsFile = "RULES.md"

// law is a section of RULES.md. Its last paragraph has its place.
type law struct {
	number, name               string // an unnumbered law has its heading as the number
	packages, tests, scenarios []string
}

// laws is the content of RULES.md.
type laws struct {
	list  []law
	names map[string]bool // the numbers, and the titles of chapters and of unnumbered laws
	index [][]string      // the cells of each row
}

var (
	section   = regexp.MustCompile(`(?m)^(##+) (.+)\n`)
	numbered  = regexp.MustCompile(`^([A-Z]\d*) ([a-z].*)$`)
	placeText = regexp.MustCompile("(?s)\nPackages? (`.*?`)\\. Tests: (`.*?`)\\.(?: Scenarios: (`.*?`)\\.)?\\s*$")
	listed    = regexp.MustCompile("`([^`]+)`")
	row       = regexp.MustCompile(`(?m)^\| (.+) \|$`)
)

// readLaws parses RULES.md. A chapter has no place if its laws follow, or if it is one of
// the named parts without laws.
func readLaws(text string) (l laws, faults []string) {
	l.names = map[string]bool{}
	heads := section.FindAllStringSubmatchIndex(text, -1)
	for i, h := range heads {
		end, level, title := len(text), text[h[2]:h[3]], text[h[4]:h[5]]
		below := i+1 < len(heads) && heads[i+1][3]-heads[i+1][2] > len(level)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		body := "\n" + strings.Join(strings.Fields(text[h[1]:end]), " ")
		body = strings.ReplaceAll(body, " Package", "\nPackage")
		switch {
		case title == "Index":
			for _, m := range row.FindAllStringSubmatch(text[h[1]:end], -1) {
				l.index = append(l.index, strings.Split(m[1], " | "))
			}
			continue
		case title == "Words" || title == "Former numbers":
			continue
		}
		x := law{number: title}
		if m := numbered.FindStringSubmatch(title); m != nil {
			x.number, x.name = m[1], m[2]
		}
		l.names[x.number] = true
		if below {
			continue
		}
		place := placeText.FindStringSubmatch(body)
		if place == nil {
			faults = append(faults, title+" has no place")
			continue
		}
		x.packages, x.tests, x.scenarios = names(place[1]), names(place[2]), names(place[3])
		l.list = append(l.list, x)
	}
	return l, faults
}

// names returns the quoted names of a list.
func names(list string) (out []string) {
	for _, m := range listed.FindAllStringSubmatch(list, -1) {
		out = append(out, m[1])
	}
	return out
}

// world answers for the repository that RULES.md describes.
type world struct {
	tests    map[string][]string // the test functions of each directory
	scenario func(name string) bool
	text     func(path string) string
}

// has reports whether a test exists: in one of the packages, or in the directory before its name.
func (w world) has(packages []string, test string) bool {
	if dir, name, ok := cutLast(test, "."); ok {
		if dir == "" {
			dir = "."
		}
		packages, test = []string{dir}, name
	}
	return slices.ContainsFunc(packages, func(dir string) bool { return slices.Contains(w.tests[dir], test) })
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return "", s, false
	}
	return s[:i], s[i+len(sep):], true
}

// checkLaws returns the laws whose packages, tests or scenarios do not exist.
func (w world) checkLaws(l laws) (faults []string) {
	for _, x := range l.list {
		for _, dir := range x.packages {
			if _, ok := w.tests[dir]; !ok {
				faults = append(faults, fmt.Sprintf("%s names the package %s, which does not exist", x.number, dir))
			}
		}
		for _, test := range x.tests {
			if !w.has(x.packages, test) {
				faults = append(faults, fmt.Sprintf("%s names the test %s, which does not exist", x.number, test))
			}
		}
		for _, name := range x.scenarios {
			if !w.scenario(name) {
				faults = append(faults, fmt.Sprintf("%s names the scenario %s, which does not exist", x.number, name))
			}
		}
	}
	return faults
}

// reservedLetters are those of the laws, also of later ones. No other list has them.
const reservedLetters = "RPXGBEAHD"

// listNumber is a number of a list of the proofs, where the list defines it.
var listNumber = regexp.MustCompile(`(?m)^//\t([A-Z]\d{1,2}[a-z]?)\s|^\t+\{"([A-Z]\d{1,2})", "|"([A-Z]\d{1,2}): `)

// numbersOf returns the numbers that a file defines, without those of the laws.
func numbersOf(text string) (out []string) {
	for _, m := range listNumber.FindAllStringSubmatch(text, -1) {
		if n := m[1] + m[2] + m[3]; !strings.Contains(reservedLetters, n[:1]) {
			out = append(out, n)
		}
	}
	return out
}

// checkIndex compares the index with the laws and with the lists of the proofs.
func (w world) checkIndex(l laws) (faults []string) {
	var got []string
	seen := map[string]bool{}
	files := map[string]bool{}
	for _, cells := range l.index[min(1, len(l.index)):] {
		if len(cells) != 5 {
			faults = append(faults, fmt.Sprintf("the index has a row of %d cells: %s", len(cells), strings.Join(cells, " | ")))
			continue
		}
		number, at, pkg := cells[0], strings.Trim(cells[2], "`"), strings.Trim(cells[3], "`")
		if at == lawsFile {
			got = append(got, indexed(number, cells[1]))
		} else {
			files[at] = true
			faults = append(faults, w.checkRow(number, at, seen)...)
		}
		faults = append(faults, w.checkCell(number, pkg, cells[4])...)
	}
	var want []string
	for _, x := range l.list {
		want = append(want, indexed(x.number, x.name))
	}
	if !slices.Equal(got, want) {
		faults = append(faults, fmt.Sprintf("the index has the laws %q, want %q", got, want))
	}
	for at := range files {
		for _, n := range numbersOf(w.text(at)) {
			if !seen[n] {
				faults = append(faults, fmt.Sprintf("the index lacks %s of %s", n, at))
			}
		}
	}
	slices.Sort(faults)
	return slices.Compact(faults)
}

// indexed returns the number of a law, with the name if it has a numbered heading.
func indexed(number, name string) string {
	if numbered.MatchString(number + " x") {
		return number + " " + name
	}
	return number
}

// checkRow returns the faults of a row about a list of the proofs.
func (w world) checkRow(number, at string, seen map[string]bool) (faults []string) {
	if seen[number] {
		faults = append(faults, "the index has "+number+" twice")
	}
	seen[number] = true
	if strings.Contains(reservedLetters, number[:1]) {
		faults = append(faults, number+" of "+at+" has the letter of a law")
	}
	if !slices.Contains(numbersOf(w.text(at)), number) {
		faults = append(faults, at+" does not define "+number)
	}
	return faults
}

// checkCell returns the faults of a row's package and test.
func (w world) checkCell(number, pkg, test string) (faults []string) {
	if _, ok := w.tests[pkg]; !ok {
		faults = append(faults, fmt.Sprintf("the index names the package %s for %s, which does not exist", pkg, number))
	}
	name := strings.Join(names(test), " ")
	switch {
	case strings.HasPrefix(test, "waits: "):
	case strings.HasPrefix(test, "scenario ") && w.scenario(name):
	case !w.has([]string{pkg}, name):
		faults = append(faults, fmt.Sprintf("the index names the test %s for %s, which does not exist", test, number))
	}
	return faults
}

func repositoryWorld(t *testing.T) world {
	t.Helper()
	w := world{tests: map[string][]string{}}
	for _, f := range repo(t).files {
		w.tests[f.dir()] = append(w.tests[f.dir()], testsOf(f)...)
	}
	read := func(p string) (string, error) {
		content, err := os.ReadFile(filepath.Join(root(), filepath.FromSlash(p)))
		return string(content), err
	}
	w.text = func(p string) string {
		content, err := read(p)
		if err != nil {
			t.Error(err)
		}
		return content
	}
	w.scenario = func(name string) bool {
		_, err := read("internal/proof/script/testdata/" + name + ".txt")
		return err == nil
	}
	return w
}

// TestLaws checks that RULES.md names the place of each law, and that its index is complete.
func TestLaws(t *testing.T) {
	w := repositoryWorld(t)
	l, faults := readLaws(w.text(lawsFile))
	for _, fault := range slices.Concat(faults, w.checkLaws(l), w.checkIndex(l)) {
		t.Errorf("%s: %s", lawsFile, fault)
	}
	if len(l.list) < 30 {
		t.Errorf("%s has %d laws, want 30 at least", lawsFile, len(l.list))
	}
}
