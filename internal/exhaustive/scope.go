package exhaustive

import (
	"fmt"
	"strings"
	"time"
)

// never is longer than any time that an engine has a reason to wait for.
const never = 10_000 * time.Hour

// Scope bounds a search. The zero value is an engine alone.
type Scope struct {
	// Actions of users, at most so many, one after another.
	Actions int
	// Crashes of the engine; Listings of a kind that begin anew; and Waits, in
	// which time passes although something else could happen first: at most so
	// many each.
	Crashes, Listings, Waits int
	// Rewinds are restores of what the store held at first, which the watch
	// announces; in Outages a kind can be neither watched nor read nor written, by
	// anybody, for a while: at most so many each.
	Rewinds, Outages int
	// Engines is how many engines work on the store, 1 if it is 0, and Switches
	// how often another one moves than the last, at most.
	Engines, Switches int
	// Calls is how many store calls may be under way at once, 1 if it is 0.
	Calls int
	// Users says what they may do.
	Users Users
	// Late: the engine may lag behind what it is told, and be told late what came
	// of a write. Otherwise it goes on, and is told, at once.
	Late bool
	// States bounds the states of one graph, 0 for no bound.
	States int
	// Deadline bounds the time, the zero time for no bound.
	Deadline time.Time

	// bend, in tests, makes a move in a world that breaks its contract.
	bend func(x *state, m move, honest func() (bool, error)) (bool, error)
}

func (s Scope) calls() int   { return max(s.Calls, 1) }
func (s Scope) engines() int { return max(s.Engines, 1) }

func (u Users) action() string {
	switch u {
	case Deleting:
		return "deletion"
	case Adopting:
		return "adopting action"
	case Touching:
		return "touching action"
	case Restoring:
		return "changing action"
	case Foreseeing:
		return "foreseeing action"
	}
	return "action"
}

// setsEarly reports whether the set of kinds may pass a fence before each kind has.
// With new listings that takes a fifth more states, and shows nothing else.
func (s Scope) setsEarly() bool { return s.Listings == 0 && s.Crashes == 0 }

// equal reports whether two scopes have the same bounds.
func (s Scope) equal(t Scope) bool {
	s.bend, t.bend = nil, nil
	return s.String() == t.String() && s.States == t.States && s.Deadline.Equal(t.Deadline)
}

// String returns the scope in words, without States and Deadline.
func (s Scope) String() string {
	var words []string
	for _, c := range []struct {
		n         int
		one, many string
	}{
		{s.Actions, s.Users.action(), s.Users.action() + "s"},
		{s.Crashes, "crash", "crashes"},
		{s.Listings, "new listing", "new listings"},
		{s.Waits, "early timeout", "early timeouts"},
		{s.Rewinds, "rewind", "rewinds"},
		{s.Outages, "sick kind", "sick kinds"},
	} {
		switch {
		case c.n == 1:
			words = append(words, "1 "+c.one)
		case c.n > 1:
			words = append(words, fmt.Sprint(c.n, " ", c.many))
		}
	}
	if s.Calls > 1 {
		words = append(words, fmt.Sprint(s.Calls, " calls at once"))
	}
	if s.Engines > 1 {
		words = append(words, fmt.Sprintf("%d engines with %d switches", s.Engines, s.Switches))
	}
	if s.Late {
		words = append(words, "late engine")
	}
	return strings.Join(words, ", ")
}
