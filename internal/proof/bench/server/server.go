package server

import (
	"cmp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// Config has a server's settings. The zero value works.
type Config struct {
	Kinds []graph.KindInfo
	// Latency is added to each request, outside of every lock.
	Latency time.Duration
	// View makes the form in which objects are read. Nil leaves it out.
	View func(graph.Object) any
	// Trace makes each request note the time, the number of goroutines, and the number
	// of requests that wait for the latency.
	Trace bool
	// ByKind makes each page of a listing have objects of one kind.
	ByKind bool
}

// Record is one state of one object. It is never changed.
type Record struct {
	Object graph.Object
	View   any
}

// Verb is the kind of a request.
type Verb uint8

// The verbs that are counted. A batch is one request.
const (
	Get Verb = iota
	Patch
	Delete
	Fence
	Batch
	verbs
)

// Counts has the number of requests by verb. With Trace it also has the highest number
// of goroutines and of waiting requests that a request saw, and the time of the last
// request.
type Counts struct {
	Gets, Patches, Deletes, Fences, Batches uint64
	Goroutines, Waiting                     int
	Last                                    time.Time
}

// Total returns the number of all requests.
func (c Counts) Total() uint64 { return c.Gets + c.Patches + c.Deletes + c.Fences + c.Batches }

// Server stores objects. It is safe for concurrent use once it is loaded.
type Server struct {
	cfg     Config
	tables  map[graph.Kind]*kindTable
	loaded  []*Record
	changed atomic.Bool // an object is not as it was loaded
	version atomic.Uint64
	counts  [verbs]atomic.Uint64
	fences  atomic.Uint64 // the token of the last one
	crowd   atomic.Int64
	waiting atomic.Int64
	waited  atomic.Int64 // the most that waited at once
	last    atomic.Int64 // in nanoseconds since 1970
	stored  atomic.Int64
	goal    atomic.Int64
	reached chan struct{}

	feeding sync.Mutex
	feeds   atomic.Pointer[[]*feed]
	delays  *delays // nil without a latency
}

type kindTable struct {
	mu      sync.RWMutex
	objects map[place]*Record
}

type place struct{ scope, name string }

func placeOf(k graph.Key) place { return place{k.Scope, k.Name} }

// New returns an empty server.
func New(cfg Config) *Server {
	s := &Server{cfg: cfg, tables: map[graph.Kind]*kindTable{}, reached: make(chan struct{})}
	s.goal.Store(-1)
	s.version.Store(1 << 40) // beyond that of every loaded object
	for _, k := range cfg.Kinds {
		s.tables[k.Kind] = &kindTable{objects: map[place]*Record{}}
	}
	s.feeds.Store(&[]*feed{})
	if cfg.Latency > 0 {
		s.delays = newDelays(cfg.Latency)
	}
	return s
}

// Load adds objects without a change. Watches list them in the order of their loading.
// No watch may run yet.
func (s *Server) Load(o graph.Object) {
	r := s.record(o)
	s.tables[o.Kind].objects[placeOf(o.Key)] = r
	s.loaded = append(s.loaded, r)
	s.stored.Add(1)
}

func (s *Server) record(o graph.Object) *Record {
	r := &Record{Object: o}
	if s.cfg.View != nil {
		r.View = s.cfg.View(o)
	}
	return r
}

// Len returns the number of objects.
func (s *Server) Len() int { return int(s.stored.Load()) }

// Kinds returns the configured kinds.
func (s *Server) Kinds() []graph.KindInfo { return slices.Clone(s.cfg.Kinds) }

// Objects returns the objects, sorted by key.
func (s *Server) Objects() []graph.Object {
	var out []graph.Object
	for _, sh := range s.tables {
		sh.mu.RLock()
		for _, r := range sh.objects {
			out = append(out, r.Object)
		}
		sh.mu.RUnlock()
	}
	slices.SortFunc(out, func(a, b graph.Object) int { return a.Key.Compare(b.Key) })
	return out
}

// Reaches returns a channel that is closed when no more than n objects are left. It is
// called once.
func (s *Server) Reaches(n int) <-chan struct{} {
	s.goal.Store(int64(n))
	return s.reached
}

// Reset begins to count anew.
func (s *Server) Reset() {
	for i := range s.counts {
		s.counts[i].Store(0)
	}
	s.crowd.Store(0)
	s.waited.Store(0)
}

// Counts returns the requests since the last Reset.
func (s *Server) Counts() Counts {
	return Counts{
		s.counts[Get].Load(), s.counts[Patch].Load(), s.counts[Delete].Load(), s.counts[Fence].Load(),
		s.counts[Batch].Load(), int(s.crowd.Load()), int(s.waited.Load()), time.Unix(0, s.last.Load()),
	}
}

// request counts a request and takes its time.
func (s *Server) request(v Verb) {
	s.counts[v].Add(1)
	if s.cfg.Trace {
		s.last.Store(time.Now().UnixNano())
		raise(&s.crowd, int64(runtime.NumGoroutine()))
		raise(&s.waited, s.waiting.Add(1))
		defer s.waiting.Add(-1)
	}
	if s.cfg.Latency > 0 {
		s.delays.wait()
	}
}

// raise makes most at least n.
func raise(most *atomic.Int64, n int64) {
	for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
	}
}

func (s *Server) next() graph.Version {
	return graph.Version(strconv.FormatUint(s.version.Add(1), 10))
}

// CompareVersions orders two versions, which are decimal numbers.
func CompareVersions(a, b graph.Version) int {
	if len(a) != len(b) {
		return cmp.Compare(len(a), len(b))
	}
	return strings.Compare(string(a), string(b))
}
