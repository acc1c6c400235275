package run

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	authorization "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ownergraph/ownergraph/adapters/clientgo/internal/fakenet"
)

// ServeHTTP answers a request.
func (a *api) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	parts := strings.Split(strings.Trim(q.URL.Path, "/"), "/")
	if len(parts) < 3 || len(parts) == 3 && parts[0] == "apis" {
		if a.fails("discover", "") {
			fakenet.WriteError(w, apierrors.NewInternalError(io.ErrUnexpectedEOF))
			return
		}
		a.discover(w, parts)
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
	verb := verbOf(q, name)
	a.set(func() { a.calls = append(a.calls, strings.TrimSpace(verb+" "+parts[0]+" "+name)) })
	right := Right{verb, group, parts[0], namespace, name}
	switch {
	case a.fails(verb, parts[0]):
		fakenet.WriteError(w, apierrors.NewInternalError(io.ErrUnexpectedEOF))
	case parts[0] != "selfsubjectaccessreviews" && !a.allows(right):
		fakenet.WriteError(w, apierrors.NewForbidden(schema.GroupResource{Group: group, Resource: parts[0]}, name,
			fmt.Errorf("User %q cannot %s resource %q in API group %q", "gc", verb, parts[0], group)))
	default:
		a.answer(w, q, a.resources[i], right)
	}
}

func verbOf(q *http.Request, name string) string {
	switch {
	case q.URL.Query().Get("watch") != "":
		return "watch"
	case q.Method == http.MethodGet && name == "":
		return "list"
	case q.Method == http.MethodPost:
		return "create"
	case q.Method == http.MethodPut:
		return "update"
	}
	return strings.ToLower(q.Method)
}

func (a *api) answer(w http.ResponseWriter, q *http.Request, r *resource, right Right) {
	switch right.Verb {
	case "watch":
		a.watch(w, q, r)
	case "list":
		if r.kind == "Lease" {
			a.listLeases(w, q, r)
			return
		}
		a.list(w, r)
	case "create":
		a.create(w, q, r)
	default:
		body, err := io.ReadAll(q.Body)
		if err != nil {
			panic(err)
		}
		a.one(w, r, right, body)
	}
}

// one reads or writes an object in one step. Of two updates from the same version, one
// is refused.
func (a *api) one(w http.ResponseWriter, r *resource, right Right, body []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	live, there := r.objects[types.NamespacedName{Namespace: right.Namespace, Name: right.Name}]
	switch {
	case !there:
		fakenet.WriteError(w, apierrors.NewNotFound(schema.GroupResource{Group: r.group, Resource: r.plural}, right.Name))
	case right.Verb == "get" && live["kind"] == nil: // of put
		fakenet.WriteJSON(w, http.StatusOK, live.meta())
	case right.Verb == "get":
		fakenet.WriteJSON(w, http.StatusOK, live)
	case right.Verb == "delete":
		a.commit(r, "DELETED", live)
		fakenet.WriteJSON(w, http.StatusOK, metav1.Status{Status: metav1.StatusSuccess})
	case right.Verb == "update":
		a.update(w, r, live, body)
	case right.Verb == "patch":
		a.patch(w, r, live, body)
	default:
		fakenet.WriteError(w, apierrors.NewMethodNotSupported(schema.GroupResource{Resource: r.plural}, right.Verb))
	}
}

func (a *api) create(w http.ResponseWriter, q *http.Request, r *resource) {
	o := object{}
	if r.kind == "SelfSubjectAccessReview" {
		review := authorization.SelfSubjectAccessReview{}
		if err := json.NewDecoder(q.Body).Decode(&review); err != nil {
			panic(err)
		}
		s := review.Spec.ResourceAttributes
		resource := strings.TrimSuffix(s.Resource+"/"+s.Subresource, "/")
		review.Status.Allowed = !strings.Contains(s.Resource, "/") && a.allows(Right{s.Verb, s.Group, resource, s.Namespace, s.Name})
		fakenet.WriteJSON(w, http.StatusCreated, review)
		return
	}
	if err := json.NewDecoder(q.Body).Decode(&o); err != nil {
		panic(err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	m := o.meta()
	if _, there := r.objects[types.NamespacedName{Namespace: m.Namespace, Name: m.Name}]; there {
		fakenet.WriteError(w, apierrors.NewAlreadyExists(schema.GroupResource{Resource: r.plural}, m.Name))
		return
	}
	fakenet.WriteJSON(w, http.StatusCreated, a.commit(r, "", o))
}

func (a *api) update(w http.ResponseWriter, r *resource, live object, body []byte) {
	o := object{}
	if err := json.Unmarshal(body, &o); err != nil {
		panic(err)
	}
	if o.meta().ResourceVersion != live.meta().ResourceVersion {
		fakenet.WriteError(w, apierrors.NewConflict(schema.GroupResource{Resource: r.plural}, live.meta().Name, io.ErrNoProgress))
		return
	}
	fakenet.WriteJSON(w, http.StatusOK, a.commit(r, "", o))
}

// patch applies a JSON patch, or a merge patch. A patch under another version is a conflict.
func (a *api) patch(w http.ResponseWriter, r *resource, live object, body []byte) {
	was, err := json.Marshal(live)
	if err != nil {
		panic(err)
	}
	apply := func(was []byte) ([]byte, error) { return jsonpatch.MergePatch(was, body) }
	if body[0] == '[' {
		change, err := jsonpatch.DecodePatch(body)
		if err != nil {
			panic(err)
		}
		apply = change.Apply
	}
	now, err := apply(was)
	if err != nil {
		panic(err)
	}
	a.update(w, r, live, now)
}

func (a *api) list(w http.ResponseWriter, r *resource) {
	out := metav1.PartialObjectMetadataList{TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadataList"}}
	a.set(func() {
		out.ResourceVersion = strconv.Itoa(a.version)
		for _, o := range r.objects {
			out.Items = append(out.Items, *o.meta())
		}
	})
	fakenet.WriteJSON(w, http.StatusOK, out)
}

func (a *api) watch(w http.ResponseWriter, q *http.Request, r *resource) {
	if q.URL.Query().Get("sendInitialEvents") != "" {
		fakenet.WriteError(w, apierrors.NewBadRequest("no streaming"))
		return
	}
	at, err := strconv.Atoi(q.URL.Query().Get("resourceVersion"))
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	for {
		w.(http.Flusher).Flush()
		var changed chan struct{}
		var due []change
		a.set(func() {
			changed = a.changed
			due = slices.DeleteFunc(slices.Clone(r.log), func(c change) bool { return c.version <= at })
		})
		for _, c := range due {
			at = c.version
			_ = json.NewEncoder(w).Encode(map[string]any{"type": c.kind, "object": c.object.meta()})
		}
		w.(http.Flusher).Flush()
		select {
		case <-changed:
		case <-q.Context().Done():
			return
		}
	}
}

// discover answers in the form before aggregated discovery.
func (a *api) discover(w http.ResponseWriter, parts []string) {
	group := ""
	switch {
	case len(parts) == 1 && parts[0] == "api":
		fakenet.WriteJSON(w, http.StatusOK, metav1.APIVersions{Versions: []string{"v1"}})
		return
	case len(parts) == 1:
		v := metav1.GroupVersionForDiscovery{GroupVersion: "apps/v1", Version: "v1"}
		fakenet.WriteJSON(w, http.StatusOK, metav1.APIGroupList{Groups: []metav1.APIGroup{{Name: "apps", Versions: []metav1.GroupVersionForDiscovery{v}, PreferredVersion: v}}})
		return
	case parts[0] == "apis":
		group = parts[1]
	}
	out := metav1.APIResourceList{GroupVersion: schema.GroupVersion{Group: group, Version: "v1"}.String()}
	for _, r := range a.resources {
		if r.group == group && r.verbs != nil {
			out.APIResources = append(out.APIResources, metav1.APIResource{Name: r.plural, Kind: r.kind, Namespaced: r.scoped, Verbs: r.verbs})
		}
	}
	fakenet.WriteJSON(w, http.StatusOK, out)
}
