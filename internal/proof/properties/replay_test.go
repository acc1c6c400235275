package properties

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
)

var replayFile = flag.String("properties.replay", "", "replay and shrink the history in this `file`, in the form that a failure prints")

// TestReplay replays a history from a file and shrinks it step by step. Rapid shrinks
// the choices of a history, not its steps.
func TestReplay(t *testing.T) {
	if *replayFile == "" {
		return
	}
	text, err := os.ReadFile(*replayFile)
	if err != nil {
		t.Fatal(err)
	}
	set, start, steps, err := parseHistory(string(text))
	if err != nil {
		t.Fatal(err)
	}
	err = replay(t, set, start, steps)
	if err == nil {
		t.Fatalf("%d steps break no law", len(steps))
	}
	steps = shorten(steps, func(s []string) bool {
		again := replay(t, set, start, s)
		return again != nil && rule(again) == rule(err)
	})
	t.Errorf("%v\nas a regression:\n%s\n%s", replay(t, set, start, steps), start, strings.Join(steps, "; "))
}

// rule returns the invariant of an error: the text before the first colon.
func rule(err error) string {
	name, _, _ := strings.Cut(err.Error(), ":")
	return name
}

// replay runs a history to its end.
func replay(t *testing.T, set settings, start string, steps []string) error {
	h, err := begin(set, parsed(t, start))
	if err != nil {
		t.Fatal(err)
	}
	return h.all(steps)
}

// all makes the steps, ends the history and checks the laws of a world at rest.
func (h *history) all(steps []string) error {
	for _, line := range steps {
		if err := h.do(line); err != nil {
			return h.fail(err)
		}
	}
	if err := h.calm(); err != nil {
		return h.fail(err)
	}
	if err := h.sound(); err != nil {
		return h.fail(err)
	}
	return nil
}

// shorten drops steps as long as the history stays bad, in ever smaller pieces.
func shorten(steps []string, bad func([]string) bool) []string {
	for n := max(1, len(steps)/2); n > 0; {
		dropped := false
		for i := 0; i+n <= len(steps); {
			rest := append(append([]string{}, steps[:i]...), steps[i+n:]...)
			if bad(rest) {
				steps, dropped = rest, true
			} else {
				i++
			}
		}
		if !dropped || n > 1 {
			n /= 2
		}
	}
	return steps
}

// parseHistory finds a history in the output of a failing test. The first line that is
// no step ends it.
func parseHistory(text string) (set settings, start string, steps []string, err error) {
	_, text, ok := strings.Cut(text, "settings{")
	if !ok {
		return set, "", nil, fmt.Errorf("parse history: no settings{...}")
	}
	lines := strings.Split(text, "\n")
	if set, err = parseSettings(lines[0]); err != nil {
		return set, "", nil, err
	}
	start = strings.TrimSpace(lines[1])
	for _, l := range lines[2:] {
		l = strings.TrimSpace(l)
		if l == "" || strings.HasPrefix(l, "To reproduce") {
			break
		}
		steps = append(steps, l)
	}
	return set, start, steps, nil
}

func parseSettings(text string) (s settings, err error) {
	for _, f := range regexp.MustCompile(`(\w+):("\w*"|\w+)`).FindAllStringSubmatch(text, -1) {
		switch on := f[2] == "true"; f[1] {
		case "Kinds":
			s.Kinds = strings.Trim(f[2], `"`)
		case "Level":
			_, err = fmt.Sscanf(f[2], "0x%x", &s.Level)
		case "Engines":
			_, err = fmt.Sscan(f[2], &s.Engines)
		case "Override":
			s.Override = on
		case "Absent":
			s.Absent = on
		case "Counting":
			s.Counting = on
		case "Forgetful":
			s.Forgetful = on
		case "Waits":
			s.Waits = on
		case "Guarded":
			s.Guarded = strings.Trim(f[2], `"`)
		case "Above":
			_, err = fmt.Sscanf(f[2], "%d", &s.Above)
		case "Shielded":
			s.Shielded = strings.Trim(f[2], `"`)
		default:
			err = fmt.Errorf("parse history: unknown setting %s", f[1])
		}
		if err != nil {
			return s, err
		}
	}
	if s.Level < ownergraph.Level0 || s.Engines < 1 {
		return s, fmt.Errorf("parse history: %q: no level or no engines", text)
	}
	return s, nil
}
