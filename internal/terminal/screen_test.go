package terminal

import "strings"

// screen is a terminal that scrolls without end. It knows the controls that an Output
// may send, and panics at any other. A character outside of ASCII has two columns.
type screen struct {
	columns int
	rows    [][]rune // a wide character is followed by 0
	column  int      // of the cursor, which is on the last row
}

func (s *screen) write(text string) {
	if len(s.rows) == 0 {
		s.rows = [][]rune{nil}
	}
	for len(text) > 0 {
		if rest, ok := strings.CutPrefix(text, "\x1b[K"); ok {
			last := &s.rows[len(s.rows)-1]
			*last = (*last)[:min(s.column, len(*last))]
			text = rest
			continue
		}
		r := []rune(text)[0]
		s.put(r)
		text = text[len(string(r)):]
	}
}

func (s *screen) put(r rune) {
	switch {
	case r == '\r':
		s.column = 0
	case r == '\n': // the terminal's line discipline, or an empty one, adds the return
		s.rows, s.column = append(s.rows, nil), 0
	case r < ' ':
		panic("an unknown control")
	case r > '\x7f':
		s.cells(r, 0)
	default:
		s.cells(r)
	}
}

// cells overwrites cells at the cursor. It wraps first if they do not fit.
func (s *screen) cells(cells ...rune) {
	if s.column+len(cells) > s.columns {
		s.rows, s.column = append(s.rows, nil), 0
	}
	last := s.rows[len(s.rows)-1]
	s.rows[len(s.rows)-1] = append(last[:s.column:s.column], append(cells, last[min(len(last), s.column+len(cells)):]...)...)
	s.column += len(cells)
}

// text returns the rows, each but the last with an end of line.
func (s *screen) text() string {
	var rows []string
	for _, row := range s.rows {
		rows = append(rows, strings.ReplaceAll(string(row), "\x00", ""))
	}
	return strings.Join(rows, "\n")
}
