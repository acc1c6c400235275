package run

import (
	"cmp"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/adapters/web"
	"github.com/ownergraph/ownergraph/graph"
)

// Config has the settings of a Program. The zero value observes and writes nothing.
// New reads it once. It is not safe for concurrent modification.
type Config struct {
	// Act patches and deletes by the rules. Without it the program only observes.
	Act bool
	// Store and Engine are the settings of the two. Engine.ObserveOnly must be unset,
	// because Act sets it. The program calls Engine.OnDecision too.
	//
	// With Act, Engine.Brake.PerCascade is 1,000 by default. NoBrake leaves it at 0, which is
	// no limit.
	Store   clientgo.Config
	Engine  ownergraph.Config
	NoBrake bool
	// Command, if its Verb is set, is what Run does instead of collecting.
	Command Command
	// Lease, if it has a name, is the Lease that the program must own to collect.
	Lease Lease
	// Share makes a program that acts a member of a group, which divides the objects. It excludes
	// Lease.
	Share Share
	// Policies are the policies of references that act (graph.OnDelete). The program sets
	// Engine.Policies and Store.HeldPolicies, which must be unset.
	Policies Policies
	// Events reports bad references, deletions because of them, and held objects by Kubernetes
	// Events.
	Events bool
	// HeldAfter is the time that an object must be held before an Event reports it. The
	// default is 5 minutes.
	HeldAfter time.Duration
	// Listen is the address at which Run serves Handler, as "localhost:8080". By
	// default Run serves nothing.
	Listen string
	// Web is the address at which Run serves the pages of adapters/web, on a listener of its own.
	// The pages show the names of objects to everyone who reaches them. So an address without a
	// host, as ":8081", is one of this machine alone. By default Run serves no pages. Pages are
	// their settings, and their Group is that of Share.
	Web   string
	Pages web.Config
	// Logger receives records for the operator. The store and the engine use it too,
	// unless they have their own. The default discards them.
	Logger *slog.Logger
}

// Lease names the Lease of a leader election. The zero value means no election. It is a
// value.
type Lease struct {
	Namespace, Name string
	// Identity is the holder's name. The default is the host's name and a random part.
	Identity string
	// Duration is the time that other programs wait for a holder that does not renew.
	// It counts in whole seconds, is at least 5 s, and is 30 s by default. A holder
	// that cannot renew stops well before that.
	Duration time.Duration
}

// String returns "namespace/name", or "" for none.
func (l Lease) String() string {
	if l.Name == "" {
		return ""
	}
	return l.Namespace + "/" + l.Name
}

const (
	defaultHeldAfter = 5 * time.Minute
	defaultLease     = 30 * time.Second
	shortestLease    = 5 * time.Second
)

func invalid(field, cause string) error {
	return fmt.Errorf("configure run: %s: %s: %w", field, cause, graph.ErrInvalid)
}

// filled returns the config with its defaults.
func (c Config) filled() (Config, error) {
	switch l := c.Lease; {
	case c.NoBrake && c.Engine.Brake.PerCascade != 0:
		return c, invalid("NoBrake", "set, and Engine.Brake.PerCascade too")
	case c.NoBrake && c.Engine.Brake.AwaitSick:
		return c, invalid("NoBrake", "set (flag -brake 0), and Engine.Brake.AwaitSick (flag -brake-await-sick) too")
	case c.Command.check() != nil:
		return c, invalid("Command."+c.Command.Verb.String(), c.Command.check().Error())
	case c.NoBrake && (c.Command.Verb == Approve || c.Command.Verb == Refuse):
		return c, invalid("Command."+c.Command.Verb.String(), "it answers for a brake, and NoBrake (flag -brake 0) is set")
	case c.Command.usesRecord() && c.Engine.Record == "":
		return c, invalid("Command."+c.Command.Verb.String(), "it changes the record, and Engine.Record (flag -record) names none")
	case c.Engine.ObserveOnly:
		return c, invalid("Engine.ObserveOnly", "set, and Act sets it")
	case c.HeldAfter < 0:
		return c, invalid("HeldAfter", "negative")
	case (l.Name == "") != (l.Namespace == ""):
		return c, invalid("Lease", "it takes a namespace and a name")
	case l.Duration != 0 && l.Duration < shortestLease:
		return c, invalid("Lease.Duration", fmt.Sprintf("%v is less than %v", l.Duration, shortestLease))
	case strings.ContainsAny(l.Namespace+l.Name, "/ "):
		return c, invalid("Lease", fmt.Sprintf("%q is not a namespace and a name", l))
	}
	if err := c.fillGuards(); err != nil {
		return c, err
	}
	if err := c.fillShare(); err != nil {
		return c, err
	}
	if err := c.fillGrace(); err != nil {
		return c, err
	}
	if err := c.fillPolicies(); err != nil {
		return c, err
	}
	c.Engine.ObserveOnly = !c.Act && !c.Command.usesRecord()
	if c.Command.Verb == Retire { // it writes nothing but that
		c.Engine.ObserveOnly, c.Engine.Record = true, ""
	}
	if !c.Engine.ObserveOnly && !c.NoBrake {
		c.Engine.Brake.PerCascade = cmp.Or(c.Engine.Brake.PerCascade, defaultBrake)
	}
	if c.Engine.Brake.PerCascade == 0 { // a program that observes has nothing to count
		c.Engine.Brake.AwaitSick = false
	}
	c.HeldAfter = cmp.Or(c.HeldAfter, defaultHeldAfter)
	c.Lease.Duration = cmp.Or(c.Lease.Duration.Truncate(time.Second), defaultLease)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.Store.Logger = cmp.Or(c.Store.Logger, c.Logger)
	c.Engine.Logger = cmp.Or(c.Engine.Logger, c.Logger)
	return c, nil
}
