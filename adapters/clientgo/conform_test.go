package clientgo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/ownergraph/ownergraph/adapters/storetest"
	"github.com/ownergraph/ownergraph/annotation"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/portion"
)

// users are the clients of a fake for the kit.
type users struct {
	*fake
	store *Store
}

func (u users) Create(_ context.Context, o graph.Object) (graph.Object, error) {
	if err := graph.Validate(o, graph.Limits{}); err != nil {
		return graph.Object{}, fmt.Errorf("%w: %w", graph.ErrRefused, err)
	}
	m := named(o.Scope, o.Name)
	if err := u.write(&m, o, nil); err != nil {
		return graph.Object{}, err
	}
	if err := u.vacant(o.Key); err != nil {
		return graph.Object{}, err
	}
	return u.read(o.Kind, u.create(o.Kind, m)), nil
}

// vacant returns an error if the key's place has an object, or if its kind is not served.
func (u users) vacant(key graph.Key) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case !u.serves(key.Kind):
		return graph.ErrKindUnknown
	case u.kindOf(key.Kind).objects[types.NamespacedName{Namespace: key.Scope, Name: key.Name}] != nil:
		return graph.ErrConflict
	}
	return nil
}

func (u users) serves(kind graph.Kind) bool {
	return slices.ContainsFunc(u.kinds, func(k *fakeKind) bool { return kindName(k.group, k.kind) == kind })
}

// write writes the references and finalizers of an object as a client does.
func (u users) write(m *meta, o graph.Object, were []metav1.OwnerReference) error {
	var own []metav1.OwnerReference
	var annotated []annotation.Reference
	for i, r := range u.references(o.Owners, were) {
		if d := o.Owners[i].OnDelete; d == graph.OnDeleteUnset {
			own = append(own, r)
		} else {
			annotated = append(annotated, withPolicy(&r, d))
		}
	}
	m.Finalizers = slices.Clone(o.Finalizers)
	if err := writeOwners(o.Key, m, own, annotated); err != nil {
		return fmt.Errorf("%w: %w", graph.ErrRefused, err)
	}
	return nil
}

func (u users) Update(_ context.Context, o graph.Object) (graph.Object, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.serves(o.Kind) {
		return graph.Object{}, graph.ErrKindUnknown
	}
	k := u.kindOf(o.Kind)
	live := k.objects[types.NamespacedName{Namespace: o.Scope, Name: o.Name}]
	switch {
	case live == nil:
		return graph.Object{}, graph.ErrNotFound
	case !(graph.Precondition{UID: o.UID, Version: o.Version}).Holds(rulesView(live)):
		return graph.Object{}, graph.ErrConflict
	}
	m := live.DeepCopy()
	were := slices.Clone(live.OwnerReferences)
	refs, _ := annotated(o.Kind, live) // a value that cannot be read has none
	for i := range refs {
		were = append(were, ownerReference(&refs[i]))
	}
	if err := u.write(m, o, were); err != nil {
		return graph.Object{}, err
	}
	out, err := u.fake.store(k, m)
	if err != nil {
		return graph.Object{}, err
	}
	return u.read(o.Kind, out), nil
}

func (u users) Delete(_ context.Context, key graph.Key, opts graph.DeleteOptions) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.serves(key.Kind) {
		return graph.ErrKindUnknown
	}
	k := u.kindOf(key.Kind)
	live := k.objects[types.NamespacedName{Namespace: key.Scope, Name: key.Name}]
	if live == nil {
		return graph.ErrNotFound
	}
	return u.remove(k, live, opts)
}

func (u users) read(kind graph.Kind, m *meta) graph.Object {
	return u.store.catalog.Load().objectOf(kind, m)
}

// references returns references as a client writes them. A former reference keeps its
// apiVersion.
func (u users) references(list []graph.Owner, were []metav1.OwnerReference) []metav1.OwnerReference {
	var out []metav1.OwnerReference
	for _, r := range list {
		i := slices.IndexFunc(were, func(m metav1.OwnerReference) bool { return graph.UID(m.UID) == r.UID && m.Name == r.Name })
		group, _, _ := strings.Cut(string(r.Kind), "/")
		ref := reference("none/v1", r)
		for _, k := range u.kinds {
			if kindName(k.group, k.kind) == r.Kind {
				ref.APIVersion = strings.TrimPrefix(group+"/v1", string(r.Kind)+"/")
			}
		}
		if i >= 0 {
			ref.APIVersion = were[i].APIVersion
		}
		block, control := r.Block, r.Controller
		ref.BlockOwnerDeletion, ref.Controller = &block, &control
		out = append(out, ref)
	}
	return out
}

// subject returns a store of a fake with every hook.
func subject(tb storetest.TB, f *fake, c Config) storetest.Subject {
	s, err := subjectAt(tb, f, f.serve(tb), c)
	if err != nil {
		tb.Fatalf("new store: %v", err)
	}
	return s
}

func subjectAt(tb storetest.TB, f *fake, at *rest.Config, c Config) (storetest.Subject, error) {
	s, err := New(at, c)
	if err == nil {
		_, err = s.discover(tb.Context(), time.Now())
	}
	if err != nil {
		return storetest.Subject{}, err
	}
	tb.Cleanup(s.client.http.CloseIdleConnections)
	return storetest.Subject{
		Store: s, Client: users{f, s},
		Label:   f.label,
		Compact: done(f.compact), Break: done(f.breakWatches), Sicken: f.sicken, Vanish: f.vanish,
		Backup:  func(context.Context) (func(context.Context) error, error) { return done(f.backup()), nil },
		Restart: func(context.Context) (storetest.Subject, error) { return subjectAt(tb, f, at, c) },
		Second:  func(context.Context) (storetest.Subject, error) { return subjectAt(tb, f, at, c) },
		Outage:  f.outage,
	}, nil
}

func done(do func()) func(context.Context) error {
	return func(context.Context) error { do(); return nil }
}

// outage makes every request fail, except those of the kit's clients.
func (f *fake) outage(context.Context) (func(context.Context) error, error) {
	f.locked(func() {
		f.fault = func(*http.Request) *fakeResponse { return &fakeResponse{code: 503} }
		f.endWatches()
	})
	return done(func() { f.locked(func() { f.fault = nil }) }), nil
}

// sicken makes every request for a kind fail, except those of the kit's clients.
func (f *fake) sicken(_ context.Context, kind graph.Kind) (func(context.Context) error, error) {
	f.locked(func() { f.failKind(kind) })
	return done(func() { f.locked(func() { f.fault = nil }) }), nil
}

func (f *fake) failKind(kind graph.Kind) {
	plural := f.kindOf(kind).plural
	f.fault = func(r *http.Request) *fakeResponse {
		if strings.Contains(r.URL.Path+"/", "/"+plural+"/") {
			return &fakeResponse{code: 500}
		}
		return nil
	}
	f.endWatches()
}

func (f *fake) vanish(_ context.Context, kind graph.Kind) (func(context.Context) error, error) {
	f.hide(kind, true)
	return done(func() { f.hide(kind, false) }), nil
}

// TestConformance: the store keeps the kit's laws, on a server with and without
// streamed listings. byNature names the laws that no API server can keep, with the
// reason.
func TestConformance(t *testing.T) {
	byNature := map[string]string{
		"rewind/versions":   "a restored etcd counts on from where it was, so that a version may stand for two states",
		"records/rewind":    "the version of a record is that of its ConfigMap",
		"rewind/late-watch": "only versions show a rewind, and no watch observed a lost version here",
		// The store keeps no place: it resolves a reference at each read. A definition does not change its scope.
		"reference/vanished": "a kind that was served before keeps its meaning",
	}
	without := []storetest.Promise{
		storetest.FailedCommits,     // commits are those of etcd
		storetest.HiddenRecords,     // a record is a ConfigMap
		storetest.UnforeseeableUIDs, // the fake counts, and a real server draws UUIDs at random
	}
	search := time.Duration(portion.Number(4, 40)) * time.Millisecond
	for _, streaming := range []bool{true, false} {
		t.Run(fmt.Sprint("streaming ", streaming), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				report := storetest.Judge(context.Background(), storetest.Config{Patience: time.Minute, Search: search, Without: without, New: func(tb storetest.TB) storetest.Subject {
					return subject(tb, newFake(standardKinds()...), Config{NoStreaming: !streaming, PageSize: 3})
				}})
				for _, r := range report.Results {
					if _, known := byNature[r.Law]; known {
						if r.Outcome != storetest.Broken {
							t.Errorf("%s: %v, want it broken by nature", r.Law, r.Outcome)
						}
						continue
					}
					if r.Outcome != storetest.Kept && r.Outcome != storetest.NotOwed && !restsOn(r, byNature) {
						t.Errorf("%s: %v: %s", r.Law, r.Outcome, r.Detail)
					}
				}
				if err := report.Err(); err == nil || !errors.Is(err, storetest.ErrBroken) {
					t.Errorf("the report: %v", err)
				}
			})
		})
	}
}

// TestSickenAtOnce: a kind fails between the start of a watch and its first event. The
// kind is sick all the same.
func TestSickenAtOnce(t *testing.T) {
	for _, streaming := range []bool{true, false} {
		bubble(t, newFake(standardKinds()...), Config{NoStreaming: !streaming}, func(r *rig) {
			r.fault = func(q *http.Request) *fakeResponse {
				if q.URL.Query().Get("watch") != "" && strings.HasSuffix(q.URL.Path, "/configmaps") {
					r.failKind("ConfigMap")
				}
				return nil
			}
			r.watch()
			pass(time.Minute)
			got := of(r.reported(), "kind-sick ConfigMap", "kind-recovered ConfigMap")
			if len(got) == 0 || !strings.Contains(got[len(got)-1], "an error on the server") {
				t.Errorf("streaming %v: events %q, want that it is sick in the end", streaming, got)
			}
		})
	}
}

// restsOn reports whether a law has no proof because it rests on one that is broken by
// nature.
func restsOn(r storetest.Result, byNature map[string]string) bool {
	for name := range byNature {
		if r.Outcome == storetest.Unproven && strings.Contains(r.Detail, name) {
			return true
		}
	}
	return false
}
