package measure

import (
	"fmt"
	"os"
	"runtime/pprof"
)

// profiled runs do, and writes a CPU profile of it if a file is named.
func (p Params) profiled(do func() (Metrics, error)) (Metrics, error) {
	if p.Profile == "" {
		return do()
	}
	f, err := os.Create(p.Profile)
	if err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	defer f.Close() // a profile that was cut short shows as such
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	defer pprof.StopCPUProfile()
	return do()
}

// whole is a row that is profiled from its beginning to its end.
func whole(row func(Side, Params) (Metrics, error)) func(Side, Params) (Metrics, error) {
	return func(side Side, p Params) (Metrics, error) {
		return p.profiled(func() (Metrics, error) { return row(side, p) })
	}
}
