package mutants

import (
	"bytes"
	"fmt"
	"strings"
	"time"
)

// Verdict is what came of one run of one suite on one mutant.
type Verdict uint8

const (
	// VerdictUnset: it was not run.
	VerdictUnset Verdict = iota
	// Survived: the suite passed.
	Survived
	// Killed: the suite failed.
	Killed
	// Hung: the suite did not end in time, which is a kill.
	Hung
	// Unbuilt: the mutant does not compile, or could not be run.
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

// Outcome is what came of one run. It is a value.
type Outcome struct {
	Verdict Verdict
	Took    time.Duration
	// Word is the first line that the suite failed with, or why nothing was run.
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

// mostWord bounds a line of what a suite said.
const mostWord = 160

// firstFailure returns the line of a failed run that says the most: the first
// that names a failure, or the last one.
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
	return word[:min(len(word), mostWord)]
}

// tail returns the first lines of a compiler's message in one.
func tail(out []byte) string {
	text := strings.Join(strings.Split(string(bytes.TrimSpace(out)), "\n"), "; ")
	return text[:min(len(text), 3*mostWord)]
}
