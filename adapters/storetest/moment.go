package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"
)

// endingContext is a context that ends when the store looks at it for the n-th time. A
// look is a call of Done or Err. So the end comes between two steps of the store, and no
// clock decides which. It is safe for concurrent use.
//
//test:by TestEndingContext
type endingContext struct {
	context.Context // the parent
	with            error

	mu    sync.Mutex
	looks int
	at    int // the look that ends the context; 0 for none
	err   error
	done  chan struct{}
	calls map[*func()]bool // after the end
}

// newEndingContext returns a context that ends with the error at a look. The caller
// calls stop.
func newEndingContext(parent context.Context, at int, with error) (c *endingContext, stop func()) {
	c = &endingContext{Context: parent, with: with, at: at, done: make(chan struct{}), calls: map[*func()]bool{}}
	unhook := context.AfterFunc(parent, func() { c.end(parent.Err()) })
	return c, func() { unhook(); c.end(context.Canceled) }
}

func (c *endingContext) Err() error {
	c.look()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

func (c *endingContext) Done() <-chan struct{} {
	c.look()
	return c.done
}

// AfterFunc lets package context end the contexts that the store derives from this one.
func (c *endingContext) AfterFunc(f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		go f()
		return func() bool { return false }
	}
	c.calls[&f] = true
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		waits := c.calls[&f]
		delete(c.calls, &f)
		return waits
	}
}

func (c *endingContext) look() {
	c.mu.Lock()
	c.looks++
	due := c.looks == c.at
	c.mu.Unlock()
	if due {
		c.end(c.with)
	}
}

func (c *endingContext) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	c.err = err
	close(c.done)
	for f := range c.calls {
		go (*f)()
	}
	clear(c.calls)
}

// looked returns the number of looks so far.
func (c *endingContext) looked() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.looks
}

// moment is the moment at which the context of a call ends. One of its fields is set.
// The zero value is a context that does not end.
type moment struct {
	look  int           // at this look of the store at its context
	turns int           // after so many turns of the scheduler
	after time.Duration // after this time
	shown bool          // when a watch shows the write
	late  bool          // the error is that of a deadline; for a look
}

func (m moment) String() string {
	switch {
	case m.look > 0 && m.late:
		return fmt.Sprintf("its deadline passes when the store looks at it for the %s time", ordinal(m.look))
	case m.look > 0:
		return fmt.Sprintf("it is cancelled when the store looks at it for the %s time", ordinal(m.look))
	case m.turns > 0:
		return fmt.Sprintf("it is cancelled %d turns of the scheduler after the call began", m.turns)
	case m.after > 0:
		return fmt.Sprintf("its deadline passes %s after the call began", m.after)
	case m.shown:
		return "it is cancelled when a watch shows the write"
	}
	return "it does not end"
}

func ordinal(n int) string {
	suffix := "th"
	if n%100/10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprint(n, suffix)
}

// during makes a call whose context ends at the moment. It returns how often the store
// looked at the context. A moment that a watch shows has a channel.
func (t *trial) during(what string, m moment, shown <-chan struct{}, call func(context.Context) error) (looks int, err error) {
	t.Helper()
	err = t.do(what+" whose context ends", func(parent context.Context) error {
		with := context.Canceled
		if m.late {
			with = context.DeadlineExceeded
		}
		counting, stop := newEndingContext(parent, m.look, with)
		defer stop()
		ctx, cancel := context.WithCancel(parent)
		defer cancel()
		switch {
		case m.after > 0:
			ctx, cancel = context.WithTimeout(ctx, m.after)
			defer cancel()
		case m.turns > 0:
			go func() {
				for range m.turns {
					runtime.Gosched()
				}
				cancel()
			}()
		case m.shown:
			go func() {
				select {
				case <-shown:
				case <-ctx.Done():
				}
				cancel()
			}()
		default:
			ctx = counting
		}
		err := call(ctx)
		looks = counting.looked()
		return err
	})
	return looks, err
}

// maxLooks bounds the moments of one call. It covers all looks of a store with a few
// statements.
const maxLooks = 12

// lastLooks are the moments of a call to a slow store.
const lastLooks = 3

// looksAt returns the moments of a call that looks so often at its context. It prefers
// the last ones, because the write is done by then, and draws some of the others.
func looksAt(looks int) (list []moment) {
	at := map[int]bool{}
	for n := looks; n > 0 && len(at) < maxLooks/2; n-- {
		at[n] = true
	}
	for range maxLooks - len(at) {
		if looks > 0 {
			at[1+rand.IntN(looks)] = true
		}
	}
	for n := range at {
		list = append(list, moment{look: n, late: rand.IntN(3) == 0})
	}
	slices.SortFunc(list, func(a, b moment) int { return b.look - a.look })
	return list
}

// someMoment draws a moment of a call that usually takes the time.
func someMoment(typical time.Duration) moment {
	switch rand.IntN(3) {
	case 0:
		return moment{turns: 1 << rand.IntN(9)}
	case 1:
		return moment{after: max(1, randomPart(typical))}
	}
	return moment{shown: true}
}
