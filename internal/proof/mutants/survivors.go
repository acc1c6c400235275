package mutants

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// survivorsFile has the arguments for the survivors of the generic mutation.
const survivorsFile = "internal/proof/mutants/testdata/survivors.txt"

// Survivor is a generic mutant that no suite can kill, because it changes nothing
// that a caller can see. It is a value.
type Survivor struct {
	ID       string // of the mutant
	Decl     Decl   // that the mutant is in
	Argument string
}

// LoadSurvivors reads the argued survivors of the module at root, in the order of the
// file. A line has an id, a directory, the name of a declaration, and an argument. A
// line that begins with a blank continues the argument. A line that begins with "#" is
// a comment. An error names the line.
func LoadSurvivors(root string) ([]Survivor, error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(survivorsFile)))
	if err != nil {
		return nil, fmt.Errorf("load survivors: %w", err)
	}
	all, err := parseSurvivors(string(text))
	if err != nil {
		return nil, fmt.Errorf("load survivors: %w", err)
	}
	return all, nil
}

func parseSurvivors(text string) ([]Survivor, error) {
	var all []Survivor
	seen := map[string]bool{}
	for i, line := range strings.Split(text, "\n") {
		switch {
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
		case line[0] == ' ' && len(all) > 0:
			all[len(all)-1].Argument += " " + strings.TrimSpace(line)
		default:
			words := strings.SplitN(line, " ", 4)
			if len(words) < 4 || words[3] == "" {
				return nil, fmt.Errorf("line %d: want an id, a directory, a name and an argument", i+1)
			}
			if seen[words[0]] {
				return nil, fmt.Errorf("line %d: %s is argued twice", i+1, words[0])
			}
			seen[words[0]] = true
			all = append(all, Survivor{ID: words[0], Decl: Decl{Dir: words[1], Name: words[2]}, Argument: words[3]})
		}
	}
	return all, nil
}

// arguments returns the arguments by id.
func arguments(all []Survivor) map[string]string {
	out := make(map[string]string, len(all))
	for _, s := range all {
		out[s.ID] = s.Argument
	}
	return out
}

// RewriteSurvivors gives survivors of the module at root, by their former ids, new ids
// and declarations. Arguments stay as they are.
func RewriteSurvivors(root string, changed map[string]Survivor) error {
	file := filepath.Join(root, filepath.FromSlash(survivorsFile))
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("rewrite survivors: %w", err)
	}
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		words := strings.SplitN(line, " ", 4)
		if s, ok := changed[words[0]]; ok && len(words) == 4 {
			lines[i] = strings.Join([]string{s.ID, s.Decl.Dir, s.Decl.Name, words[3]}, " ")
		}
	}
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		return fmt.Errorf("rewrite survivors: %w", err)
	}
	return nil
}
