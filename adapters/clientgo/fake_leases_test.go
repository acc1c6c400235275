package clientgo

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ownergraph/ownergraph/adapters/clientgo/internal/fakenet"
	"github.com/ownergraph/ownergraph/graph"
)

// The fake keeps the spec of a Lease as JSON in an annotation, so that a test can write any text.
const specAnnotation = "spec"

// leaseKind returns the kind of Leases.
func leaseKind() *fakeKind {
	return &fakeKind{group: "coordination.k8s.io", kind: "Lease", plural: "leases", versions: []string{"v1"}, scoped: true}
}

// fakeLease is a Lease, with any spec.
type fakeLease struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     json.RawMessage   `json:"spec,omitempty"`
}

// isOfLease reports whether a request is for whole Leases.
func isOfLease(r *http.Request, k *fakeKind) bool {
	return k.plural == "leases" && (r.Method == http.MethodPost || r.Method == http.MethodPut ||
		r.Method == http.MethodGet && r.Header.Get("Accept") == "application/json")
}

// serveLease answers a request for whole Leases. The namespace "absent" is absent.
func (f *fake) serveLease(w http.ResponseWriter, r *http.Request, k *fakeKind, scope, name string) {
	if r.Method == http.MethodGet {
		f.serveLeases(w, r, k, scope)
		return
	}
	var in fakeLease
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(body, &in)
	}
	if err != nil {
		panic(err)
	}
	if scope == "absent" {
		fakenet.WriteError(w, apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, scope))
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	live := k.objects[types.NamespacedName{Namespace: scope, Name: in.Metadata.Name}]
	out, err := f.writeLease(k, live, in, r.Method == http.MethodPost)
	if err != nil {
		writeError(w, k, name, err)
		return
	}
	fakenet.WriteJSON(w, http.StatusOK, wholeLease(out))
}

// writeLease creates or replaces a Lease. A replacement of an absent Lease without a UID makes
// one, as the server does for this kind alone.
func (f *fake) writeLease(k *fakeKind, live *meta, in fakeLease, create bool) (*meta, error) {
	m := &in.Metadata
	switch {
	case create && live != nil:
		return nil, apierrors.NewAlreadyExists(schema.GroupResource{Group: k.group, Resource: k.plural}, m.Name)
	case !create && (live == nil && m.UID != "" || live != nil && (m.UID != live.UID || m.ResourceVersion != live.ResourceVersion)):
		return nil, fmt.Errorf("UID or version: %w", graph.ErrConflict)
	}
	o := &meta{ObjectMeta: *m}
	if o.Annotations = maps.Clone(o.Annotations); o.Annotations == nil {
		o.Annotations = map[string]string{}
	}
	o.Annotations[specAnnotation] = string(in.Spec)
	what := "MODIFIED"
	if live == nil {
		what = "ADDED"
		f.uids++
		o.UID, o.Generation = types.UID(fmt.Sprintf("uid-%d", f.uids)), 1
	} else if maps.Equal(o.Annotations, live.Annotations) && maps.Equal(o.Labels, live.Labels) {
		return live, nil // a server makes no version for it
	}
	return f.commit(k, what, o), nil
}

// serveLeases answers with a page of Leases. The token of the next page is its first index.
func (f *fake) serveLeases(w http.ResponseWriter, r *http.Request, k *fakeKind, scope string) {
	q := r.URL.Query()
	f.mu.Lock()
	defer f.mu.Unlock()
	list := slices.DeleteFunc(matching(k.sorted(), q.Get("labelSelector")), func(o *meta) bool {
		name, one := strings.CutPrefix(q.Get("fieldSelector"), "metadata.name=")
		return o.Namespace != scope || one && o.Name != name
	})
	out := struct {
		metav1.ListMeta `json:"metadata"`
		Items           []fakeLease `json:"items"`
	}{ListMeta: metav1.ListMeta{ResourceVersion: strconv.FormatUint(f.version, 10)}}
	from := int(number(q.Get("continue")))
	to := min(len(list), from+int(number(q.Get("limit"))))
	if to < len(list) {
		out.Continue = strconv.Itoa(to)
	}
	for _, o := range list[from:to] {
		out.Items = append(out.Items, wholeLease(o))
	}
	fakenet.WriteJSON(w, http.StatusOK, out)
}

func wholeLease(o *meta) fakeLease {
	l := fakeLease{Metadata: *o.ObjectMeta.DeepCopy(), Spec: json.RawMessage(o.Annotations[specAnnotation])}
	delete(l.Metadata.Annotations, specAnnotation)
	return l
}

// putLease stores a Lease with any labels and any spec, as another writer does.
func (f *fake) putLease(name string, labels map[string]string, spec string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	k := f.kindOf("coordination.k8s.io/Lease")
	m := metav1.ObjectMeta{Namespace: groupSpace, Name: name, Labels: labels}
	live := k.objects[types.NamespacedName{Namespace: groupSpace, Name: name}]
	if live != nil {
		m.UID, m.ResourceVersion = live.UID, live.ResourceVersion
	}
	if _, err := f.writeLease(k, live, fakeLease{m, json.RawMessage(spec)}, live == nil); err != nil {
		panic(err)
	}
}

// leases returns the Leases of the fake, by name.
func (f *fake) leases() (out []lease) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, o := range f.kindOf("coordination.k8s.io/Lease").sorted() {
		l := lease{ObjectMeta: wholeLease(o).Metadata}
		if err := json.Unmarshal(wholeLease(o).Spec, &l.Spec); err != nil {
			panic(err)
		}
		out = append(out, l)
	}
	return out
}
