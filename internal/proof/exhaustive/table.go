package exhaustive

import (
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
	"github.com/ownergraph/ownergraph/internal/proof/world"
)

const columns = "%-62s %6s %8s %11s %11s %10s %8s %9s\n"

// Heading returns the heading of the table of Row.String.
func Heading() string {
	return fmt.Sprintf(columns, "scope", "graphs", "cut off", "states", "transitions", "engines", "seconds", "states/s")
}

// String returns the stage in words.
func (s Stage) String() string {
	text := fmt.Sprintf("%d objects", s.Objects)
	if s.Kinds == 1 {
		text += " of one kind"
	}
	if s.Selves {
		text += " with self-references"
	}
	if s.Foreign {
		text += " with foreign finalizers"
	}
	if s.Guarded {
		text += " with a guarded root"
	}
	if s.Doubts {
		text += " with unresolved references"
	}
	switch {
	case s.To > 0:
		text += fmt.Sprintf(", graphs %d to %d", max(s.From, 1), s.To)
	case s.From > 1:
		text += fmt.Sprintf(", graphs from %d", s.From)
	}
	if s.Every > 1 {
		text += fmt.Sprintf(", every %dth graph", s.Every)
	}
	if scope := s.Scope.String(); scope != "" {
		text += ", " + scope
	}
	return text
}

// String returns the row as a line of the table. A line below has the numbers of the
// graphs that were cut off.
func (r Row) String() string {
	seconds := max(r.Took.Seconds(), 1e-9)
	line := fmt.Sprintf(columns, r.Stage, fmt.Sprint(r.Graphs), fmt.Sprint(len(r.Cut)), fmt.Sprint(r.States),
		fmt.Sprint(r.Transitions), fmt.Sprint(r.Engines), fmt.Sprintf("%.1f", seconds), fmt.Sprintf("%.0f", float64(r.States)/seconds))
	if len(r.Cut) > 0 {
		line += "    cut off: " + ranges(r.Cut) + "\n"
	}
	return line
}

// Counts returns the row as a line for diff: the stage, then graphs, states,
// transitions and states of an engine, separated by tabs. A row that a bound cut off
// has no numbers, since they depend on the time that it had.
func (r Row) Counts() string {
	if len(r.Cut) > 0 || r.Broken != nil {
		return fmt.Sprintf("%s\tincomplete\n", r.Stage)
	}
	return fmt.Sprintf("%s\tcomplete\t%d\t%d\t%d\t%d\n", r.Stage, r.Graphs, r.States, r.Transitions, r.Engines)
}

// ranges returns rising numbers in short.
func ranges(numbers []int) string {
	var parts []string
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		if part := fmt.Sprint(numbers[i]); j > i {
			parts = append(parts, fmt.Sprintf("%s-%d", part, numbers[j]))
		} else {
			parts = append(parts, part)
		}
		i = j + 1
	}
	return strings.Join(parts, ", ")
}

// Alphabet returns the possible actions of a user on n objects in words: those at the
// start, and those that former actions add.
func Alphabet(n int) string {
	var objects []graph.Object
	for i := range n {
		objects = append(objects, graph.Object{Key: key(i, n)})
	}
	s := world.NewStore(objects)
	known := alphabet(&s, objects, UsersUnset)
	text := "actions: " + join(known) + "\n"
	for _, done := range [...]string{"fg a", "addref a->b", "bg b", "recreate b"} {
		a, err := oracle.ParseAction(done)
		if err == nil {
			_, err = s.Do(a)
		}
		if err != nil {
			return err.Error()
		}
		more := added(alphabet(&s, objects, UsersUnset), known)
		text += "and after " + done + ": " + join(more) + "\n"
		known = append(known, more...)
	}
	return text
}

func join(actions []oracle.Action) string {
	words := make([]string, len(actions))
	for i, a := range actions {
		words[i] = a.String()
	}
	return strings.Join(words, "; ")
}

// added returns the actions that are not among the former ones.
func added(actions, former []oracle.Action) (out []oracle.Action) {
	was := map[string]bool{}
	for _, a := range former {
		was[a.String()] = true
	}
	for _, a := range actions {
		if !was[a.String()] {
			out = append(out, a)
		}
	}
	return out
}
