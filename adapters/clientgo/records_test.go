package clientgo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ownergraph/ownergraph/adapters/clientgo/internal/fakenet"
	"github.com/ownergraph/ownergraph/graph"
)

// annotations returns the annotations of a ConfigMap of the fake, nil without one.
func (r *rig) annotations(scope, name string) map[string]string {
	r.fake.mu.Lock()
	defer r.fake.mu.Unlock()
	o := r.kindOf("ConfigMap").objects[types.NamespacedName{Namespace: scope, Name: name}]
	if o == nil {
		return nil
	}
	return o.DeepCopy().Annotations
}

// TestRecordLayout: text is in data and other values are in binaryData, never both. Each write
// is one request. What others have written stays.
func TestRecordLayout(t *testing.T) {
	for _, c := range []struct {
		config             Config
		scope, name        string
		value, key, stored string
		reason             string
	}{
		{Config{}, "kube-system", "ownergraph-pause", `{"paused":true}`, "data/value", `{"paused":true}`, "the defaults, and text"},
		{Config{RecordNamespace: "tools", RecordPrefix: "gc.east-"}, "tools", "gc.east-pause", "", "data/value", "", "no bytes are text"},
		{Config{}, "kube-system", "ownergraph-pause", "a\tb\n", "data/value", "a\tb\n", "text of several lines"},
		{Config{}, "kube-system", "ownergraph-pause", "\xff", "binaryData/value", "/w==", "data has UTF-8 only"},
		{Config{}, "kube-system", "ownergraph-pause", "a\x00", "binaryData/value", "YQA=", "an editor cannot show a zero byte"},
	} {
		bubble(t, newFake(standardKinds()...), c.config, func(r *rig) {
			version := graph.Version("")
			for n, value := range []string{c.value, "\x01", c.value, "text", c.value} {
				next, err := r.store.WriteRecord(r.t.Context(), "pause", []byte(value), version)
				if err != nil {
					t.Fatalf("write %d: %v", n, err)
				}
				version = next
				if n == 0 {
					other := r.update("ConfigMap", c.scope, c.name, func(m *meta) { m.Annotations["data/other"] = "kept" })
					version = graph.Version(other.ResourceVersion)
				}
			}
			got := r.annotations(c.scope, c.name)
			_, inText := got["data/value"]
			_, inBytes := got["binaryData/value"]
			if got[c.key] != c.stored || inText == inBytes || got["data/other"] != "kept" || got["data/write"] == "" {
				t.Errorf("%q is stored as %q: %s", c.value, got, c.reason)
			}
			r.want(r.takeCalls(), "post configmaps", "patch "+c.name, "patch "+c.name, "patch "+c.name, "patch "+c.name)
		})
	}
}

// TestRecordErrors: only a 404 that names the ConfigMap proves absence, and only to a read. A
// definite answer to a write means that nothing is done.
func TestRecordErrors(t *testing.T) {
	gone := func(resource, name string) func(w http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			fakenet.WriteError(w, apierrors.NewNotFound(schema.GroupResource{Resource: resource}, name))
		}
	}
	body := func(write func(w http.ResponseWriter)) fakeResponse {
		rec := newAnswer()
		write(rec)
		return fakeResponse{code: rec.code, body: rec.body.String()}
	}
	for _, c := range []struct {
		fault       fakeResponse
		read, write error // nil: an error of unknown outcome
		reason      string
	}{
		{body(gone("configmaps", "ownergraph-pause")), graph.ErrNotFound, graph.ErrConflict, "the ConfigMap is absent: the record has gone since"},
		{body(gone("configmaps", "other")), nil, nil, "another ConfigMap is absent"},
		{body(gone("namespaces", "kube-system")), nil, graph.ErrRefused, "there is no namespace for it"},
		{body(gone("namespaces", "other")), nil, nil, "another namespace is absent"},
		{fakeResponse{code: 404, body: "404 page not found"}, nil, nil, "a page of a proxy"},
		{fakeResponse{code: 403}, graph.ErrRefused, graph.ErrRefused, "a right is missing"},
		{fakeResponse{code: 422}, graph.ErrRefused, graph.ErrRefused, "an immutable ConfigMap, or an admission policy"},
		{fakeResponse{code: 409}, nil, graph.ErrConflict, "another writer came first"},
		{fakeResponse{code: 500}, nil, nil, "the server fails"},
		{fakeResponse{code: 503}, nil, nil, "it is down"},
	} {
		bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
			version, err := r.store.WriteRecord(r.t.Context(), "pause", []byte("a"), "")
			if err != nil {
				t.Fatal(err)
			}
			r.fault = func(*http.Request) *fakeResponse { return &c.fault }
			_, readErr := r.store.ReadRecord(r.t.Context(), "pause")
			_, newErr := r.store.WriteRecord(r.t.Context(), "pause", []byte("b"), "")
			_, writeErr := r.store.WriteRecord(r.t.Context(), "pause", []byte("b"), version)
			for what, got := range map[string][2]error{"read": {readErr, c.read}, "create": {newErr, c.write}, "write": {writeErr, c.write}} {
				if is := sentinel(got[0]); got[0] == nil || is != got[1] || !strings.Contains(got[0].Error(), "record ConfigMap/kube-system/ownergraph-pause") {
					t.Errorf("%s after %d %.60q: %v is %v, want %v: %s", what, c.fault.code, c.fault.body, got[0], is, got[1], c.reason)
				}
			}
			r.fault = nil
			if got, err := r.store.ReadRecord(r.t.Context(), "pause"); err != nil || string(got.Value) != "a" || got.Version != version {
				t.Errorf("afterwards %+v, %v", got, err)
			}
		})
	}
}

// sentinel returns the one meaning of an error, nil for none.
func sentinel(err error) error {
	for _, is := range []error{graph.ErrNotFound, graph.ErrConflict, graph.ErrKindUnknown, graph.ErrRefused, graph.ErrInvalid} {
		if errors.Is(err, is) {
			return is
		}
	}
	return nil
}

// answer records an answer of the fake.
type answer struct {
	code   int
	header http.Header
	body   strings.Builder
}

func newAnswer() *answer                         { return &answer{header: http.Header{}} }
func (a *answer) Header() http.Header            { return a.header }
func (a *answer) WriteHeader(code int)           { a.code = code }
func (a *answer) Write(part []byte) (int, error) { return a.body.Write(part) }

// TestRecordEdges are states that no record has, and a version that would be no condition.
func TestRecordEdges(t *testing.T) {
	bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
		r.create("ConfigMap", named("kube-system", "ownergraph-pause"))
		if _, err := r.store.ReadRecord(r.t.Context(), "pause"); !errors.Is(err, errNoRecord) || sentinel(err) != nil {
			t.Errorf("a ConfigMap without a value: %v", err)
		}
		if _, err := r.store.WriteRecord(r.t.Context(), "pause", nil, ""); !errors.Is(err, graph.ErrConflict) {
			t.Errorf("a new record in its place: %v", err)
		}
		for _, version := range []graph.Version{"0", "000"} {
			r.takeCalls()
			_, err := r.store.WriteRecord(r.t.Context(), "pause", nil, version)
			if calls := r.takeCalls(); !errors.Is(err, graph.ErrConflict) || len(calls) > 0 {
				t.Errorf("version %q: %v, after the requests %q", version, err, calls)
			}
		}
		made, err := r.store.WriteRecord(r.t.Context(), "brake", []byte("a"), "")
		if err != nil {
			t.Fatal(err)
		}
		r.delete("ConfigMap", "kube-system", "ownergraph-brake", graph.Background)
		if _, err := r.store.WriteRecord(r.t.Context(), "brake", []byte("b"), made); !errors.Is(err, graph.ErrConflict) {
			t.Errorf("a write of a removed record: %v", err)
		}
		if _, err := r.store.ReadRecord(r.t.Context(), "brake"); !errors.Is(err, graph.ErrNotFound) {
			t.Errorf("a read of a removed record: %v", err)
		}
	})
	bubble(t, newFake(standardKinds()...), Config{RecordNamespace: "absent"}, func(r *rig) {
		if _, err := r.store.ReadRecord(r.t.Context(), "pause"); !errors.Is(err, graph.ErrNotFound) {
			t.Errorf("a read without the namespace: %v", err)
		}
		if _, err := r.store.WriteRecord(r.t.Context(), "pause", nil, ""); sentinel(err) != graph.ErrRefused {
			t.Errorf("a write without the namespace: %v", err)
		}
	})
}

// TestRecordIsSentOnce: a write whose answer is lost is sent once, and is a sign that the
// server was lost. It needs no discovery.
func TestRecordIsSentOnce(t *testing.T) {
	bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
		r.fault = func(*http.Request) *fakeResponse { return &fakeResponse{hang: true} }
		ctx, cancel := context.WithTimeout(r.t.Context(), time.Second)
		defer cancel()
		if _, err := r.store.WriteRecord(ctx, "pause", nil, ""); !errors.Is(err, context.DeadlineExceeded) || sentinel(err) != nil {
			t.Errorf("without an answer: %v", err)
		}
		r.locked(func() {
			r.fault = func(*http.Request) *fakeResponse { return &fakeResponse{code: 429, after: 1} }
		})
		var later interface{ RetryAfter() time.Duration }
		if _, err := r.store.WriteRecord(r.t.Context(), "pause", nil, ""); !errors.As(err, &later) || later.RetryAfter() != time.Second {
			t.Errorf("too many requests: %v", err)
		}
		if calls := r.takeCalls(); !slices.Equal(calls, []string{"post configmaps", "post configmaps"}) {
			t.Errorf("requests %q, want one for each write", calls)
		}
		if r.store.losses.signs != 1 {
			t.Errorf("%d signs of a loss, want one", r.store.losses.signs)
		}
	})
}

func TestRecordConfig(t *testing.T) {
	for _, c := range []struct {
		config Config
		want   string // of the error's text; "" for none
		reason string
	}{
		{Config{}, "", "the zero value works"},
		{Config{RecordNamespace: "a", RecordPrefix: "a.b-"}, "", "a name may have dots"},
		{Config{RecordPrefix: strings.Repeat("a", 190)}, "", "the longest prefix"},
		{Config{RecordPrefix: strings.Repeat("a", 191)}, "RecordPrefix", "a name of 63 bytes has no room"},
		{Config{RecordPrefix: "A"}, "RecordPrefix", "no name of a ConfigMap"},
		{Config{RecordPrefix: "a/"}, "RecordPrefix", "it would be another path"},
		{Config{RecordNamespace: "a/b"}, "RecordNamespace", "it would be another path"},
		{Config{RecordNamespace: "a.b"}, "RecordNamespace", "no name of a namespace"},
	} {
		_, err := New(newFake().serve(t), c.config)
		if (err == nil) != (c.want == "") || err != nil && (!errors.Is(err, graph.ErrInvalid) || !strings.HasPrefix(err.Error(), fmt.Sprintf("new store: %s: ", c.want))) {
			t.Errorf("New(%+v): %v, want %q: %s", c.config, err, c.want, c.reason)
		}
	}
}
