package main

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ownergraph/ownergraph"
	sqlstore "github.com/ownergraph/ownergraph/adapters/sql"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/storefaults/judge"
)

// mirror keeps the content that a watch reports, and checks the order of its events.
type mirror struct {
	mu       sync.Mutex
	objects  map[graph.Key]graph.Object
	gone     map[graph.Key]bool
	listing  map[graph.Kind]map[graph.Key]bool
	listings int
	passed   map[uint64]map[graph.Kind]bool
	wrong    []string
}

func newMirror() *mirror {
	return &mirror{objects: map[graph.Key]graph.Object{}, gone: map[graph.Key]bool{},
		listing: map[graph.Kind]map[graph.Key]bool{}, passed: map[uint64]map[graph.Kind]bool{}}
}

func (m *mirror) take(compare func(graph.Kind, graph.Version, graph.Version) int, batch []graph.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range batch {
		switch e.Type {
		case graph.ListBegun:
			m.listings++
			m.listing[e.Kind] = map[graph.Key]bool{}
		case graph.ListEnded:
			for key := range m.objects {
				if key.Kind == e.Kind && !m.listing[e.Kind][key] {
					m.end(key)
				}
			}
			delete(m.listing, e.Kind)
		case graph.Put:
			m.put(compare, e.Object)
		case graph.Gone:
			m.end(e.Key)
		case graph.FencePassed:
			if m.passed[e.Fence] == nil {
				m.passed[e.Fence] = map[graph.Kind]bool{}
			}
			m.passed[e.Fence][e.Kind] = true
		case graph.Rewound:
			if e.Epoch != "" {
				m.wrong = append(m.wrong, "a rewind without a restore")
			}
		}
	}
}

func (m *mirror) put(compare func(graph.Kind, graph.Version, graph.Version) int, o graph.Object) {
	old, was := m.objects[o.Key]
	switch {
	case m.gone[o.Key]:
		m.wrong = append(m.wrong, "put after the end: "+o.String())
	case was && compare(o.Kind, old.Version, o.Version) > 0:
		m.wrong = append(m.wrong, "an older state follows a newer one: "+o.String())
	}
	m.objects[o.Key] = o
	if list := m.listing[o.Kind]; list != nil {
		list[o.Key] = true
	}
}

func (m *mirror) end(key graph.Key) {
	delete(m.objects, key)
	m.gone[key] = true
}

func (m *mirror) sees(fence uint64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, info := range kinds() {
		if !m.passed[fence][info.Kind] {
			return false
		}
	}
	return true
}

// until polls a condition until the deadline of a test.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-ctx.Done():
			t.Fatalf("-seed %d: never: %s", *seed, what)
		case <-tick.C:
		}
	}
}

// shortLog is the configuration of a site, with a log of a few changes.
func shortLog(s site, seed uint64) sqlstore.Config {
	c := configOf(s, seed)
	c.LogSize = 5
	return c
}

// compactSite cuts the history of the changes to a few.
func compactSite(ctx context.Context, s site) error {
	switch s := s.(type) {
	case *sqliteSite:
		return compact(ctx, s.direct, shortLog(s, s.seed))
	case *postgresSite:
		return compact(ctx, s.direct, shortLog(s, s.seed))
	case *etcdSite:
		r, err := s.direct.Get(ctx, s.prefix, clientv3.WithCountOnly())
		if err == nil {
			_, err = s.direct.Compact(ctx, r.Header.Revision)
		}
		s.proxy.Calm()
		return err
	}
	return nil
}

// deafen keeps the events from the clients behind a proxy until the next compaction. A
// client of etcd delays the events of a slow watch, so the watch alone never falls behind.
func deafen(s site) {
	if e, ok := s.(*etcdSite); ok {
		e.proxy.Lose()
	}
}

// direct names the database without the proxy.
func direct(s site) target {
	t := s.target().of(*seed, false)
	if e, ok := s.(*etcdSite); ok {
		t.Address = e.server.Address()
	}
	return t
}

// TestWatchUnderLoad: writers commit in any order, while one watch keeps pace, one is slow and
// meets compactions, and one begins its listings in between. At a fence each of them knows every
// commit before it, and no event goes backwards.
func TestWatchUnderLoad(t *testing.T) {
	t.Logf("-seed %d", *seed)
	for _, store := range stores() {
		t.Run(store, func(t *testing.T) { watchUnderLoad(t, start(t, store)) })
	}
}

func watchUnderLoad(t *testing.T, s site) {
	if err := s.fresh(t.Context(), *seed); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.end(); err != nil {
			t.Error(err)
		}
	}()
	c, err := s.target().of(*seed, false).open()
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	w, err := direct(s).open()
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	u := &crowd{store: w, history: &judge.History{}, timeout: 10 * time.Second}
	u.fill(t.Context(), *seed, 60)
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for i := range 4 {
		own := rand.New(rand.NewPCG(*seed, uint64(i)))
		writers.Go(func() { u.work(t.Context(), own, stop) })
	}
	ctx, cancel := context.WithCancel(t.Context())
	var watches sync.WaitGroup
	defer watches.Wait()
	defer cancel()
	gate := make(chan struct{}) // one receive for each batch of the slow watch
	mirrors := []*mirror{newMirror(), newMirror()}
	watches.Go(func() { follow(ctx, c, mirrors[0], nil) })
	watches.Go(func() { follow(ctx, c, mirrors[1], gate) })
	slowly(t, s, u, mirrors[1], gate)
	mirrors = append(mirrors, newMirror())
	watches.Go(func() { follow(ctx, c, mirrors[2], nil) })
	until(t, "the third watch lists", func() bool { mirrors[2].mu.Lock(); defer mirrors[2].mu.Unlock(); return mirrors[2].listings > 0 })
	close(stop)
	writers.Wait()
	agree(t, s, c, mirrors)
}

// follow watches until ctx ends. A watch that breaks is begun again.
func follow(ctx context.Context, c client, m *mirror, gate <-chan struct{}) {
	compare := bare(c).(ownergraph.VersionComparer).CompareVersions
	for ctx.Err() == nil {
		_ = c.Watch(ctx, func(batch []graph.Event) error { // an error leads to a new watch
			if gate != nil {
				select {
				case <-gate:
				case <-ctx.Done():
				}
			}
			m.take(compare, batch)
			return ctx.Err()
		})
	}
}

// slowly lets the slow watch take a batch at a time, with writes and a compaction in
// between, until it has listed anew.
func slowly(t *testing.T, s site, u *crowd, m *mirror, gate chan<- struct{}) {
	t.Helper()
	listed := func() int { m.mu.Lock(); defer m.mu.Unlock(); return m.listings }
	until(t, "the slow watch lists", func() bool {
		select {
		case gate <- struct{}{}:
		default:
		}
		return listed() >= len(kinds())
	})
	before := listed()
	until(t, "the slow watch lists anew after a compaction", func() bool {
		deafen(s)
		calls := len(u.history.Calls())
		until(t, "the writers write", func() bool { return len(u.history.Calls()) > calls+40 })
		if err := compactSite(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		for range 40 {
			select {
			case gate <- struct{}{}:
			case <-time.After(time.Millisecond):
			}
		}
		return listed() > before
	})
	close(gate)
}

// agree compares the mirrors with the database, behind a fence.
func agree(t *testing.T, s site, c client, mirrors []*mirror) {
	t.Helper()
	token, err := bare(c).(ownergraph.Fencer).Fence(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	objects, err := s.objects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range mirrors {
		until(t, "the fence passes", func() bool { return m.sees(token) })
		m.mu.Lock()
		if len(m.objects) != len(objects) || len(m.wrong) > 0 {
			t.Errorf("-seed %d: watch %d knows %d objects, want %d; wrong: %q", *seed, i, len(m.objects), len(objects), m.wrong)
		}
		for _, o := range objects {
			if seen, ok := m.objects[o.Key]; !ok || !seen.EqualContent(o) {
				t.Errorf("-seed %d: watch %d knows %s, want %s", *seed, i, seen, o)
			}
		}
		m.mu.Unlock()
	}
}
