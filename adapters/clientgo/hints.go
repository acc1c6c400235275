package clientgo

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ownergraph/ownergraph/graph"
)

// hints holds what a patch has to know of an object and the graph does not: in
// which places its references and finalizers stand, and by which apiVersion it
// refers. For most objects, with one owner and at most one finalizer, the first
// place is right, and nothing is kept but one text for each pair of kinds. What
// is wrong or forgotten here costs a patch one read and a second try, never
// more: the patch tests all that it assumes. It is safe for concurrent use.
type hints struct {
	mu     sync.Mutex
	lists  *simplelru.LRU[types.UID, placed]
	spoken map[[2]graph.Kind]string // dependent's and owner's kind: apiVersion
}

// placed is an object's references and finalizers in their places.
type placed struct {
	version    string
	owners     []metav1.OwnerReference
	finalizers []string
}

const (
	mostPlaced = 1 << 14
	mostSpoken = 1 << 12
)

func newHints() *hints {
	lists, err := simplelru.NewLRU[types.UID, placed](mostPlaced, nil)
	if err != nil {
		panic(err) // only for a size below 1
	}
	return &hints{lists: lists, spoken: map[[2]graph.Kind]string{}}
}

// learn takes what a watch or a read showed.
func (h *hints) learn(o graph.Object, m *metav1.PartialObjectMetadata) {
	if len(o.Owners) == 0 && len(o.Finalizers) < 2 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, r := range o.Owners {
		pair := [2]graph.Kind{o.Kind, r.Kind}
		if _, known := h.spoken[pair]; known || len(h.spoken) < mostSpoken {
			h.spoken[pair] = common(m.OwnerReferences[i].APIVersion)
		}
	}
	if several(m) {
		h.lists.Add(m.UID, placed{m.ResourceVersion, m.OwnerReferences, m.Finalizers})
	}
}

// of returns what is known of an object in exactly this version.
func (h *hints) of(uid graph.UID, version graph.Version) (placed, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p, ok := h.lists.Get(types.UID(uid))
	return p, ok && p.version == string(version) && version != ""
}

// apiVersion returns how objects of one kind refer to owners of another.
func (h *hints) apiVersion(dependent, owner graph.Kind) (string, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	v, ok := h.spoken[[2]graph.Kind{dependent, owner}]
	return v, ok
}
