package mutants

import (
	"bytes"
	"fmt"
	"strings"
	"time"
)

// Verdict is the result of one run of one suite on one mutant.
type Verdict uint8

const (
	// VerdictUnset: there was no run.
	VerdictUnset Verdict = iota
	// Survived: the suite passed.
	Survived
	// Killed: the suite failed.
	Killed
	// Hung: the suite did not end in time. That counts as a kill.
	Hung
	// Unbuilt: the mutant does not compile, or the suite did not start.
	Unbuilt
)

var verdictNames = [...]string{"-", "SURVIVED", "killed", "hung", "UNBUILT"}

// String returns the verdict as the table shows it.
func (v Verdict) String() string {
	if int(v) < len(verdictNames) {
		return verdictNames[v]
	}
	return fmt.Sprintf("verdict(%d)", uint8(v))
}

// Outcome is the result of one run with its duration. It is a value.
type Outcome struct {
	Verdict Verdict
	Took    time.Duration
	// Word is the first line of the failure, or the reason why no suite ran.
	Word string
}

// Dead reports whether the run killed the mutant.
func (o Outcome) Dead() bool { return o.Verdict == Killed || o.Verdict == Hung }

// String returns the verdict and the seconds.
func (o Outcome) String() string {
	if o.Verdict == VerdictUnset {
		return o.Verdict.String()
	}
	return fmt.Sprintf("%s %.1f", o.Verdict, o.Took.Seconds())
}

// maxWord bounds a line of a suite's output.
const maxWord = 160

// firstFailure returns the first line of a failed run that names a failure, or the last
// line.
func firstFailure(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	word := lines[len(lines)-1]
	for _, l := range lines {
		if strings.Contains(l, "--- FAIL") || strings.HasPrefix(l, "panic:") || strings.HasPrefix(l, "fatal error:") ||
			strings.HasPrefix(l, "BROKEN") {
			word = l
			break
		}
	}
	word = strings.TrimSpace(word)
	return word[:min(len(word), maxWord)]
}

// tail returns the first lines of a compiler's message as one line.
func tail(out []byte) string {
	text := strings.Join(strings.Split(string(bytes.TrimSpace(out)), "\n"), "; ")
	return text[:min(len(text), 3*maxWord)]
}
