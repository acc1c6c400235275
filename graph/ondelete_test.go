package graph_test

import (
	"errors"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestOnDelete: the text of each policy, and the way back.
func TestOnDelete(t *testing.T) {
	for _, tc := range []struct {
		text   string
		want   graph.OnDelete
		reason string
	}{
		{"unset", graph.OnDeleteUnset, "the zero value"},
		{"release", graph.OnDeleteRelease, "the reference goes"},
		{"restrict", graph.OnDeleteRestrict, "the owner stays"},
		{"cascade", graph.OnDeleteCascade, "the dependent goes"},
	} {
		text, err := tc.want.MarshalText()
		if err != nil || string(text) != tc.text || tc.want.String() != tc.text {
			t.Errorf("%d: %s, text %q, %v, want %s: %s", tc.want, tc.want, text, err, tc.text, tc.reason)
		}
		got := graph.OnDelete(9)
		if err := got.UnmarshalText([]byte(tc.text)); err != nil || got != tc.want {
			t.Errorf("UnmarshalText(%s): %s, %v: %s", tc.text, got, err, tc.reason)
		}
	}
	if _, err := graph.OnDelete(9).MarshalText(); !errors.Is(err, graph.ErrInvalid) {
		t.Errorf("MarshalText of an unknown policy: %v, want ErrInvalid", err)
	}
	d := graph.OnDeleteRelease
	if err := d.UnmarshalText([]byte("Restrict")); !errors.Is(err, graph.ErrInvalid) || d != graph.OnDeleteRelease {
		t.Errorf("UnmarshalText(Restrict): %s, %v, want ErrInvalid and no change", d, err)
	}
}
