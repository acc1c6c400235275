// Package draft is the store of a plan: a private copy of the affected objects, with the
// rules of package finalizer (RULES, P2). It also finds the objects of which one run cannot
// foretell the end (P3), and makes the fingerprint of a plan (P5).
package draft

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
)

// ErrUnknown is the answer about an object that is proven neither present nor absent.
var ErrUnknown = errors.New("unknown to the plan")

// maxReads is the number of reads after which the answer ErrUnknown asks for no other. After
// as many the engine holds the dependents with the reason.
const maxReads = 5

// final is the last answer about an unknown object.
type final struct{ error }

// Unwrap returns the answer.
func (f final) Unwrap() error { return f.error }

// RetryAfter returns a time that is longer than a forecast.
func (final) RetryAfter() time.Duration { return 100 * 365 * 24 * time.Hour }

// Store is a store in memory with the rules of package finalizer. It answers NotFound only
// where an object is proven absent, where its own run has removed it, or where its kind is
// listed in full. It notes the last case as an assumption. A Store is not safe for
// concurrent use.
type Store struct {
	Index
	objects []graph.Object // by part
	live    []bool
	places  map[graph.Key]int32 // the live objects by place, nil before the first look
	full    func(graph.Kind) bool
	version uint64
	assumed map[graph.Key]bool // absent by assumption
	unknown map[graph.Key]int  // the number of reads of those that are not known
}

// NewStore returns a store with the objects of the parts that exist. It gives each a version
// of its own. The function full reports whether a kind is listed in full, so that an object
// that no listing brought does not exist.
func NewStore(parts []excerpt.Part, full func(graph.Kind) bool) *Store {
	s := &Store{
		Index: NewIndex(parts), objects: make([]graph.Object, len(parts)), live: make([]bool, len(parts)),
		full: full, assumed: map[graph.Key]bool{}, unknown: map[graph.Key]int{},
	}
	for i := range parts {
		if parts[i].State != excerpt.Exists {
			continue
		}
		o := parts[i].Object
		if !parts[i].Member {
			o.Owners = nil // they lead out of the copy, and at rest the object stays
		}
		s.put(int32(i), o)
	}
	return s
}

func (s *Store) put(i int32, o graph.Object) graph.Object {
	s.version++
	o.Version = graph.Version(strconv.FormatUint(s.version, 10))
	s.objects[i], s.live[i] = o, true
	return o
}

// At returns the object with exactly this key. The caller does not change its lists.
func (s *Store) At(k graph.Key) (graph.Object, bool) {
	if i, ok := s.Of(k); ok && s.live[i] {
		return s.objects[i], true
	}
	return graph.Object{}, false
}

// OfKind returns the objects of a kind, by key.
func (s *Store) OfKind(k graph.Kind) (out []graph.Object) {
	for i := range s.objects {
		if s.live[i] && s.objects[i].Kind == k {
			out = append(out, s.objects[i])
		}
	}
	return out
}

// Get answers a read. Errors: ErrNotFound and [ErrUnknown].
func (s *Store) Get(k graph.Key) (graph.Object, error) {
	if o, ok := s.At(k); ok {
		return o.Clone(), nil
	}
	if i, ok := s.placed(k.Place()); ok {
		return s.objects[i].Clone(), nil
	}
	switch i, ok := s.Of(k); {
	case ok && s.parts[i].State != excerpt.Unknown: // proven absent, or gone in the run
	case s.full(k.Kind):
		s.assumed[k] = true
	default:
		err := fmt.Errorf("read %s: %w", k, ErrUnknown)
		if s.unknown[k]++; s.unknown[k] >= maxReads {
			err = final{err}
		}
		return graph.Object{}, err
	}
	return graph.Object{}, fmt.Errorf("read %s: %w", k, graph.ErrNotFound)
}

// Patch answers a patch. An error wraps a sentinel of package graph.
func (s *Store) Patch(k graph.Key, pre graph.Precondition, change graph.Change) (finalizer.Outcome, error) {
	live, ok := s.At(k)
	if !ok {
		return finalizer.Outcome{}, fmt.Errorf("patch %s: %w", k, graph.ErrNotFound)
	}
	out, err := finalizer.Patch(live, pre, change)
	return s.commit(out), err
}

// Delete answers a delete. An error wraps a sentinel of package graph.
func (s *Store) Delete(k graph.Key, opts graph.DeleteOptions) (finalizer.Outcome, error) {
	live, ok := s.At(k)
	if !ok {
		return finalizer.Outcome{}, fmt.Errorf("delete %s: %w", k, graph.ErrNotFound)
	}
	out, err := finalizer.Delete(live, opts, graph.Background)
	return s.commit(out), err
}

// placed returns the live object at a place.
func (s *Store) placed(place graph.Key) (int32, bool) {
	if s.places == nil {
		s.places = map[graph.Key]int32{}
		for i := range s.objects {
			if s.live[i] {
				s.places[s.objects[i].Place()] = int32(i)
			}
		}
	}
	i, ok := s.places[place]
	return i, ok && s.live[i]
}

// commit stores the outcome of a write, and returns it with the new version. No write makes
// an object, so each has a part.
func (s *Store) commit(out finalizer.Outcome) finalizer.Outcome {
	i, _ := s.Of(out.Object.Key)
	switch out.Effect {
	case finalizer.Stored:
		out.Object = s.put(i, out.Object)
	case finalizer.Removed:
		s.live[i] = false
	}
	return out
}

// Assumed returns the objects that the store took for absent, because their kinds are
// listed, by key.
func (s *Store) Assumed() []graph.Key { return sorted(s.assumed) }

// Unknown returns the objects that were read and are not known, by key.
func (s *Store) Unknown() []graph.Key { return sorted(s.unknown) }

func sorted[T any](set map[graph.Key]T) []graph.Key {
	out := make([]graph.Key, 0, len(set))
	for k := range set {
		out = append(out, k)
	}
	slices.SortFunc(out, graph.Key.Compare)
	return out
}
