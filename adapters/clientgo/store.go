package clientgo

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/logline"
)

// Store is a Kubernetes API server as an ownergraph.Store of level 2. It is a Fencer, a
// Lister, a Selector, a Leveler, a VersionComparer and a Gracer too, and it keeps Records. Use
// New. It is safe for concurrent use.
//
// A Store keeps no object. It runs only the goroutines of its running watches. Each
// Watch ends its goroutines before it returns. The package links no typed client and no
// informer.
//
//test:by TestWatchEnds TestConformance adapters/clientgo/run.TestStoreLinksNoTypedClient
type Store struct {
	config  Config
	ignore  ignored
	client  *client
	layouts *layouts
	history *history
	losses  *losses
	slots   *slots
	token   atomic.Uint64 // of the last fence; it begins at a random number

	discovering sync.Mutex // locked during a discovery
	catalog     atomic.Pointer[catalog]

	log *logline.Log

	mu      sync.Mutex
	running map[*run]struct{}
}

var (
	_ ownergraph.Store           = (*Store)(nil)
	_ ownergraph.Fencer          = (*Store)(nil)
	_ ownergraph.Lister          = (*Store)(nil)
	_ ownergraph.Leveler         = (*Store)(nil)
	_ ownergraph.VersionComparer = (*Store)(nil)
	_ ownergraph.Records         = (*Store)(nil)
	_ ownergraph.Gracer          = (*Store)(nil)
)

// New returns a store of the API server that the rest config names. It sends no
// request. It copies the config, and does not use its timeout, because each call has a
// context. It uses the rate limit only if it is set. Errors: graph.ErrInvalid for a
// wrong Config or no rest config, and the error of client-go for the rest config.
func New(server *rest.Config, config Config) (*Store, error) {
	filled, err := config.filled()
	if err != nil {
		return nil, err
	}
	if server == nil {
		return nil, fmt.Errorf("new store: rest config: nil: %w", graph.ErrInvalid)
	}
	c, err := newClient(server, filled.Logger)
	if err != nil {
		return nil, fmt.Errorf("new store: %w", err)
	}
	s := &Store{
		config: filled, ignore: newIgnored(filled.Ignore), client: c,
		layouts: newLayouts(), history: newHistory(), losses: newLosses(), slots: newSlots(filled.Listings),
		running: map[*run]struct{}{}, log: logline.New(filled.Logger),
	}
	s.token.Store(rand.Uint64() / 2) // no other process has the same tokens, and the counter does not overflow
	return s, nil
}

// Level returns Level2. The package comment names its basis.
func (s *Store) Level() ownergraph.Level { return ownergraph.Level2 }

// GroupVersionKind returns the version in which the store watches and writes a kind,
// for an object reference. It returns false for a kind outside of the set of kinds, and
// before the first discovery. It sends no request.
//
//test:by TestGroupVersionKind
func (s *Store) GroupVersionKind(kind graph.Kind) (schema.GroupVersionKind, bool) {
	c := s.catalog.Load()
	if c == nil {
		return schema.GroupVersionKind{}, false
	}
	r, ok := c.kinds[kind]
	return r.gvk, ok
}

// Namespaced reports whether the objects of a kind are in namespaces. It returns false for a kind
// outside of the set of kinds, and before the first discovery. It sends no request.
//
//test:by TestGroupVersionKind
func (s *Store) Namespaced(kind graph.Kind) bool {
	c := s.catalog.Load()
	return c != nil && c.kinds[kind].scoped
}

// CompareVersions orders two versions of one kind. It returns 0 if one of them is not a
// positive decimal number. Only servers other than kube-apiserver make such versions.
//
//test:by TestCompareVersions
func (s *Store) CompareVersions(_ graph.Kind, a, b graph.Version) int {
	return compare(string(a), string(b))
}

// compare orders decimal numbers of any length. The one with more digits is greater.
func compare(a, b string) int {
	if !ordered(a) || !ordered(b) {
		return 0
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// ordered reports whether a version can be compared. It is a positive decimal number without
// leading zeros.
func ordered(v string) bool {
	return v != "" && v[0] != '0' && strings.Trim(v, "0123456789") == ""
}

// discover returns the result of a discovery that began after since. Callers that wait
// for a running discovery share the next one.
func (s *Store) discover(ctx context.Context, since time.Time) (*catalog, error) {
	s.discovering.Lock()
	defer s.discovering.Unlock()
	before := s.catalog.Load()
	if before != nil && before.began.After(since) {
		return before, nil
	}
	begun := time.Now()
	found, err := discover(ctx, s.client.config, s.client.http)
	if err != nil {
		return nil, err
	}
	lacks := s.compareDeclared(ctx, found, before)
	if err := ctx.Err(); err != nil { // then the missing answer is not the server's fault
		return nil, fmt.Errorf("discover kinds: %w", err)
	}
	c := buildCatalog(found, lacks, before, s.ignore)
	c.began, c.held, c.graced = begun, s.config.HeldPolicies, s.config.GraceKinds
	s.warnWaived(before, c)
	s.catalog.Store(c)
	return c, nil
}

// find returns the resource of a kind and its catalog. It returns ErrKindUnknown only
// after a discovery that began after the call.
func (s *Store) find(ctx context.Context, verb string, key graph.Key) (resource, *catalog, error) {
	c := s.catalog.Load()
	if c != nil {
		if r, ok := c.reach(key.Kind); ok {
			return r, c, nil
		}
	}
	c, err := s.discover(ctx, time.Now())
	if err != nil {
		if cause := ctx.Err(); cause != nil {
			return resource{}, nil, cause
		}
		return resource{}, nil, fmt.Errorf("%s %s: %w", verb, placeText(key), err)
	}
	r, ok := c.reach(key.Kind)
	if !ok {
		return resource{}, nil, fmt.Errorf("%s %s: kind: %w", verb, placeText(key), graph.ErrKindUnknown)
	}
	return r, c, nil
}

func (s *Store) enter(r *run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[r] = struct{}{}
}

func (s *Store) leave(r *run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, r)
}

// each calls do for every running watch.
func (s *Store) each(do func(*run)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for r := range s.running {
		do(r)
	}
}
