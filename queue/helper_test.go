package queue

import (
	"time"
)

// epoch is the first time of a test's clock.
var epoch = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

func hash32(k uint32) uint64 { return uint64(k) }

// spread numbers keys so that few of them are on one page.
func spread(k uint32) uint32 { return 300 * k }
