package main

import (
	"errors"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestHistories: a drawn history equals its printed form, and the n-th of a seed is
// always the same. Every feature occurs.
func TestHistories(t *testing.T) {
	odd := map[string]suspect{"self": self, "twice": twice, "unresolved": unresolved, "forgotten": forgotten, "misnamed": misnamed, "ring": ring, "late": late}
	seen := map[string]int{}
	for i := range uint64(2000) {
		h := drawHistory(7, i)
		if text := h.String(); text != drawHistory(7, i).String() {
			t.Fatalf("history %d: drawn twice, and not the same", i)
		} else if again, err := parseHistory(text); err != nil || again.String() != text {
			t.Fatalf("history %d: %s, read again: %s, %v", i, text, again, err)
		}
		for name, is := range odd {
			if h.has(is) {
				seen[name]++
			}
			if dropping(is)(h).has(is) {
				t.Errorf("%s, without %s: %s", h, name, dropping(is)(h))
			}
		}
		for _, a := range h.actions {
			seen[a.Verb.String()]++
		}
	}
	for _, name := range []string{"self", "twice", "unresolved", "forgotten", "misnamed", "ring", "late",
		"fg", "bg", "orphan", "strip", "finish", "addref", "dropref", "flip", "create"} {
		if seen[name] < 5 {
			t.Errorf("%s occurs in %d of 2000 histories", name, seen[name])
		}
	}
}

func TestParseHistory(t *testing.T) {
	for _, tc := range []struct{ text, reason string }{
		{"pod/s/a", "no bar"},
		{"pod/s/a -> | fg pod/s/a", "no object"},
		{"pod/s/a | kill pod/s/a", "no action"},
	} {
		if h, err := parseHistory(tc.text); !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("%q: %s, %v, want an error: %s", tc.text, h, err, tc.reason)
		}
	}
}

// TestShrink: a shrunk history has no superfluous part, and every smaller history is
// valid.
func TestShrink(t *testing.T) {
	for i := range uint64(200) {
		for _, h := range smaller(drawHistory(3, i)) {
			if again, err := parseHistory(h.String()); err != nil || again.String() != h.String() {
				t.Errorf("%s, read again: %s, %v", h, again, err)
			}
		}
		least := shrink(drawHistory(3, i), func(h history) bool { return len(h.start) > 1 })
		if len(least.start) != 2 || len(least.actions)+len(least.start[0].Owners)+len(least.start[1].Finalizers) > 0 {
			t.Errorf("history %d shrinks to %s", i, least)
		}
	}
}

// has reports whether any reference of the history is suspect.
func (h history) has(is suspect) bool {
	for _, o := range h.everyone() {
		for i := range o.Owners {
			if is(h, o, i) {
				return true
			}
		}
	}
	return false
}
