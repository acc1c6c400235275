package memory

import (
	"math/rand/v2"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/replica"
)

// Config has a store's settings. The zero value works: an empty store without kinds.
type Config struct {
	// Kinds are served from the start.
	Kinds []graph.KindInfo
	// Objects are there from the start, unchanged. They keep their recorded UIDs, their
	// versions and even wrong references.
	//
	// Each object needs a kind, a name and a UID. Its place and its UID are its own. It has
	// a scope if its kind is scoped. Its version is a decimal number or empty. An object of
	// a kind that is not in Kinds adds the kind. Such a kind is scoped if its first object
	// has a scope.
	Objects []graph.Object
	// Propagation is the default of a kind's deletions. If unset, it is Background.
	Propagation map[graph.Kind]graph.Propagation
	// Scopes is the global kind whose objects stand for scopes, as namespaces do. If it is
	// set, a scope admits new objects only while its object exists and is not being
	// deleted. To empty a scope when its object is deleted, use a sweep: see
	// guard.ScopeSweep.
	//
	//test:by TestScopes TestScopeSweep
	Scopes graph.Kind
	// Limits bounds the content of a written object.
	Limits graph.Limits
	// UIDPrefix makes UIDs predictable. It is only for tests that compare UIDs or repeat a
	// run. A UID is then the prefix and a counter from 1. The epoch of a restore is the
	// prefix and a counter too. The tokens of fences and the versions of records count
	// from 1.
	//
	// Leave it empty in production. Then each UID and each epoch has 130 random bits. A user
	// who can predict a UID can refer to an object before it exists. An engine that reads
	// the owner too early then deletes dependents of a live owner.
	//
	//test:by TestEpochs internal/replica.TestUIDs
	UIDPrefix string
	// Strict makes the store one of level 3. It then answers ErrRefused to a write that adds a
	// reference to an owner that does not exist, or that is marked for a foreground or orphan
	// deletion. It answers ErrRefused too to a write that adds a reference with OnDeleteRestrict to
	// an owner with any mark. See ownergraph.Leveler. It does not judge the references of Objects.
	//
	// It answers graph.ErrRestricted to each deletion of an unmarked object that another object
	// restricts: see finalizer.Restricts. Without Strict the store refuses no such deletion.
	//
	//test:by TestLevel TestRestrictedDeletion internal/replica.TestStrict internal/replica.TestRestricted
	Strict bool
	// Archive keeps an entry of each object that ends, so that package restore can bring it back. Nil keeps
	// none. A backup of the store has its archive (Snapshot).
	Archive *archive.Config
}

// maxLog is the number of changes that the store keeps for its watches. A watch that is
// further behind lists every kind anew.
const maxLog = 10_000

// New returns a store with the kinds and objects of the Config. It keeps no part of the
// Config. The error names the wrong setting. It wraps ErrInvalid if the setting is an
// object.
func New(c Config) (*Store, error) {
	state, err := replica.New(replica.Config{
		Kinds: c.Kinds, Objects: c.Objects, Propagation: c.Propagation,
		Scopes: c.Scopes, Limits: c.Limits, UIDPrefix: c.UIDPrefix, Strict: c.Strict,
		Archive: c.Archive, Now: time.Now,
	})
	if err != nil {
		return nil, err
	}
	s := &Store{state: state, archives: c.Archive != nil, log: changeLog{max: maxLog}, watches: map[*watch]struct{}{}, records: map[string]graph.Record{}}
	if c.Strict {
		s.level = ownergraph.Level3
	}
	if c.UIDPrefix == "" {
		s.token = rand.Uint64() / 2 // a former store's tokens differ, and the counter does not overflow
		s.recorded = rand.Uint64() / 2
	}
	return s, nil
}
