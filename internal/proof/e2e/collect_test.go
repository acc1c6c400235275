package e2e

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"

	"k8s.io/client-go/rest"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/engine"
)

// collecting is a collector of ours at work.
type collecting struct {
	*ownergraph.Collector
	w     *world
	wire  *wire
	book  *book
	store *clientgo.Store
	kill  context.CancelFunc
	done  chan error
	once  sync.Once
}

// settings are the settings of a test for a collector.
type settings struct {
	engine ownergraph.Config
	store  clientgo.Config
	user   string // the user that it logs in as; the administrator by default
	// meet sees every request before it is sent, and may delay it or refuse it.
	meet func(*http.Request) error
	// late is asked for each arriving part of an answer. It returns a channel that ends
	// the delay of that part, nil for no delay.
	late func(*http.Request) <-chan struct{}
	// answer answers a request instead of the server, unless it returns nil.
	answer func(*http.Request) *http.Response
}

// collect starts a collector, which runs until the test stops it or ends.
func (w *world) collect(s settings) *collecting {
	w.t.Helper()
	c := &collecting{w: w, wire: &wire{meet: s.meet, late: s.late, answer: s.answer}, done: make(chan error, 1)}
	config := w.server.Admin()
	if s.user != "" {
		config = w.server.User(s.user)
	}
	config.Wrap(c.wire.through)
	// The log of a passing test is not shown.
	log := slog.New(slog.NewTextHandler(w.t.Output(), &slog.HandlerOptions{Level: slog.LevelInfo}))
	s.store.Logger, s.engine.Logger = log, log
	c.run(config, s)
	w.collectors = append(w.collectors, c)
	return c
}

func (c *collecting) run(config *rest.Config, s settings) {
	c.w.t.Helper()
	var err error
	if c.store, err = clientgo.New(config, s.store); err != nil {
		c.w.t.Fatal(err)
	}
	c.book = &book{Store: c.store}
	if c.Collector, err = ownergraph.New(c.book, s.engine); err != nil {
		c.w.t.Fatal(err)
	}
	ctx, kill := context.WithCancel(context.Background())
	c.kill = kill
	go func() { c.done <- c.Run(ctx) }()
}

// stop ends the collector in the way of a program that is told to end.
func (c *collecting) stop() {
	c.once.Do(func() {
		c.kill()
		if err := <-c.done; err != nil {
			c.w.t.Errorf("the collector: %v", err)
		}
		for _, wrong := range c.wire.faults() {
			c.w.t.Errorf("S5: %s", wrong)
		}
	})
}

// idle waits until the collector has no work left for the changes that were committed
// before. It returns the held objects in the world's namespace.
func (c *collecting) idle() []engine.Held {
	c.w.t.Helper()
	ctx, cancel := context.WithTimeout(c.w.ctx, patience)
	defer cancel()
	held, err := c.WaitIdle(ctx)
	if err != nil {
		c.w.t.Fatalf("%v; held %v; kinds %v\n%s", err, c.Held(20), c.sick(), c.w.server.Logs())
	}
	return slices.DeleteFunc(held, func(h engine.Held) bool { return h.Key.Scope != c.w.ns })
}

// quiet waits until the collector is idle while no kind is sick, and demands that no
// object of the world is held. A server refuses a kind for a moment after its own start
// and after a change of the kind's definition. The kind is sick until then and delays
// exact deletions, and idle does not wait for it.
func (c *collecting) quiet() {
	c.w.t.Helper()
	var held []engine.Held
	c.w.until("wait to be idle with all kinds well", func() error {
		c.synced()
		held = c.idle()
		if sick := c.sick(); len(sick) > 0 { // since a moment ago
			return fmt.Errorf("sick: %v", sick)
		}
		return nil
	})
	if len(held) > 0 {
		c.w.t.Errorf("held: %v", held)
	}
}

// synced waits until every kind is listed and none is sick.
func (c *collecting) synced() {
	c.w.t.Helper()
	ctx, cancel := context.WithTimeout(c.w.ctx, patience)
	defer cancel()
	if err := c.Synced(ctx); err != nil {
		c.w.t.Fatalf("%v\n%s", err, c.w.server.Logs())
	}
}

// sick returns the sick kinds, with the reasons.
func (c *collecting) sick() map[ownergraph.Kind]string {
	out := map[ownergraph.Kind]string{}
	for _, k := range c.Kinds() {
		if k.Sick != "" {
			out[k.Kind] = k.Sick
		}
	}
	return out
}

// book notes the writes of a collector and their results, without those of approvals. The
// store's other powers are the store's own.
type book struct {
	*clientgo.Store

	mu      sync.Mutex
	writes  []engine.Call  // that succeeded
	unknown int            // writes with an unknown outcome
	after   map[int]func() // functions to call after so many writes
}

// at calls a function once, on a goroutine of its own, when the given number of writes has
// succeeded, or at once if it has.
func (b *book) at(writes int, do func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.writes) >= writes {
		go do()
		return
	}
	if b.after == nil {
		b.after = map[int]func(){}
	}
	b.after[writes] = do
}

// Patch is the store's, noted.
func (b *book) Patch(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, change ownergraph.Change) error {
	err := b.Store.Patch(ctx, key, pre, change)
	b.note(ctx, engine.Call{Type: engine.CallPatch, Key: key, Precondition: pre, Change: change}, err)
	return err
}

// Delete is the store's, noted.
func (b *book) Delete(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
	err := b.Store.Delete(ctx, key, opts)
	b.note(ctx, engine.Call{Type: engine.CallDelete, Key: key, Options: opts}, err)
	return err
}

func (b *book) note(ctx context.Context, c engine.Call, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case isApproval(ctx):
	case err == nil:
		b.writes = append(b.writes, c)
		if do := b.after[len(b.writes)]; do != nil {
			go do()
		}
	case !errors.Is(err, ownergraph.ErrConflict) && !errors.Is(err, ownergraph.ErrNotFound) &&
		!errors.Is(err, ownergraph.ErrRefused) && !errors.Is(err, ownergraph.ErrKindUnknown):
		b.unknown++
	}
}

// succeeded returns the writes that succeeded.
func (b *book) succeeded() []engine.Call {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.writes)
}
