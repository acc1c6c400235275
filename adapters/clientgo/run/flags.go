package run

import (
	"flag"
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/graph"
)

// RegisterFlags has a flag set fill in the config: -act, -events, -lease,
// -listen, -ignore and the rest. What the config says already is the default.
// The config is complete when the set has parsed. Held by TestFlags.
func (c *Config) RegisterFlags(f *flag.FlagSet) {
	f.BoolVar(&c.Act, "act", c.Act, "patch and delete; without it everything is observed only")
	f.BoolVar(&c.Events, "events", c.Events, "tell of bad references and held objects by Kubernetes Events")
	f.DurationVar(&c.HeldAfter, "held-after", c.HeldAfter, "how long an object is held before an Event says so (0: 5m)")
	f.Var(leaseFlag{&c.Lease}, "lease", "collect only while holding the Lease `namespace/name`, so that one of several programs does")
	f.DurationVar(&c.Lease.Duration, "lease-duration", c.Lease.Duration, "how long others wait for a holder that is gone (0: 30s)")
	f.StringVar(&c.Lease.Identity, "lease-identity", c.Lease.Identity, "the holder's `name` (default the host's and a random part)")
	f.StringVar(&c.Listen, "listen", c.Listen, "serve /healthz, /readyz and /metrics at this `address`; empty: nowhere")
	f.Var(ignoreFlag{&c.Store.Ignore}, "ignore", "`kinds` that take no part besides events and measurements, as apps/Deployment,Pod,shop.example/*, or resources, as deployments.apps; may be repeated")
	f.DurationVar(&c.Store.Rediscover, "rediscover", c.Store.Rediscover, "how often the served kinds are looked at without a cause (0: 30s)")
	f.IntVar(&c.Store.PageSize, "page-size", c.Store.PageSize, "how many objects a page of a listing has (0: 500)")
	f.IntVar(&c.Store.Listings, "listings", c.Store.Listings, "how many kinds are listed at once (0: 8)")
	f.IntVar(&c.Engine.Workers, "workers", c.Engine.Workers, "how many requests for objects run at once (0: 20)")
	f.IntVar(&c.Engine.Limits.Owners, "owners", c.Engine.Limits.Owners, "how many owner references an object may have; one with more is held (0: 1024)")
	f.DurationVar(&c.Engine.CallTimeout, "call-timeout", c.Engine.CallTimeout, "how long such a request may take (0: 30s)")
	f.DurationVar(&c.Engine.FenceWait, "fence-wait", c.Engine.FenceWait,
		"the longest that a foreground or orphan deletion waits for a sick kind; it is best effort then (0: without end)")
	f.DurationVar(&c.Engine.AuditEvery, "audit-every", c.Engine.AuditEvery, "how often every object is looked at again, without a request (0: 10m)")
}

// leaseFlag reads "namespace/name".
type leaseFlag struct{ *Lease }

// String returns the lease as it is given, "" of none.
func (l leaseFlag) String() string {
	if l.Lease == nil {
		return ""
	}
	return l.Lease.String()
}

// Set takes a lease. The empty text takes it back.
func (l leaseFlag) Set(text string) error {
	namespace, name, _ := strings.Cut(text, "/")
	if text != "" && (namespace == "" || name == "" || strings.Contains(name, "/")) {
		return fmt.Errorf("%q is not of the form namespace/name", text)
	}
	l.Namespace, l.Name = namespace, name
	return nil
}

// ignoreFlag adds kinds to those that are ignored by default.
type ignoreFlag struct{ kinds *[]graph.Kind }

// String returns the kinds as they are given, "" for the default ones.
func (i ignoreFlag) String() string {
	if i.kinds == nil {
		return ""
	}
	out := make([]string, len(*i.kinds))
	for j, k := range *i.kinds {
		out[j] = string(k)
	}
	return strings.Join(out, ",")
}

// Set adds kinds, with commas between them.
func (i ignoreFlag) Set(text string) error {
	all := *i.kinds
	if all == nil {
		all = clientgo.DefaultIgnore()
	}
	for part := range strings.SplitSeq(text, ",") {
		group, kind, grouped := strings.Cut(part, "/")
		if part == "" || grouped && (group == "" || kind == "") || strings.ContainsAny(kind, "/ ") {
			return fmt.Errorf("%q is no kind: write Pod, apps/Deployment or shop.example/*", part)
		}
		all = append(all, graph.Kind(part))
	}
	*i.kinds = all
	return nil
}
