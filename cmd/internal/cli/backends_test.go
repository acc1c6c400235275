package cli

import (
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	etcdstore "github.com/ownergraph/ownergraph/adapters/etcd"
	sqlstore "github.com/ownergraph/ownergraph/adapters/sql"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/internal/servers/etcd"
	"github.com/ownergraph/ownergraph/internal/servers/postgres"
)

// newPostgres starts a server of the test, and returns its database with the address for the flag -store.
func newPostgres(t *testing.T) (db *sql.DB, address string) {
	t.Helper()
	server, err := postgres.Start(postgres.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	db, err = sql.Open("pgx", server.DSN())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	query := url.Values{"host": {filepath.Dir(server.Socket())}, "user": {"postgres"}}
	return db, "postgres:///postgres?" + query.Encode()
}

// TestPostgres: the command reads a real Postgres, deletes there, and answers for the brake.
func TestPostgres(t *testing.T) {
	db, address := newPostgres(t)
	d := fill(t, db, sqlstore.Config{Schema: "app", Prefix: "my_"}, address)
	flags := []string{"--store", d.flag, "--schema", "app", "--prefix", "my_"}
	got := call(t, "", append(flags, "tree", "team/blue")...)
	if got.code != printing.ExitDone || !strings.HasSuffix(got.stdout, "3 objects below it\n") {
		t.Errorf("tree: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	got = call(t, "", append(flags, "delete", "team/red", "--yes", "--act")...)
	if left := d.left(t); got.code != printing.ExitDone || !slices.Equal(left, []string{"blue", "shop", "site", "todo"}) {
		t.Errorf("delete: exit %d, left %v\n%s%s", got.code, left, got.stdout, got.stderr)
	}
	d.deleteBraked(t, flags...)
	got = apart(t, append(flags, "approve", "--record", "app", "--all", "--at-most", "3")...)
	if got.code != printing.ExitDone || !strings.Contains(got.stdout, "1 cascade approved") {
		t.Errorf("approve: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	d.program(t, braked())
	eventually(t, "the cascade goes on", func() bool { return len(d.left(t)) == 0 })
}

// TestEtcd: the command reads a real etcd, and deletes there. A kind that the flags leave
// out proves nothing.
func TestEtcd(t *testing.T) {
	server, err := etcd.Start(t.Context(), etcd.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{server.Address()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	store, err := etcdstore.New(client, etcdstore.Config{Kinds: []graph.KindInfo{{Kind: "team"}, {Kind: "project", Scoped: true}}})
	if err != nil {
		t.Fatal(err)
	}
	blue, err := store.Create(t.Context(), etcdstore.Record{Object: graph.Object{Key: graph.Key{Kind: "team", Name: "blue"}}})
	if err != nil {
		t.Fatal(err)
	}
	site := graph.Object{Key: graph.Key{Kind: "project", Scope: "s", Name: "site"}, Owners: []graph.Owner{{Key: blue.Object.Key}}}
	if _, err := store.Create(t.Context(), etcdstore.Record{Object: site}); err != nil {
		t.Fatal(err)
	}
	flags := []string{"--store", "etcd://" + server.Address(), "--kind", "project"}
	got := call(t, "", append(flags, "plan")...)
	if got.code != printing.ExitFound || !strings.Contains(got.stdout, "! project/s/site stays: owner's kind not served (team/blue)\n") {
		t.Errorf("plan without the kind team: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	flags = append(flags, "--global-kind", "team")
	got = call(t, "", append(flags, "delete", "team/blue", "--yes", "--act", "--cascade", "foreground")...)
	if got.code != printing.ExitDone || !strings.Contains(got.stdout, "delete team/blue: 2 of 2 gone") {
		t.Errorf("delete: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	if _, err := store.Get(t.Context(), site.Key); !isNotFound(err) {
		t.Errorf("the project: %v", err)
	}
	storedPolicy(t, client, store)
	got = call(t, "", append(flags, "lint")...)
	if got.code != printing.ExitFound || !strings.Contains(got.stdout, "OG039") || !strings.Contains(got.stdout, "References with the policy release: 1, of 1 objects: project/s/old.") {
		t.Errorf("lint of a policy that does not act: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
}

// storedPolicy creates an object with a policy, as a program from before the step of policies did.
func storedPolicy(t *testing.T, client *clientv3.Client, store *etcdstore.Store) {
	t.Helper()
	green, err := store.Create(t.Context(), etcdstore.Record{Object: graph.Object{Key: graph.Key{Kind: "team", Name: "green"}}})
	if err != nil {
		t.Fatal(err)
	}
	old := graph.Object{Key: graph.Key{Kind: "project", Scope: "s", Name: "old"}, Owners: []graph.Owner{{Key: green.Object.Key}}}
	if _, err := store.Create(t.Context(), etcdstore.Record{Object: old}); err != nil {
		t.Fatal(err)
	}
	values, err := client.Get(t.Context(), "ownergraph/", clientv3.WithPrefix())
	if err != nil {
		t.Fatal(err)
	}
	for _, kv := range values.Kvs {
		uid := fmt.Sprintf(`"uid":%q`, green.Object.UID)
		if text := string(kv.Value); strings.Contains(string(kv.Key), "/old") && strings.Contains(text, uid) {
			text = strings.Replace(text, uid, uid+`,"onDelete":"release"`, 1)
			if _, err := client.Put(t.Context(), string(kv.Key), text); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("no value of the project in %v", values.Kvs)
}
