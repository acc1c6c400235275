package lint

import (
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// Ignore is a list of findings that a report leaves out, and only counts. The zero value
// ignores nothing. It is a value and safe for concurrent use.
type Ignore struct {
	entries map[ignored]bool
}

// ignored is one entry. A zero code stands for all codes, and a zero place for all
// objects.
type ignored struct {
	code  Code
	place graph.Key
}

// maxIgnore is the longest list that ParseIgnore reads, in bytes.
const maxIgnore = 1 << 20

// ParseIgnore reads a list of ignored findings, with one entry on each line. An entry is a
// code, a place, or both. A place is in the text of graph.Key.PlaceString. A "#" at the
// begin of a line or after a blank begins a comment.
//
//	OG026                       # this code, for all objects
//	OG001 ConfigMap/shop/left   # this code, for this object
//	* PriorityClass/critical    # all codes, for this object
//
// An error wraps graph.ErrInvalid and names the line. A list longer than 1 MiB and an
// entry that is there twice are errors.
//
//test:by TestParseIgnore
func ParseIgnore(text string) (Ignore, error) {
	if len(text) > maxIgnore {
		return Ignore{}, fmt.Errorf("parse ignore list: %d bytes, more than %d: %w", len(text), maxIgnore, graph.ErrInvalid)
	}
	list := Ignore{map[ignored]bool{}}
	number := 0
	for line := range strings.Lines(text) {
		number++
		entry, found, err := parseIgnored(line)
		if err == nil && found && list.entries[entry] {
			err = fmt.Errorf("the same entry is there before: %w", graph.ErrInvalid)
		}
		if err != nil {
			return Ignore{}, fmt.Errorf("parse ignore list: line %d: %w", number, err)
		}
		if found {
			list.entries[entry] = true
		}
	}
	return list, nil
}

func parseIgnored(line string) (entry ignored, found bool, err error) {
	line = strings.TrimSpace(uncommented(line))
	if line == "" {
		return entry, false, nil
	}
	code, place := line, ""
	if i := strings.IndexAny(line, " \t"); i >= 0 {
		code, place = line[:i], strings.TrimSpace(line[i:])
	}
	if code != "*" {
		if entry.code, err = ParseCode(code); err != nil {
			return entry, false, err
		}
	}
	if place == "" {
		if code == "*" {
			return entry, false, fmt.Errorf(`"*" without an object ignores every finding: %w`, graph.ErrInvalid)
		}
		return entry, true, nil
	}
	entry.place, err = graph.ParsePlace(place)
	return entry, err == nil, err
}

// uncommented cuts the comment off. A "#" within quotes is a part of a name.
func uncommented(line string) string {
	quoted := false
	for i := 0; i < len(line); i++ {
		switch {
		case quoted && line[i] == '\\':
			i++
		case line[i] == '"':
			quoted = !quoted
		case line[i] == '#' && !quoted && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t'):
			return line[:i]
		}
	}
	return line
}

func (l Ignore) matches(c Code, o graph.Key) bool {
	if len(l.entries) == 0 {
		return false
	}
	p := o.Place()
	return l.entries[ignored{c, p}] || l.entries[ignored{code: c}] || l.entries[ignored{place: p}]
}
