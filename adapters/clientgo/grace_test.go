package clientgo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/logline"
)

// podKinds are the standard kinds, the pods, and a kind of another group with their name.
func podKinds() []*fakeKind {
	return append(standardKinds(),
		&fakeKind{kind: "Pod", plural: "pods", versions: []string{"v1"}, scoped: true},
		&fakeKind{group: "other.example", kind: "Pod", plural: "pods", versions: []string{"v1"}, scoped: true})
}

// TestKeepsGrace: the store keeps grace periods if its settings name their kinds. A collector takes
// PropagateGrace only then.
func TestKeepsGrace(t *testing.T) {
	for _, c := range []struct {
		kinds  []graph.Kind
		keeps  bool
		fault  string
		reason string
	}{
		{nil, false, "", "by default no annotation counts"},
		{[]graph.Kind{"Pod"}, true, "", "pods"},
		{[]graph.Kind{"Pod", ""}, false, "GraceKinds: empty kind", "an empty kind"},
	} {
		s, err := New(newFake().serve(t), Config{GraceKinds: c.kinds})
		if c.fault != "" {
			if !errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%s: %v, want %q", c.reason, err, c.fault)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		g, is := ownergraph.As[ownergraph.Gracer](s)
		_, err = ownergraph.New(s, ownergraph.Config{PropagateGrace: []graph.Kind{"Pod"}})
		if !is || g.KeepsGrace() != c.keeps || (err == nil) != c.keeps {
			t.Errorf("%s: the store keeps grace periods: %t, and a collector says %v", c.reason, !c.keeps, err)
		}
	}
}

// TestDeleteGrace: a delete of a pod carries the shorter period, after one read. All other deletes carry
// what the options say, without a read.
func TestDeleteGrace(t *testing.T) {
	const both, one = "get a, delete a", "delete a"
	for _, c := range []struct {
		kind    graph.Kind
		own     any // nil for a pod without the field
		carried int64
		always  bool // without GraceAtMost
		want    int64
		calls   string
		reason  string
	}{
		{"Pod", 30, 5, false, 5, both, "the carried one is shorter"},
		{"Pod", 2, 5, false, 2, both, "the pod's own is shorter"},
		{"Pod", 5, 5, false, 5, both, "they are equal"},
		{"Pod", 0, 5, false, 0, both, "a pod without a period ends at once"},
		{"Pod", nil, 5, false, 5, both, "a pod without the field"},
		{"Pod", -1, 5, false, 5, both, "no server has such a pod, and a negative one would be sent"},
		{"Pod", int64(math.MaxInt64), 5, false, 5, both, "a number that no float has"},
		{"Pod", 2, 5, true, 5, one, "an exact period"},
		{"ConfigMap", 2, 5, false, 5, one, "another kind"},
		{"other.example/Pod", 2, 5, false, 5, one, "the name of the kind in another group"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			bubble(t, newFake(podKinds()...), Config{}, func(r *rig) {
				if c.own != nil {
					r.podGrace = map[string]any{"a": c.own}
				}
				m := r.create(c.kind, named("ns", "a"))
				discoverFirst(r)
				opts := graph.DeleteOptions{Precondition: exactly(m), Propagation: graph.Background, GraceSeconds: &c.carried, GraceAtMost: !c.always}
				if err := r.store.Delete(r.t.Context(), key(c.kind, "ns", "a"), opts); err != nil {
					t.Fatal(err)
				}
				if got := strings.Join(r.takeCalls(), ", "); got != c.calls {
					t.Errorf("it took %q, want %q", got, c.calls)
				}
				left := int64(0)
				if o := r.stored(c.kind, "ns", "a"); o != nil {
					left = *o.DeletionGracePeriodSeconds
				}
				if left != c.want || c.carried != 5 {
					t.Errorf("the mark has %d s, and the options %d s; want %d s", left, c.carried, c.want)
				}
			})
		})
	}
}

// discoverFirst takes the requests of the discovery out of the calls.
func discoverFirst(r *rig) {
	r.t.Helper()
	if _, err := r.store.discover(r.t.Context(), time.Now()); err != nil {
		r.t.Fatal(err)
	}
	r.takeCalls()
}

// TestDeleteGraceNone: GraceAtMost without a period changes nothing.
func TestDeleteGraceNone(t *testing.T) {
	bubble(t, newFake(podKinds()...), Config{}, func(r *rig) {
		m := r.create("Pod", named("ns", "a"))
		discoverFirst(r)
		if err := r.store.Delete(r.t.Context(), key("Pod", "ns", "a"), graph.DeleteOptions{Precondition: exactly(m), GraceAtMost: true}); err != nil {
			t.Fatal(err)
		}
		r.want(r.takeCalls(), "delete a")
	})
}

// TestDeleteGraceFaults: no delete is sent unless the read shows the pod of the precondition.
func TestDeleteGraceFaults(t *testing.T) {
	whole := func(metadata, spec string) fakeResponse {
		return fakeResponse{code: http.StatusOK, body: `{"kind":"Pod","apiVersion":"v1","metadata":` + metadata + `,"spec":` + spec + `}`}
	}
	const here = `{"namespace":"ns","name":"a","uid":"uid-1"}`
	for _, c := range []struct {
		answer fakeResponse
		want   error // nil for a transient error
		after  time.Duration
		reason string
	}{
		{fakeResponse{code: 404, body: `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404,"details":{"name":"a","kind":"pods"}}`}, graph.ErrNotFound, 0, "the pod is gone"},
		{fakeResponse{code: 404, body: "404 page not found"}, graph.ErrKindUnknown, 0, "a server that starts"},
		{fakeResponse{code: 403}, graph.ErrRefused, 0, "the right to get pods is missing"},
		{fakeResponse{code: 500}, nil, 0, "a server that breaks"},
		{fakeResponse{code: 429, after: 7}, nil, 7 * time.Second, "too many requests"},
		{whole(`{"namespace":"ns","name":"a","uid":"other"}`, `{}`), graph.ErrConflict, 0, "another incarnation"},
		{whole(`{"namespace":"ns","name":"a"}`, `{}`), nil, 0, "no UID"},
		{whole(`{"namespace":"ns","name":"b","uid":"uid-1"}`, `{}`), nil, 0, "another name"},
		{whole(`{"namespace":"other","name":"a","uid":"uid-1"}`, `{}`), nil, 0, "another namespace"},
		{whole(here, `{"terminationGracePeriodSeconds":"2"}`), nil, 0, "a text in place of the number"},
		{whole(here, `{"terminationGracePeriodSeconds":1e30}`), nil, 0, "a number beyond the type"},
		{whole(here, `[]`), nil, 0, "a list in place of the spec"},
		{fakeResponse{code: http.StatusOK, body: "a page"}, nil, 0, "no JSON"},
		{fakeResponse{hang: true}, context.DeadlineExceeded, 0, "no answer"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			bubble(t, newFake(podKinds()...), Config{}, func(r *rig) {
				m, seconds := r.create("Pod", named("ns", "a")), int64(5)
				discoverFirst(r)
				r.fault = func(*http.Request) *fakeResponse { return &c.answer }
				ctx, cancel := context.WithTimeout(r.t.Context(), time.Minute)
				defer cancel()
				err := r.store.Delete(ctx, key("Pod", "ns", "a"), graph.DeleteOptions{Precondition: exactly(m), GraceSeconds: &seconds, GraceAtMost: true})
				r.want(r.takeCalls(), "get a")
				if c.want == context.DeadlineExceeded {
					if !errors.Is(err, c.want) {
						t.Errorf("got %v, want %v", err, c.want)
					}
					return
				}
				only(t, c.reason, err, c.want)
				var l interface{ RetryAfter() time.Duration }
				if got := errors.As(err, &l); got != (c.after > 0) || got && l.RetryAfter() != c.after {
					t.Errorf("%v: retry after: %t, want %v", err, got, c.after)
				}
				if err != nil && !strings.HasPrefix(err.Error(), "delete Pod/ns/a: ") {
					t.Errorf("the error does not name its verb and object: %v", err)
				}
			})
		})
	}
}

// TestDeleteGraceAfterRewind: a rewind that shows during the read stops the delete, because the decision
// is of the former history.
func TestDeleteGraceAfterRewind(t *testing.T) {
	bubble(t, newFake(podKinds()...), Config{}, func(r *rig) {
		m, seconds := r.create("Pod", named("ns", "a")), int64(5)
		discoverFirst(r)
		r.fault = func(q *http.Request) *fakeResponse {
			if q.Method == http.MethodGet {
				_ = r.store.history.observe("ConfigMap", "7", "9", 0)
			}
			return nil
		}
		err := r.store.Delete(r.t.Context(), key("Pod", "ns", "a"), graph.DeleteOptions{Precondition: exactly(m), GraceSeconds: &seconds, GraceAtMost: true})
		if !errors.Is(err, errRewound) {
			t.Errorf("got %v", err)
		}
		r.want(r.takeCalls(), "get a")
	})
}

// TestGraceAnnotation: the annotation gives a marked object its grace period while a finalizer keeps it.
// The server's own period counts before it. A dump computes the time of the mark by the server's own.
func TestGraceAnnotation(t *testing.T) {
	end := metav1.NewTime(time.Date(2030, 1, 2, 3, 4, 35, 0, time.UTC))
	for _, c := range []struct {
		kind       graph.Kind
		value      string
		own        int64 // -1 for none
		unmarked   bool
		finalizers []string
		want       int64
		reason     string
	}{
		{"ConfigMap", "5", 0, false, []string{"foregroundDeletion"}, 5, "a foreground deletion"},
		{"ConfigMap", "5", -1, false, []string{"x"}, 5, "a mark without a period of its own"},
		{"ConfigMap", "5", 30, false, []string{"x"}, 30, "a server that keeps the period of the kind"},
		{"ConfigMap", "5", 0, false, nil, 0, "it goes at once"},
		{"ConfigMap", "5", 0, true, []string{"x"}, 0, "no deletion, no period"},
		{"Pod", "5", 0, false, []string{"foregroundDeletion"}, 0, "the server keeps the period of a pod"},
		{"other.example/Pod", "5", 0, false, []string{"x"}, 5, "the name of the kind in another group"},
		{"ConfigMap", "2", 0, false, []string{"x"}, 2, "the least"},
		{"ConfigMap", "1", 0, false, []string{"x"}, 0, "a guard cannot shorten it"},
		{"apps/Deployment", "5", 0, false, []string{"foregroundDeletion"}, 0, "the settings do not name the kind"},
		{"ConfigMap", "2147483647", 0, false, []string{"x"}, math.MaxInt32, "the most"},
		{"ConfigMap", "2147483648", 0, false, []string{"x"}, 0, "more than that"},
		{"ConfigMap", "0", 0, false, []string{"x"}, 0, "0 is none"},
		{"ConfigMap", "-5", 0, false, []string{"x"}, 0, "negative"},
		{"ConfigMap", "+5", 0, false, []string{"x"}, 0, "a sign"},
		{"ConfigMap", "5s", 0, false, []string{"x"}, 0, "a unit"},
		{"ConfigMap", " 5", 0, false, []string{"x"}, 0, "a space"},
		{"ConfigMap", "0x5", 0, false, []string{"x"}, 0, "no decimal number"},
		{"ConfigMap", "5.5", 0, false, []string{"x"}, 0, "a part of a second"},
		{"ConfigMap", "", 0, false, []string{"x"}, 0, "an empty value"},
		{"ConfigMap", strings.Repeat("9", 1<<16), 0, false, []string{"x"}, 0, "a number beyond all types"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			bubble(t, newFake(podKinds()...), Config{GraceKinds: []graph.Kind{"ConfigMap", "Pod", "other.example/Pod"}}, func(r *rig) {
				m := named("ns", "a")
				m.Annotations, m.Finalizers = map[string]string{GraceAnnotation: c.value}, c.finalizers
				if !c.unmarked {
					m.DeletionTimestamp = &end
				}
				if c.own >= 0 && !c.unmarked {
					m.DeletionGracePeriodSeconds = &c.own
				}
				r.create(c.kind, m)
				o, err := r.store.Get(r.t.Context(), key(c.kind, "ns", "a"))
				if err != nil || o.GraceSeconds != c.want {
					t.Errorf("a read has %d s, %v, want %d s", o.GraceSeconds, err, c.want)
				}
				if flaw := graph.Flaw(o, graph.Limits{}); flaw != nil {
					t.Errorf("the object is flawed: %v", flaw)
				}
				dumped, err := r.store.Dump(r.t.Context(), "")
				if err != nil || len(dumped.Objects) != 1 || !dumped.Objects[0].Equal(o) {
					t.Fatalf("a dump has %+v, %v", dumped.Objects, err)
				}
				if at := end.Add(-time.Duration(max(c.own, 0)) * time.Second); !c.unmarked && !dumped.Objects[0].MarkedAt.Equal(at) {
					t.Errorf("a dump has a mark of %v, want %v", dumped.Objects[0].MarkedAt, at)
				}
				r.watch()
				pass(time.Minute)
				if listed := r.live[o.Key]; !listed.Equal(o) {
					t.Errorf("a watch has %+v", listed)
				}
			})
		})
	}
}

// TestGraceAnnotationUnreadable: a value that cannot be read has one line in a minute, which names the
// object and the annotation, and repeats no long value. A deletion is not needed for it.
func TestGraceAnnotationUnreadable(t *testing.T) {
	bubble(t, newFake(podKinds()...), Config{GraceKinds: []graph.Kind{"ConfigMap", "Pod"}}, func(r *rig) {
		var out written
		r.store.log = logline.New(slog.New(slog.NewTextHandler(&out, nil)))
		lines := func() []string {
			pass(time.Second)
			return of(strings.Split(out.take(), "\n"), "a grace period cannot be read")
		}
		with := func(name, value string) meta {
			m := named("ns", name)
			m.Annotations = map[string]string{GraceAnnotation: value}
			return m
		}
		r.create("ConfigMap", with("good", "5"))
		r.create("Pod", with("pod", "later"))
		r.watch()
		if got := lines(); len(got) != 0 {
			t.Errorf("values that are not wrong: %q", got)
		}
		for i := range 3 {
			r.create("ConfigMap", with(fmt.Sprint("bad", i), "later"))
		}
		got := lines()
		if len(got) != 1 || !strings.Contains(got[0], "level=WARN") || !strings.Contains(got[0], "ConfigMap/ns/bad0") || !strings.Contains(got[0], "annotation "+GraceAnnotation+`: \"later\" is no number`) {
			t.Errorf("three values of one cause: %q", got)
		}
		pass(time.Minute)
		r.update("ConfigMap", "ns", "bad1", func(m *meta) { m.Labels = map[string]string{"x": "y"} })
		if got := lines(); len(got) != 1 || !strings.Contains(got[0], "others=2") {
			t.Errorf("after a minute: %q", got)
		}
		r.create("ConfigMap", with("long", strings.Repeat("x", 1<<16)))
		if got := lines(); len(got) != 1 || len(got[0]) > 512 {
			t.Errorf("%d lines for a long value", len(got))
		}
	})
}

// written is a log that goroutines of a store write to.
type written struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *written) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

// take returns what was written since the last call.
func (w *written) take() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer w.text.Reset()
	return w.text.String()
}
