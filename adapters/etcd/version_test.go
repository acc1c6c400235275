package etcdstore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// callsOf are all sorts of calls of a store that write, list or begin a fence.
func (r *rig) callsOf(o graph.Object) map[string]func(context.Context) error {
	place := graph.Key{Kind: "pod", Scope: "ns", Name: "new"}
	calls := map[string]func(context.Context) error{
		"Create": func(ctx context.Context) error {
			_, err := r.Create(ctx, Record{Object: graph.Object{Key: place}})
			return err
		},
		"Update": func(ctx context.Context) error {
			_, err := r.Update(ctx, Record{Object: graph.Object{Key: o.Key, Finalizers: []string{"x/u"}}})
			return err
		},
		"Patch": func(ctx context.Context) error {
			return r.Patch(ctx, o.Key, graph.Precondition{}, graph.Change{AddFinalizer: "x/p"})
		},
		"Delete": func(ctx context.Context) error { return r.Delete(ctx, o.Key, exactly(o)) },
		"Label": func(ctx context.Context) error {
			_, err := r.Store.Label(ctx, o.Key, graph.Precondition{}, map[string]string{"a": "b"})
			return err
		},
		"WriteRecord": func(ctx context.Context) error { _, err := r.WriteRecord(ctx, "a", nil, ""); return err },
		"Restored":    r.Restored,
		"Fence":       func(ctx context.Context) error { _, err := r.Fence(ctx); return err },
		"Select": func(ctx context.Context) error {
			_, err := r.Select(ctx, graph.SelectRequest{Kind: "pod", Selector: "a=b"})
			return err
		},
		"Watch": func(ctx context.Context) error {
			return r.Watch(ctx, func([]graph.Event) error { return errors.New("test: the watch reports something") })
		},
	}
	if !r.conf.Kine {
		calls["Batch"] = func(ctx context.Context) error {
			w := graph.Write{Type: graph.WriteDelete, Key: o.Key, Options: exactly(o)}
			results, err := r.Batch(ctx, []graph.Write{w, {Type: graph.WriteDelete, Key: place}})
			return errors.Join(append(results, err)...)
		}
	}
	return calls
}

// TestVersionShutsOut: a later program sets the version of the prefix, while others write. No
// write of theirs follows, and no listing: they would read and write values of the new version
// in another way. On kine no transaction takes the condition, so the watch of the store tells
// its writers.
func TestVersionShutsOut(t *testing.T) {
	for _, onKine := range []bool{false, true} {
		t.Run(fmt.Sprintf("kine=%t", onKine), func(t *testing.T) {
			r := newRig(t, Config{Kine: onKine})
			o := r.create(t, "pod/ns/a")
			w := watchOf(t, r.Store)
			w.until(t, "it is listed", listed(1))
			var written atomic.Int64
			var group sync.WaitGroup
			for i := range 4 {
				group.Go(func() {
					for n := 0; ; n++ {
						key := graph.Key{Kind: "pod", Scope: "ns", Name: fmt.Sprintf("w%d-%d", i, n)}
						if _, err := r.Create(t.Context(), Record{Object: graph.Object{Key: key}}); errors.Is(err, errVersionUnknown) {
							continue // of kine
						} else if err != nil {
							if !errors.Is(err, errNewer) {
								t.Errorf("a writer ends with %v", err)
							}
							return
						}
						written.Add(1)
					}
				})
			}
			w.until(t, "the writers write", func(*mirror) bool { return written.Load() > 20 })
			r.mustPut(t, r.versionKey, []byte("3\n"))
			group.Wait()
			if !onKine {
				r.noneAfterVersion(t)
			}
			before, err := r.contents(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for name, call := range r.callsOf(o) {
				err := call(t.Context())
				if !errors.Is(err, errNewer) || !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), "version 3, this program knows 2") {
					t.Errorf("%s after the upgrade: %v, want ErrRefused with both versions", name, err)
				}
			}
			if <-w.ended; !errors.Is(w.err, errNewer) {
				t.Errorf("the watch ends with %v", w.err)
			}
			if after, err := r.contents(t.Context()); err != nil || !maps.Equal(after, before) {
				t.Errorf("%d objects before the calls, and %d after them, %v", len(before), len(after), err)
			}
			r.mustPut(t, r.versionKey, nil) // the later program takes it back
			if err := r.Patch(t.Context(), o.Key, graph.Precondition{}, graph.Change{AddFinalizer: "x/p"}); err != nil {
				t.Errorf("a patch at the first version: %v", err)
			}
		})
	}
}

// noneAfterVersion checks that no object was written after the version.
func (r *rig) noneAfterVersion(t *testing.T) {
	t.Helper()
	version, err := r.client.Get(t.Context(), r.versionKey)
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.client.Get(t.Context(), r.conf.Prefix+objectsPrefix, clientv3.WithPrefix(), clientv3.WithMinModRev(version.Kvs[0].ModRevision+1))
	if err != nil || len(got.Kvs) > 0 {
		t.Errorf("%d objects were written after the version, %v", len(got.Kvs), err)
	}
}

// TestVersionAgain: another program sets the version that this one knows, as the first upgrade
// does for programs that know both. Writes that are under way follow.
func TestVersionAgain(t *testing.T) {
	r := newRig(t, Config{})
	o := r.create(t, "pod/ns/a")
	for _, text := range []string{"1", " 1\n"} {
		r.mustPut(t, r.versionKey, []byte(text))
		if err := r.Patch(t.Context(), o.Key, graph.Precondition{}, graph.Change{AddFinalizer: "x/" + fmt.Sprint(len(text))}); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		r.mustPut(t, r.versionKey, []byte(text))
		if _, err := r.WriteRecord(t.Context(), fmt.Sprint("r", len(text)), nil, ""); err != nil {
			t.Errorf("%q: a record: %v", text, err)
		}
		r.mustPut(t, r.versionKey, []byte(text))
		if err := r.Restored(t.Context()); err != nil {
			t.Errorf("%q: restored: %v", text, err)
		}
	}
	for _, text := range []string{"", "x", "0", "-1"} {
		r.mustPut(t, r.versionKey, []byte(text))
		if err := r.Patch(t.Context(), o.Key, graph.Precondition{}, graph.Change{AddFinalizer: "x/bad"}); !errors.Is(err, graph.ErrRefused) {
			t.Errorf("version %q: %v, want ErrRefused", text, err)
		}
	}
}
