package envtestgc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
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

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/replica"
)

// server is a small API server in front of a memory state, which knows the rules
// of deletion. It speaks over pipes, so that it works in a bubble of
// testing/synctest. What it does not know it answers with a panic.
type server struct {
	kinds  map[string]graph.KindInfo // by plural, all of them in version v1
	conns  chan net.Conn
	closed chan struct{}
	hangs  bool // it lists nothing

	mu      sync.Mutex
	state   *replica.State
	log     []replica.Commit
	changed chan struct{} // closed by the next change
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

func (s *server) Accept() (net.Conn, error) {
	select {
	case c := <-s.conns:
		return c, nil
	case <-s.closed:
		return nil, net.ErrClosed
	}
}

func (s *server) Close() error   { return nil }
func (s *server) Addr() net.Addr { return &net.UnixAddr{Name: "memory"} }

func (s *server) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case s.conns <- theirs:
		return ours, nil
	case <-s.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// serve starts a server of ConfigMaps and Nodes, which ends with the test.
func serve(t *testing.T) (*server, *rest.Config) {
	t.Helper()
	s := &server{kinds: map[string]graph.KindInfo{
		"configmaps": {Kind: "ConfigMap", Scoped: true}, "nodes": {Kind: "Node"},
	}, conns: make(chan net.Conn), closed: make(chan struct{}), changed: make(chan struct{})}
	var err error
	if s.state, err = replica.New(replica.Config{UIDPrefix: "uid-", Kinds: []graph.KindInfo{s.kinds["configmaps"], s.kinds["nodes"]}}); err != nil {
		t.Fatal(err)
	}
	web := &http.Server{Handler: s}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = web.Serve(s)
	}()
	t.Cleanup(func() {
		close(s.closed)
		<-ended // Close would miss a connection that is being accepted
		_ = web.Close()
	})
	return s, &rest.Config{Host: "http://memory", Dial: s.dial}
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
		answer(w, metav1.APIVersions{Versions: []string{"v1"}})
	case "/apis":
		answer(w, metav1.APIGroupList{})
	default:
		list := metav1.APIResourceList{GroupVersion: "v1"}
		for plural, info := range s.kinds {
			list.APIResources = append(list.APIResources, metav1.APIResource{
				Name: plural, Kind: string(info.Kind), Namespaced: info.Scoped, Verbs: []string{"delete", "get", "list", "patch", "watch"},
			})
		}
		answer(w, list)
	}
}

func (s *server) list(w http.ResponseWriter, kind graph.Kind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := metav1.PartialObjectMetadataList{TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadataList"}}
	out.ResourceVersion = string(s.state.Version())
	for _, o := range s.state.Objects() {
		if o.Kind == kind {
			out.Items = append(out.Items, spelt(o))
		}
	}
	answer(w, out)
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
		due, changed := s.log[from:], s.changed // every change takes one version
		s.mu.Unlock()
		for _, c := range due {
			what := "MODIFIED"
			if c.Event().Type == graph.Gone {
				what = "DELETED"
			}
			if c.Key().Kind == kind {
				_ = json.NewEncoder(w).Encode(map[string]any{"type": what, "object": spelt(written(c))})
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
	answer(w, spelt(o))
}

// patch knows the one that takes a finalizer off.
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

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		panic(err)
	}
}

func refuse(w http.ResponseWriter, at schema.GroupResource, name string, err error) {
	out := apierrors.NewForbidden(at, name, err)
	switch {
	case errors.Is(err, graph.ErrNotFound):
		out = apierrors.NewNotFound(at, name)
	case errors.Is(err, graph.ErrConflict):
		out = apierrors.NewConflict(at, name, err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(int(out.ErrStatus.Code))
	out.ErrStatus.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	_ = json.NewEncoder(w).Encode(out.ErrStatus)
}

// spelt is an object in the API's words.
func spelt(o graph.Object) metav1.PartialObjectMetadata {
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
