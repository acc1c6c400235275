package clientgo

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/ownergraph/ownergraph/graph"
)

func TestHistory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHistory()
		see := func(reason string, kind graph.Kind, version, least string, epoch uint64, want error) {
			t.Helper()
			err := h.observe(kind, version, least, epoch)
			if want == nil && err != nil || want != nil && !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", reason, err, want)
			}
		}
		see("first", "a", "10", "", 0, nil)
		see("the same", "a", "10", "10", 0, nil)
		see("no order", "a", "x", "10", 0, nil)
		see("a watch that is slower than another", "a", "9", "8", 0, nil)
		if got := h.observed("a"); got != "10" {
			t.Errorf("marked %q", got)
		}
		see("another kind", "b", "5", "", 0, nil)
		see("lower", "b", "4", h.observed("b"), 0, errRewound)
		see("of the former history", "a", "11", "10", 0, errRewound)
		if got := h.observed("a"); got != "" {
			t.Errorf("marked %q after a rewind", got)
		}
		see("of the new one", "a", "3", h.observed("a"), 1, nil)
		see("again, soon", "b", "2", h.observed("b"), 1, errErratic)
		see("another kind, soon", "a", "2", h.observed("a"), 1, errRewound)
		pass(erraticWithin)
		see("seen", "b", "9", h.observed("b"), 2, nil)
		see("again, much later", "b", "2", h.observed("b"), 2, errRewound)
		if n, why := h.epoch(); n != 3 || why != "kind b is at version 2 after 9" {
			t.Errorf("epoch %d, %q", n, why)
		}
	})
}
