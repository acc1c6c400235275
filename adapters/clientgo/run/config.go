package run

import (
	"cmp"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/go-logr/logr"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/graph"
)

// Config says what a Program does. The zero value observes and writes nothing.
// It is read only at construction, and is not safe for concurrent modification.
type Config struct {
	// Act patches and deletes what the rules ask for. Without it everything is
	// observed only.
	Act bool
	// Store and Engine are the settings of the two. Engine.ObserveOnly has to be
	// unset: Act says that. Engine.OnDecision is called as ever.
	Store  clientgo.Config
	Engine ownergraph.Config
	// Lease, if it has a name, is what has to be held to collect.
	Lease Lease
	// Events tells of bad references and held objects by Kubernetes Events.
	Events bool
	// HeldAfter is how long an object has to be held before an Event says so, by
	// default 5 minutes.
	HeldAfter time.Duration
	// Listen is the address at which Run serves Handler, as "localhost:8080". By
	// default it serves nothing.
	Listen string
	// Logger receives what somebody should know, from the store and the engine
	// too unless they have their own. By default nothing is logged.
	Logger *slog.Logger
}

// Lease names the Lease of a leader election. The zero value is none. It is a
// value.
type Lease struct {
	Namespace, Name string
	// Identity is the holder's, by default the host's name and a random part.
	Identity string
	// Duration is how long others wait for a holder that does not renew, in whole
	// seconds, at least 5 s and by default 30 s. A holder that could not renew
	// stops well before that.
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
	case c.Engine.ObserveOnly:
		return c, invalid("Engine.ObserveOnly", "set, and Act says that")
	case c.HeldAfter < 0:
		return c, invalid("HeldAfter", "negative")
	case (l.Name == "") != (l.Namespace == ""):
		return c, invalid("Lease", "it takes a namespace and a name")
	case l.Duration != 0 && l.Duration < shortestLease:
		return c, invalid("Lease.Duration", fmt.Sprintf("%v is less than %v", l.Duration, shortestLease))
	case strings.ContainsAny(l.Namespace+l.Name, "/ "):
		return c, invalid("Lease", fmt.Sprintf("%q is no namespace and name", l))
	}
	c.Engine.ObserveOnly = !c.Act
	c.HeldAfter = cmp.Or(c.HeldAfter, defaultHeldAfter)
	c.Lease.Duration = cmp.Or(c.Lease.Duration.Truncate(time.Second), defaultLease)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.Store.Logger = cmp.Or(c.Store.Logger, c.Logger)
	c.Engine.Logger = cmp.Or(c.Engine.Logger, c.Logger)
	return c, nil
}

// FromLogr returns a logger that writes to l, which is what programs built on
// controller-runtime have. Held by TestFromLogr.
func FromLogr(l logr.Logger) *slog.Logger { return slog.New(logr.ToSlogHandler(l)) }
