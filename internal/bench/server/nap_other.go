//go:build !linux

package server

import "time"

// nap sleeps.
func nap(d time.Duration) { time.Sleep(d) }
