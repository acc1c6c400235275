package script

import (
	"errors"
	"fmt"
	"strings"
)

// block is a run of commands with one output.
type block struct {
	lines []string // as written: comments and commands
	first int      // line number of the first
}

var errNoReason = errors.New(`the first line has to begin with "# why: "`)

// parse cuts a scenario into blocks. It leaves out the old output below "----".
func parse(text string) ([]block, error) {
	if !strings.HasPrefix(text, "# why: ") {
		return nil, errNoReason
	}
	var out []block
	var b block
	printed := false
	flush := func() {
		if b.lines != nil {
			out = append(out, b)
		}
		b, printed = block{}, false
	}
	for i, line := range strings.Split(text, "\n") {
		switch {
		case strings.TrimSpace(line) == "":
			flush()
		case line == "----":
			if b.lines == nil {
				return nil, fmt.Errorf(`line %d: "----" without a command`, i+1)
			}
			printed = true
		case !printed:
			if b.lines == nil {
				b.first = i + 1
			}
			b.lines = append(b.lines, line)
		}
	}
	flush()
	return out, nil
}

// format writes the blocks with their outputs.
func format(blocks []block, printed []string) string {
	var s strings.Builder
	for i, b := range blocks {
		if i > 0 {
			s.WriteString("\n")
		}
		for _, line := range b.lines {
			s.WriteString(line + "\n")
		}
		if printed[i] != "" {
			s.WriteString("----\n" + printed[i])
		}
	}
	return s.String()
}
