package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph"
)

// until waits until the events so far satisfy the condition. It returns false if
// they do not in time, or if the watch ends before that.
func (w *watcher) until(ok func([]ownergraph.Event) bool) bool {
	limit := time.NewTimer(w.t.patience)
	defer limit.Stop()
	for {
		events, more := w.reported()
		if ok(events) {
			return true
		}
		select {
		case <-more:
		case <-w.ended:
			events, _ = w.reported()
			return ok(events)
		case <-limit.C:
			return false
		}
	}
}

// sees is until, with a condition on the replica of the watch.
func (w *watcher) sees(ok func(*replica) bool) bool {
	return w.until(func(events []ownergraph.Event) bool { return ok(w.after(events)) })
}

// after is replay, continued from the last call.
func (w *watcher) after(events []ownergraph.Event) *replica {
	if w.known == nil {
		w.known = replay(nil)
	}
	for _, e := range events[w.applied:] {
		w.known.apply(e)
	}
	w.applied = len(events)
	return w.known
}

// mustSee breaks the law if the replica does not satisfy the condition in time.
func (w *watcher) mustSee(what string, ok func(*replica) bool) {
	w.t.Helper()
	if !w.sees(ok) {
		events, _ := w.reported()
		r := replay(events)
		ok(r)
		w.missed(what, r)
	}
}

// ready waits until every kind is listed.
func (w *watcher) ready() *watcher {
	w.t.Helper()
	w.mustSee("the watch lists every kind", (*replica).listed)
	return w
}

// missing breaks the law, because an expected report is missing.
func (w *watcher) missing(what string) {
	w.t.Helper()
	w.missed(what, replay(nil))
}

// missed is missing for a law that has compared a replica. It prints the
// difference, or else the events of the watch.
func (w *watcher) missed(what string, r *replica) {
	w.t.Helper()
	events, _ := w.reported()
	seen := "the watch reported nothing"
	if len(events) > 0 {
		seen = "the watch reported " + formatEvents(events)
	}
	if x := r.compared; x != nil {
		if lines := difference(x.want, r.all(x.kind)); lines != "" {
			seen = strings.ReplaceAll(lines, "\n", "\n          ")
		}
	}
	select {
	case <-w.ended:
		seen += fmt.Sprintf(", and ended: %v", w.err)
	default:
	}
	w.t.broken(what, seen)
}
