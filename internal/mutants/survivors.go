package mutants

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// survivorsFile holds why survivors of the generic mutation change nothing that
// anybody could see.
const survivorsFile = "internal/mutants/testdata/survivors.txt"

// LoadSurvivors reads the arguments for survivors, by the mutant's id. A line is
// an id, its file and its argument; one that begins with a blank goes on, and
// one that begins with "#" is a comment. An error names the line.
func LoadSurvivors(root string) (map[string]string, error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(survivorsFile)))
	if err != nil {
		return nil, fmt.Errorf("load survivors: %w", err)
	}
	argued, err := parseSurvivors(string(text))
	if err != nil {
		return nil, fmt.Errorf("load survivors: %w", err)
	}
	return argued, nil
}

func parseSurvivors(text string) (map[string]string, error) {
	argued, last := map[string]string{}, ""
	for i, line := range strings.Split(text, "\n") {
		switch {
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
		case line[0] == ' ' && last != "":
			argued[last] += " " + strings.TrimSpace(line)
		default:
			words := strings.SplitN(line, " ", 3)
			if len(words) < 3 || words[2] == "" {
				return nil, fmt.Errorf("line %d: want an id, a file and an argument", i+1)
			}
			if _, twice := argued[words[0]]; twice {
				return nil, fmt.Errorf("line %d: %s is argued twice", i+1, words[0])
			}
			last = words[0]
			argued[last] = words[2]
		}
	}
	return argued, nil
}
