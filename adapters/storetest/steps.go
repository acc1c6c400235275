package storetest

import "fmt"

// steps are the steps of a law that tries many forms of one write. A breach prints them.
type steps struct {
	events []string // in order
	last   string   // the attempt after the events, "" for none
	tried  int
}

// maxSteps bounds the printed steps.
const maxSteps = 5

// step adds an event. The attempt before it has ended.
func (s *steps) step(format string, args ...any) {
	s.last = ""
	s.events = append(s.events, fmt.Sprintf(format, args...))
}

// attempt begins an attempt, in place of the one before.
func (s *steps) attempt(what string) { s.last, s.tried = what, s.tried+1 }

// String returns the last steps, a line for each.
func (s steps) String() string {
	list := s.events
	if s.last != "" {
		list = append(list[:len(list):len(list)], s.last)
	}
	if len(list) == 0 {
		return ""
	}
	text := "\nthe steps:"
	for _, line := range list[max(0, len(list)-maxSteps):] {
		text += "\n  " + line
	}
	return text
}
