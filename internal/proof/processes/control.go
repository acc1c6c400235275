package processes

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Kill kills a process with SIGKILL, and returns the time.
func (p *Proof) Kill(name string) time.Time {
	p.t.Helper()
	p.measure(name)
	at := time.Now()
	p.processes[name].Stop()
	p.ended = append(p.ended, name)
	return at
}

// stop is the time of a stopped process.
type stop struct{ from, to time.Time }

// has reports whether a write was under way during the stop.
func (s stop) has(w Write) bool { return w.At.Before(s.to) && w.Ended.After(s.from) }

// Pause stops a process with SIGSTOP. A process is stopped once.
func (p *Proof) Pause(name string) {
	p.t.Helper()
	p.measure(name)
	p.stops[name] = stop{from: time.Now()}
	p.signal(name, signalStop)
}

// GoOn lets a process go on.
func (p *Proof) GoOn(name string) {
	p.t.Helper()
	p.stops[name] = stop{from: p.stops[name].from, to: time.Now()}
	p.signal(name, signalGoOn)
}

// End ends processes with SIGTERM, one after another, and waits until each has gone.
func (p *Proof) End(names ...string) {
	p.t.Helper()
	for _, name := range names {
		_, _ = p.ask(p.ctx, name) // for its last figures
		p.measure(name)
		p.signal(name, signalEnd)
		p.until(name+" ends", func(context.Context) error {
			if p.processes[name].Alive() {
				return errNotYet
			}
			return nil
		})
		p.ended = append(p.ended, name)
	}
}

func (p *Proof) signal(name string, s syscall.Signal) {
	p.t.Helper()
	if err := send(p.processes[name].PID(), s); err != nil {
		p.t.Fatalf("%s: %v: %v", name, s, err)
	}
}

// memory is the resident memory of a process in bytes, and its highest value.
type memory struct{ now, peak int64 }

// measure notes the memory of a process, where the system tells it.
func (p *Proof) measure(name string) {
	x := p.processes[name]
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", x.PID()))
	if err != nil {
		return
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 2 {
			continue
		}
		n, _ := strconv.ParseInt(fields[1], 10, 64)
		switch fields[0] {
		case "VmRSS:":
			x.memory.now = n << 10
		case "VmHWM:":
			x.memory.peak = n << 10
		}
	}
}
