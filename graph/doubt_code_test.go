package graph_test

import (
	"errors"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestDoubtCodes: each doubt has a code of its own and reads it back. No other text is one.
func TestDoubtCodes(t *testing.T) {
	seen := map[string]bool{}
	for d := graph.DoubtUnset; d <= graph.Renamed; d++ {
		text, err := d.MarshalText()
		if err != nil || string(text) != d.Code() || seen[d.Code()] {
			t.Errorf("doubt %v: code %q, text %q, error %v", d, d.Code(), text, err)
		}
		seen[d.Code()] = true
		var back graph.Doubt
		if err := back.UnmarshalText(text); err != nil || back != d {
			t.Errorf("%s reads as %v, error %v", text, back, err)
		}
	}
	if _, err := (graph.Renamed + 1).MarshalText(); !errors.Is(err, graph.ErrInvalid) {
		t.Errorf("a doubt without a code: error %v", err)
	}
	for _, c := range []struct{ text, reason string }{
		{"", "no text"},
		{"misplaced", "the code has another case"},
		{"Doubt(13)", "the text of a value without a code"},
	} {
		back := graph.Misplaced
		if err := back.UnmarshalText([]byte(c.text)); !errors.Is(err, graph.ErrInvalid) || back != graph.Misplaced {
			t.Errorf("%q reads as %v, error %v: %s", c.text, back, err, c.reason)
		}
	}
}
