package inflight

import (
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/policy"
)

// Delays counts the reads and writes that the store has put off, and bounds the lines about
// them. It decides nothing. The zero value has none. It is a value.
type Delays struct {
	logged time.Time
	others int // since the last line
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
