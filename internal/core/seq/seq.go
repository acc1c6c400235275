// Package seq counts the moments of one engine. A moment is a Stamp: the engine gives
// each fact that it learns the next one, so two stamps tell which fact is newer.
package seq

import (
	"fmt"

	"github.com/ownergraph/ownergraph/policy"
)

// Stamp is a moment in the engine's own order of events. The engine gives one to each
// fact that it learns and to each call that it begins. A later moment is larger, and 0
// is never.
type Stamp = policy.Moment

// Max is the last stamp that an engine may give. The compact node state has 48 bits for
// a stamp: see package record.
const Max Stamp = 1<<48 - 1

// reserve is the distance from Max at which Check fails. One step of an engine takes
// fewer stamps.
const reserve = 1 << 32

// Counter gives stamps in rising order, from 1. The zero value is ready. A Counter is
// not safe for concurrent use.
type Counter struct{ last Stamp }

// Stamp returns a new stamp, later than all before.
func (c *Counter) Stamp() Stamp {
	c.last++
	return c.last
}

// Last returns the newest stamp given, 0 before the first.
func (c *Counter) Last() Stamp { return c.last }

// Check returns an error when the stamps are nearly used up.
func (c *Counter) Check() error {
	if c.last > Max-reserve {
		return fmt.Errorf("moments are counted up to %d", uint64(Max))
	}
	return nil
}
