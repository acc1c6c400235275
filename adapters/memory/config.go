package memory

import (
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"strconv"

	"github.com/ownergraph/ownergraph/graph"
)

// Config holds a store's settings. The zero value works: an empty store without
// kinds.
type Config struct {
	// Kinds are served from the start.
	Kinds []graph.KindInfo
	// Objects are held from the start, as they are: UIDs and versions as
	// recorded, wrong references included. Each needs a kind, a name and a UID,
	// a place and a UID of its own, a scope if its kind is scoped, and a decimal
	// version or none. A kind that is not among Kinds is added, scoped if its
	// first object has a scope.
	Objects []graph.Object
	// Propagation is the default of a kind's deletions; Background if unset.
	Propagation map[graph.Kind]graph.Propagation
	// Scopes, if set, is the global kind whose objects stand for scopes, as
	// namespaces do: an object can be created in a scope only while the object of
	// its name is there and is not being deleted. To empty a scope when its object
	// is deleted is a sweep's work: see finalizer.ScopeSweep.
	Scopes graph.Kind
	// Limits bounds what an object may carry when it is written.
	Limits graph.Limits
	// UIDPrefix makes UIDs foreseeable: it is for tests only, which compare UIDs or
	// repeat a run. A UID is then the prefix and a counter from 1, and the epoch of a
	// restore is the prefix and a counter too.
	//
	// Leave it empty everywhere else. Then each UID and each epoch is 130 random bits.
	// A user who can foresee a UID can refer to an object before it exists. An engine
	// that reads the owner too early then deletes dependents of a live owner. Held by
	// TestUIDs and TestEpochs.
	UIDPrefix string
	// Log is how many changes a watch may be behind before it has to list anew;
	// 10,000 if zero.
	Log int
}

const (
	defaultLog = 10_000
	maxVersion = 1 << 62 // of a recorded object: the counter goes on from there
)

// settings is what never changes in the life of a State and of its clones.
type settings struct {
	propagation map[graph.Kind]graph.Propagation
	limits      graph.Limits
	prefix      string
	scopes      graph.Kind
	recorded    map[graph.UID]bool // UIDs that the store did not make
}

func newSettings(c Config) (*settings, error) {
	if c.Limits.Owners < 0 || c.Limits.Finalizers < 0 || c.Limits.Text < 0 {
		return nil, errors.New("new store: Limits: negative")
	}
	if c.Log < 0 {
		return nil, errors.New("new store: Log: negative")
	}
	for k, p := range c.Propagation {
		if p > graph.Orphan {
			return nil, fmt.Errorf("new store: Propagation[%q]: %s means nothing", k, p)
		}
	}
	return &settings{maps.Clone(c.Propagation), c.Limits, c.UIDPrefix, c.Scopes, map[graph.UID]bool{}}, nil
}

// uid returns the n-th UID that the store makes.
func (c *settings) uid(n uint64) graph.UID { return graph.UID(c.unique("", n)) }

// epoch returns the identity of the n-th restore.
func (c *settings) epoch(n uint64) string { return c.unique("restore-", n) }

// unique returns a random text, or the n-th of its sort for a test.
func (c *settings) unique(sort string, n uint64) string {
	if c.prefix == "" {
		return rand.Text()
	}
	return c.prefix + sort + strconv.FormatUint(n, 10)
}

// load takes over the objects that the store holds before it opens.
func (s *State) load(objects []graph.Object) error {
	for i, o := range objects {
		if err := s.admit(o); err != nil {
			return fmt.Errorf("new store: Objects[%d]: %w", i, err)
		}
	}
	for _, o := range objects {
		o = o.Clone()
		sh, _ := s.shelves.get(o.Kind)
		if o.Version == "" {
			o.Version = s.next()
		}
		s.put(sh, &o)
	}
	return nil
}

// admit refuses what would break the store itself, and counts what is taken.
func (s *State) admit(o graph.Object) error {
	bad := func(field, cause string) error {
		return fmt.Errorf("%s: %s: %s: %w", name(o.Key), field, cause, graph.ErrInvalid)
	}
	switch {
	case o.Kind == "":
		return bad("kind", "empty")
	case o.Name == "":
		return bad("name", "empty")
	case o.UID == "":
		return bad("uid", "empty")
	case s.conf.recorded[o.UID]:
		return bad("uid", "used twice")
	}
	sh, ok := s.shelves.get(o.Kind)
	if !ok {
		sh = newShelf(graph.KindInfo{Kind: o.Kind, Scoped: o.Scope != ""})
	}
	if sh.info.Scoped != (o.Scope != "") {
		return bad("scope", scopeRule(sh.info))
	}
	if _, taken := sh.objects.get(o.Place()); taken {
		return bad("name", "taken twice")
	}
	if o.Version != "" {
		v, err := strconv.ParseUint(string(o.Version), 10, 64)
		if err != nil || v > maxVersion || version(v) != o.Version {
			return bad("version", "not a decimal number that a store makes")
		}
		s.version = max(s.version, v)
	}
	s.conf.recorded[o.UID] = true
	s.put(sh, &graph.Object{Key: o.Key}) // the place is taken
	return nil
}
