package run

import (
	"bytes"
	"flag"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/graph"
)

func TestFlags(t *testing.T) {
	ignored := append(clientgo.DefaultIgnore(), "Pod", "apps/Deployment", "shop.example/*")
	for _, c := range []struct {
		args   string
		want   Config
		reason string
	}{
		{"", Config{Listen: "here"}, "the set value stays"},
		{"-act -events -listen= -workers 3", Config{Act: true, Events: true, Engine: ownergraph.Config{Workers: 3}}, "switches"},
		{"-lease a/b -lease-duration 1m -lease-identity me", Config{Listen: "here", Lease: Lease{"a", "b", "me", time.Minute}}, "a lease"},
		{"-share auto", Config{Listen: "here", Share: Share{Auto: true}}, "a member of a group"},
		{"-share auto -share-group a/b -share-member me -share-lease 30s", Config{Listen: "here", Share: Share{true, "a", "b", "me", 30 * time.Second}}, "all of it"},
		{"-share auto -share all -share-group a/b -share-group=", Config{Listen: "here"}, "the last ones count"},
		{"-policies all -policies release", Config{Listen: "here", Policies: PoliciesRelease}, "the last one counts"},
		{"-policies all -policies none", Config{Listen: "here"}, "the default"},
		{"-web :8081", Config{Listen: "here", Web: ":8081"}, "pages on request"},
		{"-lease a/b -lease=", Config{Listen: "here"}, "the last one counts"},
		{"-ignore Pod,apps/Deployment -ignore shop.example/*", Config{Listen: "here", Store: clientgo.Config{Ignore: ignored}}, "it adds"},
		{"-page-size 7 -listings 2 -rediscover 1m", Config{Listen: "here", Store: clientgo.Config{PageSize: 7, Listings: 2, Rediscover: time.Minute}}, "the store's"},
		{"-owners 4096", Config{Listen: "here", Engine: ownergraph.Config{Limits: graph.Limits{Owners: 4096}}}, "a bound that the server has not"},
		{"-ignore deployments.apps", Config{Listen: "here", Store: clientgo.Config{Ignore: append(clientgo.DefaultIgnore(), "deployments.apps")}}, "a resource"},
		{"-fence-wait 1h -audit-every 2h -call-timeout 3s -max-retry-after 5s -held-after 4m", Config{Listen: "here", HeldAfter: 4 * time.Minute,
			Engine: ownergraph.Config{FenceWait: time.Hour, AuditEvery: 2 * time.Hour, CallTimeout: 3 * time.Second, MaxRetryAfter: 5 * time.Second}}, "the engine's"},
	} {
		got := Config{Listen: "here"}
		f := flag.NewFlagSet("x", flag.ContinueOnError)
		got.RegisterFlags(f)
		if err := f.Parse(strings.Fields(c.args)); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %+v, %v: %s", c.args, got, err, c.reason)
		}
	}
}

// TestIgnores: the program does not check the rights of an ignored kind, by any of its
// names.
func TestIgnores(t *testing.T) {
	r := metav1.APIResource{Name: "deployments", Kind: "Deployment"}
	for _, c := range []struct {
		config Config
		want   bool
		reason string
	}{
		{Config{}, false, "it takes part"},
		{Config{Store: clientgo.Config{Ignore: []graph.Kind{"apps/Deployment"}}}, true, "a kind"},
		{Config{Store: clientgo.Config{Ignore: []graph.Kind{"deployments.apps"}}}, true, "a resource"},
		{Config{Store: clientgo.Config{Ignore: []graph.Kind{"deployments"}}}, false, "that of another group"},
		{Config{Store: clientgo.Config{Ignore: []graph.Kind{"apps/*"}}}, true, "a group"},
		{Config{Engine: ownergraph.Config{Ignore: []graph.Kind{"apps/Deployment"}}}, true, "the engine's setting"},
	} {
		if got := c.config.ignores("apps", r); got != c.want {
			t.Errorf("%s: ignored %v", c.reason, got)
		}
	}
}

func TestFlagsRefused(t *testing.T) {
	for _, c := range []struct{ args, want, reason string }{
		{"-lease b", `"b" is not of the form namespace/name`, "it takes both"},
		{"-lease a/b/c", `"a/b/c" is not of the form`, "and no more"},
		{"-lease /b", "is not of the form", "none is empty"},
		{"-share some", `"some" is no part: write auto or all`, "a typing error is none"},
		{"-share-group b", `"b" is not of the form namespace/name`, "it takes both"},
		{"-ignore Pod,,Node", `"" is not a kind`, "an empty kind would be none"},
		{"-ignore apps/", `"apps/" is not a kind`, "a group is apps/*"},
		{"-ignore apps/v1/Deployment", "is not a kind", "a kind has no version"},
		{"-workers many", "invalid value", "a number is one"},
		{"-acts", "flag provided but not defined", "a typing error is none"},
	} {
		f := flag.NewFlagSet("x", flag.ContinueOnError)
		f.SetOutput(io.Discard)
		new(Config).RegisterFlags(f)
		if err := f.Parse(strings.Fields(c.args)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q: %s", c.args, err, c.want, c.reason)
		}
	}
}

// TestFlagsUsage: the usage shows the values of the config as defaults, and no zero
// value panics.
func TestFlagsUsage(t *testing.T) {
	var out bytes.Buffer
	c := Config{Lease: Lease{Namespace: "a", Name: "b"}, Store: clientgo.Config{Ignore: []graph.Kind{"Pod"}}}
	f := flag.NewFlagSet("x", flag.ContinueOnError)
	f.SetOutput(&out)
	c.RegisterFlags(f)
	f.PrintDefaults()
	for _, want := range []string{"-lease namespace/name", "(default a/b)", "(default Pod)", "-act\n", "-held-after duration"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if strings.Contains(out.String(), "panic") {
		t.Errorf("a flag's zero value panics:\n%s", &out)
	}
}
