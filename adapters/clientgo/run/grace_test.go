package run

import (
	"errors"
	"flag"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// TestGraceFlag: the flag names kinds, and a wrong list changes nothing.
func TestGraceFlag(t *testing.T) {
	for _, c := range []struct {
		args   string
		want   []graph.Kind
		fault  string
		reason string
	}{
		{"", nil, "", "no period passes on by default"},
		{"-propagate-grace Pod", []graph.Kind{"Pod"}, "", "one kind"},
		{"-propagate-grace apps/ReplicaSet,Pod", []graph.Kind{"apps/ReplicaSet", "Pod"}, "", "two kinds"},
		{"-propagate-grace Pod -propagate-grace apps/ReplicaSet,Pod", []graph.Kind{"Pod", "apps/ReplicaSet"}, "", "it adds, and each kind once"},
		{"-propagate-grace=", nil, `"": it names no kind`, "an empty kind would be none"},
		{"-propagate-grace Pod,,Node", nil, `"": it names no kind`, "none is empty"},
		{"-propagate-grace apps/*", nil, `"apps/*": it names no kind`, "a group is no kind"},
		{"-propagate-grace apps/v1/ReplicaSet", nil, `it names no kind`, "a kind has no version"},
		{"-propagate-grace apps/", nil, `it names no kind`, "a group alone"},
	} {
		var config Config
		f := flag.NewFlagSet("x", flag.ContinueOnError)
		f.SetOutput(t.Output())
		config.RegisterFlags(f)
		err := f.Parse(strings.Fields(c.args))
		if (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%q: error %v, want %q: %s", c.args, err, c.fault, c.reason)
		}
		if got := config.Engine.PropagateGrace; !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q: %s", c.args, got, c.want, c.reason)
		}
	}
}

// TestGraceLogged: the program names the limit beside another collector at its start.
func TestGraceLogged(t *testing.T) {
	for _, c := range []struct {
		kinds  []graph.Kind
		want   int // lines
		reason string
	}{
		{nil, 0, "no period passes on"},
		{[]graph.Kind{"apps/ReplicaSet", "Pod"}, 1, "both kinds in one line"},
	} {
		bubble(t, Config{Engine: ownergraph.Config{PropagateGrace: c.kinds}}, func(r *rig) {
			r.start(r.program)
			pass(time.Minute)
			if got := r.with("level=INFO", "a period may be lost", "kinds=apps/ReplicaSet,Pod"); len(got) != c.want {
				t.Errorf("logged %q: %s", got, c.reason)
			}
		})
	}
}

// TestGraceKinds: the store gets the kinds of the engine, and has none of its own.
func TestGraceKinds(t *testing.T) {
	c := Config{Engine: ownergraph.Config{PropagateGrace: []graph.Kind{"Pod"}}}
	if err := c.fillGrace(); err != nil || !slices.Equal(c.Store.GraceKinds, []graph.Kind{"Pod"}) {
		t.Errorf("the store has %q: %v", c.Store.GraceKinds, err)
	}
	if err := c.fillGrace(); !errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), "Store.GraceKinds") {
		t.Errorf("kinds of the store alone: %v", err)
	}
}
