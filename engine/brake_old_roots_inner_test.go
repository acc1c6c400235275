package engine

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/internal/inside"
)

// ends lets n objects go after their owners, each with a set of roots of its own.
func (e *Engine) ends(t *testing.T, tag string, n int) {
	t.Helper()
	for i := range n {
		o := fmt.Sprintf("a/%s%d", tag, i)
		e.observeEach(t, put(o+"#1"), put(fmt.Sprintf("b/%s%d#1 -> %s", tag, i, o)), goneOf(o))
		if i%100 == 99 || i == n-1 {
			e.carries(t, absent)
		}
	}
}

// TestBrakeOldRoots: the roots of an object are fixed once for a decision, also if each set that the
// history numbers makes another one old. The counts of the cascades begin then.
func TestBrakeOldRoots(t *testing.T) {
	const owners, later = 8, 12282 // so many that the sets of the owners are at the limit of the old ones
	e := listed(t, Config{Brake: Brake{PerCascade: 100}, AuditEvery: 100 * time.Hour})
	e.ends(t, "x", 5000)
	var up, down []string
	for i := range owners {
		o := fmt.Sprintf("a/o%d", i)
		up, down = append(up, o), append([]string{o}, down...)
		e.observeEach(t, put(o+"#1"))
	}
	e.observeEach(t, put("b/keep#1 -> "+strings.Join(up, ", ")+", d/unlisted")) // keeps the nodes of the owners
	for i, o := range up {
		e.observeEach(t, put(fmt.Sprintf("b/o%d#1 -> %s", i, o)), goneOf(o))
		e.carries(t, absent)
	}
	e.observeEach(t, put("b/z#1 -> "+strings.Join(down, ", ")+", d/unlisted"))
	e.carries(t, absent)
	e.ends(t, "y", later)
	e.observeEach(t, put("b/z#2 -> "+strings.Join(down, ", ")))
	if deleted := e.carries(t, absent); len(deleted) != 1 {
		t.Errorf("deleted are %v, want b/z alone", deleted)
	}
}

// TestExplainOldRoots: an explanation finds one root below many owners, also if the history has to number
// its set again.
func TestExplainOldRoots(t *testing.T) {
	e := listed(t, braking(1000), "a/r#1")
	var owners []string
	for i := range 300 { // more than a union looks at
		owners = append(owners, fmt.Sprintf("b/c%d", i))
		e.observeEach(t, put(owners[i]+"#1 -> a/r"))
	}
	e.observeEach(t, put("b/z#1 -> "+strings.Join(owners, ", ")+", d/unlisted"), goneOf("a/r"))
	e.carries(t, absent)
	for _, o := range owners {
		e.observeEach(t, goneOf(o))
	}
	e.carries(t, absent)
	e.ends(t, "y", 12400)
	e.observeEach(t, put("b/z#2 -> "+strings.Join(owners, ", ")))
	x, err := e.Explain(keyAt("b/z"))
	if d, ok := e.Inside(inside.Key{}).Decide(keyAt("b/z")); err != nil || !ok || x.Decision.Reason != d.Decision.Reason {
		t.Errorf("explained for %v, error %v, and decided for %v", x.Decision.Reason, err, d.Decision.Reason)
	}
}
