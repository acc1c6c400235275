package memory

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// ErrSick says that a kind is out of service for now. It is transient and
// proves nothing about any object.
var ErrSick = errors.New("kind out of service")

// State is the whole of a store's rules without its watches: what it holds and
// what a write does to it. Every call is one atomic step. A call that fails
// changes nothing.
//
// A write returns the event by which a watch tells of it, the zero Event where nothing
// has changed, and the object as it is then.
//
// A State is not safe for concurrent use. Its clones are independent of it. Use
// NewState.
type State struct {
	conf    *settings
	shelves tree[graph.Kind, shelf]
	version uint64 // the last one given
	uids    uint64 // how many were made, or tried
}

// shelf holds the objects of one kind. It is a value.
type shelf struct {
	info   graph.KindInfo
	served bool
	sick   bool // only if served
	reason string
	// objects are immutable once they stand here, and shared with snapshots,
	// listings and the log.
	objects tree[graph.Key, *graph.Object]
	labels  tree[graph.Key, map[string]string] // of those that have any; immutable too
}

func newShelf(info graph.KindInfo) shelf {
	return shelf{
		info: info, served: true,
		objects: tree[graph.Key, *graph.Object]{compare: graph.Key.Compare},
		labels:  tree[graph.Key, map[string]string]{compare: graph.Key.Compare},
	}
}

// NewState returns a state with the kinds and objects of the Config, of which it
// keeps nothing. The error names the setting that is wrong, and wraps ErrInvalid
// where an object is.
func NewState(c Config) (*State, error) {
	conf, err := newSettings(c)
	if err != nil {
		return nil, err
	}
	s := &State{conf: conf, shelves: tree[graph.Kind, shelf]{compare: cmp.Compare[graph.Kind]}}
	for i, info := range c.Kinds {
		if _, twice := s.shelves.get(info.Kind); twice || info.Kind == "" {
			return nil, fmt.Errorf("new store: Kinds[%d]: %q is empty or there twice", i, info.Kind)
		}
		s.shelves = s.shelves.put(info.Kind, newShelf(info))
	}
	if err := s.load(c.Objects); err != nil {
		return nil, err
	}
	return s, nil
}

// Clone returns an independent copy, in constant time. Both go on from the same
// counters: a write to each makes the same version in both, and with
// Config.UIDPrefix the same UID. Held by TestStateAgainstModel and TestUIDs.
func (s *State) Clone() *State {
	c := *s
	return &c
}

// Version returns the version of the latest change.
func (s *State) Version() graph.Version { return version(s.version) }

// Get returns the object at key's coordinates, whatever its UID. Errors:
// ErrNotFound, ErrKindUnknown, ErrSick.
func (s *State) Get(key graph.Key) (graph.Object, error) {
	_, o, err := s.reach("get", key)
	if err != nil {
		return graph.Object{}, err
	}
	return o.Clone(), nil
}

// Objects returns everything that is held of the kinds that are served, sick
// ones too, sorted by key.
func (s *State) Objects() []graph.Object {
	var out []graph.Object
	for _, sh := range s.shelves.all() {
		for _, o := range sh.objects.all() {
			if sh.served {
				out = append(out, o.Clone())
			}
		}
	}
	return out
}

// find returns the live object at key's coordinates and its shelf.
func (s *State) find(verb string, key graph.Key) (shelf, *graph.Object, error) {
	sh, err := s.shelf(verb, key)
	if err != nil {
		return sh, nil, err
	}
	o, ok := sh.objects.get(key.Place())
	if !ok {
		return sh, nil, fmt.Errorf("%s %s: %w", verb, name(key), graph.ErrNotFound)
	}
	return sh, o, nil
}

// reach is find for those who cannot reach a sick kind.
func (s *State) reach(verb string, key graph.Key) (shelf, *graph.Object, error) {
	if sh, _ := s.shelves.get(key.Kind); sh.sick {
		return sh, nil, fmt.Errorf("%s %s: %s: %w", verb, name(key), sh.reason, ErrSick)
	}
	return s.find(verb, key)
}

func (s *State) shelf(verb string, key graph.Key) (shelf, error) {
	sh, _ := s.shelves.get(key.Kind)
	if !sh.served {
		return sh, fmt.Errorf("%s %s: %w", verb, name(key), graph.ErrKindUnknown)
	}
	return sh, nil
}

// next gives a version.
func (s *State) next() graph.Version {
	s.version++
	return version(s.version)
}

func (s *State) put(sh shelf, o *graph.Object) {
	sh.objects = sh.objects.put(o.Place(), o)
	s.shelves = s.shelves.put(o.Kind, sh)
}

func (s *State) remove(sh shelf, o *graph.Object) {
	sh.objects, sh.labels = sh.objects.remove(o.Place()), sh.labels.remove(o.Place())
	s.shelves = s.shelves.put(o.Kind, sh)
}

func version(n uint64) graph.Version { return graph.Version(strconv.FormatUint(n, 10)) }

// name returns the key for a message, without a UID if it has none.
func name(key graph.Key) string { return strings.TrimSuffix(key.String(), `@""`) }

func scopeRule(info graph.KindInfo) string {
	if info.Scoped {
		return "empty, and the kind is scoped"
	}
	return "given, and the kind is global"
}
