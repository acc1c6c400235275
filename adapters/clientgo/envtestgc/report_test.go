package envtestgc

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// notes is a test that may have failed.
type notes struct {
	testing.TB
	failed   bool
	cleanups []func()
	lines    []string
}

func (n *notes) Helper()                    {}
func (n *notes) Failed() bool               { return n.failed }
func (n *notes) Cleanup(f func())           { n.cleanups = append(n.cleanups, f) }
func (n *notes) Logf(f string, args ...any) { n.lines = append(n.lines, fmt.Sprintf(f, args...)) }

func TestReportTo(t *testing.T) {
	for _, c := range []struct {
		failed bool
		want   []string
		reason string
	}{
		{false, nil, "a test that passes is quiet"},
		{true, []string{`garbage collection in this test:
  delete ConfigMap/default/b@uid-3 (background): all owners are gone
held at its end:
  nothing`}, "the writes and their reasons"},
	} {
		bubble(t, Config{}, func(r *rig) {
			r.create("before", nil, graph.Object{Key: graph.Key{Kind: "ConfigMap", Scope: "default", Name: "none", UID: "none"}})
			if err := r.gc.WaitIdle(r.Context()); err != nil {
				r.Fatal(err)
			}
			n := &notes{failed: c.failed}
			r.gc.ReportTo(n)
			a := r.create("a", nil)
			r.create("b", nil, a)
			r.delete(a, graph.Background)
			if err := r.gc.WaitIdle(r.Context()); err != nil {
				r.Fatal(err)
			}
			for _, f := range n.cleanups {
				f()
			}
			if !slices.Equal(n.lines, c.want) {
				r.Errorf("%s: logged %s", c.reason, n.lines)
			}
			if all := r.gc.journal.since(0); len(all) != 2 || !strings.HasPrefix(all[0], "delete ConfigMap/default/before@") {
				r.Errorf("the lines are %q", all)
			}
		})
	}
}
