package relocate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/internal/proof/mutants"
)

// Names is a table of renamed words, the longest first. The nil table renames none.
type Names [][2]string

// ParseNames reads a table. A line is an old and a new word. A word may be a chain
// such as e.rings. Lines that begin with "#" are comments. An error names the line.
func ParseNames(text string) (Names, error) {
	var all Names
	for i, line := range strings.Split(text, "\n") {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || strings.HasPrefix(line, "#"):
		case len(words) != 2:
			return nil, fmt.Errorf("names: line %d: %q: want an old and a new word", i+1, line)
		default:
			all = append(all, [2]string{words[0], words[1]})
		}
	}
	slices.SortStableFunc(all, func(a, b [2]string) int { return cmp.Compare(len(b[0]), len(a[0])) })
	return all, nil
}

// Apply returns a text with each whole word renamed once.
func (n Names) Apply(text string) string {
	var out strings.Builder
	for at := 0; at < len(text); {
		size := n.at(text, at, &out)
		if size == 0 {
			out.WriteByte(text[at])
			size = 1
		}
		at += size
	}
	return out.String()
}

// at writes the new word for the old word at an offset. It returns the length of the
// old word, or 0.
func (n Names) at(text string, at int, out *strings.Builder) int {
	if at > 0 && letter(text[at-1]) && letter(text[at]) {
		return 0
	}
	for _, pair := range n {
		if end := at + len(pair[0]); strings.HasPrefix(text[at:], pair[0]) &&
			(end == len(text) || !letter(text[end]) || !letter(text[end-1])) {
			out.WriteString(pair[1])
			return len(pair[0])
		}
	}
	return 0
}

func letter(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || b >= 0x80
}

// bug returns a bug with its declaration and texts renamed.
func (n Names) bug(b mutants.Bug) mutants.Bug {
	b.Decl = mutants.Decl{Dir: n.Apply(b.Decl.Dir), Name: n.Apply(b.Decl.Name)}
	b.Old, b.New = n.Apply(b.Old), n.Apply(b.New)
	return b
}

// origin renames the words of a bug's old home.
func (n Names) origin(o *origin) {
	if len(n) == 0 {
		return
	}
	o.Decl = mutants.Decl{Dir: n.Apply(o.Dir), Name: n.Apply(o.Name)}
	o.old = n.Apply(o.old)
	for i := range o.units {
		o.units[i].text = n.Apply(o.units[i].text)
	}
}
