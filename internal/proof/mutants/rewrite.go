package mutants

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Rewrite writes the declarations, killers and texts of changed bugs into the files of
// the module at root. It leaves every other line of the files as it is.
func Rewrite(root string, changed []Bug) error {
	byName := map[string]Bug{}
	for _, b := range changed {
		byName[b.Name] = b
	}
	files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(bugsGlob)))
	if err != nil {
		return fmt.Errorf("rewrite bugs: %w", err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return fmt.Errorf("rewrite bugs: %w", err)
		}
		next := rewriteText(string(text), byName)
		if next == string(text) {
			continue
		}
		if err := os.WriteFile(f, []byte(next), 0o644); err != nil {
			return fmt.Errorf("rewrite bugs: %w", err)
		}
	}
	return nil
}

// rewriteText replaces the lines of changed bugs in a file that parseBugs accepts.
func rewriteText(text string, changed map[string]Bug) string {
	lines := strings.Split(text, "\n")
	var out []string
	for i := 0; i < len(lines); i++ {
		name, _, _ := strings.Cut(lines[i], " ")
		b, ok := changed[name]
		if !ok || i > 0 && lines[i-1] != "" {
			out = append(out, lines[i])
			continue
		}
		for ; lines[i] != "<<<"; i++ {
			switch field, value, _ := strings.Cut(lines[i], ": "); field {
			case "decl":
				lines[i] = "decl: " + b.Decl.String()
			case "killers":
				if old, err := ParseMethods(value); err != nil || !slices.Equal(old, b.Killers) {
					lines[i] = "killers: " + methodsText(b.Killers)
				}
			}
			out = append(out, lines[i])
		}
		out = append(out, "<<<")
		out = append(out, textLines(b.Old)...)
		out = append(out, "===")
		out = append(out, textLines(b.New)...)
		out = append(out, ">>>")
		i += slices.Index(lines[i:], ">>>")
	}
	return strings.Join(out, "\n")
}

// methodsText returns methods as ParseMethods reads them.
func methodsText(all []Method) string {
	names := make([]string, len(all))
	for i, m := range all {
		names[i] = m.String()
	}
	return strings.Join(names, ", ")
}

func textLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
