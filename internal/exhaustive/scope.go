package exhaustive

import (
	"fmt"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// Scope bounds a search.
type Scope struct {
	// Actions of users, at most so many, one after another.
	Actions int
	// Crashes of the engine, Listings anew of one kind, and Waits, in which time
	// passes although something else could move: at most so many each.
	Crashes, Listings, Waits int
	// Calls is how many store calls may be under way at once; 0 is 1.
	Calls int
	// States bounds the states of one graph; 0 for no bound.
	States int
	// Deadline bounds the time; zero for no bound.
	Deadline                                                        time.Time
	Prompt, Hasten, HoldSet, LateReports, LateLists, NoServe, Order bool

	// bend, in tests, changes the world for the worse before a move, and reports
	// whether it has carried the move out.
	bend func(x *state, m move) (done bool)
}

// String returns the scope in words.
func (s Scope) String() string {
	words := []string{count(s.Actions, "action")}
	for _, c := range []struct {
		n    int
		what string
	}{{s.Crashes, "crash"}, {s.Listings, "new listing"}, {s.Waits, "early timeout"}} {
		if c.n > 0 {
			words = append(words, count(c.n, c.what))
		}
	}
	if s.Calls > 1 {
		words = append(words, count(s.Calls, "call")+" at once")
	}
	return strings.Join(words, ", ")
}

func count(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "sh"):
		what += "e"
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Result is what the search of one graph found.
type Result struct {
	Graph               string
	States, Transitions int64
	// Cut says that a bound ended it.
	Cut bool
	// Broken says what went wrong, "" if nothing, and History how to get there,
	// one move after another, as Replay takes it.
	Broken  string
	History []string

	start []graph.Object
}

// config is the engine's: an audit is so late that it repairs nothing.
var config = ownergraph.Config{AuditEvery: never}

// never is longer than any time that an engine has a reason to wait for.
const never = 10_000 * time.Hour
