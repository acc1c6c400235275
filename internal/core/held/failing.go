package held

import (
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// minFailures is the number of failures in a row before an object is reported. A failure
// that passes by itself costs less.
const minFailures = 5

// failure counts the calls for a node that have failed in a row, without a refusal by the
// store.
type failure struct {
	times int
	since time.Time
	late  bool // one of them exceeded a limit of time
}

// Fail counts a failed call for a node.
func (t *Table) Fail(id graph.NodeID, now time.Time) {
	f := t.failing[id]
	if f.times++; f.times == 1 {
		f.since = now
	}
	t.failing[id] = f
}

// Delay counts a call for a node that the store has put off. It is reported at once, because
// the wait may be long.
func (t *Table) Delay(id graph.NodeID, now time.Time) {
	t.Fail(id, now)
	f := t.failing[id]
	f.times = max(f.times, minFailures)
	t.failing[id] = f
}

// Late counts a call for a node that exceeded a limit of time. It is reported at once, because
// each try takes that time. It returns the number of the failures, from the first one that is
// reported on.
func (t *Table) Late(id graph.NodeID, now time.Time) (times int) {
	t.Delay(id, now)
	f := t.failing[id]
	f.late = true
	t.failing[id] = f
	return f.times - minFailures + 1
}

// IsLate reports whether a call for a node has exceeded a limit of time since the last success.
func (t *Table) IsLate(id graph.NodeID) bool {
	return len(t.failing) > 0 && t.failing[id].late
}

// Succeed forgets the failed calls for a node.
func (t *Table) Succeed(id graph.NodeID) { delete(t.failing, id) }

// FailingSince returns the time of the first failure. It reports false before many calls
// have failed in a row, or one was put off.
func (t *Table) FailingSince(id graph.NodeID) (time.Time, bool) {
	f := t.failing[id]
	return f.since, f.times >= minFailures
}
