package restoring_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// TestRestoreHeld: a member whose name is taken after the first look is held with those that need it, and the others come
// back. Once the name is free the rest comes, too.
func TestRestoreHeld(t *testing.T) {
	for _, tc := range []struct{ objects, want, held, reason string }{
		{"k/r; k/a -> k/r; k/b -> k/a; k/c -> k/b; k/z -> k/r", "a; r; z -> r", "a b c", "a chain below it needs it"},
		{"k/r; k/a -> k/r, k/b; k/b -> k/a; k/z -> k/r", "a; r; z -> r", "a b", "its ring needs it"},
		{"k/r; k/a -> k/r; k/z -> k/r", "a; r; z -> r", "a", "nothing needs it"},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, tc.objects, false)
			r.userDeletes("r")
			for _, o := range r.Objects() {
				r.engineDeletes(o.Name)
			}
			r.restore = func(n int) error {
				if n == 1 {
					r.creates("k/a")
				}
				return nil
			}
			result, err := r.restores("k/r")
			r.ok(err)
			r.wants(tc.want, tc.reason)
			var held []string
			for _, h := range result.Held {
				held = append(held, h.Member.Name)
				if h.By.UID != r.uid("a") {
					t.Errorf("%s: %s is held by %s, want the object that has the name", tc.reason, h.Member, h.By)
				}
			}
			if got := strings.Join(held, " "); got != tc.held {
				t.Errorf("%s: held are %s, want %s, sorted", tc.reason, got, tc.held)
			}
			r.userDeletes("a")
			again, err := r.restores("k/r")
			if err != nil || len(again.Held) != 0 || again.Created != len(held) {
				t.Errorf("%s: a second restore: %+v, %v, want the held ones", tc.reason, again, err)
			}
		})
	}
}

// TestRestoreHeldSweep: a member of a sweep needs the holder, which is no owner of it. Also one of whose earlier objects held the
// sweep is held.
func TestRestoreHeldSweep(t *testing.T) {
	for _, again := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, "k/r; k/h -> k/r; k/m; k/n -> k/m; k/z -> k/r", false)
			h, err := r.Get(t.Context(), r.key("h"))
			r.ok(err)
			r.deletes(&graph.Cause{Root: h.Key, Holder: h.Key}, []string{"m"})
			if again { // the holder ends, comes back and ends once more
				r.engineDeletes("h")
				_, err = r.Store.RestoreEntries(t.Context(), []archive.Item{{UID: h.UID, Name: "h", Owners: h.Owners}})
				r.ok(err)
			}
			r.userDeletes("r")
			r.engineDeletes("h", "n", "z")
			r.restore = func(n int) error {
				if n == 1 {
					r.creates("k/h")
				}
				return nil
			}
			result, err := r.restores("k/r")
			r.ok(err)
			r.wants("h; r; z -> r", "the holder has no name")
			if len(result.Held) != 3 {
				t.Errorf("held are %v, want h, m and n", result.Held)
			}
		})
	}
}
