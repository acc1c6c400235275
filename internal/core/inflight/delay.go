package inflight

import (
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/queue"
)

// Delays counts the reads and writes that the store has put off, and bounds the lines about
// them. It decides nothing. The zero value has none. It is a value.
type Delays struct {
	logged time.Time
	others int // since the last line
}

// LatePause returns the pause of a node after so many calls in a row that exceeded a limit of
// time. It doubles from about a second to 5 minutes. If the limit is the timeout of the call, the
// pause doubles from that time. So the object mostly waits, and is held.
func LatePause(q *queue.Queue[graph.NodeID], id graph.NodeID, times int, timeout time.Duration) time.Duration {
	pause := min(timeout, queue.DefaultMaxDelay) << min(times-1, 16) // of 2^55 ns at most
	return max(q.Backoff(id, longAttempt+min(times, maxTries)-1), min(pause, queue.DefaultMaxDelay))
}

// delayEvery is the time between two lines about delayed calls. A store that is busy puts the
// calls for all objects off, so one line stands for all of them.
const delayEvery = time.Minute

// Note notes that the store has put the call for an object off. Asked is the time that the
// store names, and wait the time until the next try.
func (d *Delays) Note(k graph.Key, err error, asked, wait time.Duration, now time.Time, out *effect.List) {
	if !d.logged.IsZero() && now.Sub(d.logged) < delayEvery {
		d.others++
		return
	}
	out.Warn("store puts calls off", "reason", policy.StoreDelays.Code(), "key", k.String(), "err", err, "asked", asked, "wait", wait, "others", d.others)
	d.logged, d.others = now, 0
}
