package measure_test

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/internal/proof/bench/measure"
	"github.com/ownergraph/ownergraph/internal/proof/bench/ours"
	"github.com/ownergraph/ownergraph/internal/proof/bench/server"
)

// forgetful is a side that leaves the last event of each batch out. Its collector does
// nothing.
type forgetful struct{ ours.Side }

type lossy struct{ measure.Graph }

func (g lossy) Prepare(events []measure.Event) { g.Graph.Prepare(events[:len(events)-1]) }

func (f forgetful) Graph(whole bool) (measure.Graph, error) {
	g, err := f.Side.Graph(whole)
	if g != nil {
		g = lossy{g}
	}
	return g, err
}

type idle struct{}

func (idle) Settled(context.Context, int) error { return nil }
func (idle) Events() uint64                     { return 0 }
func (idle) Stop() error                        { return nil }

func (forgetful) Start(context.Context, *server.Server, measure.How) (measure.Collector, error) {
	return idle{}, nil
}

// TestRowsCheckTheEnd: no row returns figures for work that was not done.
func TestRowsCheckTheEnd(t *testing.T) {
	for _, c := range []struct {
		row, want, reason string
	}{
		{"graph", "end state", "an object is missing"},
		{"memory", "end state", "an object is missing"},
		{"worst", "end state", "all are"},
		{"fan", "end state", "a dependent is missing"},
		{"background", "objects are left", "nothing was collected"},
		{"foreground", "objects are left", "nothing was collected"},
		{"orphan", "objects are left", "the owner waits"},
		{"chain", "objects are left", "nothing was collected"},
		{"listing", "end state", "no event was taken"},
		{"update", "end state", "no event was taken"},
		{"none", "unknown", "there is no such row"},
	} {
		p := measure.Params{Row: c.row, N: 340, Workers: 2, Timeout: time.Millisecond}
		err := measure.Run(io.Discard, forgetful{}, p)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q: %s", c.row, err, c.want, c.reason)
		}
	}
}

// TestBareRows: a bare run ends all its work, and has the figures of its row. A row
// without a bare run says so.
func TestBareRows(t *testing.T) {
	for row, metric := range map[string]string{"background": "rate", "chain": "object ns", "fan": "wait ns", "queue": "cycle ns"} {
		var out strings.Builder
		p := measure.Params{Row: row, N: 340, Workers: 2, Bare: true}
		if err := measure.Run(&out, ours.Side{}, p); err != nil {
			t.Errorf("%s: %v", row, err)
			continue
		}
		var m measure.Metrics
		if err := json.Unmarshal([]byte(out.String()), &m); err != nil || m[metric] <= 0 {
			t.Errorf("%s: %s (%v), want a %q above 0", row, out.String(), err, metric)
		}
	}
	if err := measure.Run(io.Discard, ours.Side{}, measure.Params{Row: "memory", Bare: true}); err == nil {
		t.Error("nothing stands beside the memory row")
	}
}

// TestSplit: two collectors share the work by scope, and no object is written twice.
func TestSplit(t *testing.T) {
	var out strings.Builder
	p := measure.Params{Row: "background", N: 3400, Workers: 4, Collectors: 2, Split: true}
	if err := measure.Run(&out, ours.Side{}, p); err != nil {
		t.Fatal(err)
	}
	var m measure.Metrics
	if err := json.Unmarshal([]byte(out.String()), &m); err != nil {
		t.Fatal(err)
	}
	if m["requests"] != 1 || m["reads"] != 0 {
		t.Errorf("%v requests for each object, %v of them reads; want 1 and 0", m["requests"], m["reads"])
	}
}
