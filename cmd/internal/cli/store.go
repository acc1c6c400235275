package cli

import (
	"context"
	"crypto/tls"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx
	"github.com/spf13/cobra"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	_ "modernc.org/sqlite" // the driver sqlite

	"github.com/ownergraph/ownergraph"
	etcdstore "github.com/ownergraph/ownergraph/adapters/etcd"
	sqlstore "github.com/ownergraph/ownergraph/adapters/sql"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
)

// storeFlags names a live store.
type storeFlags struct {
	url            string
	schema, prefix string
	kinds, global  []string
	keys           keyFlags
}

// opened is an open store.
type opened struct {
	ownergraph.Store
	close     func()
	isCluster bool
	sealed    []graph.Kind // the kinds whose payloads the archive seals
}

// addStore adds the flags of a subcommand that opens a store.
func (a *app) addStore(cmd *cobra.Command) {
	f, s := cmd.Flags(), &a.source.store
	f.StringVar(&s.url, "store", "", "open a live store: sqlite:FILE, postgres://..., etcd://HOST:PORT or etcds://... (TLS)")
	f.StringVar(&s.schema, "schema", "", "schema of the tables (sqlite, postgres)")
	f.StringVar(&s.prefix, "prefix", "", `prefix of the tables (default "og_") or of the keys of etcd (default "ownergraph/")`)
	f.StringSliceVar(&s.kinds, "kind", nil, "scoped kinds that a dump lists in full without an object, or all those of the store (etcd)")
	f.BoolVar(&a.source.policies, "policies", false, "let the policies of references act (Config.Policies), as the collectors of the objects do")
	f.StringSliceVar(&s.global, "global-kind", nil, "global kinds, likewise")
	s.keys.add(cmd)
	if f.Lookup("timeout") == nil {
		f.DurationVar(&a.source.timeout, "timeout", time.Minute, "longest wait for the answers of the store; 0 for none")
	}
}

// addLive adds the flags of a subcommand that needs a live store or a cluster. A cluster may take
// longer for its lists.
func (a *app) addLive(cmd *cobra.Command) {
	longest := time.Minute
	if a.name == Plugin {
		longest = 5 * time.Minute
	}
	if cmd.Flags().Lookup("timeout") == nil {
		cmd.Flags().DurationVar(&a.source.timeout, "timeout", longest, "longest wait for the lists, and for the plan; 0 for none")
	}
	a.addStore(cmd)
}

// open opens the store, and changes nothing in it.
func (s *storeFlags) open(ctx context.Context) (*opened, error) {
	scheme, rest, _ := strings.Cut(s.url, ":")
	if isDatabase(s.url) && len(s.kinds)+len(s.global) > 0 {
		return nil, printing.UsageError("--kind and --global-kind: the database has the kinds itself")
	}
	switch {
	case scheme == "sqlite":
		return s.openSQLite(ctx, rest)
	case isDatabase(s.url):
		return s.openSQL(ctx, "pgx", s.url)
	case scheme == "etcd", scheme == "etcds":
		return s.openEtcd()
	}
	return nil, printing.UsageError("--store: want sqlite:FILE, postgres://... or etcd://...") // the value may have a password
}

// isDatabase reports whether a value of --store names an SQL database.
func isDatabase(store string) bool {
	scheme, _, _ := strings.Cut(store, ":")
	return scheme == "sqlite" || scheme == "postgres" || scheme == "postgresql"
}

// openSQLite refuses a file that does not exist, since SQLite would make it.
func (s *storeFlags) openSQLite(ctx context.Context, file string) (*opened, error) {
	if _, err := os.Stat(file); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	return s.openSQL(ctx, "sqlite", sqliteName(file))
}

// sqliteName returns the name of a database in a file, for the driver. Without foreign_keys the rows of
// the user would stay after their objects.
//
//test:by TestRowsGoWithObjects
func sqliteName(file string) string {
	name := url.URL{Scheme: "file", Opaque: (&url.URL{Path: file}).EscapedPath()}
	return name.String() + "?_pragma=busy_timeout(5000)&_pragma=foreign_keys(1)&_txlock=immediate"
}

func (s *storeFlags) openSQL(ctx context.Context, driver, name string) (*opened, error) {
	sealing, err := s.keys.read(ctx)
	if err != nil {
		return nil, err
	}
	db, err := sql.Open(driver, name)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	if err := db.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open store: %w", err), db.Close())
	}
	store, kept, err := newSQL(ctx, db, sqlstore.Config{Schema: s.schema, Prefix: s.prefix}, sealing)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open store: %w", err), db.Close())
	}
	out := &opened{Store: store, close: func() { _, _ = store.Close(), db.Close() }}
	if kept != nil {
		out.sealed = kept.Sealing.Kinds
		if sealing.Open == nil {
			out.Store = keyless{store}
		}
	}
	if err := findTables(ctx, store); err != nil {
		out.close()
		return nil, fmt.Errorf("open store: look for its tables: %w", err)
	}
	return out, nil
}

// newSQL returns a store with the archive that the database has, and its settings, nil for none. The sealing lacks the kinds.
// Migrate checks the tables of the payloads, as that of a program does: a role that does not see all rows would write entries
// without them.
//
//test:by TestArchiveOfCommand TestSealed
func newSQL(ctx context.Context, db *sql.DB, conf sqlstore.Config, sealing archive.Sealing) (*sqlstore.Store, *sqlstore.ArchiveConfig, error) {
	kept, err := sqlstore.StoredArchive(ctx, db, conf)
	if err != nil {
		return nil, nil, err
	}
	if kept != nil {
		kept.Sealing.Seal, kept.Sealing.Open = sealing.Seal, sealing.Open
	}
	conf.Archive, conf.Policies = kept, kept != nil
	store, err := sqlstore.New(db, conf)
	if err != nil || kept == nil {
		return store, kept, err
	}
	if err := store.Migrate(ctx); err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	return store, kept, nil
}

// findTables fails if a database has no tables of a store, as that of another program. A collector
// tries again and again, and would have no answer but the end of its time.
//
//test:by TestForeignDatabase
func findTables(ctx context.Context, s ownergraph.Store) error {
	_, err := s.Get(ctx, graph.Key{Kind: "none", Name: "none"})
	if errors.Is(err, graph.ErrKindUnknown) || errors.Is(err, graph.ErrNotFound) {
		return nil
	}
	return err
}

func (s *storeFlags) openEtcd() (*opened, error) {
	u, err := url.Parse(s.url)
	if err != nil {
		return nil, printing.UsageError("--store: want etcd://HOST:PORT[,HOST:PORT]")
	}
	if len(s.kinds)+len(s.global) == 0 {
		return nil, printing.UsageError("--kind or --global-kind is missing: etcd does not have the kinds of the store")
	}
	conf := clientv3.Config{DialTimeout: 10 * time.Second, DialKeepAliveTime: 10 * time.Second, DialKeepAliveTimeout: 10 * time.Second,
		Logger: zap.NewNop()} // each error comes back to the caller
	scheme := "http://"
	if u.Scheme == "etcds" {
		scheme, conf.TLS = "https://", &tls.Config{MinVersion: tls.VersionTLS12}
	}
	for host := range strings.SplitSeq(u.Host, ",") {
		conf.Endpoints = append(conf.Endpoints, scheme+host)
	}
	conf.Username = u.User.Username()
	conf.Password, _ = u.User.Password()
	client, err := clientv3.New(conf)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	store, err := etcdstore.New(client, etcdstore.Config{Prefix: s.prefix, Kinds: s.kindInfos()})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open store: %w", err), client.Close())
	}
	return &opened{Store: store, close: func() { _ = client.Close() }}, nil
}

func (s *storeFlags) kindInfos() (list []graph.KindInfo) {
	for _, k := range s.kinds {
		list = append(list, graph.KindInfo{Kind: graph.Kind(k), Scoped: true})
	}
	for _, k := range s.global {
		list = append(list, graph.KindInfo{Kind: graph.Kind(k)})
	}
	return list
}
