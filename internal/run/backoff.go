package run

import "time"

const (
	// firstPause and maxPause bound the pause after the end of a watch.
	firstPause = 250 * time.Millisecond
	maxPause   = 30 * time.Second
	// steadyAfter is the time after which a watch counts as steady.
	steadyAfter = time.Minute
)

// Backoff is the pause between two runs of a watch. It doubles each time, from 250 ms to
// 30 s. After a watch that ran for a minute it is the first one again. The zero value is
// ready.
type Backoff struct{ last time.Duration }

// Next returns the pause after a watch that ran for a time.
func (b *Backoff) Next(held time.Duration) time.Duration {
	b.last = min(2*b.last, maxPause)
	if b.last == 0 || held >= steadyAfter {
		b.last = firstPause
	}
	return b.last
}

// Reset makes the next pause the first one again.
func (b *Backoff) Reset() { b.last = 0 }
