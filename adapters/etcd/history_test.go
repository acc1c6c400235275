package etcdstore

import (
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/servers"
	"github.com/ownergraph/ownergraph/internal/servers/etcd"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

// ownServer starts an etcd for one test.
func ownServer(t *testing.T) *servers.Server {
	t.Helper()
	// Servers with the same token and the same addresses of peers call their clusters alike.
	s, err := etcd.Start(t.Context(), etcd.Config{Flags: []string{"--initial-cluster-token=" + t.Name()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// clientOf returns a client of one server.
func clientOf(t *testing.T, s *servers.Server, edit func(*clientv3.Config)) *clientv3.Client {
	t.Helper()
	conf := clientv3.Config{Logger: zap.NewNop(), Endpoints: []string{s.Address()}, DialTimeout: 10 * time.Second}
	if edit != nil {
		edit(&conf)
	}
	client, err := clientv3.New(conf)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// TestRestored: Restored gives each object a new version with its content, and each watch
// the same new epoch, in this process and in another one.
func TestRestored(t *testing.T) {
	for _, onKine := range []bool{false, true} {
		r := newRig(t, Config{Kine: onKine, PageSize: 10})
		var old []graph.Object
		for _, name := range []string{"a", "b", "c"} {
			old = append(old, r.create(t, "pod/ns/"+name+"[example.org/x]"))
		}
		payload := []byte("kept")
		if _, err := r.Update(t.Context(), Record{Object: graph.Object{Key: old[0].Key}, Labels: map[string]string{"a": "b"}, Payload: payload}); err != nil {
			t.Fatal(err)
		}
		running := watchOf(t, r.Store)
		running.until(t, "it is listed", listed(1))
		var epochs []string
		for n := range 2 {
			if err := r.Restored(t.Context()); err != nil {
				t.Fatal(err)
			}
			late := watchOf(t, r.another().Store)
			for w, listings := range map[*watcher]int{running: n + 2, late: 1} {
				w.until(t, "it has a new epoch, and a listing", func(m *mirror) bool {
					return len(m.epochs) > 0 && !slices.Contains(epochs, m.epochs[len(m.epochs)-1]) && m.listings["pod"] >= listings
				})
			}
			epochs = append(epochs, running.lastEpoch())
			if late.lastEpoch() != epochs[n] {
				t.Errorf("kine %t: epoch %q, and %q in another process", onKine, epochs[n], late.lastEpoch())
			}
		}
		for _, o := range old {
			if err := r.Delete(t.Context(), o.Key, exactly(o)); !errors.Is(err, graph.ErrConflict) {
				t.Errorf("kine %t: a Delete from before the restore: %v, want ErrConflict", onKine, err)
			}
		}
		if seen, err := r.Read(t.Context(), old[0].Key); err != nil || string(seen.Payload) != "kept" || seen.Labels["a"] != "b" {
			t.Errorf("kine %t: %+v, %v: the content stays", onKine, seen, err)
		}
	}
}

// TestOriginRewritten: a change of the origin that is no restore changes nothing for a
// watch.
func TestOriginRewritten(t *testing.T) {
	r := newRig(t, Config{})
	w := watchOf(t, r.Store)
	w.until(t, "it is listed", listed(1))
	now, err := r.identify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := r.putOrigin(t.Context(), now, now.Epoch); err != nil {
		t.Fatal(err)
	}
	r.mustPut(t, r.originKey, nil)
	o := r.create(t, "pod/ns/a")
	w.until(t, "the next change", func(m *mirror) bool { return m.is(o) })
	if !w.sees(func(m *mirror) bool { return len(m.epochs) == 0 && m.begun["pod"] == 1 }) {
		t.Error("the watch has announced a restore, or has listed again")
	}
}

// TestRevisionFalls: the data of a server are replaced by a copy, without a call of
// Restored and without a higher revision. A running watch announces the restore, with one
// epoch for all.
func TestRevisionFalls(t *testing.T) {
	s := ownServer(t)
	store := newStore(t, clientOf(t, s, nil))
	r := &rig{Store: store}
	kept := r.create(t, "pod/ns/kept")
	s.Kill()
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(etcd.Data(s))); err != nil {
		t.Fatal(err)
	}
	if err := s.Launch(t.Context()); err != nil {
		t.Fatal(err)
	}
	w := watchOf(t, store)
	w.until(t, "it is listed", listed(1))
	for range 20 {
		o := r.create(t, "pod/ns/new")
		if err := store.Delete(t.Context(), o.Key, exactly(o)); err != nil {
			t.Fatal(err)
		}
	}
	lost := r.create(t, "pod/ns/lost")
	w.until(t, "it has both", func(m *mirror) bool { return m.is(kept, lost) })
	s.Kill()
	if err := errors.Join(os.RemoveAll(etcd.Data(s)), os.CopyFS(etcd.Data(s), os.DirFS(copied)), s.Launch(t.Context())); err != nil {
		t.Fatal(err)
	}
	w.until(t, "it announces the restore, and has the old object alone", func(m *mirror) bool { return len(m.epochs) == 1 && m.is(kept) })
	late := watchOf(t, newStore(t, clientOf(t, s, nil)))
	late.until(t, "another process announces it too", func(m *mirror) bool { return listed(1)(m) && len(m.epochs) == 1 })
	if late.lastEpoch() != w.lastEpoch() {
		t.Errorf("epochs %q and %q", w.lastEpoch(), late.lastEpoch())
	}
}

func newStore(t *testing.T, client *clientv3.Client) *Store {
	t.Helper()
	store, err := New(client, Config{Kinds: testKinds()})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// TestAnotherCluster: the keys are copied into another cluster. A store that never saw the
// first one announces the restore.
func TestAnotherCluster(t *testing.T) {
	r := newRig(t, Config{})
	first := watchOf(t, r.Store)
	first.until(t, "it is listed", listed(1))
	o := r.create(t, "pod/ns/a")
	all, err := r.client.Get(t.Context(), r.conf.Prefix, clientv3.WithPrefix())
	if err != nil {
		t.Fatal(err)
	}
	client := clientOf(t, ownServer(t), nil)
	for _, kv := range all.Kvs {
		if _, err := client.Put(t.Context(), string(kv.Key), string(kv.Value)); err != nil {
			t.Fatal(err)
		}
	}
	store, err := New(client, Config{Kinds: testKinds(), Prefix: r.conf.Prefix})
	if err != nil {
		t.Fatal(err)
	}
	w := watchOf(t, store)
	w.until(t, "it is listed, after an epoch", func(m *mirror) bool { return listed(1)(m) && len(m.epochs) == 1 })
	if seen, err := store.Get(t.Context(), o.Key); err != nil || !seen.EqualContent(o) {
		t.Errorf("%v, %v, want %v", seen, err, o)
	}
	if first.sees(func(m *mirror) bool { return len(m.epochs) > 0 }) {
		t.Error("the first cluster announces a restore")
	}
}
