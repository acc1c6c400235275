package etcdstore

import (
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

const (
	firstProgress = 5 * time.Millisecond // until the second request
	maxProgress   = 200 * time.Millisecond
)

// progress repeats requests of progress, because a server may ignore one.
type progress struct {
	timer *time.Timer
	wait  time.Duration
}

// want begins requests, or ends them.
func (p *progress) want(st *stream, on bool) error {
	switch {
	case !on:
		p.stop()
		return nil
	case p.timer != nil:
		return nil
	}
	p.wait = firstProgress
	p.timer = time.NewTimer(p.wait)
	return st.requestProgress()
}

// due returns a channel that signals the next request, nil for none.
func (p *progress) due() <-chan time.Time {
	if p.timer == nil {
		return nil
	}
	return p.timer.C
}

func (p *progress) again(st *stream) error {
	p.wait = min(2*p.wait, maxProgress)
	p.timer.Reset(p.wait)
	return st.requestProgress()
}

func (p *progress) stop() {
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
}

// passFences reports the fences whose revision the watch has reached.
func (w *watch) passFences() {
	due := func(f fence) bool { return f.revision <= w.revision && f.epoch == w.epoch }
	if !slices.ContainsFunc(w.fences, due) {
		return
	}
	w.guardOwners()
	left := w.fences[:0]
	for _, f := range w.fences {
		if !due(f) {
			left = append(left, f)
			continue
		}
		for _, k := range w.list {
			w.reportPassed(k.info.Kind, f.token)
		}
		w.reportPassed("", f.token)
	}
	w.fences = left
}

func (w *watch) reportPassed(kind graph.Kind, token uint64) {
	w.out.report(graph.Event{Type: graph.FencePassed, Kind: kind, Fence: token})
}

// reportProgress reports the revision of the watch for every kind, if it has risen.
func (w *watch) reportProgress() {
	if w.reported == w.revision {
		return
	}
	w.reported = w.revision
	for _, k := range w.list {
		if w.revision > k.listed {
			w.out.report(graph.Event{Type: graph.Progress, Kind: k.info.Kind, Version: version(w.revision)})
		}
	}
}

// kindOf returns the kind whose keys begin as this one does, nil for none.
func (w *watch) kindOf(key string) *kindState {
	for _, k := range w.list {
		if strings.HasPrefix(key, k.first) {
			return k
		}
	}
	return nil
}
