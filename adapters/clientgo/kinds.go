package clientgo

import (
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/logline"
)

const (
	rediscoverDelay = 250 * time.Millisecond // a definition changes several times in a row
	rediscoverAgain = 3 * time.Second        // the server serves a change after a delay
	rediscoverRetry = 2 * time.Second        // after a discovery that failed
)

const (
	definitionKind = graph.Kind("apiextensions.k8s.io/CustomResourceDefinition")
	serviceKind    = graph.Kind("apiregistration.k8s.io/APIService")
)

// noteDefinition starts a discovery if an event changes a definition or an API service.
func (r *run) noteDefinition(e *graph.Event) {
	if e.Type != graph.Put && e.Type != graph.Gone {
		return
	}
	if kind := e.Of(); kind == definitionKind || kind == serviceKind {
		r.rediscoverSoon()
	}
}

// rediscoverSoon starts a discovery soon, and another one after a delay.
func (r *run) rediscoverSoon() { signal(r.wanted) }

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// discoverLoop runs discovery: periodically, soon after a request, and at once for a
// fence.
//
//test:by TestKindsComeAndGo TestRediscovers
func (r *run) discoverLoop() {
	next := time.Now().Add(r.store.config.Rediscover)
	var again time.Time
	for {
		due := next
		if !again.IsZero() && again.Before(due) {
			due = again
		}
		select {
		case <-r.ctx.Done():
			return
		case <-r.wanted:
			now := time.Now()
			next, again = earlier(next, now.Add(rediscoverDelay)), now.Add(rediscoverAgain)
			continue
		case <-r.fenced:
		case <-time.After(time.Until(due)):
		}
		if !time.Now().Before(again) {
			again = time.Time{}
		}
		next = time.Now().Add(r.rediscover())
	}
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// rediscover runs one discovery, and returns the time until the next one.
func (r *run) rediscover() time.Duration {
	r.mu.Lock()
	ids := r.queued
	r.queued = nil
	r.mu.Unlock()
	c, err := r.store.discover(r.ctx, time.Now())
	if err != nil {
		if r.ctx.Err() == nil {
			r.store.log.Line(slog.LevelWarn, "discovery failed", logline.Cause(err), "err", err)
		}
		r.requeueFences(ids)
		return rediscoverRetry
	}
	if c.uncertain { // the set of kinds has passed no fence
		r.requeueFences(ids)
		ids = nil
	}
	select {
	case r.out <- delivery{catalog: c, fences: ids}:
	case <-r.ctx.Done():
	}
	if !c.uncertain && !c.incomplete {
		r.recheckPause = 0
		return r.store.config.Rediscover
	}
	r.recheckPause = min(max(rediscoverRetry, 2*r.recheckPause), r.store.config.Rediscover)
	return r.recheckPause
}

// requeueFences makes fences wait for the next discovery.
func (r *run) requeueFences(ids []uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queued = keepNewest(append(ids, r.queued...))
}

// applyCatalog reports the kinds of a catalog. It stops the workers of removed kinds,
// and starts those of new kinds.
func (r *run) applyCatalog(c *catalog) error {
	r.catalog = c
	infos := r.keepRetiring(c.infos)
	for _, was := range r.infos {
		if slices.Contains(infos, was) {
			continue
		}
		r.stopWorker(was.Kind)
		if err := r.report(graph.Event{Type: graph.KindVanished, Kind: was.Kind}); err != nil {
			return err
		}
	}
	if !slices.Equal(infos, r.infos) || r.infos == nil {
		r.infos = infos
		if err := r.report(graph.Event{Type: graph.KindsKnown, Kinds: slices.Clone(infos)}); err != nil {
			return err
		}
	}
	if err := r.reportUnknownGroups(); err != nil {
		return err
	}
	r.startWorkers()
	return r.passKindSet()
}

// reportUnknownGroups reports the groups without a known kind as sick.
func (r *run) reportUnknownGroups() error {
	for _, info := range r.infos {
		why, sick := r.catalog.sick[info.Kind]
		if !sick || !strings.HasSuffix(string(info.Kind), "/*") || r.unknown[info.Kind] == why {
			continue
		}
		r.unknown[info.Kind] = why
		if err := r.report(graph.Event{Type: graph.KindSick, Kind: info.Kind, Reason: why}); err != nil {
			return err
		}
	}
	return nil
}

// stopWorker stops the worker of a kind. The loop drops its later deliveries.
func (r *run) stopWorker(kind graph.Kind) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if w := r.workers[kind]; w != nil {
		w.stop()
		delete(r.workers, kind)
	}
	delete(r.unknown, kind)
	delete(r.retiring, kind)
}

// startWorkers starts the workers of new kinds, and sends the catalog to all others.
func (r *run) startWorkers() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, w := range r.workers {
		w.mailbox.send(commands{catalog: r.catalog})
	}
	for _, kind := range slices.Sorted(maps.Keys(r.catalog.kinds)) {
		if r.workers[kind] != nil {
			continue
		}
		w := newWorker(r, r.catalog.kinds[kind])
		w.mailbox.send(commands{fences: r.unpassed})
		r.workers[kind] = w
		r.work.Go(w.loop)
	}
}

func keepNewest[F any](fences []F) []F { return fences[max(0, len(fences)-maxFences):] }
