package meter

import (
	"runtime"
	"strings"
)

// holder names the method of the caller's caller, behind the functions that only lock.
func holder() string {
	var pcs [8]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		f, more := frames.Next()
		name := f.Function[strings.LastIndexByte(f.Function, '/')+1:]
		if !more || !strings.HasSuffix(name, ").locked") && !strings.HasSuffix(name, ").lockedSoon") && !strings.HasSuffix(name, ").underLock") {
			return name
		}
	}
}
