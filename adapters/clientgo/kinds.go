package clientgo

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

const (
	lookDelay = 250 * time.Millisecond // a definition changes several times in a row
	lookAgain = 3 * time.Second        // the server serves a change after a delay
	lookRetry = 2 * time.Second        // after a discovery that failed
)

const (
	definitionKind = graph.Kind("apiextensions.k8s.io/CustomResourceDefinition")
	serviceKind    = graph.Kind("apiregistration.k8s.io/APIService")
)

// noteDefinition starts a discovery if an event changes a definition or an API service.
func (r *run) heed(e graph.Event) {
	if e.Type != graph.Put && e.Type != graph.Gone {
		return
	}
	if kind := e.Of(); kind == definitionKind || kind == serviceKind {
		r.lookSoon()
	}
}

// rediscoverSoon starts a discovery soon, and another one after a delay.
func (r *run) lookSoon() { signal(r.look) }

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// discoverLoop runs discovery: periodically, soon after a request, and at once for a
// fence.
//
// Held by TestKindsComeAndGo and TestLooks.
func (r *run) keepLooking() {
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
		case <-r.look:
			now := time.Now()
			next, again = earlier(next, now.Add(lookDelay)), now.Add(lookAgain)
			continue
		case <-r.fenced:
		case <-time.After(time.Until(due)):
		}
		if !time.Now().Before(again) {
			again = time.Time{}
		}
		next = time.Now().Add(r.survey())
	}
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// rediscover runs one discovery, and returns the time until the next one.
func (r *run) survey() time.Duration {
	r.mu.Lock()
	ids := r.asked
	r.asked = nil
	r.mu.Unlock()
	c, err := r.store.discover(r.ctx, time.Now())
	if err != nil {
		if r.ctx.Err() == nil {
			r.store.config.Logger.Warn("discovery failed", "err", err)
		}
		r.askAgain(ids)
		return lookRetry
	}
	if c.partial { // the set of kinds has passed no fence
		r.askAgain(ids)
		ids = nil
	}
	select {
	case r.out <- delivery{catalog: c, fences: ids}:
	case <-r.ctx.Done():
	}
	if !c.partial && !c.gaps {
		r.gapPause = 0
		return r.store.config.Rediscover
	}
	r.gapPause = min(max(lookRetry, 2*r.gapPause), r.store.config.Rediscover)
	return r.gapPause
}

// requeueFences makes fences wait for the next discovery.
func (r *run) askAgain(ids []uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = keepNewest(append(ids, r.asked...))
}

// applyCatalog reports the kinds of a catalog. It stops the workers of removed kinds,
// and starts those of new kinds.
func (r *run) adopt(c *catalog) error {
	r.catalog = c
	infos := r.postpone(c.infos)
	for _, was := range r.infos {
		if slices.Contains(infos, was) {
			continue
		}
		r.dismiss(was.Kind)
		if err := r.tell(graph.Event{Type: graph.KindVanished, Kind: was.Kind}); err != nil {
			return err
		}
	}
	if !slices.Equal(infos, r.infos) || r.infos == nil {
		r.infos = infos
		if err := r.tell(graph.Event{Type: graph.KindsKnown, Kinds: slices.Clone(infos)}); err != nil {
			return err
		}
	}
	if err := r.tellUnknown(); err != nil {
		return err
	}
	r.employ()
	return r.passSet()
}

// reportUnknownGroups reports the groups without a known kind as sick.
func (r *run) tellUnknown() error {
	for _, info := range r.infos {
		why, sick := r.catalog.sick[info.Kind]
		if !sick || !strings.HasSuffix(string(info.Kind), "/*") || r.unknown[info.Kind] == why {
			continue
		}
		r.unknown[info.Kind] = why
		if err := r.tell(graph.Event{Type: graph.KindSick, Kind: info.Kind, Reason: why}); err != nil {
			return err
		}
	}
	return nil
}

// stopWorker stops the worker of a kind. The loop drops its later deliveries.
func (r *run) dismiss(kind graph.Kind) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if w := r.workers[kind]; w != nil {
		w.stop()
		delete(r.workers, kind)
	}
	delete(r.unknown, kind)
	delete(r.leaving, kind)
}

// startWorkers starts the workers of new kinds, and sends the catalog to all others.
func (r *run) employ() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, w := range r.workers {
		w.mail.order(orders{catalog: r.catalog})
	}
	for _, kind := range slices.Sorted(maps.Keys(r.catalog.kinds)) {
		if r.workers[kind] != nil {
			continue
		}
		w := newWorker(r, r.catalog.kinds[kind])
		w.mail.order(orders{fences: r.open})
		r.workers[kind] = w
		r.work.Go(w.labour)
	}
}

func keepNewest[F any](fences []F) []F { return fences[max(0, len(fences)-maxFences):] }
