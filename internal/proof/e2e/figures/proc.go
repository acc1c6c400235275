package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// tick is USER_HZ, the unit in which Linux reports the CPU time of processes. It does
// not depend on the kernel's own tick.
const tick = 10 * time.Millisecond

// cpuOf returns the CPU time that a process has taken.
func cpuOf(pid int) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, fmt.Errorf("measure CPU: %w", err)
	}
	_, rest, _ := strings.Cut(string(text), ") ") // its name may be anything
	fields := strings.Fields(rest)
	const user, system = 11, 12
	if len(fields) <= system {
		return 0, fmt.Errorf("measure CPU: /proc/%d/stat: %q", pid, text)
	}
	var sum time.Duration
	for _, f := range []string{fields[user], fields[system]} {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("measure CPU: /proc/%d/stat: %w", pid, err)
		}
		sum += time.Duration(n) * tick
	}
	return sum, nil
}

// residentOf returns the resident memory of a process in bytes, and its highest value
// so far.
func residentOf(pid string) (now, peak int64, err error) {
	text, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		return 0, 0, fmt.Errorf("measure memory: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		n, _ := strconv.ParseInt(fields[1], 10, 64)
		switch fields[0] {
		case "VmRSS:":
			now = n << 10
		case "VmHWM:":
			peak = n << 10
		}
	}
	return now, peak, nil
}
