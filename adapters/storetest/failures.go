package storetest

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// failures are the cases of one property that have failed, by what was drawn.
// What a watch shows, and what collectors come to, hangs on the moment too.
// Rapid runs a second time what fails, and gives up where it does not fail again:
// here what has failed once has failed. Behind the first failure others than its
// like count for nothing: they are no smaller forms of it. It is not safe for
// concurrent use.
//
// Held by TestModelShrinks and TestEngineShrinks.
type failures struct {
	kind string // of the first; "" before it
	of   map[string]caught
}

// caught is a failure of one case.
type caught struct {
	kind string // its message, before anything is filled in
	said string
	log  []string
}

func newFailures() *failures { return &failures{of: map[string]caught{}} }

// run plays a case. Its failures go to *tb, which was t.
func (f *failures) run(t *rapid.T, tb *TB, drawn func() string, play func()) {
	n := &net{TB: t}
	*tb = n
	failure, failed := n.catch(play)
	if !failed || f.kind != "" && f.kind != failure.kind {
		return
	}
	f.kind, f.of[drawn()] = failure.kind, failure
	t.Logf("%s", strings.Join(failure.log, "\n"))
	t.Fatalf("%s", failure.said)
}

// again fails if what is drawn has failed before.
func (f *failures) again(drawn func() string) {
	if len(f.of) == 0 {
		return
	}
	if failure, failed := f.of[drawn()]; failed {
		panic(failure)
	}
}

// net is a TB in which failures are caught. It is for one goroutine.
type net struct {
	TB
	log []string
}

func (n *net) Logf(format string, args ...any) { n.log = append(n.log, fmt.Sprintf(format, args...)) }

func (n *net) Errorf(format string, args ...any) { n.Fatalf(format, args...) }

func (n *net) Fatalf(format string, args ...any) {
	panic(caught{format, fmt.Sprintf(format, args...), n.log})
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
