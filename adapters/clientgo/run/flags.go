package run

import (
	"flag"
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/graph"
)

// RegisterFlags registers flags that set the config: -act, -brake, -brake-await-sick, -events, -lease, -share,
// -listen, -ignore, -protect, -guard, -policies, -propagate-grace and others. The flags of a Command are -pause, -resume, -approve,
// -refuse and -retire. The present values are the defaults. The config is complete after the
// flag set has parsed.
//
//test:by TestFlags TestGuardFlags TestCommandFlags TestPoliciesRefused TestGraceFlag
func (c *Config) RegisterFlags(f *flag.FlagSet) {
	f.BoolVar(&c.Act, "act", c.Act, "patch and delete; without it the program only observes")
	f.Var(brakeFlag{c}, "brake",
		"with -act, the most objects of one cascade that the program deletes without an approval (-approve); `number` 0 is no limit. Kinds that cannot be listed are not counted: see -brake-await-sick")
	f.BoolVar(&c.Engine.Brake.AwaitSick, "brake-await-sick", c.Engine.Brake.AwaitSick,
		"make -brake count a cascade only when every kind is listed, also the sick ones; one API service that is down then stops all deletions")
	f.Var(recordFlag{c}, "record",
		"keep pauses, and the trips and answers of the brake, in the ConfigMap `namespace/ownergraph-name`, so that they survive a restart and other programs share them")
	c.registerCommands(f)
	f.BoolVar(&c.Events, "events", c.Events, "report bad references, deletions because of them, and held objects by Kubernetes Events")
	f.DurationVar(&c.HeldAfter, "held-after", c.HeldAfter, "the time that an object is held before an Event reports it (0: 5m)")
	f.Var(leaseFlag{&c.Lease}, "lease", "collect only with the Lease `namespace/name`, so that one of several programs collects")
	f.DurationVar(&c.Lease.Duration, "lease-duration", c.Lease.Duration, "the time that other programs wait for a holder that does not renew (0: 30s)")
	f.StringVar(&c.Lease.Identity, "lease-identity", c.Lease.Identity, "the holder's `name` (default the host's and a random part)")
	c.registerShare(f)
	f.StringVar(&c.Listen, "listen", c.Listen, "serve /healthz, /readyz and /metrics at this `address` (default: nowhere)")
	f.StringVar(&c.Web, "web", c.Web,
		"serve pages about objects and deletions at this `address`, without authentication; :8081 is a port of this machine alone (default: nowhere)")
	f.Var(ignoreFlag{&c.Store.Ignore}, "ignore", "`kinds` to leave out besides events and measurements, as apps/Deployment,Pod,shop.example/*, or resources, as deployments.apps; may be repeated")
	f.Var(protectFlag{&c.Engine.Protect}, "protect",
		"a `rule` for objects that the program never deletes, as kind=Secret,namespace=prod,selector=keep; terms of one name are alternatives; may be repeated")
	f.Var(guardFlag{&c.Engine.Guards}, "guard",
		"a `guard` that judges deletions of roots before their cascades, as kind=apps/Deployment,namespace=prod,above=100, with protected or always; may be repeated")
	f.Var(policiesFlag{&c.Policies}, "policies",
		"the `set` of policies of references that act, from the annotation "+clientgo.OwnersAnnotation+": none, release or all; objects with another policy are held. Beside the collector of kube-controller-manager policies bind background deletions only, and all accepts that")
	f.Var(graceFlag{&c.Engine.PropagateGrace}, "propagate-grace",
		"`kinds` whose foreground deletions pass the grace period of an owner on to its dependents, as apps/ReplicaSet,Pod; an owner of another kind than Pod has it in the annotation "+clientgo.GraceAnnotation+"; may be repeated. Beside the collector of kube-controller-manager a period may be lost")
	f.DurationVar(&c.Store.Rediscover, "rediscover", c.Store.Rediscover, "the interval between two periodic discoveries (0: 30s)")
	f.IntVar(&c.Store.PageSize, "page-size", c.Store.PageSize, "the maximum number of objects in a page of a listing (0: 500)")
	f.IntVar(&c.Store.Listings, "listings", c.Store.Listings, "the maximum number of kinds that are listed at once (0: 8)")
	f.IntVar(&c.Engine.Workers, "workers", c.Engine.Workers, "the maximum number of requests for objects that run at once (0: 256)")
	f.IntVar(&c.Engine.Limits.Owners, "owners", c.Engine.Limits.Owners, "the maximum number of owner references of an object; an object with more is held (0: 1024)")
	f.DurationVar(&c.Engine.CallTimeout, "call-timeout", c.Engine.CallTimeout, "the timeout of a request for an object (0: 30s)")
	f.DurationVar(&c.Engine.MaxRetryAfter, "max-retry-after", c.Engine.MaxRetryAfter, "the longest time for which the server's Retry-After puts a request off (0: 5m)")
	f.DurationVar(&c.Engine.FenceWait, "fence-wait", c.Engine.FenceWait,
		"the longest wait of a foreground or orphan deletion for a sick kind; then it is best effort (0: no limit)")
	f.DurationVar(&c.Engine.AuditEvery, "audit-every", c.Engine.AuditEvery, "the interval between two audits of all objects, which send no request (0: 10m)")
}

// registerCommands registers the flags of the command.
func (c *Config) registerCommands(f *flag.FlagSet) {
	f.Var(commandFlag{&c.Command, Pause}, "pause", "stop the writes of the programs with the same -record for a `range`, and end: all, kind=apps/Deployment or namespace=prod; with \",unchecked\" also before the first collector begins")
	f.Var(commandFlag{&c.Command, Resume}, "resume", "end a pause of the same `range`, and end")
	f.Var(commandFlag{&c.Command, Approve}, "approve",
		"let deletes go that the brake of the programs with the same -record holds, and end; a `cascade` is uid=UID,atmost=5000,for=1h, or all,atmost=5000")
	f.Var(commandFlag{&c.Command, Refuse}, "refuse",
		"refuse a `cascade` that the brake of the programs with the same -record holds, and end: uid=UID,keep, or all,orphan to remove its owners")
	f.Var(commandFlag{&c.Command, Retire}, "retire", "take the `finalizer` of a guard or sweep that the settings no longer have off all objects, and end")
}

// leaseFlag reads "namespace/name".
type leaseFlag struct{ *Lease }

// String returns the lease, or "" without one.
func (l leaseFlag) String() string {
	if l.Lease == nil {
		return ""
	}
	return l.Lease.String()
}

// Set sets the lease. The empty text removes it.
func (l leaseFlag) Set(text string) error {
	namespace, name, _ := strings.Cut(text, "/")
	if text != "" && (namespace == "" || name == "" || strings.Contains(name, "/")) {
		return fmt.Errorf("%q is not of the form namespace/name", text)
	}
	l.Namespace, l.Name = namespace, name
	return nil
}

// ignoreFlag adds kinds to the ones that are ignored by default.
type ignoreFlag struct{ kinds *[]graph.Kind }

// String returns the kinds, or "" for the default.
func (i ignoreFlag) String() string {
	if i.kinds == nil {
		return ""
	}
	return kindsText(*i.kinds)
}

// kindsText returns the kinds in the form of a flag, separated by commas.
func kindsText(kinds []graph.Kind) string {
	out := make([]string, len(kinds))
	for i, k := range kinds {
		out[i] = string(k)
	}
	return strings.Join(out, ",")
}

// Set adds a list of kinds, separated by commas.
func (i ignoreFlag) Set(text string) error {
	all := *i.kinds
	if all == nil {
		all = clientgo.DefaultIgnore()
	}
	for part := range strings.SplitSeq(text, ",") {
		group, kind, grouped := strings.Cut(part, "/")
		if part == "" || grouped && (group == "" || kind == "") || strings.ContainsAny(kind, "/ ") {
			return fmt.Errorf("%q is not a kind: write Pod, apps/Deployment or shop.example/*", part)
		}
		all = append(all, graph.Kind(part))
	}
	*i.kinds = all
	return nil
}
