package clientgo

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/ownergraph/ownergraph/graph"
)

// noteLoss records a sign that the server was lost. A regular end of a watch looks like
// a broken connection, except the end of a short watch.
func (w *worker) noteLoss(err error) {
	if errors.Is(err, errRelist) || errors.Is(err, errRewound) || errors.Is(err, errShort) || errors.Is(err, errRetired) || w.ctx.Err() != nil {
		return
	}
	if errors.Is(err, errEnded) && w.short || !isLossSign(err) {
		return
	}
	w.run.store.losses.addSign()
}

// sickReason returns the reason why the kind is out of service, or "".
func (w *worker) sickReason() string { return cmp.Or(w.failed, w.discoveryReason) }

// markHealthy records that the watch works.
func (w *worker) markHealthy() error {
	w.failed = ""
	return w.reportHealth()
}

func (w *worker) reportHealth() error {
	why := w.sickReason()
	if why == w.reportedReason {
		return nil
	}
	w.reportedReason = why
	if why == "" {
		return w.emit(graph.Event{Type: graph.KindRecovered, Kind: w.kind})
	}
	return w.emit(graph.Event{Type: graph.KindSick, Kind: w.kind, Reason: why})
}

// backOff reports that the watch fails, and waits for the next try.
//
//test:by TestWatchSick TestUnlistedOwner
func (w *worker) backOff(err error) {
	if !w.connectedAt.IsZero() && time.Since(w.connectedAt) >= steadyAfter && w.failed == "" {
		w.tries = 0
	}
	w.failed = w.explain(err)
	w.complete = w.complete && !expired(err)
	if w.reportHealth() != nil {
		return
	}
	if notServed(err) {
		w.run.rediscoverSoon()
	}
	pause := min(firstPause<<min(w.tries, 10), maxPause)
	if w.listedAt.IsZero() && w.tries < unlistedTries {
		pause = min(pause, unlistedPause)
	}
	w.tries++
	pause = pause/2 + rand.N(pause/2)
	var l *retryLater
	if errors.As(withDelay(err), &l) {
		pause = max(pause, min(l.after, maxPause))
	}
	w.pause(pause)
}

// pause waits. Even with urgent commands it waits for firstPause, to spare a failing
// server. Fences are not urgent, because they need a kind in service.
func (w *worker) pause(pause time.Duration) {
	least, end := time.After(min(pause, firstPause)), time.After(pause)
	for rested := false; !rested || !w.mailbox.urgent(); {
		select {
		case <-w.ctx.Done():
			return
		case <-end:
			return
		case <-least:
			rested = true
		case <-w.mailbox.wake:
		}
	}
}

// explain returns the reason why the watch fails.
func (w *worker) explain(err error) string {
	verb := "watch"
	if !w.complete {
		verb = "list"
	}
	if forbidden(err) {
		return fmt.Sprintf("%s %s: %s, and to act to patch and delete them: %v", verb, w.at.GroupResource(), rightsMissing, err)
	}
	note := ""
	if apierrors.IsServiceUnavailable(err) {
		note = w.catalog.serviceNote(w.at.GroupVersion())
	}
	return fmt.Sprintf("%s %s: %v%s", verb, w.at.GroupResource(), err, note)
}

// rightsMissing is a part of each reason of a kind that the server forbids.
const rightsMissing = "it takes the rights to get, list and watch them"

// Forbidden reports whether the reason of a sick kind, as in engine.KindStatus, says that the
// account of the store has no right to list or watch it. Such a kind stays sick until someone
// grants the right.
//
//test:by TestForbiddenReason
func Forbidden(reason string) bool { return strings.Contains(reason, rightsMissing) }
