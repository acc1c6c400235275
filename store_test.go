package ownergraph_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// wrapped hides the powers of a store, and unwraps to it.
type wrapped struct{ ownergraph.Store }

func (w wrapped) Unwrap() ownergraph.Store { return w.Store }

// endless unwraps to itself.
type endless struct{ ownergraph.Store }

func (e endless) Unwrap() ownergraph.Store { return e }

// leveled declares its level.
type leveled struct {
	ownergraph.Store
	level ownergraph.Level
}

func (l leveled) Level() ownergraph.Level { return l.level }

// ordered compares versions, in its own way.
type ordered struct {
	wrapped
	order int
}

func (o ordered) CompareVersions(ownergraph.Kind, ownergraph.Version, ownergraph.Version) int {
	return o.order
}

func TestAs(t *testing.T) {
	s := newTap(t, "")
	inner := ordered{wrapped{s}, 1}
	for _, c := range []struct {
		name              string
		store             ownergraph.Store
		fencer, comparing bool
		reason            string
	}{
		{"itself", s, true, true, "the store has it"},
		{"hidden", plain{s}, false, false, "a wrapper that does not unwrap hides it"},
		{"wrapped", wrapped{wrapped{s}}, true, true, "found through two wrappers"},
		{"wrapper's own", wrapped{inner}, true, true, "a wrapper may have powers that the store has not"},
		{"endless", endless{s}, false, false, "a wrapper that unwraps to itself does not hang"},
		{"nothing", wrapped{}, false, false, "there is no store inside"},
		{"nil", nil, false, false, "there is no store"},
	} {
		if _, ok := ownergraph.As[ownergraph.Fencer](c.store); ok != c.fencer {
			t.Errorf("%s: Fencer %v, want %v: %s", c.name, ok, c.fencer, c.reason)
		}
		if _, ok := ownergraph.As[ownergraph.VersionComparer](c.store); ok != c.comparing {
			t.Errorf("%s: VersionComparer %v, want %v: %s", c.name, ok, c.comparing, c.reason)
		}
	}
	if _, ok := ownergraph.As[ownergraph.Records](wrapped{wrapped{s.Store}}); !ok {
		t.Error("the records of a wrapped store are not found")
	}
	if _, ok := ownergraph.As[ownergraph.Records](plain{s}); ok {
		t.Error("records of a store that a wrapper hides are found")
	}
	outer := ordered{wrapped{inner}, 2}
	if v, _ := ownergraph.As[ownergraph.VersionComparer](outer); v.CompareVersions("", "", "") != 2 {
		t.Error("the outermost store that has a power is not taken")
	}
}

func TestLevelOf(t *testing.T) {
	s := newTap(t, "")
	for _, c := range []struct {
		name   string
		store  ownergraph.Store
		want   ownergraph.Level
		reason string
	}{
		{"fencer", s, ownergraph.Level2, "fences make level 2"},
		{"plain", plain{s}, ownergraph.Level1, "the four methods make level 1"},
		{"declared", leveled{s, ownergraph.Level0}, ownergraph.Level0, "a store may promise less than it shows"},
		{"declared higher", leveled{s, ownergraph.Level3}, ownergraph.Level3, "a store may promise more than it shows"},
		{"declared within", wrapped{leveled{s, ownergraph.Level1}}, ownergraph.Level1, "found through a wrapper"},
		{"undeclared", wrapped{leveled{s, ownergraph.LevelUnset}}, ownergraph.Level1, "unset leaves it to what shows, and leveled hides the fence"},
	} {
		if got := ownergraph.LevelOf(c.store); got != c.want {
			t.Errorf("%s: level %s, want %s: %s", c.name, got, c.want, c.reason)
		}
	}
}

func TestNew(t *testing.T) {
	s := newTap(t, "")
	for _, c := range []struct {
		name   string
		store  ownergraph.Store
		cfg    ownergraph.Config
		want   string
		reason string
	}{
		{name: "zero config", store: s, reason: "works"},
		{name: "lowered", store: s, cfg: ownergraph.Config{Level: ownergraph.Level0}, reason: "works"},
		{name: "not raised", store: plain{s}, cfg: ownergraph.Config{Level: ownergraph.Level2}, reason: "a setting does not give a store fences"},
		{name: "no store", want: "configure collector: store: nil", reason: "nothing to collect"},
		{name: "no fencer", store: leveled{plain{s}, ownergraph.Level2}, want: "configure collector: store: level 2 without a Fencer", reason: "it declares fences that it does not have"},
		{name: "no fencer at level 3", store: leveled{plain{s}, ownergraph.Level3}, want: "configure collector: store: level 3 without a Fencer", reason: "a store of level 3 has fences too"},
		{name: "lowered to its own level", store: leveled{plain{s}, ownergraph.Level2}, cfg: ownergraph.Config{Level: ownergraph.Level1}, reason: "works"},
		{name: "lowered from level 3", store: leveled{plain{s}, ownergraph.Level3}, cfg: ownergraph.Config{Level: ownergraph.Level1}, reason: "works"},
		{name: "level too high", store: s, cfg: ownergraph.Config{Level: ownergraph.Level3 + 1}, want: "configure engine: Level: level(5)", reason: "no such level"},
		{name: "too high", store: leveled{s, 7}, want: "configure engine: level level(7)", reason: "no such level"},
		{name: "handler", store: s, cfg: ownergraph.Config{Handlers: map[string]finalizer.Handler{"orphan": nil}},
			want: `configure collector: Handlers: register handler "orphan"`, reason: "the name is the engine's own"},
		{name: "no name rule", store: s, cfg: ownergraph.Config{OwnerName: graph.NameAbsent + 1}, want: "configure engine: OwnerName: name-rule(3)", reason: "no such rule"},
		{name: "negative", store: s, cfg: ownergraph.Config{Workers: -1}, want: "configure engine: Workers: negative", reason: "no such number"},
		{name: "negative time", store: s, cfg: ownergraph.Config{ShutdownTimeout: -1}, want: "configure engine: ShutdownTimeout: negative", reason: "no such time"},
	} {
		got, err := ownergraph.New(c.store, c.cfg)
		switch {
		case c.want == "" && (err != nil || got == nil):
			t.Errorf("%s: %v: %s", c.name, err, c.reason)
		case c.want != "" && (!errors.Is(err, ownergraph.ErrInvalid) || !strings.HasPrefix(err.Error(), c.want)):
			t.Errorf("%s: error %v, want %s...: %s", c.name, err, c.want, c.reason)
		}
	}
}

// TestNewTakesVersionComparer: the store's history goes back. The setting goes before the store's
// own power.
func TestNewTakesVersionComparer(t *testing.T) {
	for _, c := range []struct {
		name   string
		cfg    ownergraph.Config
		want   uint64
		reason string
	}{
		{"store's", ownergraph.Config{}, 1, "a version that the store calls older is a rewind"},
		{"setting", ownergraph.Config{CompareVersions: func(ownergraph.Kind, ownergraph.Version, ownergraph.Version) int { return 1 }}, 0,
			"the setting calls every version newer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTap(t, "a")
				r := collectOn(t, ordered{wrapped{s}, -1}, s, c.cfg)
				synctest.Wait()
				if err := s.Patch(t.Context(), keyOf(t, "a"), ownergraph.Precondition{}, ownergraph.Change{AddFinalizer: "x"}); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if n := r.Stats().Rewinds; min(n, 1) != c.want {
					t.Errorf("%d rewinds, want %d: %s", n, c.want, c.reason)
				}
			})
		})
	}
}
