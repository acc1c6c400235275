package storetest

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"pgregory.net/rapid"
)

// hunt looks for a case of a property that fails, and makes it small. What a
// watch shows, and what collectors come to, hangs on the moment too: what has
// failed once has failed, also if it passes when it is run again. It is not safe
// for concurrent use.
//
// Held by TestModelShrinks and TestEngineShrinks.
type hunt[C any] struct {
	// play runs a case on a store of its own. It fails by the TB.
	play    func(TB, C)
	smaller func(C) iter.Seq[C]
	width   int // how many cases run at once to shrink one
	// chances is how often a case is played before it is taken for one that
	// passes; nil: once.
	chances func(C) int
	// found has what is said of the case that has failed, by what was drawn.
	found    map[string]string
	failures int // of that one
	// unable says why no case could be drawn, "" if one could.
	unable string
}

// caught is a failure of one case.
type caught struct {
	kind string // its message, before anything is filled in
	said string
	log  []string
}

// over reports whether there is nothing more to look for. Rapid runs again what
// has failed, once, and then looks for smaller forms of it: it has the smallest.
func (h *hunt[C]) over() bool { return h.failures > 1 }

// run plays a case, unless one has failed before.
func (h *hunt[C]) run(t *rapid.T, drawn string, c C) {
	if len(h.found) == 0 {
		failure, failed := attempt(t.Context(), t.Name(), func(tb TB) { h.play(tb, c) })
		if !failed {
			return
		}
		h.found = map[string]string{drawn: h.least(t, c, failure).text()}
	}
	if said, failed := h.found[drawn]; failed {
		h.failures++
		t.Fatalf("%s", said) // from one line, lest rapid take it for another failure
	}
}

// prepare runs what comes before any case is drawn, and fails as that does.
func (h *hunt[C]) prepare(t *rapid.T, run func(TB)) {
	if h.unable == "" {
		failure, failed := attempt(t.Context(), t.Name(), run)
		if !failed {
			return
		}
		h.unable = failure.text()
	}
	t.Fatalf("%s", h.unable)
}

// least returns the failure of the smallest case that fails in the same way.
func (h *hunt[C]) least(t *rapid.T, c C, first caught) caught {
	s := &shrinking[C]{smaller: h.smaller, width: max(1, h.width), until: time.Now().Add(shrinkTime()), last: first}
	ctx, name := t.Context(), t.Name()
	s.play = func(c C) (caught, bool) {
		chances := 1
		if h.chances != nil {
			chances = h.chances(c)
		}
		for range chances {
			failure, failed := attempt(ctx, name, func(tb TB) { h.play(tb, c) })
			if failed && failure.kind == first.kind {
				return failure, true
			}
		}
		return caught{}, false
	}
	s.shrink(c)
	return s.last
}

// text returns all that is said of a failure.
func (c caught) text() string {
	return strings.Join(append([]string{c.said}, c.log...), "\n")
}

// attempt runs a case on a TB of its own, whose Cleanup ends with it.
func attempt(ctx context.Context, name string, run func(TB)) (failure caught, failed bool) {
	tb := newPlainTB(ctx, name)
	n := &net{TB: tb}
	if v := tb.run(func() { failure, failed = n.catch(func() { run(n) }) }); v != nil {
		return caught{kind: "panic", said: fmt.Sprintf("panic: %v", v), log: n.log}, true
	}
	return failure, failed
}

// net is a TB in which failures are caught. It is for one goroutine.
type net struct {
	TB
	log []string
}

func (n *net) Logf(format string, args ...any) { n.log = append(n.log, fmt.Sprintf(format, args...)) }

func (n *net) Errorf(format string, args ...any) { n.Fatalf(format, args...) }

func (n *net) Fatalf(format string, args ...any) { n.fail(format, fmt.Sprintf(format, args...)) }

func (n *net) fail(kind, said string) { panic(caught{kind, said, n.log}) }

// failAs fails with a message of a kind.
func failAs(tb TB, kind, said string) {
	tb.Helper()
	if n, ok := tb.(*net); ok {
		n.fail(kind, said)
	}
	tb.Fatalf("%s", said)
}

// catch runs a function that may fail, and reports whether it has.
func (n *net) catch(run func()) (failure caught, failed bool) {
	defer func() {
		if v := recover(); v != nil {
			if failure, failed = v.(caught); !failed {
				panic(v)
			}
		}
	}()
	run()
	return caught{}, false
}
