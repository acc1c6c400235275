package clientgo

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

const (
	definitionKind = graph.Kind("apiextensions.k8s.io/CustomResourceDefinition")
	serviceKind    = graph.Kind("apiregistration.k8s.io/APIService")
	// cleanup is the finalizer under which the server removes every object of a
	// definition before the definition itself.
	cleanup = "customresourcecleanup.apiextensions.k8s.io"
	// mourning is how long a kind whose definition goes away stays known, for its
	// objects' ends to be told.
	mourning = 10 * time.Second
)

// burial is a kind whose definition was seen marked, with its cleanup to come.
type burial struct {
	name  string    // of the definition
	lost  bool      // a listing of definitions is under way that has not brought it yet
	until time.Time // zero until the kind is not served any more
	over  bool      // everything was told
}

// heed looks at what the loop reports: some of it says that kinds change.
func (r *run) heed(e graph.Event) {
	if e.Kind == definitionKind {
		r.heedListing(e.Type)
	}
	kind, name := e.Object.Kind, e.Object.Name
	if e.Type == graph.Gone {
		kind, name = e.Key.Kind, e.Key.Name
	}
	if e.Type != graph.Put && e.Type != graph.Gone || kind != definitionKind && kind != serviceKind {
		return
	}
	r.lookSoon()
	if kind == definitionKind {
		r.heedDefinition(name, e)
	}
}

// heedDefinition follows a definition to its end. Only one that was seen marked
// with its cleanup finalizer, and then gone, proves anything about the objects
// of its kind.
func (r *run) heedDefinition(name string, e graph.Event) {
	plural, group, _ := strings.Cut(name, ".")
	w := r.workerAt(group, plural)
	if w == nil {
		return
	}
	b := r.burials[w.kind]
	if b != nil {
		b.lost = b.lost && e.Type != graph.Put
	}
	switch {
	case e.Type == graph.Put && e.Object.Deleting && e.Object.HasFinalizer(cleanup):
		if b == nil {
			r.burials[w.kind] = &burial{name: name}
			w.mail.order(orders{dying: true, seen: r.epoch})
		}
	case e.Type == graph.Put && !e.Object.Deleting:
		delete(r.burials, w.kind)
	case e.Type == graph.Gone && b != nil:
		w.mail.order(orders{buried: true, seen: r.epoch})
	}
}

// heedListing takes the end of a definition from a listing that does not bring it:
// that of a fence's page, say, which comes in the place of the event.
func (r *run) heedListing(is graph.EventType) {
	for _, kind := range slices.Sorted(maps.Keys(r.burials)) {
		b := r.burials[kind]
		switch {
		case is == graph.ListBegun:
			b.lost = true
		case is == graph.ListEnded && b.lost:
			b.lost = false
			r.heed(graph.Event{Type: graph.Gone, Key: graph.Key{Kind: definitionKind, Name: b.name}})
		}
	}
}

func (r *run) workerAt(group, plural string) *worker {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, w := range r.workers {
		if at := w.first; at.Group == group && at.Resource == plural {
			return w
		}
	}
	return nil
}

// postpone returns the kinds, and those that are not served any more but whose
// objects' ends are still to be told: they are not unknown but gone.
func (r *run) postpone(infos []graph.KindInfo) []graph.KindInfo {
	out := slices.Clone(infos)
	for _, was := range r.infos {
		b := r.burials[was.Kind]
		has := slices.ContainsFunc(infos, func(i graph.KindInfo) bool { return i.Kind == was.Kind })
		if b == nil || b.over || has {
			continue
		}
		if b.until.IsZero() {
			b.until = time.Now().Add(mourning)
		}
		if time.Now().Before(b.until) {
			out = append(out, was)
			r.lookSoon()
		}
	}
	slices.SortFunc(out, func(a, b graph.KindInfo) int { return strings.Compare(string(a.Kind), string(b.Kind)) })
	return out
}
