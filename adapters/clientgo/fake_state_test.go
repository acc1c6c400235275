package clientgo

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ownergraph/ownergraph/adapters/clientgo/internal/fakenet"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// meta is an object of the fake, which has only metadata.
type meta = metav1.PartialObjectMetadata

// fakeKind is one resource of the fake.
type fakeKind struct {
	group, kind, plural string
	versions            []string // the first is preferred
	scoped              bool
	verbs               []string // nil for all
	objects             map[types.NamespacedName]*meta
	log                 []fakeChange // since the last compaction
	compacted           uint64       // watches from an earlier version have expired
	dropped             uint64       // the latest forgotten change
	hidden              bool         // neither served nor discovered
	undiscovered        bool         // served and not discovered
	hides               int          // counts the times it was hidden
}

func (k *fakeKind) discovered() bool { return !k.hidden && !k.undiscovered }

// fakeChange is one event of a kind.
type fakeChange struct {
	version uint64
	kind    string // ADDED, MODIFIED, DELETED
	object  *meta
}

// fake is a small API server that sends JSON over pipes. It has discovery, lists with
// pages, watches with bookmarks, and conditional writes. Its deletions follow package
// finalizer. A test sets faults by the fields, under the lock.
type fake struct {
	net     *fakenet.Net
	mu      sync.Mutex
	version uint64
	uids    int
	kinds   []*fakeKind
	changed chan struct{} // closed at the next change
	broken  chan struct{} // closed to end all watches requested so far
	calls   []string      // the requests, one line each

	legacy        bool                              // no aggregated discovery
	noStream      bool                              // refuses to stream listings
	unknownStream bool                              // does not know the option to stream
	noBookmarks   bool                              // a bookmark only at the end of a watch
	countsRest    bool                              // reports the number of remaining objects
	fault         func(*http.Request) *fakeResponse // answers in place of the fake; nil for no fault
	discover      func(group string) error          // fails the discovery of a group
	remote        map[string]bool                   // groups whose API service names another server
	down          map[string]string                 // API services that are not available, with the reason
	podGrace      map[string]any                    // the grace periods of pods by name; none: the field is missing
}

func newFake(kinds ...*fakeKind) *fake {
	f := &fake{kinds: kinds, version: 100}
	for _, k := range kinds {
		k.objects = map[types.NamespacedName]*meta{}
	}
	return f
}

// standardKinds returns the kinds of most tests.
func standardKinds() []*fakeKind {
	return []*fakeKind{
		{kind: "ConfigMap", plural: "configmaps", versions: []string{"v1"}, scoped: true},
		{kind: "Node", plural: "nodes", versions: []string{"v1"}},
		{group: "apps", kind: "Deployment", plural: "deployments", versions: []string{"v1", "v1beta1"}, scoped: true},
	}
}

func (f *fake) locked(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	do()
}

func (f *fake) kindOf(k graph.Kind) *fakeKind {
	for _, x := range f.kinds {
		if kindName(x.group, x.kind) == k {
			return x
		}
	}
	panic(fmt.Sprintf("the fake has no kind %s", k))
}

func (f *fake) announce() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// commit stores or removes an object in a new version.
func (f *fake) commit(k *fakeKind, what string, o *meta) *meta {
	f.version++
	o = o.DeepCopy()
	o.ResourceVersion = strconv.FormatUint(f.version, 10)
	at := types.NamespacedName{Namespace: o.Namespace, Name: o.Name}
	if what == "DELETED" {
		delete(k.objects, at)
	} else {
		k.objects[at] = o
	}
	k.log = append(k.log, fakeChange{f.version, what, o})
	f.announce()
	return o
}

// create stores a new object. It makes a UID unless the object has one.
func (f *fake) create(kind graph.Kind, o meta) *meta {
	f.mu.Lock()
	defer f.mu.Unlock()
	k := f.kindOf(kind)
	if o.UID == "" {
		f.uids++
		o.UID = types.UID(fmt.Sprintf("uid-%d", f.uids))
	}
	o.Generation = 1
	return f.commit(k, "ADDED", &o).DeepCopy()
}

// update changes an object, as any client does.
func (f *fake) update(kind graph.Kind, scope, name string, change func(*meta)) *meta {
	f.mu.Lock()
	defer f.mu.Unlock()
	k := f.kindOf(kind)
	o := k.objects[types.NamespacedName{Namespace: scope, Name: name}].DeepCopy()
	change(o)
	out, err := f.store(k, o)
	if err != nil {
		panic(err)
	}
	return out
}

// store replaces an object, or removes a marked object without finalizers.
func (f *fake) store(k *fakeKind, o *meta) (*meta, error) {
	at := types.NamespacedName{Namespace: o.Namespace, Name: o.Name}
	live := k.objects[at]
	out, err := finalizer.Update(rulesView(live), rulesView(o))
	if err != nil {
		return nil, err
	}
	what := "MODIFIED"
	if out.Effect == finalizer.Removed {
		what = "DELETED"
	}
	return f.commit(k, what, o).DeepCopy(), nil
}

// remove deletes an object by the rules of package finalizer.
func (f *fake) remove(k *fakeKind, live *meta, opts graph.DeleteOptions) error {
	out, err := finalizer.Delete(rulesView(live), opts, graph.Background)
	if err != nil || out.Effect == finalizer.Unchanged {
		return err
	}
	o := live.DeepCopy()
	if out.Effect == finalizer.Removed {
		f.commit(k, "DELETED", o)
		return nil
	}
	if now := metav1.NewTime(time.Now()); o.DeletionTimestamp == nil {
		o.DeletionTimestamp = &now
	}
	o.Finalizers, o.Generation = out.Object.Finalizers, out.Object.Generation
	o.DeletionGracePeriodSeconds = &out.Object.GraceSeconds
	f.commit(k, "MODIFIED", o)
	return nil
}

func (f *fake) delete(kind graph.Kind, scope, name string, p graph.Propagation) {
	f.mu.Lock()
	defer f.mu.Unlock()
	k := f.kindOf(kind)
	if err := f.remove(k, k.objects[types.NamespacedName{Namespace: scope, Name: name}], graph.DeleteOptions{Propagation: p}); err != nil {
		panic(err)
	}
}

// rulesView returns the part of an object that the rules use.
func rulesView(m *meta) graph.Object {
	o := graph.Object{
		Key:        graph.Key{Kind: "x", Scope: m.Namespace, Name: m.Name, UID: graph.UID(m.UID)},
		Version:    graph.Version(m.ResourceVersion),
		Finalizers: slices.Clone(m.Finalizers),
		Deleting:   m.DeletionTimestamp != nil,
		Generation: m.Generation,
	}
	if m.DeletionGracePeriodSeconds != nil {
		o.GraceSeconds = *m.DeletionGracePeriodSeconds
	}
	return o
}

// sorted returns a kind's objects by name.
func (k *fakeKind) sorted() []*meta {
	var out []*meta
	for _, o := range k.objects {
		out = append(out, o)
	}
	slices.SortFunc(out, func(a, b *meta) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return out
}

func (k *fakeKind) gvk(version string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: k.group, Version: version, Kind: k.kind}
}
