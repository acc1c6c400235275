package storetest

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// quietTB is a rapid.TB that keeps rapid's messages about a failure, and passes on
// the others. Rapid prints a failure several times, with all draws between. The
// steps show the draws already. It is for one goroutine.
type quietTB struct {
	*testing.T
	errors []string
	failed bool
}

func (q *quietTB) Failed() bool { return q.failed }
func (q *quietTB) Fail()        { q.failed = true }
func (q *quietTB) FailNow()     { q.failed = true }

func (q *quietTB) Logf(format string, args ...any) {
	if !q.failed {
		q.T.Helper()
		q.T.Logf(format, args...)
	}
}

func (q *quietTB) Log(args ...any) {
	if !q.failed {
		q.T.Helper()
		q.T.Log(args...)
	}
}

func (q *quietTB) Errorf(format string, args ...any) {
	q.failed = true
	q.errors = append(q.errors, fmt.Sprintf(format, args...))
}

func (q *quietTB) Error(args ...any)                 { q.Errorf("%s", fmt.Sprint(args...)) }
func (q *quietTB) Fatalf(format string, args ...any) { q.Errorf(format, args...) }
func (q *quietTB) Fatal(args ...any)                 { q.Errorf("%s", fmt.Sprint(args...)) }

// checkProperty is rapid.Check that prints a failure once, with the command to run
// it again.
//
//test:by TestRedHistory
func checkProperty(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	q := &quietTB{T: t}
	rapid.Check(q, property)
	if q.failed {
		t.Fatal(q.message())
	}
}

// message returns rapid's message about a failure, without rapid's own words.
func (q *quietTB) message() string {
	text := strings.Join(q.errors, "\n")
	head, rest, found := strings.Cut(text, "\nTo reproduce, specify ")
	if !found {
		return text
	}
	if mark, text, found := strings.Cut(head, " tests: "); found && strings.HasPrefix(mark, "[rapid] failed after ") {
		head = text
	}
	again, _, _ := strings.Cut(rest, "\n")
	return head + legend(head) + "\nto run it again: go test " + again
}
