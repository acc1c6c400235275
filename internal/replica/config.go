package replica

import (
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// Config has the settings of a State. memory.Config documents the fields. The zero value
// works: an empty store without kinds.
type Config struct {
	Kinds       []graph.KindInfo
	Objects     []graph.Object
	Propagation map[graph.Kind]graph.Propagation
	Scopes      graph.Kind
	Limits      graph.Limits
	UIDPrefix   string
	Strict      bool
	// Archive has the settings of the archive, nil for none. Now is its clock, and is there with it.
	Archive *archive.Config
	Now     func() time.Time
}

const maxVersion = 1 << 62 // of a recorded object: the counter goes on from there

// settings has the values that never change in the life of a State and of its clones.
type settings struct {
	propagation map[graph.Kind]graph.Propagation
	limits      graph.Limits
	prefix      string
	scopes      graph.Kind
	strict      bool
	archive     *archive.Config
	now         func() time.Time
	recorded    map[graph.UID]bool // UIDs that the store did not make
}

func newSettings(c Config) (*settings, error) {
	if c.Limits.Owners < 0 || c.Limits.Finalizers < 0 || c.Limits.Text < 0 {
		return nil, errors.New("new store: Limits: negative")
	}
	for k, p := range c.Propagation {
		if p > graph.Orphan {
			return nil, fmt.Errorf("new store: Propagation[%q]: %s means nothing", k, p)
		}
	}
	s := &settings{maps.Clone(c.Propagation), c.Limits, c.UIDPrefix, c.Scopes, c.Strict, nil, c.Now, map[graph.UID]bool{}}
	if c.Archive != nil {
		if err := c.Archive.Check(); err != nil {
			return nil, fmt.Errorf("new store: %w", err)
		}
		own := *c.Archive
		own.Kinds = maps.Clone(own.Kinds)
		s.archive = &own
	}
	return s, nil
}

// uid returns the n-th UID that the store makes.
func (c *settings) uid(n uint64) graph.UID { return graph.UID(c.unique("", n)) }

// epoch returns the identity of the n-th restore.
func (c *settings) epoch(n uint64) string { return c.unique("restore-", n) }

// unique returns a random text. With a prefix it returns the n-th text of its sort.
func (c *settings) unique(sort string, n uint64) string {
	if c.prefix == "" {
		return rand.Text()
	}
	return c.prefix + sort + strconv.FormatUint(n, 10)
}

// load adds the recorded objects of the Config.
func (s *State) load(objects []graph.Object) error {
	for i, o := range objects {
		if err := s.record(o); err != nil {
			return fmt.Errorf("new store: Objects[%d]: %w", i, err)
		}
	}
	for _, o := range objects {
		o = o.Clone()
		t, _ := s.tables.get(o.Kind)
		if o.Version == "" {
			o.Version = s.nextVersion()
		}
		s.put(t, &o)
	}
	return nil
}

// record refuses an object that would break the state itself. It reserves the object's
// place and UID, and raises the version counter.
func (s *State) record(o graph.Object) error {
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
	t, ok := s.tables.get(o.Kind)
	if !ok {
		t = newTable(graph.KindInfo{Kind: o.Kind, Scoped: o.Scope != ""})
	}
	if t.info.Scoped != (o.Scope != "") {
		return bad("scope", scopeRule(t.info))
	}
	if _, taken := t.objects.get(o.Place()); taken {
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
	s.put(t, &graph.Object{Key: o.Key}) // the place is taken
	return nil
}
