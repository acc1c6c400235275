package clientgo

import (
	"errors"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// A kind that is not served any more is left, and while that goes on it is not
// unknown yet: its watch may still say which of its objects have ended. A server
// that takes a definition away says so of every object that it has removed, and
// only of those. What it does not say of the others, nothing else proves: a
// definition whose cleanup finalizer was taken off by hand is gone as well, and its
// objects are back, with their UIDs, when it is made anew.

const (
	// lastWords is how long a watch is heard whose kind is not served any more: the
	// server ends it a second after the definition.
	lastWords = 3 * time.Second
	// leaveWithin bounds how long a kind stays known that is left.
	leaveWithin = 10 * time.Second
)

var errLeft = errors.New("the kind is not served any more")

// leaving is a kind that is left. The loop owns it.
type leaving struct {
	number int64 // counts all of them
	until  time.Time
	over   bool // its watch has said everything
}

// postpone returns the kinds that are served, and those that are being left.
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

// finish ends the leaving of a kind whose watch has said everything.
func (r *run) finish(kind graph.Kind, number int64) error {
	l := r.leaving[kind]
	if l == nil || l.number != number {
		return nil
	}
	l.over = true
	return r.adopt(r.catalog)
}

// parting is the end of a watch whose kind may not be served any more.
type parting struct {
	cause error
	at    <-chan time.Time
}

// begin has the watch end soon.
func (p *parting) begin(cause error) {
	if p.cause == nil {
		p.cause, p.at = cause, time.After(lastWords)
	}
}

// heed takes whether the kind is left. One that is served again after all has its
// watch go on, if that was the reason.
func (p *parting) heed(left bool) {
	switch {
	case left:
		p.begin(errLeft)
	case p.cause == errLeft:
		*p = parting{}
	}
}

// forgive takes what came of a fence: that the kind is not served is no reason to end
// its watch at once.
func (p *parting) forgive(err error) error {
	if unserved(err) {
		p.begin(err)
		return nil
	}
	return err
}

// leave says that the watch of a kind that is left has ended, and waits for what
// becomes of the kind.
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
