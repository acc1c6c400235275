package clientgo

import (
	"net/http"

	"k8s.io/apimachinery/pkg/types"

	"github.com/ownergraph/ownergraph/graph"
)

// fakeResponse is any answer.
type fakeResponse struct {
	code  int
	body  string // sent unchanged, unless empty
	after int    // seconds of Retry-After
	hang  bool   // until the caller gives up
}

// compact forgets the past: watches from an earlier version have expired.
func (f *fake) compact() {
	f.locked(func() {
		for _, k := range f.kinds {
			if n := len(k.log); n > 0 {
				k.dropped = k.log[n-1].version
			}
			k.log, k.compacted = nil, f.version
		}
	})
}

// breakWatches ends every watch, also those that were requested and have not begun.
func (f *fake) breakWatches() { f.locked(f.endWatches) }

func (f *fake) endWatches() {
	close(f.broken)
	f.broken = make(chan struct{})
}

// hide stops or restarts serving a kind. A stop ends its watches.
func (f *fake) hide(kind graph.Kind, hidden bool) {
	f.locked(func() {
		k := f.kindOf(kind)
		if k.hidden = hidden; hidden {
			k.hides++
		}
		f.announce()
	})
}

// backup returns a function that restores the objects and the version, as a restored
// etcd does. It breaks all watches and undoes all later writes.
func (f *fake) backup() (restore func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	version := f.version
	stored := make([]map[types.NamespacedName]*meta, len(f.kinds))
	for i, k := range f.kinds {
		stored[i] = map[types.NamespacedName]*meta{}
		for at, o := range k.objects {
			stored[i][at] = o
		}
	}
	return func() {
		f.locked(func() {
			f.version = version
			for i, k := range f.kinds {
				k.objects, k.log, k.compacted = stored[i], nil, 0
				k.dropped = 0
			}
			f.endWatches()
		})
	}
}

// noteCall records a call. It returns the fault that answers it, and the channel that
// is closed when watches break. Both are of one moment, so an earlier call breaks with
// the earlier watches.
func (f *fake) noteCall(r *http.Request, what string) (*fakeResponse, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, what)
	broken := f.broken
	if f.fault == nil {
		return nil, broken
	}
	return f.fault(r), broken
}

// takeCalls returns the calls since the last time, and forgets them.
func (f *fake) takeCalls() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := f.calls
	f.calls = nil
	return out
}
