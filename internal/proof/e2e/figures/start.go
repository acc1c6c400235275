package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// startup is the outcome of a side's start on the given number of objects.
type startup struct {
	side         string
	objects      int
	ready, quiet time.Duration // until its report, and until its last request
	counts       map[string]int
	server, own  time.Duration // CPU, until it was quiet
	memory       usage
	each         float64 // bytes an object, minus those of a start on none
}

// runStarts starts every side on none, and on each number of objects.
func (b *bench) runStarts(ctx context.Context) []startup {
	var out []startup
	none := map[string]usage{}
	made := 0
	for _, n := range append([]int{0}, slices.Sorted(slices.Values(b.start))...) {
		if err := b.grow(ctx, n-made); err != nil {
			b.fail("start", err)
			return out
		}
		made = n
		sides := []string{ours, upstream}
		b.warm(ctx, sides, n)
		for _, side := range sides {
			b.say("start on %d objects: %s", n, side)
			s, err := b.runStart(ctx, side, n)
			if err != nil {
				b.fail("start", err)
				continue
			}
			if n == 0 {
				none[side] = s.memory
			} else {
				s.each = float64(s.memory.Resident-none[side].Resident) / float64(n)
			}
			out = append(out, s)
		}
	}
	return out
}

// warm starts each side once without a measurement. The first start after so many new
// objects would meet a server that is still busy with them.
func (b *bench) warm(ctx context.Context, sides []string, objects int) {
	for _, side := range sides {
		if _, err := b.runStart(ctx, side, objects); err != nil {
			b.fail("start", err)
		}
	}
}

// grow makes so many objects.
func (b *bench) grow(ctx context.Context, n int) error {
	if n == 0 {
		return nil
	}
	ns, err := b.load.namespace(ctx)
	if err != nil {
		return err
	}
	return b.load.create(ctx, ns, scenario{}, forest(n))
}

func (b *bench) runStart(ctx context.Context, side string, objects int) (startup, error) {
	ctx, cancel := context.WithTimeout(ctx, b.patience)
	defer cancel()
	out := startup{side: side, objects: objects}
	before, err := cpuOf(b.pid)
	if err != nil {
		return out, err
	}
	p, err := spawn(ctx, side, b.task(fmt.Sprintf("start-%d-%s", objects, side)))
	if err != nil {
		return out, err
	}
	err = b.watchStart(p, before, &out)
	if stopped := p.stop(); err == nil {
		err = stopped
	}
	return out, err
}

func (b *bench) watchStart(p *process, before time.Duration, out *startup) error {
	r, err := p.answer()
	if err != nil {
		return err
	}
	out.ready = seconds(r.Seconds)
	if r, err = p.ask(orderQuiet); err != nil {
		return err
	}
	out.quiet = seconds(r.Seconds)
	m, err := b.readMeter(p)
	if err != nil {
		return err
	}
	out.server, out.own = m.server-before, m.own
	if r, err = p.ask(orderCounts); err != nil {
		return err
	}
	out.counts = r.Counts
	r, err = p.ask(orderMemory)
	out.memory = r.Memory
	return err
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
