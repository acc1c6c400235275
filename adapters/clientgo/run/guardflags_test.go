package run

import (
	"bytes"
	"flag"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

func TestGuardFlags(t *testing.T) {
	hundred := 100
	protect := func(p ...guard.Protection) Config { return Config{Engine: ownergraph.Config{Protect: p}} }
	guards := func(g ...guard.Guard) Config { return Config{Engine: ownergraph.Config{Guards: g}} }
	for _, c := range []struct {
		args   string
		want   Config
		reason string
	}{
		{"-protect kind=Secret", protect(guard.Protection{Kinds: []graph.Kind{"Secret"}}), "a kind"},
		{"-protect kind=Secret,kind=apps/Deployment,namespace=prod,name=main", protect(guard.Protection{
			Kinds: []graph.Kind{"Secret", "apps/Deployment"}, Scopes: []string{"prod"}, Names: []string{"main"}}), "all terms"},
		{"-protect kind=Secret,selector=keep,tier!=test", protect(guard.Protection{Kinds: []graph.Kind{"Secret"}, Selector: "keep,tier!=test"}), "a selector takes the rest"},
		{"-protect namespace=", protect(guard.Protection{Scopes: []string{""}}), "the objects without a namespace"},
		{"-protect name=a -protect name=b", protect(guard.Protection{Names: []string{"a"}}, guard.Protection{Names: []string{"b"}}), "two rules"},
		{"-guard kind=apps/Deployment,above=100", guards(guard.Guard{Kinds: []graph.Kind{"apps/Deployment"}, Above: &hundred}), "a limit"},
		{"-guard namespace=prod,name=main,protected,always", guards(guard.Guard{Scopes: []string{"prod"}, Names: []string{"main"}, Protected: true, Always: true}), "both words"},
	} {
		var got Config
		f := flag.NewFlagSet("x", flag.ContinueOnError)
		got.RegisterFlags(f)
		if err := f.Parse(strings.Fields(c.args)); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %+v, %v: %s", c.args, got.Engine, err, c.reason)
		}
		if text := f.Lookup(strings.TrimPrefix(strings.Fields(c.args)[0], "-")).Value.String(); !strings.Contains(c.args, strings.Fields(text)[0]) {
			t.Errorf("%q is shown as %q", c.args, text)
		}
	}
}

func TestGuardFlagsRefused(t *testing.T) {
	for _, c := range []struct{ args, want, reason string }{
		{"-protect Secret", `"Secret" is no term of this flag`, "a kind has its word"},
		{"-protect kind=", `"kind=": it names no kind`, "an empty kind would be none"},
		{"-protect kind=apps/*", "it names no kind", "a rule has no pattern"},
		{"-protect kind=apps/v1/Deployment", "it names no kind", "a kind has no version"},
		{"-protect name=", "is no term of this flag", "no object has an empty name"},
		{"-protect selector=", "empty", "an empty selector would protect everything"},
		{"-protect selector=a=b=c", "a=b=c", "a selector that cannot be read"},
		{"-protect above=3", "is no term of this flag", "a rule has no limit"},
		{"-guard kind=Secret,above=-1", `"above=-1" is no term`, "a limit is not negative"},
		{"-guard kind=Secret,above=many", `"above=many" is no term`, "a number is one"},
		{"-guard kind=Secret,always=yes", `"always=yes" is no term`, "a word has no value"},
		{"-guard kind=Secret,selector=a", "is no term of this flag", "a guard has no selector"},
		{"-guard kind=Secret,", `"" is no term`, "a comma too many"},
	} {
		f := flag.NewFlagSet("x", flag.ContinueOnError)
		f.SetOutput(io.Discard)
		new(Config).RegisterFlags(f)
		if err := f.Parse(strings.Fields(c.args)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q: %s", c.args, err, c.want, c.reason)
		}
	}
}

// TestGuardFlagsUsage: the usage shows the rules and guards of the config.
func TestGuardFlagsUsage(t *testing.T) {
	var out bytes.Buffer
	c := Config{Engine: ownergraph.Config{
		Protect: []guard.Protection{{Names: []string{"a"}, Selector: "b,c"}},
		Guards:  []guard.Guard{{Scopes: []string{"prod"}, Above: new(int), Protected: true, Always: true}},
	}}
	f := flag.NewFlagSet("x", flag.ContinueOnError)
	f.SetOutput(&out)
	c.RegisterFlags(f)
	f.PrintDefaults()
	for _, want := range []string{"-protect rule", "(default name=a,selector=b,c)", "-guard guard", "(default namespace=prod,above=0,protected,always)"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}
