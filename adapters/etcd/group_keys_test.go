package etcdstore

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/group"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// TestGroupKeys: each name has a key of its own, which reads back. Other keys are no members.
func TestGroupKeys(t *testing.T) {
	g := &Group{prefix: "p/.members/"}
	for _, c := range []struct{ name, key, reason string }{
		{"a-1.b_C", "a-1.b_C", "plain text"},
		{"a/b", `"a/b"`, "a slash"},
		{`"`, `"\""`, "a quote"},
		{`"a"`, `"\"a\""`, "the key of a, as a name"},
		{"é", `"\u00e9"`, "ASCII is the same in each version of Go"},
		{" ", `" "`, "a blank"},
	} {
		key := g.key(c.name)
		m, ok := g.memberOf(&mvccpb.KeyValue{Key: []byte(key), Value: []byte(`{"instance":"i"}`)})
		if want := (group.Member{Name: c.name, Instance: "i"}); key != g.prefix+c.key || !ok || m != want {
			t.Errorf("%q has key %q, which is %+v (%t): %s", c.name, key, m, ok, c.reason)
		}
	}
	for _, c := range []struct{ key, reason string }{
		{"", "no name"},
		{`""`, "no name in quotes"},
		{"a/b", "a slash without quotes"},
		{`"a"`, "quotes that are not needed"},
		{`"a`, "no end"},
		{`"\n"`, "a control character would forge a line of a log"},
		{`"é"`, "another spelling of a name"},
		{".members/x", "the key of a group within this one"},
		{strings.Repeat("a", 1025), "longer than each name"},
	} {
		if m, ok := g.memberOf(&mvccpb.KeyValue{Key: []byte(g.prefix + c.key)}); ok {
			t.Errorf("key %q is member %+v: %s", c.key, m, c.reason)
		}
	}
}

// TestGroupForeignKeys: another program writes keys of members. A key without a lease holds
// nothing, so it is no member and takes no name. A value that is no instance is another one.
func TestGroupForeignKeys(t *testing.T) {
	r := newRig(t, Config{})
	g := r.group(t)
	lease, err := r.client.Grant(t.Context(), 600)
	if err != nil {
		t.Fatal(err)
	}
	put := func(key, value string, opts ...clientv3.OpOption) {
		t.Helper()
		if _, err := r.client.Put(t.Context(), g.prefix+key, value, opts...); err != nil {
			t.Fatal(err)
		}
	}
	put("eternal", `{"instance":"1"}`)
	put("x", `{"instance":"another"}`)
	put("a/b", `{"instance":"1"}`, clientv3.WithLease(lease.ID))
	for i, value := range []string{"", "{", "null", `{"instance":7}`, `{"instance":"a\nb"}`, strings.Repeat("x", 1<<16)} {
		put(fmt.Sprint("odd-", i), value, clientv3.WithLease(lease.ID))
	}
	if got, want := mustRenew(t, g, memberOf("x")), []string{"odd-0", "odd-1", "odd-2", "odd-3", "odd-4", "odd-5", "x"}; !slices.Equal(got, want) {
		t.Errorf("the members are %q, want %q", got, want)
	}
	list, err := g.Renew(t.Context(), memberOf("x"), minute)
	for _, m := range list {
		if strings.HasPrefix(m.Name, "odd-") != (m.Instance == "") || err != nil {
			t.Errorf("a member is %+v, error %v", m, err)
		}
	}
	if _, err := g.Renew(t.Context(), memberOf("odd-1"), minute); !errors.Is(err, group.ErrTaken) {
		t.Errorf("a name with another value: %v", err)
	}
	if err := g.Leave(t.Context(), memberOf("odd-1")); err != nil || !slices.Contains(keysOf(t, g), "odd-1") {
		t.Errorf("Leave of another's key: %v, keys %q", err, keysOf(t, g))
	}
}

// TestGroupStaleKeys: a key that no program has renewed for longer than any lease holds
// nothing. Another program may have given it a lease without an end.
func TestGroupStaleKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &Group{prefix: "p/", seen: map[string]firstSeen{}}
		at := func(revision, header int64) *mvccpb.KeyValue {
			kv := &mvccpb.KeyValue{Key: []byte("p/x"), Value: []byte(`{"instance":"i"}`), Lease: 1, ModRevision: revision}
			g.note(groupAnswer{all: []*mvccpb.KeyValue{kv}, revision: header})
			return kv
		}
		wait := func(d time.Duration) { <-time.After(d) }
		x, other := group.Member{Name: "x", Instance: "i"}, group.Member{Name: "x", Instance: "j"}
		at(5, 5)
		wait(group.MaxLease)
		if kv := at(5, 6); !g.isTaken(kv, other) || g.isTaken(kv, x) || g.age(kv) != group.MaxLease {
			t.Errorf("at the end of the longest lease: age %s", g.age(kv))
		}
		wait(time.Second)
		if kv := at(5, 7); g.isTaken(kv, other) || len(g.inForce(groupAnswer{all: []*mvccpb.KeyValue{kv}})) != 0 {
			t.Error("a key without a renewal holds its name for ever")
		}
		if kv := at(8, 8); !g.isTaken(kv, other) || g.age(kv) != 0 {
			t.Errorf("a renewed key has age %s", g.age(kv))
		}
		wait(time.Second)
		if kv := at(5, 7); g.age(kv) != time.Second {
			t.Errorf("an answer that another one has overtaken gives age %s", g.age(kv))
		}
	})
}

// TestGroupTooMany: more keys than members are read in part, in the same way by all.
func TestGroupTooMany(t *testing.T) {
	r := newRig(t, Config{})
	g := r.group(t)
	mustRenew(t, g, memberOf("a"))
	mustRenew(t, g, memberOf("z"))
	id := g.leases[memberOf("a")].id
	for from := 0; from < group.MaxMembers; from += 100 {
		var ops []clientv3.Op
		for i := range 100 {
			ops = append(ops, clientv3.OpPut(g.key(fmt.Sprintf("m%04d", from+i)), `{"instance":"i"}`, clientv3.WithLease(id)))
		}
		if _, err := r.client.Txn(t.Context()).Then(ops...).Commit(); err != nil {
			t.Fatal(err)
		}
	}
	if got := mustRenew(t, g, memberOf("a")); len(got) != group.MaxMembers || got[0] != "a" || got[len(got)-1] != fmt.Sprintf("m%04d", group.MaxMembers-2) {
		t.Errorf("a sees %d members", len(got))
	}
	if _, err := g.Renew(t.Context(), memberOf("z"), minute); !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), "1024 others") {
		t.Errorf("a member beyond the most: %v", err)
	}
	if _, err := r.client.Revoke(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	for from := 0; from <= group.MaxMembers; from += 100 { // they have no lease
		var ops []clientv3.Op
		for i := range 100 {
			ops = append(ops, clientv3.OpPut(g.key(fmt.Sprintf("m%04d", from+i)), ""))
		}
		if _, err := r.client.Txn(t.Context()).Then(ops...).Commit(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := g.Renew(t.Context(), memberOf("z"), minute); !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), "other keys") {
		t.Errorf("a member behind other keys: %v", err)
	}
	if len(g.seen) > group.MaxMembers+2 {
		t.Errorf("the group remembers %d keys", len(g.seen))
	}
}

// TestGroupBesideStore: a group has the prefix of a store. Neither of them reports the keys of
// the other.
func TestGroupBesideStore(t *testing.T) {
	r := newRig(t, Config{})
	g := r.group(t)
	events := 0
	w := watchListed(t, r.Store, func(list []graph.Event) {
		for _, e := range list {
			if e.Type == graph.Put || e.Type == graph.Gone || e.Type == graph.KindSick {
				events++
			}
		}
	})
	for range 3 {
		mustRenew(t, g, memberOf("x"))
		mustRenew(t, g, memberOf("y"))
	}
	if err := g.Leave(t.Context(), memberOf("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := r.WriteRecord(t.Context(), "pause", []byte("x"), ""); err != nil {
		t.Fatal(err)
	}
	o := r.create(t, "pod/ns/a")
	w.until(t, "the watch has the object alone", func(m *mirror) bool { return m.is(o) })
	if !w.sees(func(*mirror) bool { return events == 1 }) {
		t.Errorf("the watch reports %d changes, want that of the object", events)
	}
	if got := mustRenew(t, g, memberOf("y")); !slices.Equal(got, []string{"y"}) {
		t.Errorf("the members are %q", got)
	}
	if err := r.Restored(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := keysOf(t, g); !slices.Equal(got, []string{"y"}) {
		t.Errorf("after Restored the keys are %q", got)
	}
}
