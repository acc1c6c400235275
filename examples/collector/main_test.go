package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	authorization "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestWrongFlags(t *testing.T) {
	t.Setenv("KUBECONFIG", "")
	for _, c := range []struct {
		args   string
		code   int
		want   string
		reason string
	}{
		{"-acts", 2, "flag provided but not defined: -acts", "an unknown flag"},
		{"-act now", 2, `unexpected argument "now"`, "an argument"},
		{"-lease ownergraph", 2, "is not of the form namespace/name", "half a lease"},
		{"-log loud", 2, `invalid value "loud" for flag -log`, "an unknown level"},
		{"-workers -1 -kubeconfig ok", 2, "Workers: negative", "the engine refuses it"},
		{"-lease a/b -lease-duration 1s -kubeconfig ok", 2, "Lease.Duration: 1s is less than 5s", "the program refuses it"},
		{"-kubeconfig nowhere", 2, `-kubeconfig "nowhere", $KUBECONFIG "": stat nowhere`, "a missing file"},
		{"-act", 2, `-kubeconfig "", $KUBECONFIG "": unable to load in-cluster configuration`, "outside of a cluster"},
		{"-listen nowhere -kubeconfig ok", 1, "Listen: listen tcp: address nowhere", "the machine refuses it"},
		{"-h", 0, "-kubeconfig file", "the user wants help"},
	} {
		args := strings.Fields(strings.ReplaceAll(c.args, "ok", kubeconfig(t, "https://127.0.0.1:1")))
		var out, errs bytes.Buffer
		if code := start(t.Context(), args, &out, &errs); code != c.code || !strings.Contains(errs.String(), c.want) || out.Len() > 0 {
			t.Errorf("%q: exit %d, %s, want %d and %q: %s", c.args, code, &errs, c.code, c.want, c.reason)
		}
	}
}

// TestConnect: the flag goes before the environment, and the environment before the
// cluster that the program runs in.
func TestConnect(t *testing.T) {
	one, two := kubeconfig(t, "https://one.example"), kubeconfig(t, "https://two.example")
	for _, c := range []struct {
		flag, environment string
		host, fails       string
		reason            string
	}{
		{one, "", "https://one.example", "", "the flag alone"},
		{"", two, "https://two.example", "", "the environment alone"},
		{one, two, "https://one.example", "", "the flag goes first"},
		{"", filepath.Join(t.TempDir(), "none") + string(filepath.ListSeparator) + two, "https://two.example", "", "a list: a missing file is left out, as in kubectl"},
		{"", "nowhere", "", "no configuration has been provided", "all files of the list are missing"},
		{"", "", "", "unable to load in-cluster configuration", "neither"},
	} {
		t.Setenv("KUBECONFIG", c.environment)
		server, err := connect(c.flag)
		switch {
		case c.fails != "":
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s: %v, want %q", c.reason, err, c.fails)
			}
		case err != nil || server.Host != c.host:
			t.Errorf("%s: %v, %v, want %s", c.reason, server, err, c.host)
		}
	}
}

func kubeconfig(t *testing.T, server string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "config")
	content := fmt.Sprintf(`{"apiVersion": "v1", "kind": "Config", "current-context": "c",
		"contexts": [{"name": "c", "context": {"cluster": "c"}}], "clusters": [{"name": "c", "cluster": {"server": %q}}]}`, server)
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// server has one ConfigMap whose owner is gone.
type server struct {
	deleted chan string
}

// ServeHTTP answers the requests of a collector.
func (s server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	left := metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadata"}}
	left.Namespace, left.Name, left.UID, left.ResourceVersion = "ns", "left", "u1", "7"
	left.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "gone", UID: "u2"}}
	answer := func(code int, v any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(v)
	}
	refuse := func(code int32, reason metav1.StatusReason, of *metav1.StatusDetails) {
		answer(int(code), metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure, Code: code, Reason: reason, Details: of})
	}
	q := r.URL.Query()
	switch at := r.URL.Path; {
	case at == "/api":
		answer(200, metav1.APIVersions{Versions: []string{"v1"}})
	case at == "/apis":
		answer(200, metav1.APIGroupList{})
	case at == "/api/v1":
		answer(200, metav1.APIResourceList{GroupVersion: "v1", APIResources: []metav1.APIResource{
			{Name: "configmaps", Kind: "ConfigMap", Namespaced: true, Verbs: []string{"delete", "list", "watch"}},
		}})
	case strings.HasSuffix(at, "/selfsubjectaccessreviews"):
		answer(201, authorization.SelfSubjectAccessReview{})
	case q.Get("sendInitialEvents") != "":
		refuse(400, metav1.StatusReasonBadRequest, nil)
	case q.Get("watch") != "":
		w.Header().Set("Content-Type", "application/json")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	case at == "/api/v1/configmaps":
		list := metav1.PartialObjectMetadataList{TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadataList"}}
		list.ResourceVersion, list.Items = "8", []metav1.PartialObjectMetadata{left}
		answer(200, list)
	case r.Method == "DELETE":
		s.deleted <- at
		answer(200, metav1.Status{Status: "Success"})
	default:
		refuse(404, metav1.StatusReasonNotFound, &metav1.StatusDetails{Kind: "configmaps", Name: "gone"})
	}
}

// TestRun: with -act the program deletes an object whose owner is gone. It runs until
// its context ends.
func TestRun(t *testing.T) {
	s := server{make(chan string, 1)}
	api := httptest.NewServer(s)
	defer api.Close()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan int)
	var errs bytes.Buffer
	go func() {
		ended <- start(ctx, []string{"-kubeconfig", kubeconfig(t, api.URL), "-act", "-listen", "127.0.0.1:0"}, &errs, &errs)
	}()
	select {
	case got := <-s.deleted:
		if got != "/api/v1/namespaces/ns/configmaps/left" {
			t.Errorf("deleted %s", got)
		}
		cancel()
	case code := <-ended:
		t.Fatalf("exit %d: %s", code, &errs)
	}
	if code := <-ended; code != 0 {
		t.Errorf("exit %d: %s", code, &errs)
	}
}

func TestCheck(t *testing.T) {
	api := httptest.NewServer(server{})
	defer api.Close()
	var out, errs bytes.Buffer
	code := start(t.Context(), []string{"-kubeconfig", kubeconfig(t, api.URL), "-events", "-check"}, &out, &errs)
	const want = "create events\nget *.*\nlist *.*\nwatch *.*\n"
	if code != 1 || out.String() != want || !strings.Contains(errs.String(), "4 rights are missing") {
		t.Errorf("exit %d, %q, %s", code, &out, &errs)
	}
}
