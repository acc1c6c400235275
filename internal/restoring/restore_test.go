package restoring_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/restoring"
)

// TestPlan: a plan has the effects of a restore, and writes nothing.
func TestPlan(t *testing.T) {
	r := newRig(t, "k/r; k/a -> k/r:cascade; k/b -> k/a; k/lives -> k/r, k/x; k/goes[f] -> k/r; k/u -> k/r; k/x", false)
	r.userDeletes("u", "r")
	r.engineDeletes("a", "b", "goes")
	r.creates("k/a")
	before := r.shape()
	p := r.plan("k/r")
	var members []string
	for _, m := range p.Members {
		members = append(members, m.Name)
	}
	if want := []string{"r", "a", "b"}; !slices.Equal(members, want) {
		t.Errorf("the members are %v, want %v, each after its owners", members, want)
	}
	if len(p.Taken) != 1 || p.Taken[0].Member.UID != "k/a" || p.Taken[0].By.UID != r.uid("a") {
		t.Errorf("taken are %+v, want the name of a", p.Taken)
	}
	if len(p.Left) != 1 || p.Left[0].Why != archive.UserDeleted || p.Left[0].Entry.Object.UID != "k/u" {
		t.Errorf("left away are %+v, want u, which a user deleted", p.Left)
	}
	if len(p.Waits) != 1 || p.Waits[0].Key.Name != "goes" || !slices.Equal(p.Waits[0].Finalizers, []string{"f"}) {
		t.Errorf("it waits for %+v, want the marked object with its finalizer", p.Waits)
	}
	if len(p.Relinks) != 1 || p.Relinks[0].Name != "lives" {
		t.Errorf("it moves references of %v, want the living object", p.Relinks)
	}
	if r.wants(before, "a plan writes nothing"); p.IsDone() {
		t.Error("the plan has nothing to do")
	}
}

// TestRestore: the set comes back in the order of its owners, and a second restore returns the same objects.
func TestRestore(t *testing.T) {
	for _, tc := range []struct{ objects, cascade, want, reason string }{
		{"k/r; k/a -> k/r; k/b -> k/a, k/r", "a b", "a -> r; b -> a, r; r", "a cascade"},
		{"k/r; k/a -> k/r, k/b; k/b -> k/a", "a b", "a -> r, b; b -> a; r", "a ring below the root"},
		{"k/r; k/x; k/a -> k/r, k/x", "a", "a -> r, x; r; x", "a living owner stays"},
		{"k/r; k/x; k/a -> k/r:cascade, k/x", "", "a -> r, x; r; x", "a living dependent gets the new owner"},
		{"k/r; k/a -> k/r, k/y", "a", "a -> r; r", "an owner without a trace is left out"},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, tc.objects, false)
			r.userDeletes("r")
			r.engineDeletes(strings.Fields(tc.cascade)...)
			first, err := r.restores("k/r")
			r.ok(err)
			r.wants(tc.want, tc.reason)
			if n := len(strings.Fields(tc.cascade)) + 1; first.Created != n || len(first.Restored) != n || first.Restored["k/r"].UID != r.uid("r") || len(first.Held) != 0 {
				t.Errorf("%s: the result is %+v, want %d objects", tc.reason, first, n)
			}
			if got := first.Relinked; got != strings.Count(tc.objects, "cascade") {
				t.Errorf("%s: %d references have moved", tc.reason, got)
			}
			second, err := r.restores("k/r")
			if err != nil || second.Created+second.Relinked != 0 || fmt.Sprint(second.Restored) != fmt.Sprint(first.Restored) {
				t.Errorf("%s: a second restore: %+v, %v, want the objects of the first one", tc.reason, second, err)
			}
			r.wants(tc.want, "a second restore writes nothing")
		})
	}
}

// TestRestoreMany: a restore of more objects than one call takes has several calls, and a ring is in one.
func TestRestoreMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const chain, ring, last = 650, 700, 100 // the ring begins in the first thousand, and ends behind it
		text := []string{"k/r"}
		for i := range chain {
			text = append(text, fmt.Sprintf("k/c%03d -> k/r", i))
		}
		for i := range ring {
			owners := fmt.Sprintf("k/x%03d", (i+1)%ring)
			if i == 0 {
				owners += ", k/r"
			}
			text = append(text, fmt.Sprintf("k/x%03d -> %s", i, owners))
		}
		for i := range last {
			text = append(text, fmt.Sprintf("k/z%03d -> k/r", i))
		}
		r := newRig(t, strings.Join(text, "; "), true)
		r.userDeletes("r")
		for _, o := range r.Objects() {
			r.engineDeletes(o.Name)
		}
		result, err := r.restores("k/r")
		r.ok(err)
		if result.Created != 1+chain+ring+last || r.calls < 2 || strings.Contains(r.shape(), "gone") {
			t.Errorf("%d objects are created in %d calls, want %d in several", result.Created, r.calls, 1+chain+ring+last)
		}
		if report := r.progress[len(r.progress)-1]; report.Created != result.Created {
			t.Errorf("the last report is %+v, want all objects", report)
		}
	})
}

// TestRestoreWide: an owner has more entries below it than a page, and so have many owners together.
func TestRestoreWide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const wide, each = 1100, 2
		text := []string{"k/r"}
		for i := range wide {
			text = append(text, fmt.Sprintf("k/c%04d -> k/r", i))
			for j := range each {
				text = append(text, fmt.Sprintf("k/c%04d%c -> k/c%04[1]d", i, 'a'+j))
			}
		}
		r := newRig(t, strings.Join(text, "; "), false)
		r.userDeletes("r")
		for _, o := range r.Objects() {
			r.engineDeletes(o.Name)
		}
		want := 1 + wide*(1+each)
		if p := r.plan("k/r"); len(p.Members) != want {
			t.Errorf("%d objects are planned, want %d", len(p.Members), want)
		}
		result, err := r.restores("k/r")
		if err != nil || result.Created != want || len(r.Objects()) != want {
			t.Errorf("%d objects are created, and %d are there, want %d: %v", result.Created, len(r.Objects()), want, err)
		}
	})
}

// TestRestoreLaterDependent: an object that names the new root, and that an engine deletes before the restore is over, comes back.
func TestRestoreLaterDependent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "k/r; k/a -> k/r", false)
		r.userDeletes("r")
		r.engineDeletes("a")
		r.observed = func(n int) {
			if n == 2 {
				_, err := r.Create(t.Context(), graph.Object{Key: r.key("later"), Owners: []graph.Owner{{Key: graph.Key{Kind: "k", Name: "r", UID: r.uid("r")}}}})
				r.ok(err)
				r.engineDeletes("later")
			}
		}
		result, err := r.restores("k/r")
		if err != nil || result.Created != 3 {
			t.Errorf("%+v, %v, want three objects", result, err)
		}
		r.wants("a -> r; later -> r; r", "its entry names the new root")
	})
}

// TestRestoreRefusesBefore: a root that cannot come back, or a taken name, refuses the restore before its first write.
func TestRestoreRefusesBefore(t *testing.T) {
	r := newRig(t, "k/o; k/r -> k/o; k/s; k/a -> k/s", false)
	r.userDeletes("o", "r", "s")
	r.engineDeletes("a")
	r.creates("k/a")
	_, err := r.restores("k/r", "none")
	var refused *archive.RefusedError
	if !errors.As(err, &refused) || len(refused.Refused) != 2 || !errors.Is(err, graph.ErrRefused) {
		t.Errorf("the restore of r and of a purged one: %v, want both refused", err)
	}
	_, err = r.restores("k/s")
	var taken *archive.TakenError
	if !errors.As(err, &taken) || len(taken.Taken) != 1 || taken.Taken["k/a"].UID != r.uid("a") {
		t.Errorf("the restore of s: %v, want the name of a taken", err)
	}
	if r.wants("a", "nothing is written"); r.calls != 0 {
		t.Errorf("%d calls are made", r.calls)
	}
	result, err := restoring.Restore(t.Context(), r, r.graph(), archive.Request{Roots: []graph.UID{"k/r", "k/s"}, Detach: true, Rename: func(k graph.Key) (string, string) {
		return "", "back-" + k.Name
	}}, nil)
	if err != nil || result.Created != 3 {
		t.Errorf("the restore without owners and with other names: %+v, %v", result, err)
	}
	r.wants("a; back-a -> back-s; back-r; back-s", "other names, and references follow them")
}

// TestDetachedBegins: the entry of a detached root is an explicit one from its creation on, and the others are not. So what hangs from
// it does not expire while the restore goes on.
func TestDetachedBegins(t *testing.T) {
	r := newRig(t, "k/r; k/a -> k/r; k/b -> k/a", false)
	r.userDeletes("r")
	r.engineDeletes("a", "b")
	result, err := restoring.Restore(t.Context(), r, r.graph(), archive.Request{Roots: []graph.UID{"k/a"}, Detach: true}, nil)
	if err != nil || result.Created != 2 {
		t.Fatalf("%+v, %v", result, err)
	}
	page, err := r.Entries(t.Context(), archive.Query{})
	r.ok(err)
	for _, e := range page.Entries {
		if want := e.Object.Name != "b"; e.Explicit != want {
			t.Errorf("the entry of %s is explicit: %t, want %t", e.Object.Name, e.Explicit, want)
		}
	}
}

// TestRestoreUnderWay: a restore that begins while the cascade runs ends after it, and nothing is missing.
func TestRestoreUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "k/r; k/early -> k/r; k/late -> k/r; k/held[f] -> k/r:cascade; k/below -> k/held", false)
		r.userDeletes("r")
		r.engineDeletes("early", "held")
		r.observed = func(n int) {
			switch n {
			case 2: // after the first writes, before the reference of late moves
				r.engineDeletes("late")
			case 6:
				r.ok(r.Patch(t.Context(), r.key("held"), graph.Precondition{}, graph.Change{DropFinalizer: "f"}))
			case 7:
				if _, err := r.Get(t.Context(), r.key("below")); err == nil {
					r.engineDeletes("below")
				}
			}
		}
		result, err := r.restores("k/r")
		r.ok(err)
		r.wants("below -> held; early -> r; held -> r; late -> r; r", "the objects that end later come back, too")
		if result.Created+result.Relinked < 5 || r.fences < 7 {
			t.Errorf("the result is %+v after %d fences", result, r.fences)
		}
		waited := slices.ContainsFunc(r.progress, func(p archive.Progress) bool {
			return len(p.Waits) == 1 && p.Waits[0].Key.Name == "held" && slices.Equal(p.Waits[0].Finalizers, []string{"f"})
		})
		if !waited {
			t.Error("no report names the marked object and its finalizer")
		}
	})
}

// TestRestoreEndsAgain: objects that came back end again before the restore is over. They come back once more.
func TestRestoreEndsAgain(t *testing.T) {
	for _, c := range []struct {
		name   string
		finals string
		reason string
	}{
		{"ended", "", "its entry names the new owner"},
		{"marked", "f", "it has no entry yet, and the graph shows its mark"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "k/r; k/a -> k/r; k/b -> k/a", false)
				r.userDeletes("r")
				r.engineDeletes("a", "b")
				r.observed = func(n int) {
					switch {
					case n == 2:
						if c.finals != "" {
							r.ok(r.Patch(t.Context(), r.key("a"), graph.Precondition{}, graph.Change{AddFinalizer: c.finals}))
						}
						r.engineDeletes("a")
					case n == 4 && c.finals != "":
						r.ok(r.Patch(t.Context(), r.key("a"), graph.Precondition{}, graph.Change{DropFinalizer: c.finals}))
					}
				}
				result, err := r.restores("k/r")
				r.ok(err)
				r.wants("a -> r; b -> a; r", c.reason)
				if result.Created != 4 || r.fences < 3 {
					t.Errorf("%+v after %d fences: %s", result, r.fences, c.reason)
				}
			})
		})
	}
}

// TestRestoreRootEndsAgain: a ring lives in part when its root comes back, so the engine deletes the rest of it, and then the new
// root. Both come back. If a user deletes the new root, it stays away.
func TestRestoreRootEndsAgain(t *testing.T) {
	for _, c := range []struct {
		name, finals string
		user         bool
		want         string
		reason       string
	}{
		{"ended", "", false, "a -> b; b -> a", "the engine deleted it because of the former deletion"},
		{"marked", "f", false, "a -> b; b -> a", "it has no entry yet, and the graph shows its mark"},
		{"user", "", true, "", "a user's deletion is not undone"},
		{"user, marked", "f", true, "", "its entry tells who deleted it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "k/a -> k/b; k/b -> k/a", false)
				root := r.uid("a")
				r.userDeletes("a")
				r.observed = func(n int) {
					switch {
					case n == 2:
						r.engineDeletes("b")
						if c.finals != "" {
							r.ok(r.Patch(t.Context(), r.key("a"), graph.Precondition{}, graph.Change{AddFinalizer: c.finals}))
						}
						if c.user {
							r.userDeletes("a")
						} else {
							r.engineDeletes("a")
						}
					case n == 4 && c.finals != "":
						r.ok(r.Patch(t.Context(), r.key("a"), graph.Precondition{}, graph.Change{DropFinalizer: c.finals}))
					}
				}
				result, err := r.restores(root)
				var refused *archive.RefusedError
				if c.user && (!errors.As(err, &refused) || refused.Refused[0].Why != archive.EndedAgain) || !c.user && (err != nil || result.Created != 3) {
					t.Errorf("%+v, %v: %s", result, err, c.reason)
				}
				r.wants(c.want, c.reason)
			})
		})
	}
}

// TestRestoreAfterAnother: another restore creates all objects after the fence, before this one reads the entries. The
// roots are no ones that ended again.
func TestRestoreAfterAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "k/r; k/a -> k/r", false)
		root := r.uid("r")
		a := r.uid("a")
		r.userDeletes("r")
		r.engineDeletes("a")
		r.after = func(n int) {
			if n == 1 {
				_, err := r.RestoreEntries(t.Context(), []archive.Item{{UID: root, Name: "r"}})
				r.ok(err)
				o, err := r.Get(t.Context(), r.key("r"))
				r.ok(err)
				_, err = r.RestoreEntries(t.Context(), []archive.Item{{UID: a, Name: "a", Owners: []graph.Owner{{Key: o.Key}}}})
				r.ok(err)
			}
		}
		result, err := r.restores("k/r")
		r.ok(err)
		r.wants("a -> r; r", "the objects of the other restore")
		if result.Created != 0 || len(result.Restored) != 2 {
			t.Errorf("the result is %+v", result)
		}
	})
}

// TestRestoreEndsWithContext: a restore that waits for a marked object names it when its context ends.
func TestRestoreEndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "k/r; k/held[f] -> k/r", false)
		r.userDeletes("r")
		r.engineDeletes("held")
		ctx, stop := context.WithTimeout(t.Context(), time.Hour)
		defer stop()
		result, err := restoring.Restore(ctx, r, r.graph(), archive.Request{Roots: []graph.UID{"k/r"}}, nil)
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "k/held") || !strings.Contains(err.Error(), "(f)") || result.Created != 1 {
			t.Errorf("the restore: %+v, %v, want the root back, and the marked object named", result, err)
		}
	})
}

// TestRestoreRefusedCall: a refused call is tried again after another look, and at last its error is returned.
func TestRestoreRefusedCall(t *testing.T) {
	for _, tc := range []struct {
		failures int
		of       error
		calls    int
		wantErr  bool
		reason   string
	}{
		{3, graph.ErrRefused, 4, false, "an owner goes and comes"},
		{100, graph.ErrRefused, 8, true, "the store refuses for ever"},
		{100, graph.ErrNotFound, 8, true, "an entry was purged"},
		{100, errors.New("disk I/O error"), 1, true, "an unknown outcome is the caller's"},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, "k/r; k/a -> k/r", false)
			r.userDeletes("r")
			r.engineDeletes("a")
			r.restore = func(n int) error {
				if n <= tc.failures {
					return tc.of
				}
				return nil
			}
			_, err := r.restores("k/r")
			if (err != nil) != tc.wantErr || tc.wantErr && !errors.Is(err, tc.of) || r.calls != tc.calls {
				t.Errorf("%s: %v after %d calls, want %d", tc.reason, err, r.calls, tc.calls)
			}
		})
	}
}

// TestRestoreRefusedRelink: level 3 refuses to move a reference to an owner that goes again. The restore looks again, and
// the reference moves no more.
func TestRestoreRefusedRelink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "k/r; k/x; k/lives -> k/r, k/x", true)
		r.userDeletes("r")
		r.observed = func(n int) {
			switch n {
			case 2:
				r.ok(r.Patch(t.Context(), r.key("r"), graph.Precondition{}, graph.Change{AddFinalizer: "f"}))
			case 4:
				o, err := r.Get(t.Context(), r.key("lives"))
				r.ok(err)
				o.Owners = o.Owners[1:]
				_, err = r.Update(t.Context(), o)
				r.ok(err)
			}
		}
		patch := &refusing{rig: r}
		result, err := restoring.Restore(t.Context(), patch, r.graph(), archive.Request{Roots: []graph.UID{"k/r"}}, nil)
		if err != nil || result.Relinked != 0 || patch.refused == 0 {
			t.Errorf("the restore: %+v, %v after %d refused patches", result, err, patch.refused)
		}
		r.wants("lives -> x; r; x", "the user has dropped the reference")
	})
}

// TestRestoreTwiceNamed: a living object that names the new owner already stops no restore.
func TestRestoreTwiceNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "k/r; k/x; k/lives -> k/r:cascade, k/x", true)
		r.userDeletes("r")
		r.observed = func(n int) {
			if n != 2 {
				return
			}
			o, err := r.Get(t.Context(), r.key("r"))
			r.ok(err)
			lives, err := r.Get(t.Context(), r.key("lives"))
			r.ok(err)
			r.ok(r.Patch(t.Context(), lives.Key, graph.Precondition{}, graph.Change{AddOwner: &graph.Owner{Key: o.Key}}))
		}
		result, err := r.restores("k/r")
		if err != nil || result.Relinked != 1 {
			t.Errorf("the restore: %+v, %v, want one reference moved", result, err)
		}
		r.wants("lives -> x, r; r; x", "the object names its owner once")
	})
}

// TestRestoreOwnerOfOwners: an owner outside of the set that ended and came back several times is there.
func TestRestoreOwnerOfOwners(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "k/r; k/a; k/c -> k/r:cascade, k/a:cascade", true)
		r.userDeletes("r")
		r.engineDeletes("c")
		for range 3 {
			uid := r.uid("a")
			r.userDeletes("a")
			_, err := r.restores(uid)
			r.ok(err)
		}
		result, err := r.restores("k/r")
		if err != nil || len(result.Left) != 0 {
			t.Errorf("the restore: %+v, %v, want nothing left away", result, err)
		}
		r.wants("a; c -> r, a; r", "its owner is the last one of them")
	})
}

// TestRestoreUnresolved: the new reference to an owner that comes back, too, has a place.
func TestRestoreUnresolved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "k/r; k/c -> k/r?", false)
		r.userDeletes("r")
		r.engineDeletes("c")
		_, err := r.restores("k/r")
		r.ok(err)
		o, err := r.Get(t.Context(), r.key("c"))
		if err != nil || len(o.Owners) != 1 || o.Owners[0].Unresolved {
			t.Errorf("the object is %s, %v, want its reference resolved", o, err)
		}
	})
}

// refusing refuses each move of a reference, as level 3 does for an owner in a foreground deletion.
type refusing struct {
	*rig
	refused int
}

func (r *refusing) Patch(context.Context, graph.Key, graph.Precondition, graph.Change) error {
	r.refused++
	return fmt.Errorf("patch: %w", graph.ErrRefused)
}
