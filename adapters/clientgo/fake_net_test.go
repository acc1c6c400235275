package clientgo

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/ownergraph/ownergraph/adapters/clientgo/internal/fakenet"
	"github.com/ownergraph/ownergraph/graph"
)

// serve starts the fake until the test ends, and returns its rest config.
func (f *fake) serve(t interface{ Cleanup(func()) }) *rest.Config {
	f.changed, f.broken = make(chan struct{}), make(chan struct{}) // made in this bubble
	f.net = fakenet.Serve(t, f)
	return f.net.Config()
}

// ServeHTTP answers a request.
func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	fault, broken := f.noteCall(r, wordsOf(r))
	if fault != nil {
		f.answerFault(w, r, fault)
		return
	}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if len(parts) <= 3 && (len(parts) < 3 || parts[0] == "apis") && !(parts[0] == "api" && len(parts) == 3) {
		f.serveDiscovery(w, r, parts)
		return
	}
	k, scope, name := f.find(parts)
	if k == nil || name != "" && k.scoped != (scope != "") {
		http.NotFound(w, r)
		return
	}
	switch {
	case isOfLease(r, k):
		f.serveLease(w, r, k, scope, name)
	case isOfRecord(r, k):
		f.serveRecord(w, r, k, scope, name)
	case name != "":
		f.serveObject(w, r, k, scope, name)
	case r.URL.Query().Get("watch") != "":
		f.serveWatch(w, r, k, broken)
	case wantsWhole(r):
		f.serveWholeList(w, k)
	default:
		f.serveList(w, r, k)
	}
}

// wordsOf describes a request, as "watch configmaps from 102".
func wordsOf(r *http.Request) string {
	q := r.URL.Query()
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	last := parts[len(parts)-1]
	switch {
	case len(parts) < 3:
		return "discover " + r.URL.Path
	case q.Get("sendInitialEvents") != "":
		return "stream " + last
	case q.Get("watch") != "":
		return "watch " + last + " from " + q.Get("resourceVersion")
	case q.Get("limit") != "":
		return "list " + last + " limit " + q.Get("limit")
	}
	return strings.ToLower(r.Method) + " " + last
}

func (f *fake) answerFault(w http.ResponseWriter, r *http.Request, fault *fakeResponse) {
	if fault.hang {
		_, _ = io.Copy(io.Discard, r.Body) // without the read the server does not notice that the caller has gone
		<-r.Context().Done()
		return
	}
	if fault.after != 0 {
		w.Header().Set("Retry-After", strconv.Itoa(fault.after))
	}
	if fault.body == "" {
		fakenet.WriteError(w, apierrors.NewGenericServerResponse(fault.code, r.Method, schema.GroupResource{}, "", "a fault", fault.after, false))
		return
	}
	if strings.HasPrefix(fault.body, "{") {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(fault.code)
	_, _ = w.Write([]byte(fault.body))
}

// find returns the object of a path.
func (f *fake) find(parts []string) (k *fakeKind, scope, name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	group := ""
	if parts[0] == "apis" {
		group, parts = parts[1], parts[1:]
	}
	version, rest := parts[1], parts[2:]
	if len(rest) > 2 && rest[0] == "namespaces" {
		scope, rest = rest[1], rest[2:]
	}
	if len(rest) == 2 {
		name = rest[1]
	}
	for _, k := range f.kinds {
		if k.group == group && k.plural == rest[0] && !k.hidden {
			for _, v := range k.versions {
				if v == version {
					return k, scope, name
				}
			}
		}
	}
	return nil, "", ""
}

func writeError(w http.ResponseWriter, k *fakeKind, name string, err error) {
	gr := schema.GroupResource{Group: k.group, Resource: k.plural}
	var out *apierrors.StatusError
	switch {
	case errors.As(err, &out):
	case errors.Is(err, graph.ErrNotFound):
		out = apierrors.NewNotFound(gr, name)
	case errors.Is(err, graph.ErrConflict):
		out = apierrors.NewConflict(gr, name, err)
	default:
		out = apierrors.NewInvalid(schema.GroupKind{Group: k.group, Kind: k.kind}, name, nil)
		out.ErrStatus.Message = err.Error()
	}
	fakenet.WriteError(w, out)
}

// typed sets the type of metadata.
func typed(o *meta) *meta {
	o = o.DeepCopy()
	o.TypeMeta = metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadata"}
	return o
}

func number(s string) uint64 {
	if s == "" {
		return 0
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		panic(fmt.Sprintf("version %q: %v", s, err))
	}
	return n
}
