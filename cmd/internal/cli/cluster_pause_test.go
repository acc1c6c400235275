package cli

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
)

// paused is a store with the record "gc", and with the namespace shop.
type paused struct {
	ownergraph.Store
	namespaces error // of any other one
}

func (paused) ReadRecord(_ context.Context, name string) (ownergraph.Record, error) {
	if name != "gc" {
		return ownergraph.Record{}, graph.ErrNotFound
	}
	return ownergraph.Record{Value: []byte(`{"version":1,"announced":"2026-01-02T03:04:05Z","pauses":[{"scope":"old"}]}`), Version: "1"}, nil
}

func (paused) WriteRecord(context.Context, string, []byte, graph.Version) (graph.Version, error) {
	return "", errors.New("a check writes nothing")
}

func (s paused) Get(_ context.Context, k graph.Key) (graph.Object, error) {
	if k == (graph.Key{Kind: namespaceKind, Name: "shop"}) {
		return graph.Object{Key: k}, nil
	}
	return graph.Object{}, s.namespaces
}

// TestPluginPauseOfNothing: a pause that would stop nothing, and the end of one that is not there, are
// errors that say how the user goes on.
func TestPluginPauseOfNothing(t *testing.T) {
	all, shop, old := engine.Extent{All: true}, engine.Extent{InScope: true, Scope: "shop"}, engine.Extent{InScope: true, Scope: "old"}
	for _, c := range []struct {
		record            string
		what              engine.Extent
		resume, unchecked bool
		namespaces        error
		want, reason      string
	}{
		{"a/ownergraph-gc", all, false, false, nil, "", "a record of a collector"},
		{"a/ownergraph-gc", shop, false, false, graph.ErrNotFound, "", "a namespace that exists"},
		{"a/ownergraph-typo", all, false, false, nil, `record "typo": no collector has announced itself in it. A collector announces itself when it begins: check the name. To pause before`, "a misspelt record"},
		{"a/ownergraph-typo", all, false, true, nil, "", "a user who knows better"},
		{"a/ownergraph-gc", old, false, false, graph.ErrNotFound, "-n old: no such namespace. To pause all the same, add --unchecked", "a misspelt namespace"},
		{"a/ownergraph-gc", old, false, true, graph.ErrNotFound, "", "a namespace that is made later"},
		{"a/ownergraph-gc", old, false, false, graph.ErrRefused, "", "a user without the right to read it"},
		{"a/ownergraph-gc", old, true, false, graph.ErrNotFound, "", "a pause outlives its namespace"},
		{"a/ownergraph-gc", shop, true, false, nil, `record "gc": it has no pause of scope shop. Its pauses: scope old`, "another pause"},
		{"a/ownergraph-typo", all, true, true, nil, `record "typo": there is no such record`, "the end of no pause"},
	} {
		e := extentFlags{resume: c.resume, unchecked: c.unchecked}
		name, _, _ := newApp(Plugin, nil, nil, nil).recordName(c.record)
		err := e.check(t.Context(), paused{namespaces: c.namespaces}, name, c.what, true)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.reason, err, c.want)
		}
	}
	flags := newCluster().serve(t)
	for _, args := range [][]string{{"-A"}, {"-A", "--resume"}} {
		got := callPlugin(t, append(append([]string{"pause", "--record", "shop/ownergraph-typo"}, args...), flags...)...)
		if got.code != printing.ExitFailed || got.stdout != "" || !strings.Contains(got.stderr, `record "typo": `) {
			t.Errorf("%v: exit %d\n%s%s", args, got.code, got.stdout, got.stderr)
		}
	}
}
