package clientgo

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/graph"
)

// Config holds a Store's settings. The zero value works; every zero field takes
// the default that its comment names. It is read only at construction, and is
// not safe for concurrent modification.
type Config struct {
	// Ignore names kinds that take no part: "Pod", "apps/Deployment", or
	// "metrics.k8s.io/*" for all kinds of a group. A resource may stand for its kind, as
	// the String method of schema.GroupResource writes it: "pods", "deployments.apps".
	// Nil stands for DefaultIgnore; an empty slice ignores nothing. Held by TestIgnore.
	Ignore []graph.Kind
	// Rediscover is how often the set of kinds is looked at without a cause, by
	// default 30 s.
	Rediscover time.Duration
	// PageSize is how many objects a page of a listing has at most, by default
	// 500.
	PageSize int
	// Listings is how many kinds are listed at once, by default 8. Kinds whose
	// listing failed have as many places of their own.
	Listings int
	// NoStreaming lists by pages even where the server could stream a listing.
	NoStreaming bool
	// Logger receives what somebody should know. By default nothing is logged.
	Logger *slog.Logger
}

// DefaultIgnore returns the kinds that take no part unless a Config says
// otherwise: events, which may not own and end by themselves, and the groups
// that only serve measurements, which nobody can watch.
func DefaultIgnore() []graph.Kind {
	return []graph.Kind{
		"Event", "events.k8s.io/Event",
		"metrics.k8s.io/*", "custom.metrics.k8s.io/*", "external.metrics.k8s.io/*",
	}
}

const (
	defaultRediscover = 30 * time.Second
	defaultPage       = 500
	defaultListings   = 8
)

// filled returns the config with its defaults, sharing no slice with c.
func (c Config) filled() (Config, error) {
	for _, f := range []struct {
		name  string
		value int64
	}{{"Rediscover", int64(c.Rediscover)}, {"PageSize", int64(c.PageSize)}, {"Listings", int64(c.Listings)}} {
		if f.value < 0 {
			return c, fmt.Errorf("new store: %s: negative: %w", f.name, graph.ErrInvalid)
		}
	}
	if slices.Contains(c.Ignore, "") {
		return c, fmt.Errorf("new store: Ignore: empty kind: %w", graph.ErrInvalid)
	}
	if c.Ignore = slices.Clone(c.Ignore); c.Ignore == nil {
		c.Ignore = DefaultIgnore()
	}
	c.Rediscover = cmp.Or(c.Rediscover, defaultRediscover)
	c.PageSize = cmp.Or(c.PageSize, defaultPage)
	c.Listings = cmp.Or(c.Listings, defaultListings)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c, nil
}

// ignored answers for the kinds, the resources and the groups that a setting names.
type ignored struct {
	kinds  map[graph.Kind]bool // resources, too
	groups map[string]bool
}

func newIgnored(list []graph.Kind) ignored {
	out := ignored{map[graph.Kind]bool{}, map[string]bool{}}
	for _, k := range list {
		if group, whole := strings.CutSuffix(string(k), "/*"); whole {
			out.groups[group] = true
			continue
		}
		out.kinds[k] = true
	}
	return out
}

func (i ignored) has(group string, kind graph.Kind) bool { return i.groups[group] || i.kinds[kind] }

// resource reports whether a resource is named. No kind is spelt like a resource: the
// kinds of the core group begin with a capital, and the others have a "/".
func (i ignored) resource(group, name string) bool {
	return i.kinds[graph.Kind(schema.GroupResource{Group: group, Resource: name}.String())]
}
