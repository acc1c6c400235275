package etcdstore

import (
	"errors"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	clientv3 "go.etcd.io/etcd/client/v3"
)

func TestServerVersions(t *testing.T) {
	for _, tc := range []struct {
		version string
		auth    bool
		want    string
		reason  string
	}{
		{"3.6.8", false, "", "without users there is nothing to circumvent"},
		{"3.5.8", false, "", "the first release with sound progress"},
		{"3.5.7", false, "3.5.8", "its progress may be early"},
		{"3.5.33", true, "", "the first good release of its line"},
		{"3.5.32", true, "3.5.33", "one before it"},
		{"3.6.14", true, "", "the first good release of its line"},
		{"3.6.13", true, "3.6.14", "one before it"},
		{"3.7.1", true, "", "the first good release of its line"},
		{"3.7.0", true, "3.7.1", "one before it"},
		{"3.7.0-rc.0", true, "3.7.1", "a candidate is not newer"},
		{"3.8.0", true, "", "a later line"},
		{"4.0.0", true, "", "a later line"},
		{"3.4.99", true, "3.5.8", "an old line"},
		{"", false, `"" is no version`, "no guess"},
		{"3.x.1", true, `"3.x.1" is no version`, "no guess"},
	} {
		err := judgeServer(tc.version, tc.auth)
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("judgeServer(%q, %t): %v, want %q: %s", tc.version, tc.auth, err, tc.want, tc.reason)
		}
	}
}

// TestAuthentication: a server that is too old for authentication is refused, with its
// version, as soon as authentication is on.
func TestAuthentication(t *testing.T) {
	s := ownServer(t)
	admin := clientOf(t, s, nil)
	if err := newStore(t, admin).Watch(t.Context(), func([]graph.Event) error { return errSink }); !errors.Is(err, errSink) {
		t.Fatalf("Watch without authentication: %v", err)
	}
	enable := func() error {
		_, a := admin.UserAdd(t.Context(), "root", "secret")
		_, b := admin.UserGrantRole(t.Context(), "root", "root")
		_, c := admin.AuthEnable(t.Context())
		return errors.Join(a, b, c)
	}
	if err := enable(); err != nil {
		t.Fatal(err)
	}
	root := newStore(t, clientOf(t, s, func(c *clientv3.Config) { c.Username, c.Password = "root", "secret" }))
	_, get := root.Get(t.Context(), graph.Key{Kind: "pod", Scope: "ns", Name: "a"})
	watch := root.Watch(t.Context(), func([]graph.Event) error { return nil })
	for what, err := range map[string]error{"Get": get, "Watch": watch} {
		if !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), s.Address()) || !strings.Contains(err.Error(), "3.6.14") {
			t.Errorf("%s with authentication: %v, want ErrRefused that names server and versions", what, err)
		}
	}
	_, err := newStore(t, clientOf(t, s, nil)).Get(t.Context(), graph.Key{Kind: "pod", Scope: "ns", Name: "a"})
	if err == nil || errors.Is(err, graph.ErrNotFound) {
		t.Errorf("Get without a user: %v", err)
	}
}

var errSink = errors.New("enough")

// TestKineIsNamed: a store for etcd refuses kine, and names the setting.
func TestKineIsNamed(t *testing.T) {
	to := newRig(t, Config{Kine: true})
	store := newStore(t, to.client)
	_, err := store.Get(t.Context(), graph.Key{Kind: "pod", Scope: "ns", Name: "a"})
	if !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), "Config.Kine") {
		t.Errorf("Get on kine without Config.Kine: %v", err)
	}
}
