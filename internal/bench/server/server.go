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

// Config holds a server's settings. The zero value works.
type Config struct {
	Kinds []graph.KindInfo
	// Latency is added to each request, outside of every lock.
	Latency time.Duration
	// View makes the form in which objects are read; nil leaves it out.
	View func(graph.Object) any
	// Trace has each request look at the clock and at how many goroutines
	// there are.
	Trace bool
}

// Record is one state of one object. It is never changed.
type Record struct {
	Object graph.Object
	View   any
}

// Verb is what a request does.
type Verb uint8

// The verbs that are counted.
const (
	Get Verb = iota
	Patch
	Delete
	Fence
	verbs
)

// Counts is how many requests there were, by verb; with Trace also the most
// goroutines that one of them saw, and when the last one came.
type Counts struct {
	Gets, Patches, Deletes, Fences uint64
	Goroutines                     int
	Last                           time.Time
}

// Total returns the number of all requests.
func (c Counts) Total() uint64 { return c.Gets + c.Patches + c.Deletes + c.Fences }

// Server holds objects. It is safe for concurrent use once it is loaded.
type Server struct {
	cfg     Config
	shelves map[graph.Kind]*shelf
	loaded  []graph.Key
	version atomic.Uint64
	counts  [verbs]atomic.Uint64
	crowd   atomic.Int64
	last    atomic.Int64 // in nanoseconds since 1970
	held    atomic.Int64
	goal    atomic.Int64
	reached chan struct{}

	feeding sync.Mutex
	feeds   atomic.Pointer[[]*feed]
	delays  *delays // nil without a latency
}

type shelf struct {
	mu      sync.RWMutex
	objects map[place]*Record
}

type place struct{ scope, name string }

func placeOf(k graph.Key) place { return place{k.Scope, k.Name} }

// New returns a server that holds nothing.
func New(cfg Config) *Server {
	s := &Server{cfg: cfg, shelves: map[graph.Kind]*shelf{}, reached: make(chan struct{})}
	s.goal.Store(-1)
	s.version.Store(1 << 40) // beyond that of every object that is loaded
	for _, k := range cfg.Kinds {
		s.shelves[k.Kind] = &shelf{objects: map[place]*Record{}}
	}
	s.feeds.Store(&[]*feed{})
	if cfg.Latency > 0 {
		s.delays = newDelays(cfg.Latency)
	}
	return s
}

// Load adds objects as they are. Watches list them in the order in which they
// were loaded. No watch may run yet.
func (s *Server) Load(o graph.Object) {
	s.shelves[o.Kind].objects[placeOf(o.Key)] = s.record(o)
	s.loaded = append(s.loaded, o.Key)
	s.held.Add(1)
}

func (s *Server) record(o graph.Object) *Record {
	r := &Record{Object: o}
	if s.cfg.View != nil {
		r.View = s.cfg.View(o)
	}
	return r
}

// Len returns how many objects are held.
func (s *Server) Len() int { return int(s.held.Load()) }

// Kinds returns what was configured.
func (s *Server) Kinds() []graph.KindInfo { return slices.Clone(s.cfg.Kinds) }

// Objects returns what is held, sorted by key.
func (s *Server) Objects() []graph.Object {
	var out []graph.Object
	for _, sh := range s.shelves {
		sh.mu.RLock()
		for _, r := range sh.objects {
			out = append(out, r.Object)
		}
		sh.mu.RUnlock()
	}
	slices.SortFunc(out, func(a, b graph.Object) int { return a.Key.Compare(b.Key) })
	return out
}

// Reaches returns a channel that is closed when no more than n objects are held.
// It is asked once.
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
}

// Counts returns what has been asked since the last Reset.
func (s *Server) Counts() Counts {
	return Counts{
		s.counts[Get].Load(), s.counts[Patch].Load(), s.counts[Delete].Load(), s.counts[Fence].Load(),
		int(s.crowd.Load()), time.Unix(0, s.last.Load()),
	}
}

// request counts a request and takes its time.
func (s *Server) request(v Verb) {
	s.counts[v].Add(1)
	if s.cfg.Trace {
		s.last.Store(time.Now().UnixNano())
		n := int64(runtime.NumGoroutine())
		for most := s.crowd.Load(); n > most && !s.crowd.CompareAndSwap(most, n); most = s.crowd.Load() {
		}
	}
	if s.cfg.Latency > 0 {
		s.delays.wait()
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
