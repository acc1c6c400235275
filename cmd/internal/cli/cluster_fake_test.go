package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// resource is one resource of the fake.
type resource struct {
	group, version, kind, plural, short string
	scoped                              bool
	objects                             map[string]map[string]any // whole, by namespace/name
}

func (r *resource) gr() schema.GroupResource {
	return schema.GroupResource{Group: r.group, Resource: r.plural}
}

// api is a small API server: discovery, paged lists of metadata, reads, watches, and patches that
// drop references. No other request changes it.
type api struct {
	mu        sync.Mutex
	version   int
	resources []*resource
	log       []event
	changed   chan struct{}
	calls     []string

	// fault answers in place of the server, for "verb plural"; nil is no fault.
	fault func(verb, plural string, q *http.Request) http.HandlerFunc
}

type event struct {
	version    int
	kind, from string // ADDED, MODIFIED or DELETED, and the plural
	object     map[string]any
}

func newAPI() *api {
	a := &api{version: 100, changed: make(chan struct{}), resources: []*resource{
		{version: "v1", kind: "ConfigMap", plural: "configmaps", short: "cm", scoped: true},
		{version: "v1", kind: "Namespace", plural: "namespaces", short: "ns"},
		{version: "v1", kind: "Pod", plural: "pods", short: "po", scoped: true},
		{version: "v1", kind: "Secret", plural: "secrets", scoped: true},
		{group: "apiextensions.k8s.io", version: "v1", kind: "CustomResourceDefinition", plural: "customresourcedefinitions", short: "crd"},
		{group: "apiregistration.k8s.io", version: "v1", kind: "APIService", plural: "apiservices"},
		{group: "apps", version: "v1", kind: "Deployment", plural: "deployments", short: "deploy", scoped: true},
		{group: "apps", version: "v1", kind: "ReplicaSet", plural: "replicasets", short: "rs", scoped: true},
		{group: "example.org", version: "v1", kind: "Backup", plural: "backups", scoped: true},
	}}
	for _, r := range a.resources {
		r.objects = map[string]map[string]any{}
	}
	return a
}

func (a *api) of(plural string) *resource {
	i := slices.IndexFunc(a.resources, func(r *resource) bool { return r.plural == plural })
	return a.resources[i]
}

// put stores an object that has "metadata" as JSON.
func (a *api) put(plural, at, metadata string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.of(plural)
	namespace, name, _ := strings.Cut(at, "/")
	if !r.scoped {
		namespace, name = "", at
	}
	m := map[string]any{"name": name, "uid": "uid-" + name}
	if namespace != "" {
		m["namespace"] = namespace
	}
	if err := json.Unmarshal([]byte("{"+metadata+"}"), &m); err != nil {
		panic(err)
	}
	kind := "ADDED"
	if r.objects[namespace+"/"+name] != nil {
		kind = "MODIFIED"
	}
	a.commit(r, kind, namespace+"/"+name, map[string]any{"metadata": m})
}

func (a *api) remove(plural, at string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.commit(a.of(plural), "DELETED", at, a.of(plural).objects[at])
}

func (a *api) commit(r *resource, kind, at string, o map[string]any) {
	a.version++
	o = maps.Clone(o)
	m := maps.Clone(o["metadata"].(map[string]any))
	m["resourceVersion"] = strconv.Itoa(a.version)
	o["metadata"] = m
	if r.objects[at] = o; kind == "DELETED" {
		delete(r.objects, at)
	}
	a.log = append(a.log, event{a.version, kind, r.plural, o})
	close(a.changed)
	a.changed = make(chan struct{})
}

// serve serves until the test ends, and returns the flags of a command for the server.
func (a *api) serve(t testing.TB) []string { return serveHandler(t, a) }

func serveHandler(t testing.TB, a http.Handler) []string {
	t.Helper()
	s := httptest.NewServer(a)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	file := filepath.Join(t.TempDir(), "kubeconfig")
	config := fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","current-context":"c",
		"clusters":[{"name":"c","cluster":{"server":%q}}],"users":[{"name":"u","user":{}}],
		"contexts":[{"name":"c","context":{"cluster":"c","user":"u","namespace":"shop"}}]}`, s.URL)
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"--kubeconfig", file, "--cache-dir", t.TempDir()}
}

// ServeHTTP answers a request.
func (a *api) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	parts := strings.Split(strings.Trim(q.URL.Path, "/"), "/")
	if len(parts) == 1 || parts[0] == "api" && len(parts) == 2 || parts[0] == "apis" && len(parts) == 3 {
		a.discover(w, q, parts)
		return
	}
	group := ""
	if parts[0] == "apis" {
		group, parts = parts[1], parts[1:]
	}
	namespace, name := "", ""
	if parts = parts[2:]; len(parts) > 2 && parts[0] == "namespaces" {
		namespace, parts = parts[1], parts[2:]
	}
	if len(parts) > 1 {
		name = parts[1]
	}
	i := slices.IndexFunc(a.resources, func(r *resource) bool { return r.group == group && r.plural == parts[0] })
	if i < 0 {
		http.NotFound(w, q)
		return
	}
	r, verb := a.resources[i], "get"
	switch {
	case q.Method != http.MethodGet:
		verb = strings.ToLower(q.Method)
	case q.URL.Query().Get("watch") != "":
		verb = "watch"
	case name == "":
		verb = "list"
	}
	a.mu.Lock()
	a.calls = append(a.calls, verb+" "+r.plural)
	fault := a.fault
	a.mu.Unlock()
	if fault != nil {
		if answer := fault(verb, r.plural, q); answer != nil {
			answer(w, q)
			return
		}
	}
	switch verb {
	case "list":
		a.list(w, q, r, namespace)
	case "get":
		a.get(w, q, r, namespace+"/"+name, name)
	case "watch":
		a.watch(w, q, r)
	case "patch":
		a.patch(w, q, r, namespace+"/"+name, name)
	default:
		writeError(w, apierrors.NewForbidden(r.gr(), name, fmt.Errorf("the fake is read only")))
	}
}

func (a *api) list(w http.ResponseWriter, q *http.Request, r *resource, namespace string) {
	a.mu.Lock()
	var keys []string
	wanted, selects := strings.CutPrefix(q.URL.Query().Get("fieldSelector"), "metadata.name=")
	for at := range r.objects {
		in, name, _ := strings.Cut(at, "/")
		if (namespace == "" || in == namespace) && (!selects || name == wanted) {
			keys = append(keys, at)
		}
	}
	slices.Sort(keys)
	from, _ := strconv.Atoi(q.URL.Query().Get("continue"))
	limit, _ := strconv.Atoi(q.URL.Query().Get("limit"))
	m := map[string]any{"resourceVersion": strconv.Itoa(a.version)}
	if keys = keys[min(from, len(keys)):]; limit > 0 && len(keys) > limit {
		keys, m["continue"] = keys[:limit], strconv.Itoa(from+limit)
	}
	items := []any{}
	for _, at := range keys {
		items = append(items, r.objects[at])
	}
	a.mu.Unlock()
	kind, version := "PartialObjectMetadataList", "meta.k8s.io/v1"
	if !strings.Contains(q.Header.Get("Accept"), "as=PartialObjectMetadata") {
		kind, version = r.kind+"List", schema.GroupVersion{Group: r.group, Version: r.version}.String()
	}
	writeJSON(w, http.StatusOK, map[string]any{"kind": kind, "apiVersion": version, "metadata": m, "items": items})
}

// get answers with the object, or with its metadata.
func (a *api) get(w http.ResponseWriter, q *http.Request, r *resource, at, name string) {
	a.mu.Lock()
	o := r.objects[at]
	a.mu.Unlock()
	if o == nil {
		writeError(w, apierrors.NewNotFound(r.gr(), name))
		return
	}
	out := maps.Clone(o)
	out["kind"], out["apiVersion"] = r.kind, schema.GroupVersion{Group: r.group, Version: r.version}.String()
	if strings.Contains(q.Header.Get("Accept"), "as=PartialObjectMetadata") {
		out = map[string]any{"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": o["metadata"]}
	}
	writeJSON(w, http.StatusOK, out)
}

// patch applies tests and removals to the metadata, as a server does: all or nothing.
func (a *api) patch(w http.ResponseWriter, q *http.Request, r *resource, at, name string) {
	var ops []struct{ Op, Path, Value string }
	if err := json.NewDecoder(q.Body).Decode(&ops); err != nil {
		writeError(w, apierrors.NewBadRequest(err.Error()))
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	o := r.objects[at]
	if o == nil {
		writeError(w, apierrors.NewNotFound(r.gr(), name))
		return
	}
	m := maps.Clone(o["metadata"].(map[string]any))
	owners, _ := m["ownerReferences"].([]any)
	owners = slices.Clone(owners)
	for _, op := range ops {
		field, index, wanted := strings.TrimPrefix(op.Path, "/metadata/"), 0, any(nil)
		if n, _ := fmt.Sscanf(field, "ownerReferences/%d", &index); n == 0 {
			wanted = m[field]
		} else if index < len(owners) {
			wanted = owners[index].(map[string]any)["uid"]
		}
		switch {
		case op.Op == "test" && wanted != op.Value, op.Op == "remove" && index >= len(owners):
			writeError(w, apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", "testing path "+op.Path, 0, false))
			return
		case op.Op == "remove":
			owners = slices.Delete(owners, index, index+1)
		}
	}
	if m["ownerReferences"] = owners; q.URL.Query().Get("dryRun") == "" {
		a.commit(r, "MODIFIED", at, map[string]any{"metadata": m})
	}
	writeJSON(w, http.StatusOK, map[string]any{"kind": r.kind, "apiVersion": schema.GroupVersion{Group: r.group, Version: r.version}.String(), "metadata": m})
}

func (a *api) watch(w http.ResponseWriter, q *http.Request, r *resource) {
	if q.URL.Query().Get("sendInitialEvents") != "" {
		writeError(w, apierrors.NewBadRequest("no streaming"))
		return
	}
	at, _ := strconv.Atoi(q.URL.Query().Get("resourceVersion"))
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	for {
		w.(http.Flusher).Flush()
		a.mu.Lock()
		changed, version := a.changed, a.version
		for _, e := range a.log {
			if e.version > at && e.from == r.plural {
				writeEvent(w, e.kind, e.object["metadata"])
			}
		}
		a.mu.Unlock()
		if q.URL.Query().Get("allowWatchBookmarks") != "" && version > at {
			writeEvent(w, "BOOKMARK", map[string]any{"resourceVersion": strconv.Itoa(version), "creationTimestamp": nil})
		}
		at = version
		w.(http.Flusher).Flush()
		select {
		case <-changed:
		case <-q.Context().Done():
			return
		}
	}
}

func writeEvent(w http.ResponseWriter, kind string, metadata any) {
	_ = json.NewEncoder(w).Encode(map[string]any{"type": kind, "object": map[string]any{"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata}})
}

// discover answers in the form before aggregated discovery.
func (a *api) discover(w http.ResponseWriter, q *http.Request, parts []string) {
	a.mu.Lock()
	fault := a.fault
	a.mu.Unlock()
	if fault != nil {
		if answer := fault("discover", strings.Join(parts[1:], "/"), q); answer != nil {
			answer(w, q)
			return
		}
	}
	switch {
	case len(parts) == 1 && parts[0] == "api":
		writeJSON(w, http.StatusOK, metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}})
		return
	case len(parts) == 1:
		out := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
		for _, r := range a.resources {
			v := metav1.GroupVersionForDiscovery{GroupVersion: r.group + "/" + r.version, Version: r.version}
			if r.group != "" && !slices.ContainsFunc(out.Groups, func(g metav1.APIGroup) bool { return g.Name == r.group }) {
				out.Groups = append(out.Groups, metav1.APIGroup{Name: r.group, Versions: []metav1.GroupVersionForDiscovery{v}, PreferredVersion: v})
			}
		}
		writeJSON(w, http.StatusOK, out)
		return
	}
	group := ""
	if parts[0] == "apis" {
		group = parts[1]
	}
	out := metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: strings.Join(parts[1:], "/")}
	for _, r := range a.resources {
		if r.group == group {
			one := metav1.APIResource{Name: r.plural, SingularName: strings.ToLower(r.kind), Kind: r.kind, Namespaced: r.scoped, Verbs: []string{"create", "delete", "get", "list", "patch", "watch"}}
			if r.short != "" {
				one.ShortNames = []string{r.short}
			}
			out.APIResources = append(out.APIResources, one)
		}
	}
	writeJSON(w, http.StatusOK, out)
}

func writeJSON(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v)
}

func writeError(w http.ResponseWriter, err *apierrors.StatusError) {
	s := err.Status()
	s.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	writeJSON(w, int(s.Code), s)
}

// failing is a fault of each request of a verb for a resource.
func failing(verb, plural string, err *apierrors.StatusError) func(string, string, *http.Request) http.HandlerFunc {
	return func(v, p string, _ *http.Request) http.HandlerFunc {
		if v != verb || p != plural {
			return nil
		}
		return func(w http.ResponseWriter, _ *http.Request) { writeError(w, err) }
	}
}

// forbidden is the refusal of a list.
func forbidden(group, plural string) *apierrors.StatusError {
	return apierrors.NewForbidden(schema.GroupResource{Group: group, Resource: plural}, "", fmt.Errorf("User %q cannot list them", "u"))
}
