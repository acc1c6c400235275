//go:build !linux

package server

import "time"

// nap waits by a timer of Go.
func nap(d time.Duration) { <-time.After(d) }
