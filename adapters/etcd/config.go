package etcdstore

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/logline"
)

// Config has a store's settings. The zero value works: a store without kinds. Only New
// reads it.
type Config struct {
	// Kinds are the kinds that the store serves, always the same. All processes on one
	// Prefix need the same kinds. No kind is Unwatched.
	Kinds []graph.KindInfo
	// Prefix begins every key of the store, "ownergraph/" if empty. The store owns all keys
	// under it. No other store may use a prefix that begins with this one.
	Prefix string
	// Codec maps objects to keys and values. Nil is the codec of package documentation,
	// "Keys and values".
	Codec Codec
	// Propagation is the default of a kind's deletions. If unset, it is Background.
	Propagation map[graph.Kind]graph.Propagation
	// Limits bounds the content of a written object.
	Limits graph.Limits
	// PageSize is the number of objects that one request of a listing reads, 500 if zero.
	PageSize int
	// MaxBytes bounds the key and the value of one object, in bytes. If zero, it is 1.5 MiB
	// less 16 KiB, which fits into a request of a server with default settings. Keep it
	// below the server's --max-request-bytes.
	MaxBytes int
	// ResumeWithin is the longest time in which a watch tries to resume after its
	// connection broke, 10 seconds if zero. The watch then ends with an error. A negative
	// time ends it at once.
	ResumeWithin time.Duration
	// Kine says that the server is kine. The store then keeps to the requests that kine
	// takes, and takes no batches.
	Kine bool
	// Policies begins the use of policies (graph.OnDelete) on the prefix. The store then sets the version
	// 2 of the prefix before its first call, and programs that know version 1 alone are shut out. Set
	// it when all programs on the prefix know version 2. Without it the store refuses each new policy
	// on a prefix of version 1. On a prefix of version 2 it makes no difference. See "Policies".
	//
	//test:by TestPoliciesBegin
	Policies bool
	// Logger receives a line for each object that cannot be read, and for its end. A cause has
	// one line in a minute, with the number of the others. Nil: none.
	Logger *slog.Logger
}

const (
	defaultPrefix   = "ownergraph/"
	defaultPageSize = 500
	defaultMaxBytes = 1<<20 + 1<<19 - 1<<14
	defaultResume   = 10 * time.Second
)

// New returns a store on the client's cluster. It makes no request. The caller closes the
// client after the last use of the store. The error names the wrong setting.
//
// The store uses the client's connection. It ignores wrappers of the client's KV and
// Watcher, such as those of package namespace. Use Config.Prefix instead.
//
//test:by TestNew
func New(client *clientv3.Client, c Config) (*Store, error) {
	if client == nil {
		return nil, errors.New("new store: client: nil")
	}
	c.Prefix = cmp.Or(c.Prefix, defaultPrefix)
	c.PageSize = cmp.Or(c.PageSize, defaultPageSize)
	c.MaxBytes = cmp.Or(c.MaxBytes, defaultMaxBytes)
	c.ResumeWithin = cmp.Or(c.ResumeWithin, defaultResume)
	c.Kinds, c.Propagation = slices.Clone(c.Kinds), maps.Clone(c.Propagation)
	if c.Codec == nil {
		c.Codec = JSON{}
	}
	s := &Store{
		client: client, kv: clientv3.NewKV(client), conf: c,
		kinds: map[graph.Kind]kindLayout{}, originKey: c.Prefix + "origin", versionKey: c.Prefix + versionName, watches: map[*watch]struct{}{}, log: logline.New(c.Logger),
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	return s, s.layOut()
}

func (c Config) check() error {
	switch {
	case c.PageSize < 0:
		return errors.New("new store: PageSize: negative")
	case c.MaxBytes < 0:
		return errors.New("new store: MaxBytes: negative")
	case c.Limits.Owners < 0 || c.Limits.Finalizers < 0 || c.Limits.Text < 0:
		return errors.New("new store: Limits: negative")
	}
	for _, k := range slices.Sorted(maps.Keys(c.Propagation)) {
		if p := c.Propagation[k]; p > graph.Orphan {
			return fmt.Errorf("new store: Propagation[%q]: %s means nothing", k, p)
		}
	}
	return nil
}

// flaw returns the wrong field of a container's declaration and the cause, or "".
func flaw(info graph.KindInfo) string {
	field, cause := info.Container.Flaw()
	if field == "" {
		return ""
	}
	return "Container." + field + ": " + cause
}

// kindLayout is a served kind and the range of its keys.
type kindLayout struct {
	info       graph.KindInfo
	first, end string
}

// layOut takes the keys of each kind from the codec. The ranges of two kinds must be apart.
// Otherwise an object of one kind would be listed as one of the other.
func (s *Store) layOut() error {
	for i, info := range s.conf.Kinds {
		bad := func(cause string) error { return fmt.Errorf("new store: Kinds[%d] %q: %s", i, info.Kind, cause) }
		first := s.conf.Prefix + s.conf.Codec.Prefix(info.Kind)
		switch _, twice := s.kinds[info.Kind]; {
		case info.Kind == "":
			return bad("empty")
		case twice:
			return bad("twice")
		case info.Unwatched:
			return bad("Unwatched: the store watches every kind")
		case flaw(info) != "":
			return bad(flaw(info))
		case first == s.conf.Prefix:
			return bad("the codec gives its keys no prefix")
		case strings.HasPrefix(s.originKey, first), strings.HasPrefix(s.versionKey, first):
			return bad(fmt.Sprintf("the codec's prefix %q takes the store's own key", first))
		case overlap(first, s.conf.Prefix+recordsPrefix):
			return bad(fmt.Sprintf("the codec's prefix %q takes the keys of records", first))
		case overlap(first, s.conf.Prefix+membersPrefix):
			return bad(fmt.Sprintf("the codec's prefix %q takes the keys of a group", first))
		}
		for _, other := range s.kinds {
			if overlap(first, other.first) {
				return bad(fmt.Sprintf("its keys %q and those of %q overlap", first, other.info.Kind))
			}
		}
		s.kinds[info.Kind] = kindLayout{info, first, clientv3.GetPrefixRangeEnd(first)}
	}
	return nil
}

// overlap reports whether a key may begin with both prefixes.
func overlap(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }
