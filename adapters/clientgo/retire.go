package clientgo

import (
	"errors"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// A kind that is no longer served is retired before it becomes unknown. Its watch may
// still report removals. A server that removes a definition reports each object that it
// removes, and only those. Nothing else proves the removal of the other objects. A user
// may remove a definition's cleanup finalizer by hand. Then the definition goes, and
// its objects come back with their UIDs when the kind is defined again.

const (
	// drainTime is the time for the watch of a retired kind. The server ends the watch
	// one second after the definition.
	drainTime = 3 * time.Second
	// retireTimeout bounds the time that a retired kind stays known.
	retireTimeout = 10 * time.Second
)

var errRetired = errors.New("the kind is no longer served")

// retirement is the state of a retired kind. The loop owns it.
type retirement struct {
	number  int64 // counts retirements
	until   time.Time
	drained bool // its watch has ended
}

// keepRetiring returns the served kinds and the retiring kinds.
//
//test:by TestKindRetired TestRetirementIsBounded TestCascadeOfDefinition
func (r *run) keepRetiring(infos []graph.KindInfo) []graph.KindInfo {
	out, now := slices.Clone(infos), time.Now()
	soonest := time.Time{}
	for _, was := range r.infos {
		w, l := r.workers[was.Kind], r.retiring[was.Kind]
		switch served := slices.ContainsFunc(infos, func(i graph.KindInfo) bool { return i.Kind == was.Kind }); {
		case w == nil, served && l == nil:
			continue
		case served:
			delete(r.retiring, was.Kind)
			w.mailbox.send(commands{retire: -1})
			continue
		case l == nil:
			r.retirements++
			l = &retirement{number: r.retirements, until: now.Add(retireTimeout)}
			r.retiring[was.Kind] = l
			w.mailbox.send(commands{retire: l.number})
		}
		if !l.drained && now.Before(l.until) {
			out = append(out, was)
			if soonest.IsZero() || l.until.Before(soonest) {
				soonest = l.until
			}
		}
	}
	if r.overdue = nil; !soonest.IsZero() {
		r.overdue = time.After(time.Until(soonest))
	}
	slices.SortFunc(out, byKind)
	return out
}

// endRetirement ends the retirement of a kind whose watch has ended.
func (r *run) endRetirement(kind graph.Kind, number int64) error {
	l := r.retiring[kind]
	if l == nil || l.number != number {
		return nil
	}
	l.drained = true
	return r.applyCatalog(r.catalog)
}

// watchEnd is the pending end of a watch whose kind may be retired.
type watchEnd struct {
	cause error
	at    <-chan time.Time
}

// begin makes the watch end soon.
func (p *watchEnd) begin(cause error) {
	if p.cause == nil {
		p.cause, p.at = cause, time.After(drainTime)
	}
}

// setRetired records whether the kind is retired. A kind that is served again keeps its
// watch.
func (p *watchEnd) setRetired(left bool) {
	switch {
	case left:
		p.begin(errRetired)
	case p.cause == errRetired:
		*p = watchEnd{}
	}
}

// tolerate takes the error of a fence. If the kind is not served, the watch ends soon
// and not at once.
func (p *watchEnd) tolerate(err error) error {
	if notServed(err) {
		p.begin(err)
		return nil
	}
	return err
}

// retire reports that the watch of a retired kind has ended, and waits for new
// commands.
func (w *worker) retire() {
	if w.drained != w.retiring {
		w.drained = w.retiring
		if w.hand(delivery{from: w, epoch: w.epoch, drained: w.retiring}) != nil {
			return
		}
	}
	select {
	case <-w.ctx.Done():
	case <-w.mailbox.wake:
	}
}
