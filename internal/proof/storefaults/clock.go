package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// fakeClock changes the clock of C programs by libfaketime. Go programs read the clock
// without the C library, so it has no effect on them.
type fakeClock struct{ library, file string }

func newFakeClock(file string) (*fakeClock, error) {
	const pattern = "/usr/lib/*/faketime/libfaketime.so.1"
	list, err := filepath.Glob(pattern)
	if err != nil || len(list) == 0 {
		return nil, errors.Join(fmt.Errorf("no library %s: install it with: apt-get install -y libfaketime", pattern), err)
	}
	c := &fakeClock{library: list[0], file: file}
	return c, c.set(0)
}

// set makes the clock differ from the true one by hours.
func (c *fakeClock) set(hours int) error {
	return os.WriteFile(c.file, fmt.Appendf(nil, "%+dh\n", hours), 0o644)
}

// during calls start, whose programs get the clock. No other program is started
// meanwhile.
func (c *fakeClock) during(start func() error) (err error) {
	for name, value := range map[string]string{
		"LD_PRELOAD": c.library, "FAKETIME_TIMESTAMP_FILE": c.file, "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1", "FAKETIME_DISABLE_SHM": "1",
	} {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.Unsetenv(name)) }()
	}
	return start()
}
