package clientgo

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ownergraph/ownergraph/graph"
)

// layouts caches two facts that a patch needs and the graph lacks: the order of an
// object's references and finalizers, and the apiVersion of its references. Most
// objects have one owner and at most one finalizer. For them index 0 is right, and the
// cache has only one apiVersion for each pair of kinds.
//
// A wrong or missing entry costs a patch one read and a second request, because the
// patch tests all that it assumes. layouts is safe for concurrent use.
type layouts struct {
	mu          sync.Mutex
	byUID       *simplelru.LRU[types.UID, layout]
	apiVersions map[[2]graph.Kind]string // by the kinds of dependent and owner
}

// layout has an object's references and finalizers in order, and the annotation with references.
type layout struct {
	version    string
	owners     []metav1.OwnerReference
	finalizers []string
	annotation map[string]string // nil without it
}

const (
	maxLayouts = 1 << 14
	// maxLayoutAnnotation bounds the annotations of the cache, in bytes. A patch of an object with a
	// longer one costs a read.
	maxLayoutAnnotation = 1 << 12
	maxAPIVersions      = 1 << 12
)

func newLayouts() *layouts {
	lists, err := simplelru.NewLRU[types.UID, layout](maxLayouts, nil)
	if err != nil {
		panic(err) // only for a size below 1
	}
	return &layouts{byUID: lists, apiVersions: map[[2]graph.Kind]string{}}
}

// record adds an object of a watch or a read.
func (h *layouts) record(o graph.Object, m *metav1.PartialObjectMetadata) {
	if len(o.Owners) == 0 && len(o.Finalizers) < 2 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range m.OwnerReferences {
		pair := [2]graph.Kind{o.Kind, o.Owners[i].Kind}
		if _, known := h.apiVersions[pair]; known || len(h.apiVersions) < maxAPIVersions {
			h.apiVersions[pair] = intern(m.OwnerReferences[i].APIVersion)
		}
	}
	if needsLayout(m) {
		p := layout{m.ResourceVersion, m.OwnerReferences, m.Finalizers, nil}
		if value, is := m.Annotations[OwnersAnnotation]; is {
			p.annotation = map[string]string{OwnersAnnotation: value}
		}
		h.byUID.Add(m.UID, p)
	}
}

// find returns the layout of an object in exactly this version.
func (h *layouts) find(uid graph.UID, version graph.Version) (layout, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p, ok := h.byUID.Get(types.UID(uid))
	return p, ok && p.version == string(version) && version != ""
}

// apiVersion returns the apiVersion in references from one kind to another.
func (h *layouts) apiVersion(dependent, owner graph.Kind) (string, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	v, ok := h.apiVersions[[2]graph.Kind{dependent, owner}]
	return v, ok
}
