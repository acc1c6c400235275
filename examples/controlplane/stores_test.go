package main

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ownergraph/ownergraph/internal/servers"
	"github.com/ownergraph/ownergraph/internal/servers/etcd"
	"github.com/ownergraph/ownergraph/internal/servers/postgres"
)

// places are new, empty stores of each kind. The tests share the servers.
func places() map[string]func(*testing.T) place {
	return map[string]func(*testing.T) place{"sqlite": onSQLite, "postgres": onPostgres, "etcd": onEtcd}
}

// onEach runs a test on each store.
func onEach(t *testing.T, test func(*testing.T, place)) {
	for name, at := range places() {
		t.Run(name, func(t *testing.T) { test(t, at(t)) })
	}
}

var (
	databases      atomic.Int64
	onePostgres    = sync.OnceValues(func() (*postgres.Server, error) { return postgres.Start(postgres.Config{}) })
	oneEtcd        = sync.OnceValues(startEtcd)
	started        sync.Mutex
	startedServers []func() error
)

func onSQLite(t *testing.T) place {
	dir := t.TempDir()
	return place{"sqlite:" + filepath.Join(dir, "db"), filepath.Join(dir, "databases")}
}

func onPostgres(t *testing.T) place {
	server, err := onePostgres()
	if err != nil {
		t.Fatal(err)
	}
	stopLater(server.Stop)
	db, err := sql.Open("pgx", server.DSN())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	name := fmt.Sprintf("test_%d", databases.Add(1))
	if _, err := db.Exec("CREATE DATABASE " + name); err != nil {
		t.Fatal(err)
	}
	query := url.Values{}
	for word := range strings.FieldsSeq(server.DSNOf(name)) {
		key, value, _ := strings.Cut(word, "=")
		query.Set(key, strings.Trim(value, "'"))
	}
	return place{"postgres:///" + name + "?" + query.Encode(), filepath.Join(t.TempDir(), "databases")}
}

func startEtcd() (*servers.Server, error) {
	return etcd.Start(context.Background(), etcd.Config{})
}

func onEtcd(t *testing.T) place {
	server, err := oneEtcd()
	if err != nil {
		t.Fatal(err)
	}
	stopLater(server.Stop)
	return place{fmt.Sprintf("etcd://%s/test-%d", server.Address(), databases.Add(1)), filepath.Join(t.TempDir(), "databases")}
}

// stopLater asks for the stop of a server after all tests. A second stop has no effect.
func stopLater(stop func() error) {
	started.Lock()
	defer started.Unlock()
	startedServers = append(startedServers, stop)
}

func stopServers() {
	for _, stop := range startedServers {
		if err := stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}
