package memory

import (
	"testing"
	"testing/synctest"
)

// TestEpochs: one restore has one epoch in every watch, and the next restore has
// another epoch. Epochs of two stores differ, except with a UIDPrefix.
func TestEpochs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := map[string]bool{}
		for range 2 {
			s, err := New(Config{Kinds: modelKinds})
			if err != nil {
				t.Fatal(err)
			}
			runs := record(t, s)
			synctest.Wait()
			if got := runs.epochs(); len(got) > 0 {
				t.Errorf("a store without a restore reports the epochs %q", got)
			}
			for range 2 {
				do(t, insider{s}.Restore(insider{s}.Snapshot()))
				synctest.Wait()
				was, late := runs.epochs(), record(t, s)
				synctest.Wait()
				joins := late.epochs()
				if len(was) != 1 || len(joins) != 1 || was[0] != joins[0] || len(was[0]) < 20 || seen[was[0]] {
					t.Errorf("epochs %q, and in a watch that joins %q: want one, random, the same, and none of %v", was, joins, seen)
				}
				seen[was[0]] = true
			}
		}
	})
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, "", 0)
		do(t, insider{s}.Restore(insider{s}.Snapshot()))
		do(t, insider{s}.Restore(insider{s}.Snapshot()))
		r := record(t, s)
		synctest.Wait()
		if got := r.epochs(); len(got) != 1 || got[0] != "urestore-2" {
			t.Errorf("epochs %q, want the second one alone, the same in every run", got)
		}
	})
}
