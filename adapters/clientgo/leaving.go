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
	lastWords = 3 * time.Second
	// retireTimeout bounds the time that a retired kind stays known.
	leaveWithin = 10 * time.Second
)

var errLeft = errors.New("the kind is no longer served")

// retirement is the state of a retired kind. The loop owns it.
type leaving struct {
	number int64 // counts retirements
	until  time.Time
	over   bool // its watch has ended
}

// keepRetiring returns the served kinds and the retiring kinds.
//
// Held by TestKindLeft, TestLeavingIsBounded and TestCascadeOfDefinition.
func (r *run) postpone(infos []graph.KindInfo) []graph.KindInfo {
	out, now := slices.Clone(infos), time.Now()
	soonest := time.Time{}
	for _, was := range r.infos {
		w, l := r.workers[was.Kind], r.leaving[was.Kind]
		switch served := slices.ContainsFunc(infos, func(i graph.KindInfo) bool { return i.Kind == was.Kind }); {
		case w == nil, served && l == nil:
			continue
		case served:
			delete(r.leaving, was.Kind)
			w.mail.order(orders{leave: -1})
			continue
		case l == nil:
			r.left++
			l = &leaving{number: r.left, until: now.Add(leaveWithin)}
			r.leaving[was.Kind] = l
			w.mail.order(orders{leave: l.number})
		}
		if !l.over && now.Before(l.until) {
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
func (r *run) finish(kind graph.Kind, number int64) error {
	l := r.leaving[kind]
	if l == nil || l.number != number {
		return nil
	}
	l.over = true
	return r.adopt(r.catalog)
}

// watchEnd is the pending end of a watch whose kind may be retired.
type parting struct {
	cause error
	at    <-chan time.Time
}

// begin makes the watch end soon.
func (p *parting) begin(cause error) {
	if p.cause == nil {
		p.cause, p.at = cause, time.After(lastWords)
	}
}

// setRetired records whether the kind is retired. A kind that is served again keeps its
// watch.
func (p *parting) heed(left bool) {
	switch {
	case left:
		p.begin(errLeft)
	case p.cause == errLeft:
		*p = parting{}
	}
}

// tolerate takes the error of a fence. If the kind is not served, the watch ends soon
// and not at once.
func (p *parting) forgive(err error) error {
	if unserved(err) {
		p.begin(err)
		return nil
	}
	return err
}

// retire reports that the watch of a retired kind has ended, and waits for new
// commands.
func (w *worker) leave() {
	if w.gone != w.leaving {
		w.gone = w.leaving
		if w.hand(delivery{from: w, epoch: w.epoch, finished: w.leaving}) != nil {
			return
		}
	}
	select {
	case <-w.ctx.Done():
	case <-w.mail.wake:
	}
}
