package web

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/group"
	"github.com/ownergraph/ownergraph/plan"
)

// Source has everything that the pages can ask a collector: methods of ownergraph.Collector that change
// nothing and make no request of the store. An implementation is safe for concurrent use.
type Source interface {
	Stats() engine.Stats
	Kinds() []engine.KindStatus
	Deletions(limit int) []engine.Deletion
	HeldReasons() []engine.HeldReason
	Held(limit int) []engine.Held
	Paused() []engine.PauseReport
	Braked(limit int) []engine.BrakedCascade
	Sweeps(limit int) []engine.SweepStatus
	Orders(limit int) []engine.OrderStatus
	Running() []engine.HandlerRun
	Roots(keys ...graph.Key) []engine.Root
	Keys(ctx context.Context, after graph.Key, limit int, match func(graph.Key) bool) ([]graph.Key, error)
	Nearby(ctx context.Context, key graph.Key, limit int) (ownergraph.Nearby, error)
	Explain(ctx context.Context, key graph.Key) (explain.Explanation, error)
	Plan(ctx context.Context, request plan.Request) (plan.Plan, error)
	Follow(ctx context.Context, key graph.Key) iter.Seq2[engine.Progress, error]
}

// Archive is the part of an archive.Store that the page of the archive reads. An implementation is safe for concurrent use.
type Archive interface {
	HasArchive() bool
	Entries(ctx context.Context, q archive.Query) (archive.Page, error)
	Extent(ctx context.Context) (archive.Extent, error)
}

// Config has the settings of a page. The zero value works. New reads it once.
type Config struct {
	// Hosts are the names under which browsers may reach the page, without a port. IP
	// addresses, "localhost" and the names below it are always allowed, because another site
	// cannot take them over by its DNS. "*" allows every name, for a program that checks the
	// Host header itself.
	Hosts []string
	// Timeout bounds the work for one answer, by default 10 s.
	Timeout time.Duration
	// MaxStreams bounds the event streams at one time, by default 64. Each page that a browser shows
	// has one. A page beyond the bound has no live figures.
	MaxStreams int
	// MaxPlan bounds the objects around an object of which the page makes a plan, by default
	// 20,000. A plan takes memory and time in proportion to them.
	MaxPlan int
	// Group, if set, has the status of the collector's group, as the method Status of a
	// group.Membership. The first page then shows the members, and the page of an object its member.
	Group func() group.Status
	// Archive, if set, is the archive of the collector's store, as ownergraph.As[archive.Store] returns it. A page then
	// lists its entries, by two requests of the store. A store whose HasArchive is false counts as none.
	Archive Archive
	// Now is the clock of the ages and rates, by default time.Now. It is for recorded data.
	Now func() time.Time
}

// filled returns the config with its defaults.
func (c Config) filled() (Config, error) {
	switch {
	case c.Timeout < 0:
		return c, fmt.Errorf("configure web: Timeout: negative: %w", graph.ErrInvalid)
	case c.MaxStreams < 0:
		return c, fmt.Errorf("configure web: MaxStreams: negative: %w", graph.ErrInvalid)
	case c.MaxPlan < 0:
		return c, fmt.Errorf("configure web: MaxPlan: negative: %w", graph.ErrInvalid)
	}
	c.Hosts = slices.Clone(c.Hosts)
	for i, h := range c.Hosts {
		if h != "*" && (h == "" || strings.ContainsAny(h, ":/* ")) {
			return c, fmt.Errorf("configure web: Hosts[%d]: %q is not the name of a host: %w", i, h, graph.ErrInvalid)
		}
		c.Hosts[i] = foldHost(h)
	}
	c.Timeout = cmp.Or(c.Timeout, 10*time.Second)
	c.MaxStreams = cmp.Or(c.MaxStreams, 64)
	c.MaxPlan = cmp.Or(c.MaxPlan, 20_000)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Archive != nil && !c.Archive.HasArchive() {
		c.Archive = nil
	}
	return c, nil
}

// allows reports whether a request with this Host header may be answered.
//
// A hostile site may resolve its own name to this address, and read the pages through the browser
// of a user. The Host header then has that name.
func (c *Config) allows(header string) bool {
	if slices.Contains(c.Hosts, "*") {
		return true
	}
	host := header
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		host = host[:i]
	}
	host = foldHost(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || slices.Contains(c.Hosts, host)
}

func foldHost(h string) string { return strings.ToLower(strings.TrimSuffix(h, ".")) }
