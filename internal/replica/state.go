package replica

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// ErrSick says that a kind is out of service for now. The error is transient and
// proves nothing about any object.
var ErrSick = errors.New("kind out of service")

// State has the kinds, objects and labels of a store. Each call is one atomic step.
// A call that fails changes nothing.
//
// A State is not safe for concurrent use. Its clones are independent of it. Use New.
//
//test:by TestStateAgainstModel TestStateAliasesNothing TestWrites
type State struct {
	conf     *settings
	tables   tree[graph.Kind, table]
	version  uint64 // the last one given
	uids     uint64 // the number of UIDs made or tried
	restores uint64
	epoch    string // of the latest restore
	// restricts has the Restrict references of all objects, by the UID of their owner. A deletion
	// finds the dependents by it.
	restricts tree[restriction, struct{}]
	// marks has the UIDs of the marked objects, with Config.Strict alone. An unresolved reference may
	// restrict one of any kind.
	marks tree[graph.UID, struct{}]
	// archived is the archive, with Config.Archive alone.
	archived archived
}

// table has the objects of one kind. It is a value.
type table struct {
	info   graph.KindInfo
	served bool
	sick   bool // only if served
	reason string
	// objects are immutable. Snapshots, listings and commits share them.
	objects tree[graph.Key, *graph.Object]
	labels  tree[graph.Key, map[string]string] // of the labelled objects; immutable too
}

func newTable(info graph.KindInfo) table {
	return table{
		info: info, served: true,
		objects: tree[graph.Key, *graph.Object]{compare: graph.Key.Compare},
		labels:  tree[graph.Key, map[string]string]{compare: graph.Key.Compare},
	}
}

// New returns a state with the kinds and objects of the Config. It keeps no part of the
// Config. The error names the wrong setting. It wraps ErrInvalid if the setting is an
// object.
func New(c Config) (*State, error) {
	conf, err := newSettings(c)
	if err != nil {
		return nil, err
	}
	s := &State{
		conf: conf, tables: tree[graph.Kind, table]{compare: cmp.Compare[graph.Kind]},
		restricts: tree[restriction, struct{}]{compare: restriction.compare}, marks: tree[graph.UID, struct{}]{compare: cmp.Compare[graph.UID]},
		archived: newArchived(),
	}
	for i, info := range c.Kinds {
		if _, twice := s.tables.get(info.Kind); twice || info.Kind == "" {
			return nil, fmt.Errorf("new store: Kinds[%d]: %q is empty or there twice", i, info.Kind)
		}
		if field, cause := info.Container.Flaw(); field != "" {
			return nil, fmt.Errorf("new store: Kinds[%d]: %s: container.%s: %s", i, info.Kind, field, cause)
		}
		s.tables = s.tables.put(info.Kind, newTable(info))
	}
	if err := s.load(c.Objects); err != nil {
		return nil, err
	}
	return s, nil
}

// Clone returns an independent copy, in constant time. Both go on from the same
// counters. A write to each makes the same version in both. With Config.UIDPrefix it
// makes the same UID too.
//
//test:by TestStateAgainstModel TestUIDs
func (s *State) Clone() *State {
	c := *s
	return &c
}

// Version returns the version of the latest change.
func (s *State) Version() graph.Version { return version(s.version) }

// Get returns the object at key's coordinates and ignores the UID of key. Errors:
// ErrNotFound, ErrKindUnknown, ErrSick.
func (s *State) Get(key graph.Key) (graph.Object, error) {
	_, o, err := s.reach("get", key)
	if err != nil {
		return graph.Object{}, err
	}
	return o.Clone(), nil
}

// Objects returns the objects of all served kinds, sorted by key. It returns those of
// sick kinds too.
func (s *State) Objects() []graph.Object {
	var out []graph.Object
	for _, t := range s.tables.all() {
		for _, o := range t.objects.all() {
			if t.served {
				out = append(out, o.Clone())
			}
		}
	}
	return out
}

// ObjectsOf yields the objects that a kind has at the time of the call, sorted by key.
// It yields the objects of a removed kind too. Later writes do not change the sequence.
func (s *State) ObjectsOf(kind graph.Kind) iter.Seq[graph.Object] {
	t, _ := s.tables.get(kind)
	return func(yield func(graph.Object) bool) {
		for _, o := range t.objects.all() {
			if !yield(o.Clone()) {
				return
			}
		}
	}
}

// find returns the live object at key's coordinates and its table.
func (s *State) find(verb string, key graph.Key) (table, *graph.Object, error) {
	t, err := s.table(verb, key)
	if err != nil {
		return t, nil, err
	}
	o, ok := t.objects.get(key.Place())
	if !ok {
		return t, nil, fmt.Errorf("%s %s: %w", verb, name(key), graph.ErrNotFound)
	}
	return t, o, nil
}

// reach is find for a caller that cannot reach a sick kind.
func (s *State) reach(verb string, key graph.Key) (table, *graph.Object, error) {
	if t, _ := s.tables.get(key.Kind); t.sick {
		return t, nil, fmt.Errorf("%s %s: %s: %w", verb, name(key), t.reason, ErrSick)
	}
	return s.find(verb, key)
}

func (s *State) table(verb string, key graph.Key) (table, error) {
	t, _ := s.tables.get(key.Kind)
	if !t.served {
		return t, fmt.Errorf("%s %s: %w", verb, name(key), graph.ErrKindUnknown)
	}
	return t, nil
}

// nextVersion gives a version.
func (s *State) nextVersion() graph.Version {
	s.version++
	return version(s.version)
}

func (s *State) put(t table, o *graph.Object) {
	s.index(t, o.Place(), o)
	t.objects = t.objects.put(o.Place(), o)
	s.tables = s.tables.put(o.Kind, t)
}

func (s *State) remove(t table, o *graph.Object) {
	s.index(t, o.Place(), nil)
	t.objects, t.labels = t.objects.remove(o.Place()), t.labels.remove(o.Place())
	s.tables = s.tables.put(o.Kind, t)
}

func version(n uint64) graph.Version { return graph.Version(strconv.FormatUint(n, 10)) }

// name returns the key for a message, without the suffix of an empty UID.
func name(key graph.Key) string { return strings.TrimSuffix(key.String(), `@""`) }

func scopeRule(info graph.KindInfo) string {
	if info.Scoped {
		return "empty, and the kind is scoped"
	}
	return "given, and the kind is global"
}
