package clientgo

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// namespaces answers the requests for a fake's namespaces. They have a spec and are
// sent whole, as by an API server.
type namespaces struct {
	t       *testing.T
	live    map[string]*corev1.Namespace
	version int
	moved   func() // called once, after the first read
	put     []string
}

func withNamespaces(t *testing.T, f *fake, list ...*corev1.Namespace) *namespaces {
	n := &namespaces{t: t, live: map[string]*corev1.Namespace{}, version: 100}
	for _, o := range list {
		o.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}
		n.live[o.Name] = o
	}
	f.kinds = append(f.kinds, &fakeKind{kind: "Namespace", plural: "namespaces", versions: []string{"v1"}, objects: map[types.NamespacedName]*meta{}})
	f.fault = n.answer
	return n
}

func (n *namespaces) answer(r *http.Request) *fakeResponse {
	path, is := strings.CutPrefix(r.URL.Path, "/api/v1/namespaces")
	name, part, _ := strings.Cut(strings.Trim(path, "/"), "/")
	switch {
	case !is:
		return nil
	case strings.Contains(r.Header.Get("Accept"), "PartialObjectMetadata"):
		n.t.Errorf("%s %s asks for metadata alone", r.Method, r.URL.Path)
	case name == "" && r.URL.Query().Get("watch") != "":
		return n.watch()
	case name == "":
		list := corev1.NamespaceList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "NamespaceList"}}
		list.ResourceVersion = strconv.Itoa(n.version)
		for _, o := range n.live {
			list.Items = append(list.Items, *o)
		}
		return n.json(200, list)
	case n.live[name] == nil:
		return n.status(404, metav1.StatusReasonNotFound, name)
	case part == "finalize" && r.Method == http.MethodPut:
		return n.finalize(name, r)
	case part == "" && r.Method == http.MethodGet:
		out := n.json(200, n.live[name])
		if n.moved != nil {
			n.moved()
			n.moved = nil
		}
		return out
	}
	n.t.Errorf("%s %s: an unexpected request", r.Method, r.URL.Path)
	return n.status(500, metav1.StatusReasonInternalError, name)
}

// watch sends each object at a new version, and ends.
func (n *namespaces) watch() *fakeResponse {
	body := ""
	for _, o := range n.live {
		now := *o
		n.version++
		now.ResourceVersion = strconv.Itoa(n.version)
		body += `{"type":"MODIFIED","object":` + n.json(200, now).body + "}\n"
	}
	return &fakeResponse{code: 200, body: body}
}

func (n *namespaces) finalize(name string, r *http.Request) *fakeResponse {
	var in corev1.Namespace
	raw, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(raw, &in)
	}
	if err != nil {
		n.t.Error(err)
	}
	live := n.live[name]
	if in.ResourceVersion != live.ResourceVersion || in.UID != live.UID {
		return n.status(409, metav1.StatusReasonConflict, name)
	}
	n.put = append(n.put, fmt.Sprintf("%s labels %v metadata %v spec %v", name, in.Labels, in.Finalizers, in.Spec.Finalizers))
	n.version++
	in.ResourceVersion = strconv.Itoa(n.version)
	n.live[name] = &in
	if in.DeletionTimestamp != nil && len(in.Finalizers)+len(in.Spec.Finalizers) == 0 {
		delete(n.live, name)
	}
	return n.json(200, in)
}

func (n *namespaces) json(code int, o any) *fakeResponse {
	body, err := json.Marshal(o)
	if err != nil {
		n.t.Error(err)
	}
	return &fakeResponse{code: code, body: string(body)}
}

func (n *namespaces) status(code int32, reason metav1.StatusReason, name string) *fakeResponse {
	return n.json(int(code), metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: "Failure", Code: code, Reason: reason,
		Details: &metav1.StatusDetails{Name: name, Kind: "namespaces"},
	})
}

func space(name string, metadata, spec []string) *corev1.Namespace {
	o := &corev1.Namespace{}
	o.Name, o.UID, o.ResourceVersion, o.Labels = name, uidOf(name+"-uid"), "7", map[string]string{"team": "red"}
	o.Finalizers = metadata
	for _, f := range spec {
		o.Spec.Finalizers = append(o.Spec.Finalizers, corev1.FinalizerName(f))
	}
	return o
}
