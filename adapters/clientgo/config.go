package clientgo

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/ownergraph/ownergraph/graph"
)

// Config has a Store's settings. The zero value works. Each zero field has the
// default that its comment names. New reads the Config once. It is not safe for
// concurrent modification.
type Config struct {
	// Ignore names kinds that the store leaves out: "Pod", "apps/Deployment", or
	// "metrics.k8s.io/*" for all kinds of a group. A resource may stand for its kind,
	// in the form of the String method of schema.GroupResource: "pods",
	// "deployments.apps". Nil means DefaultIgnore. An empty slice ignores no kind.
	//
	//test:by TestIgnore
	Ignore []graph.Kind
	// Rediscover is the interval between two periodic discoveries. The default is 30 s.
	Rediscover time.Duration
	// PageSize is the maximum number of objects in a page of a listing. The default is
	// 500.
	PageSize int
	// Listings is the maximum number of kinds that are listed at once. The default is
	// 8. Kinds whose listing failed have as many slots of their own.
	Listings int
	// NoStreaming lists by pages even if the server could stream a listing.
	NoStreaming bool
	// RecordNamespace is the namespace of the ConfigMaps that keep records
	// (ownergraph.Records). The default is "kube-system". The namespace has to exist. All
	// engines of a cluster need the same one.
	//
	//test:by TestRecordLayout TestRecordConfig
	RecordNamespace string
	// RecordPrefix begins the names of these ConfigMaps. The name of the record follows.
	// The default is "ownergraph-".
	RecordPrefix string
	// HeldPolicies are policies of references (graph.OnDelete) that must not act. The store reports
	// an object that has a reference with such a policy as flawed, so the engine holds the object. Its
	// references restrict and block their owners all the same. By default ownergraph.Config.Policies
	// alone lets the policies act, all or none.
	//
	//test:by TestHeldPolicies
	HeldPolicies []graph.OnDelete
	// GraceKinds are the kinds whose objects have grace periods: see "Grace periods" in the package
	// documentation. A Collector on this store takes ownergraph.Config.PropagateGrace only with
	// GraceKinds. Give both the same kinds. By default no annotation counts.
	//
	//test:by TestKeepsGrace TestGraceAnnotation
	GraceKinds []graph.Kind
	// Logger receives records for the operator. The default discards them.
	Logger *slog.Logger
}

// DefaultIgnore returns the kinds that the store leaves out by default. Events may not
// own and end by themselves. The metrics groups only serve measurements, and no client
// can watch them.
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

	defaultRecordNamespace = "kube-system"
	defaultRecordPrefix    = "ownergraph-"
)

// filled returns the config with its defaults. It shares no slice with c.
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
	for i, d := range c.HeldPolicies {
		if d == graph.OnDeleteUnset || d > graph.OnDeleteCascade {
			return c, fmt.Errorf("new store: HeldPolicies[%d]: %s, want release, restrict or cascade: %w", i, d, graph.ErrInvalid)
		}
	}
	if slices.Contains(c.GraceKinds, "") {
		return c, fmt.Errorf("new store: GraceKinds: empty kind: %w", graph.ErrInvalid)
	}
	c.HeldPolicies, c.GraceKinds = slices.Clone(c.HeldPolicies), slices.Clone(c.GraceKinds)
	if c.Ignore = slices.Clone(c.Ignore); c.Ignore == nil {
		c.Ignore = DefaultIgnore()
	}
	c.Rediscover = cmp.Or(c.Rediscover, defaultRediscover)
	c.PageSize = cmp.Or(c.PageSize, defaultPage)
	c.Listings = cmp.Or(c.Listings, defaultListings)
	c.RecordNamespace = cmp.Or(c.RecordNamespace, defaultRecordNamespace)
	c.RecordPrefix = cmp.Or(c.RecordPrefix, defaultRecordPrefix)
	if why := validation.IsDNS1123Label(c.RecordNamespace); len(why) > 0 {
		return c, fmt.Errorf("new store: RecordNamespace: %s: %w", why[0], graph.ErrInvalid)
	}
	longest := c.RecordPrefix + strings.Repeat("x", 63)
	if why := validation.IsDNS1123Subdomain(longest); len(why) > 0 {
		return c, fmt.Errorf("new store: RecordPrefix: %s: %w", why[0], graph.ErrInvalid)
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c, nil
}

// ignored is the set of the kinds, resources and groups in Config.Ignore.
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

// resource reports whether the set has a resource. No kind is spelled like a resource:
// the kinds of the core group begin with a capital, and the others have a "/".
func (i ignored) resource(group, name string) bool {
	return i.kinds[graph.Kind(schema.GroupResource{Group: group, Resource: name}.String())]
}
