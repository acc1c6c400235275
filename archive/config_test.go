package archive

import (
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// TestConfig: a kind has its own time, or that of all, and a wrong setting is an error.
func TestConfig(t *testing.T) {
	c := Config{Keep: time.Hour, Kinds: map[graph.Kind]KindConfig{"short": {Keep: time.Minute}, "secret": {Off: true}}}
	from := time.Unix(1000, 0)
	for _, tc := range []struct {
		c      Config
		kind   graph.Kind
		want   time.Time
		reason string
	}{
		{c, "k", from.Add(time.Hour), "the time of all kinds"},
		{c, "short", from.Add(time.Minute), "its own time"},
		{c, "secret", from.Add(time.Hour), "a kind that is left out has the time of all"},
		{Config{}, "k", time.Time{}, "no end"},
	} {
		if got := tc.c.Until(tc.kind, from); !got.Equal(tc.want) {
			t.Errorf("%s: %s until %s, want %s", tc.reason, tc.kind, got, tc.want)
		}
	}
	if !c.Has("k") || c.Has("secret") {
		t.Errorf("Has(k) %t, Has(secret) %t, want the secret left out", c.Has("k"), c.Has("secret"))
	}
	if a, b := (Config{}).Bound(), (Config{MaxBytes: 7}).Bound(); a != DefaultMaxBytes || b != 7 {
		t.Errorf("the bounds are %d and %d, want the default and 7", a, b)
	}
	for _, wrong := range []Config{{Keep: -1}, {MaxBytes: -1}, {Kinds: map[graph.Kind]KindConfig{"k": {Keep: -1}}}} {
		if wrong.Check() == nil {
			t.Errorf("%+v is accepted", wrong)
		}
	}
	if err := c.Check(); err != nil {
		t.Error(err)
	}
}
