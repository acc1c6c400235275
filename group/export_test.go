package group

import (
	"time"

	"github.com/ownergraph/ownergraph/share"
)

// The tests of a Membership are outside of this package, because adapters/memory imports it.
const (
	DefaultLease = defaultLease
	DefaultRenew = defaultLease / renewals
	MaxLook      = maxLook
	Patience     = patience
)

// SetSetter replaces the function that gives the collector its set.
func (m *Membership) SetSetter(set func(share.Set, time.Time) error) { m.setShare = set }
