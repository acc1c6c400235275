package envtestgc

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/ownergraph/ownergraph/adapters/clientgo/internal/fakenet"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/replica"
)

// server is a small API server in front of a replica.State. A request that it does not
// know panics.
type server struct {
	kinds map[string]graph.KindInfo // by plural, all of them in version v1
	hangs bool                      // a list never ends

	mu      sync.Mutex
	state   *replica.State
	log     []replica.Commit
	changed chan struct{} // closed at the next change
}

// write makes one write.
func (s *server) write(do func(*replica.State) (replica.Commit, error)) (graph.Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := do(s.state)
	if err != nil {
		return graph.Object{}, err
	}
	if c.Changed() {
		s.log = append(s.log, c)
		close(s.changed)
		s.changed = make(chan struct{})
	}
	return written(c), nil
}

// written returns the object with the version of the commit, which a removed object has too.
func written(c replica.Commit) graph.Object {
	o := c.Object()
	o.Version = c.Version()
	return o
}

func (s *server) get(at graph.Key) (graph.Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.Get(at)
}

// serve starts a server of ConfigMaps and Nodes until the test ends.
func serve(t *testing.T) (*server, *rest.Config) {
	t.Helper()
	s := &server{kinds: map[string]graph.KindInfo{
		"configmaps": {Kind: "ConfigMap", Scoped: true}, "nodes": {Kind: "Node"},
	}, changed: make(chan struct{})}
	var err error
	if s.state, err = replica.New(replica.Config{UIDPrefix: "uid-", Kinds: []graph.KindInfo{s.kinds["configmaps"], s.kinds["nodes"]}}); err != nil {
		t.Fatal(err)
	}
	return s, fakenet.Serve(t, s).Config()
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if len(parts) < 3 {
		s.discover(w, r.URL.Path)
		return
	}
	at := graph.Key{}
	if parts = parts[2:]; parts[0] == "namespaces" {
		at.Scope, parts = parts[1], parts[2:]
	}
	info, ok := s.kinds[parts[0]]
	if !ok {
		http.NotFound(w, r)
		return
	}
	at.Kind = info.Kind
	switch {
	case len(parts) == 2:
		at.Name = parts[1]
		s.one(w, r, at, parts[0])
	case r.URL.Query().Get("sendInitialEvents") != "":
		w.WriteHeader(http.StatusUnprocessableEntity) // it does not stream listings
	case r.URL.Query().Get("watch") != "":
		s.stream(w, r, info.Kind)
	case s.hangs:
		<-r.Context().Done()
	default:
		s.list(w, info.Kind)
	}
}

func (s *server) discover(w http.ResponseWriter, path string) {
	switch path {
	case "/api":
		fakenet.WriteJSON(w, http.StatusOK, metav1.APIVersions{Versions: []string{"v1"}})
	case "/apis":
		fakenet.WriteJSON(w, http.StatusOK, metav1.APIGroupList{})
	default:
		list := metav1.APIResourceList{GroupVersion: "v1"}
		for plural, info := range s.kinds {
			list.APIResources = append(list.APIResources, metav1.APIResource{
				Name: plural, Kind: string(info.Kind), Namespaced: info.Scoped, Verbs: []string{"delete", "get", "list", "patch", "watch"},
			})
		}
		fakenet.WriteJSON(w, http.StatusOK, list)
	}
}

func (s *server) list(w http.ResponseWriter, kind graph.Kind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := metav1.PartialObjectMetadataList{TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadataList"}}
	out.ResourceVersion = string(s.state.Version())
	for _, o := range s.state.Objects() {
		if o.Kind == kind {
			out.Items = append(out.Items, metadataOf(o))
		}
	}
	fakenet.WriteJSON(w, http.StatusOK, out)
}

// stream reports every change of a kind after a version.
func (s *server) stream(w http.ResponseWriter, r *http.Request, kind graph.Kind) {
	from, err := strconv.Atoi(r.URL.Query().Get("resourceVersion"))
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", "application/json")
	for {
		s.mu.Lock()
		due, changed := s.log[from:], s.changed // each change takes one version
		s.mu.Unlock()
		for _, c := range due {
			what := "MODIFIED"
			if c.Event().Type == graph.Gone {
				what = "DELETED"
			}
			if c.Key().Kind == kind {
				_ = json.NewEncoder(w).Encode(map[string]any{"type": what, "object": metadataOf(written(c))})
			}
		}
		from += len(due)
		w.(http.Flusher).Flush()
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

// one reads or writes one object.
func (s *server) one(w http.ResponseWriter, r *http.Request, at graph.Key, plural string) {
	var o graph.Object
	var err error
	switch r.Method {
	case http.MethodDelete:
		var in metav1.DeleteOptions
		if err = json.NewDecoder(r.Body).Decode(&in); err == nil {
			p, _ := graph.ParsePropagation(strings.ToLower(string(*in.PropagationPolicy)))
			opts := graph.DeleteOptions{Propagation: p}
			opts.Precondition = graph.Precondition{UID: graph.UID(*in.Preconditions.UID), Version: graph.Version(*in.Preconditions.ResourceVersion)}
			o, err = s.write(func(m *replica.State) (replica.Commit, error) { return m.Delete(at, opts) })
		}
	case http.MethodPatch:
		o, err = s.patch(r, at)
	case http.MethodGet:
		o, err = s.get(at)
	}
	if err != nil {
		refuse(w, schema.GroupResource{Resource: plural}, at.Name, err)
		return
	}
	fakenet.WriteJSON(w, http.StatusOK, metadataOf(o))
}

// patch removes a finalizer. It knows no other patch.
func (s *server) patch(r *http.Request, at graph.Key) (graph.Object, error) {
	var ops []struct{ Op, Path, Value string }
	if err := json.NewDecoder(r.Body).Decode(&ops); err != nil {
		return graph.Object{}, err
	}
	pre, drop := graph.Precondition{}, ""
	for _, op := range ops {
		switch {
		case op.Path == "/metadata/uid":
			pre.UID = graph.UID(op.Value)
		case op.Path == "/metadata/resourceVersion":
			pre.Version = graph.Version(op.Value)
		case op.Op == "test" && strings.HasPrefix(op.Path, "/metadata/finalizers/"):
			drop = op.Value
		case op.Op != "remove":
			panic(fmt.Sprint("no such patch: ", op))
		}
	}
	return s.write(func(m *replica.State) (replica.Commit, error) {
		return m.Patch(at, pre, graph.Change{DropFinalizer: drop})
	})
}

func refuse(w http.ResponseWriter, at schema.GroupResource, name string, err error) {
	out := apierrors.NewForbidden(at, name, err)
	switch {
	case errors.Is(err, graph.ErrNotFound):
		out = apierrors.NewNotFound(at, name)
	case errors.Is(err, graph.ErrConflict):
		out = apierrors.NewConflict(at, name, err)
	}
	fakenet.WriteError(w, out)
}

// metadataOf returns an object in the form of the API.
func metadataOf(o graph.Object) metav1.PartialObjectMetadata {
	out := metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadata"}}
	out.Namespace, out.Name, out.UID, out.ResourceVersion = o.Scope, o.Name, types.UID(o.UID), string(o.Version)
	out.Finalizers = slices.Clone(o.Finalizers)
	if o.Deleting {
		out.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	}
	for _, r := range o.Owners {
		out.OwnerReferences = append(out.OwnerReferences, metav1.OwnerReference{
			APIVersion: "v1", Kind: string(r.Kind), Name: r.Name, UID: types.UID(r.UID), BlockOwnerDeletion: &r.Block,
		})
	}
	return out
}
