package etcdstore

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/group"
	"github.com/ownergraph/ownergraph/internal/servers"
	"github.com/ownergraph/ownergraph/internal/servers/etcd"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func newGroup(tb testing.TB, client *clientv3.Client, prefix string) *Group {
	tb.Helper()
	g, err := NewGroup(client, prefix)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// mustRenew renews a member, and returns the names of all.
func mustRenew(t *testing.T, g *Group, m group.Member) (names []string) {
	t.Helper()
	list, err := g.Renew(t.Context(), m, minute)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range list {
		names = append(names, m.Name)
	}
	return names
}

// keysOf returns the keys of a group's members.
func keysOf(t *testing.T, g *Group) (list []string) {
	t.Helper()
	r, err := g.kv.Get(t.Context(), g.prefix, clientv3.WithPrefix())
	if err != nil {
		t.Fatal(err)
	}
	for _, kv := range r.Kvs {
		list = append(list, strings.TrimPrefix(string(kv.Key), g.prefix))
	}
	return list
}

func TestNewGroup(t *testing.T) {
	client := newRig(t, Config{}).client
	for _, c := range []struct {
		client       *clientv3.Client
		prefix       string
		want, reason string
	}{
		{client, "", "", "the default of a store"},
		{client, "app/", "", "the prefix of a store"},
		{client, "app", "", "a store's prefix needs no slash"},
		{nil, "app/", "new group: client: nil: invalid", "a late panic would be harder to find"},
		{client, "app/.members/", `new group: prefix "app/.members/": it has ".members/", as the keys of another group: invalid`, "its keys would be members of that group"},
		{client, strings.Repeat("a", 1025), "1025 bytes, more than 1024: invalid", "each key has the prefix"},
		{client, "\xff", "not UTF-8: invalid", "an error could not name the key"},
	} {
		_, err := NewGroup(c.client, c.prefix)
		if (err == nil) != (c.want == "") || err != nil && (!strings.HasSuffix(err.Error(), c.want) || !errors.Is(err, graph.ErrInvalid)) {
			t.Errorf("NewGroup(%.20q): %v, want %q: %s", c.prefix, err, c.want, c.reason)
		}
	}
}

// TestGroupLostLease: an operator revokes the lease of a member, or deletes its key. The member
// is back with its next Renew, or finds its name taken. No lease without a key stays.
func TestGroupLostLease(t *testing.T) {
	r := newRig(t, Config{})
	g, other := r.group(t), r.group(t)
	x := memberOf("x")
	mustRenew(t, g, x)
	for name, lose := range map[string]func() error{
		"a revoked lease": func() error { _, err := r.client.Revoke(t.Context(), g.leases[x].id); return err },
		"a deleted key":   func() error { _, err := r.client.Delete(t.Context(), g.key(x.Name)); return err },
	} {
		before := g.leases[x].id
		if err := lose(); err != nil {
			t.Fatal(err)
		}
		if got := mustRenew(t, other, memberOf("y")); !slices.Equal(got, []string{"y"}) {
			t.Errorf("after %s the other sees %q", name, got)
		}
		if got := mustRenew(t, g, x); !slices.Equal(got, []string{"x", "y"}) {
			t.Errorf("after %s the member sees %q", name, got)
		}
		if ttl, err := r.client.TimeToLive(t.Context(), before); err != nil || ttl.TTL > 0 {
			t.Errorf("after %s the former lease is there: %+v, %v", name, ttl, err)
		}
	}
	id := g.leases[x].id
	if _, err := r.client.Revoke(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	next := group.Member{Name: "x", Instance: "another"}
	mustRenew(t, other, next)
	for range 2 {
		if _, err := g.Renew(t.Context(), x, minute); !errors.Is(err, group.ErrTaken) || err.Error() != `renew member "x": another collector has this name` {
			t.Errorf("a name that another instance has taken: %v", err)
		}
	}
	if len(g.leases) != 0 {
		t.Errorf("the loser keeps the leases %v", g.leases)
	}
	mustRenew(t, other, next)
}

// relaunch starts a killed server again, and waits until the client has a connection. Before that
// a write may end with the former connection, and no client repeats a write.
func relaunch(t *testing.T, s *servers.Server, client *clientv3.Client) {
	t.Helper()
	if err := s.Launch(t.Context()); err != nil {
		t.Fatal(err)
	}
	for {
		_, err := client.Get(t.Context(), "x")
		switch {
		case err == nil:
			return
		case t.Context().Err() != nil:
			t.Fatal(err)
		}
	}
}

// TestGroupRestart: the server is killed and starts again on its data. Without the server a renewal
// fails, at the end of its context or with the connection. The members are still there, and renew.
func TestGroupRestart(t *testing.T) {
	s := ownServer(t)
	client := clientOf(t, s, nil)
	g, other := newGroup(t, client, ""), newGroup(t, client, "")
	mustRenew(t, g, memberOf("x"))
	mustRenew(t, other, memberOf("y"))
	s.Kill()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := g.Renew(ctx, memberOf("x"), minute); !errors.Is(err, context.DeadlineExceeded) && status.Code(err) != codes.Unavailable || errors.Is(err, graph.ErrRefused) {
		t.Errorf("Renew without a server: %v", err)
	}
	relaunch(t, s, client)
	if got := mustRenew(t, newGroup(t, client, ""), memberOf("z")); !slices.Equal(got, []string{"x", "y", "z"}) {
		t.Errorf("after the restart the members are %q", got)
	}
	id := g.leases[memberOf("x")].id
	mustRenew(t, g, memberOf("x"))
	if now := g.leases[memberOf("x")].id; now != id {
		t.Errorf("the lease went from %x to %x", id, now)
	}
}

// TestGroupRevisionFalls: the data of a server are replaced by an older copy, so its revisions begin
// again below those that the group has seen. The age of a member begins anew with each renewal all
// the same. Otherwise every member would be over after an hour.
func TestGroupRevisionFalls(t *testing.T) {
	s := ownServer(t)
	client := clientOf(t, s, nil)
	g, other := newGroup(t, client, ""), newGroup(t, client, "")
	mustRenew(t, g, memberOf("x"))
	s.Kill()
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(etcd.Data(s))); err != nil {
		t.Fatal(err)
	}
	relaunch(t, s, client)
	for range 20 {
		mustRenew(t, g, memberOf("x"))
		mustRenew(t, other, memberOf("y"))
	}
	s.Kill()
	if err := errors.Join(os.RemoveAll(etcd.Data(s)), os.CopyFS(etcd.Data(s), os.DirFS(copied))); err != nil {
		t.Fatal(err)
	}
	relaunch(t, s, client)
	launched := time.Now()
	for range 2 {
		for name, g := range map[string]*Group{"x": g, "y": other} {
			list, err := g.Renew(t.Context(), memberOf(name), minute)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range list {
				if m.Age > time.Since(launched) {
					t.Errorf("%s sees %q with age %s, and the server began %s ago", name, m.Name, m.Age, time.Since(launched))
				}
			}
		}
	}
}

// authServer starts a server with authentication, and returns the clients of its users: root, app with
// the role member, which has no right yet, and "" for none.
func authServer(t *testing.T) (as func(user string) *clientv3.Client) {
	t.Helper()
	s := ownServer(t)
	admin := clientOf(t, s, nil)
	_, a := admin.UserAdd(t.Context(), "root", "secret")
	_, b := admin.UserGrantRole(t.Context(), "root", "root")
	_, c := admin.UserAdd(t.Context(), "app", "secret")
	_, d := admin.RoleAdd(t.Context(), "member")
	_, e := admin.UserGrantRole(t.Context(), "app", "member")
	_, f := admin.AuthEnable(t.Context())
	if err := errors.Join(a, b, c, d, e, f); err != nil {
		t.Fatal(err)
	}
	return func(user string) *clientv3.Client {
		return clientOf(t, s, func(c *clientv3.Config) {
			if user != "" {
				c.Username, c.Password = user, "secret"
			}
		})
	}
}

// grantGroup gives the role member the right to the keys of a group.
func grantGroup(t *testing.T, root *clientv3.Client) {
	t.Helper()
	const keys = "app/.members/"
	if _, err := root.RoleGrantPermission(t.Context(), "member", keys, clientv3.GetPrefixRangeEnd(keys), clientv3.PermissionType(clientv3.PermReadWrite)); err != nil {
		t.Fatal(err)
	}
}

// TestGroupLosesRight: a member that loses the right to its key goes on to try. It holds no part by
// that: everyone may renew a lease of etcd.
func TestGroupLosesRight(t *testing.T) {
	as := authServer(t)
	root, app := as("root"), newGroup(t, as("app"), "app/")
	grantGroup(t, root)
	const lease = 2 * time.Second
	if _, err := app.Renew(t.Context(), memberOf("x"), lease); err != nil {
		t.Fatal(err)
	}
	const keys = "app/.members/"
	if _, err := root.RoleRevokePermission(t.Context(), "member", keys, clientv3.GetPrefixRangeEnd(keys)); err != nil {
		t.Fatal(err)
	}
	other := newGroup(t, root, "app/")
	for until := time.Now().Add(10 * lease); ; {
		if _, err := app.Renew(t.Context(), memberOf("x"), lease); !errors.Is(err, graph.ErrRefused) {
			t.Fatalf("Renew without the right: %v", err)
		}
		if slices.Equal(mustRenew(t, other, memberOf("y")), []string{"y"}) {
			return
		}
		if time.Now().After(until) {
			t.Fatalf("after %s x is a member", 10*lease)
		}
	}
}

// TestGroupRefused: a user without rights gets ErrRefused, and leaves no key and no lease. With
// the right to the group's keys it is a member.
func TestGroupRefused(t *testing.T) {
	as := authServer(t)
	root, app := as("root"), newGroup(t, as("app"), "app/")
	_, renew := app.Renew(t.Context(), memberOf("x"), minute)
	leave := app.Leave(t.Context(), memberOf("x"))
	_, without := newGroup(t, as(""), "app/").Renew(t.Context(), memberOf("x"), minute)
	for what, err := range map[string]error{"Renew": renew, "Leave": leave, "Renew without a user": without} {
		if !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), `member "x": `) {
			t.Errorf("%s without the right: %v", what, err)
		}
	}
	if list, err := root.Leases(t.Context()); err != nil || len(list.Leases) > 0 {
		t.Errorf("a refused member leaves leases: %v, %v", list, err)
	}
	grantGroup(t, root)
	for range 2 {
		mustRenew(t, app, memberOf("x"))
	}
	if err := app.Leave(t.Context(), memberOf("x")); err != nil {
		t.Error(err)
	}
}

// TestGroupOnKine: kine cannot renew a lease, and the error says so.
func TestGroupOnKine(t *testing.T) {
	g := newRig(t, Config{Kine: true}).group(t)
	_, renew := g.Renew(t.Context(), memberOf("x"), minute)
	for what, err := range map[string]error{"Renew": renew, "Leave": g.Leave(t.Context(), memberOf("x"))} {
		if !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), "the server is no etcd") {
			t.Errorf("%s on kine: %v", what, err)
		}
	}
}
