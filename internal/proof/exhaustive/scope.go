package exhaustive

import (
	"fmt"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// never is longer than any wait of an engine.
const never = 10_000 * time.Hour

// Scope bounds a search. The zero value is an engine alone.
type Scope struct {
	// Actions is the largest number of users' actions, one after another.
	Actions int
	// Crashes, Listings and Waits bound the crashes of the engine, the listings of a
	// kind that begin anew, and the times that time passes although another move is
	// possible.
	Crashes, Listings, Waits int
	// Rewinds bounds the restores of the store to its start, which the watch announces.
	// Outages bounds the times that a kind is out of reach. Then no client can watch,
	// read or write it for a while.
	Rewinds, Outages int
	// Pauses bounds the pauses of an engine, which are of everything. Each one ends.
	Pauses int
	// Shares bounds the moves of an object into the share of an engine, or out of it. At the start
	// the engines take turns with the objects. At the end each object is in a share.
	Shares int
	// Engines is the number of engines on the store, 1 if it is 0. Switches bounds the
	// switches from one engine to another.
	Engines, Switches int
	// Calls bounds the store calls in flight, 1 if it is 0.
	Calls int
	// Users says what users may do.
	Users Users
	// Late: the engine may lag behind its events, and may get the result of a write
	// late. Otherwise it goes on, and gets the result, at once.
	Late bool
	// Tokens: an engine may get the token of a fence late, and reports of the fence before.
	// Otherwise it gets the token as soon as it asks.
	Tokens bool
	// Guards has the guard of each engine. An engine without an entry has none.
	Guards []Guard
	// Verdicts: an engine may get the verdict of a guard late. Otherwise it gets the verdict as
	// soon as it asks.
	Verdicts bool
	// Strict: the store has level 3, and refuses what the oracle's W4 names. Otherwise it has
	// level 2.
	Strict bool
	// Policies: the references have policies, which act. Without Strict none restricts at the start,
	// because an engine need not know a restriction before its delete.
	Policies bool
	// States bounds the states of one graph, 0 for no bound.
	States int
	// Deadline bounds the time, the zero time for no bound.
	Deadline time.Time

	// defect, in tests, makes a move in a world that breaks its contract.
	defect func(x *state, m move, honest func() (bool, error)) (bool, error)
}

func (s Scope) level() ownergraph.Level {
	if s.Strict {
		return ownergraph.Level3
	}
	return ownergraph.Level2
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
	case Guarding:
		return "guarding action"
	case Rebinding:
		return "rebinding action"
	case Undeleting:
		return "undeleting action"
	}
	return "action"
}

// policies returns the policies of the references, nil for none.
func (s Scope) policies() []graph.OnDelete {
	switch {
	case !s.Policies:
		return nil
	case s.Strict:
		return []graph.OnDelete{graph.OnDeleteUnset, graph.OnDeleteCascade, graph.OnDeleteRelease, graph.OnDeleteRestrict}
	}
	return []graph.OnDelete{graph.OnDeleteUnset, graph.OnDeleteCascade, graph.OnDeleteRelease}
}

// setsEarly reports whether the set of kinds may pass a fence before each kind has.
// With new listings that takes a fifth more states, and shows no more defects.
func (s Scope) setsEarly() bool { return s.Listings == 0 && s.Crashes == 0 }

// equal reports whether two scopes have the same bounds.
func (s Scope) equal(t Scope) bool {
	s.defect, t.defect = nil, nil
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
		{s.Pauses, "pause", "pauses"},
		{s.Shares, "move of a share", "moves of shares"},
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
	if s.Tokens {
		words = append(words, "late tokens")
	}
	if len(s.Guards) > 0 {
		words = append(words, s.guardWords())
	}
	if s.Verdicts {
		words = append(words, "late verdicts")
	}
	if s.Strict {
		words = append(words, "store of level 3")
	}
	if s.Policies {
		words = append(words, "policies")
	}
	return strings.Join(words, ", ")
}
