package run

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/klog/v2"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/adapters/clientgo/internal/httpctx"
	promstats "github.com/ownergraph/ownergraph/adapters/prometheus"
	"github.com/ownergraph/ownergraph/adapters/web"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/group"
)

// Program is a Store and a Collector with their Lease, group, Events, health and metrics. Use
// New. It is safe for concurrent use.
type Program struct {
	config    Config
	log       *slog.Logger
	store     *clientgo.Store
	collector *ownergraph.Collector
	metrics   http.Handler
	pages     http.Handler // nil without Config.Web
	server    *rest.Config // for all clients except the store
	client    *http.Client // for all clients except the store
	conns     *connections
	lock      resourcelock.Interface // nil without a Lease
	member    *group.Membership      // nil without a group
	sender    *sender                // nil without Events
	collects  atomic.Bool

	services func() []clientgo.UnavailableService
}

// maxServerPause bounds the pause before client-go repeats a request for a Lease, an Event or a
// right. The server must not keep a program from its Lease for longer.
const maxServerPause = 5 * time.Second

// Run calls New and Program.Run.
func Run(ctx context.Context, server *rest.Config, config Config) error {
	p, err := New(server, config)
	if err != nil {
		return err
	}
	return p.Run(ctx)
}

// New returns a program for the API server that the rest config names. It sends no
// request, and copies both configs. Errors: graph.ErrInvalid for a wrong Config, and
// the error of client-go for the rest config.
func New(server *rest.Config, config Config) (*Program, error) {
	config, err := config.filled()
	if err != nil {
		return nil, err
	}
	if server == nil {
		return nil, invalid("rest config", "nil")
	}
	p := &Program{config: config, log: config.Logger, server: rest.CopyConfig(server)}
	p.conns = newConnections(server.Dial)
	p.server.Dial = p.conns.dial
	store, err := clientgo.New(p.server, config.Store)
	if err != nil {
		return nil, err
	}
	p.store = store
	p.services = store.UnavailableServices
	if p.server.QPS == 0 && p.server.RateLimiter == nil {
		p.server.QPS = -1 // a lease must not wait behind events
	}
	p.server.ContentType, p.server.AcceptContentTypes = runtime.ContentTypeJSON, "" // every server reads JSON
	if p.client, err = rest.HTTPClientFor(p.server); err != nil {
		return nil, fmt.Errorf("configure run: %w", err)
	}
	p.client = httpctx.Capped(p.client, maxServerPause)
	if config.Lease.Name != "" {
		if p.lock, err = p.newLock(); err != nil {
			return nil, fmt.Errorf("configure run: Lease: %w", err)
		}
	}
	if config.Events {
		if p.sender, err = p.newSender(store); err != nil {
			return nil, fmt.Errorf("configure run: Events: %w", err)
		}
		config.Engine.OnDecision = both(config.Engine.OnDecision, p.sender.decided)
	}
	collector, metrics, err := promstats.New(store, config.Engine, promstats.Config{})
	if err != nil {
		return nil, err
	}
	p.collector = collector
	if config.isMember() {
		if p.member, err = p.newMember(); err != nil {
			return nil, err
		}
	}
	if p.metrics, err = newMetrics(metrics, p.member); err != nil {
		return nil, fmt.Errorf("configure run: metrics: %w", err)
	}
	if config.Web != "" {
		if p.pages, err = p.newPages(); err != nil {
			return nil, fmt.Errorf("configure run: Pages: %w", err)
		}
	}
	return p, nil
}

// newPages returns the pages about the collector, and about its group if it is a member.
//
//test:by TestWeb TestSharePages
func (p *Program) newPages() (http.Handler, error) {
	c := p.config.Pages
	if p.member != nil {
		c.Group = p.member.Status
	}
	return web.New(p.collector, c)
}

func both(a, b func(engine.DecisionEvent)) func(engine.DecisionEvent) {
	if a == nil {
		return b
	}
	return func(d engine.DecisionEvent) { a(d); b(d) }
}

// logContext returns a context that sends client-go's log records to the program's
// logger.
func (p *Program) logContext(ctx context.Context) context.Context {
	return klog.NewContext(ctx, logr.FromSlogHandler(p.log.Handler()))
}

// Run serves and collects until ctx ends, and then returns nil. It runs once. Errors:
// ErrLeaseLost, the error of the listener, and those of ownergraph.Collector.Run and of
// group.Membership.Run.
//
// Run ends all its goroutines and closes its connections before it returns. There are
// two exceptions. If the rest config names files with a client certificate, client-go
// keeps a goroutine that reads them. Run does not touch a Transport of the rest config.
//
//test:by TestRunLeavesNothing
func (p *Program) Run(ctx context.Context) error {
	if ctx == nil {
		return fmt.Errorf("run: context: nil: %w", graph.ErrInvalid)
	}
	defer p.conns.close()
	if p.config.Command.Verb != VerbUnset {
		return p.carryOut(p.logContext(ctx))
	}
	all, ctx := errgroup.WithContext(p.logContext(ctx))
	for _, s := range []service{
		{"Listen", p.config.Listen, "serving health and metrics", p.Handler()},
		{"Web", onThisMachine(p.config.Web), "serving pages", p.pages},
	} {
		if s.address == "" {
			continue
		}
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", s.address)
		if err != nil {
			return fmt.Errorf("run: %s: %w", s.setting, err)
		}
		p.log.Info(s.text, "address", l.Addr().String())
		all.Go(func() error { return p.serve(ctx, l, s.handler) })
	}
	all.Go(func() error { p.checkRights(ctx); return nil })
	all.Go(func() error {
		if p.lock == nil {
			return p.collect(ctx)
		}
		return p.lead(ctx)
	})
	return all.Wait()
}

// collect runs the collector and the Events.
func (p *Program) collect(ctx context.Context) error {
	p.log.Info("collecting", "act", p.config.Act, "events", p.config.Events, "record", p.recordText())
	p.logShare()
	p.logPolicies()
	p.logGrace()
	if n := p.config.Engine.Brake.PerCascade; n > 0 {
		p.log.Info("a cascade of more objects needs an approval (-approve); change the limit by -brake, 0 is none", "limit", n)
	}
	p.collects.Store(true)
	defer p.collects.Store(false)
	all, ctx := errgroup.WithContext(ctx)
	all.Go(func() error { return p.collector.Run(ctx) })
	if p.member != nil {
		all.Go(func() error { return p.member.Run(ctx) })
	}
	all.Go(func() error { p.checkGuardKinds(ctx); p.checkSweeps(ctx); return nil })
	if p.config.Engine.Brake.PerCascade > 0 {
		all.Go(func() error { p.watchBraked(ctx); return nil })
	}
	if p.sender != nil {
		all.Go(func() error { p.watchHeld(ctx); return nil })
		all.Go(func() error { p.sender.run(ctx); return nil })
	}
	return all.Wait()
}
