//go:build !linux

package measure

import "time"

var begun = time.Now()

// threadTime returns the wall's time, which is never less than the thread's.
func threadTime() time.Duration { return time.Since(begun) }

// processTime returns the wall's time.
func processTime() time.Duration { return time.Since(begun) }
