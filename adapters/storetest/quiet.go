package storetest

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// quiet is a rapid.TB that keeps what rapid says of a failure, and passes on the
// rest. Rapid prints a failure several times, with all draws between: the steps
// say what was drawn. It is for one goroutine.
type quiet struct {
	*testing.T
	errors []string
	failed bool
}

func (q *quiet) Failed() bool { return q.failed }
func (q *quiet) Fail()        { q.failed = true }
func (q *quiet) FailNow()     { q.failed = true }

func (q *quiet) Logf(format string, args ...any) {
	if !q.failed {
		q.T.Helper()
		q.T.Logf(format, args...)
	}
}

func (q *quiet) Log(args ...any) {
	if !q.failed {
		q.T.Helper()
		q.T.Log(args...)
	}
}

func (q *quiet) Errorf(format string, args ...any) {
	q.failed = true
	q.errors = append(q.errors, fmt.Sprintf(format, args...))
}

func (q *quiet) Error(args ...any)                 { q.Errorf("%s", fmt.Sprint(args...)) }
func (q *quiet) Fatalf(format string, args ...any) { q.Errorf(format, args...) }
func (q *quiet) Fatal(args ...any)                 { q.Errorf("%s", fmt.Sprint(args...)) }

// check is rapid.Check that says once what has failed, and how to run it again.
// Held by TestRedHistory.
func check(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	q := &quiet{T: t}
	rapid.Check(q, property)
	if q.failed {
		t.Fatal(q.said())
	}
}

// said returns what rapid has said of a failure, without its own words.
func (q *quiet) said() string {
	text := strings.Join(q.errors, "\n")
	head, rest, found := strings.Cut(text, "\nTo reproduce, specify ")
	if !found {
		return text
	}
	if mark, said, found := strings.Cut(head, " tests: "); found && strings.HasPrefix(mark, "[rapid] failed after ") {
		head = said
	}
	again, _, _ := strings.Cut(rest, "\n")
	return head + "\nto run it again: go test " + again
}
