package restoring_test

import (
	"context"
	"errors"
	"testing"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/restoring"
)

// late is a store on which another caller writes between the fence of a look and its read of the entries.
type late struct {
	*rig
	before func(n int) // the n-th read of entries
	then   func(n int) // after it, if set
	reads  int
}

func (l *late) Entries(ctx context.Context, q archive.Query) (archive.Page, error) {
	l.reads++
	l.before(l.reads)
	page, err := l.rig.Entries(ctx, q)
	if l.then != nil {
		l.then(l.reads)
	}
	return page, err
}

// TestRestoreBesideAnother: another restore brings the root back while this one reads the entries. The graph does not show the new
// root yet. That is no end of it.
func TestRestoreBesideAnother(t *testing.T) {
	for _, plan := range []bool{false, true} {
		r := newRig(t, "k/r; k/a -> k/r", false)
		r.userDeletes("r")
		r.engineDeletes("a")
		l := &late{rig: r, before: func(n int) {
			if n == 1 {
				_, err := r.Store.RestoreEntries(t.Context(), []archive.Item{{UID: "k/r", Name: "r"}})
				r.ok(err)
			}
		}}
		req := archive.Request{Roots: []graph.UID{"k/r"}}
		if plan {
			p, err := restoring.Plan(t.Context(), l, r.graph(), req)
			if err != nil || len(p.Refused) != 0 || len(p.Members) != 1 {
				t.Errorf("the plan: %+v, %v, want a", p, err)
			}
			continue
		}
		out, err := restoring.Restore(t.Context(), l, r.graph(), req, nil)
		if err != nil || out.Created != 1 {
			t.Errorf("%+v, %v, want a", out, err)
		}
		r.wants("a -> r; r", "two restores")
	}
}

// TestRootNotEnded: a root that lives, or is marked, is refused with its present object. One that ends while the entries are
// read comes back, or has ended: it is not purged.
func TestRootNotEnded(t *testing.T) {
	for _, tc := range []struct {
		reason, objects string
		before          func(r *rig)      // the request
		read            func(r *rig) bool // the first read of the entries; whether the graph follows it
		why             archive.Why
		marked          bool
		finalizers      int
	}{
		{"it lives", "k/r", func(*rig) {}, nil, archive.NotEnded, false, 0},
		{"it is marked", "k/r[f]", func(r *rig) { r.userDeletes("r") }, nil, archive.NotEnded, true, 1},
		{"it never was", "k/x", func(*rig) {}, nil, archive.Purged, false, 0},
		{"it ends after the read", "k/r", func(*rig) {}, func(r *rig) bool { r.userDeletes("r"); return true }, 0, false, 0},
		{"it ends after the read, and the graph is older", "k/r", func(*rig) {}, func(r *rig) bool { r.userDeletes("r"); return false }, archive.NotEnded, false, 0},
	} {
		r := newRig(t, tc.objects, false)
		tc.before(r)
		l := &late{rig: r, before: func(int) {}}
		if tc.read != nil {
			l.then = func(n int) {
				if n == 1 && tc.read(r) {
					r.ok(r.observe(t.Context()))
				}
			}
		}
		p, err := restoring.Plan(t.Context(), l, r.graph(), archive.Request{Roots: []graph.UID{"k/r"}})
		r.ok(err)
		switch {
		case tc.why == 0 && (len(p.Refused) != 0 || len(p.Members) != 1):
			t.Errorf("%s: %+v, want its return", tc.reason, p)
		case tc.why == 0:
		case len(p.Refused) != 1 || p.Refused[0].Why != tc.why || p.Refused[0].Entry.Object.UID != "k/r":
			t.Errorf("%s: refused %+v, want %s", tc.reason, p.Refused, tc.why)
		case tc.why == archive.NotEnded:
			if o := p.Refused[0].Entry.Object; o.Name != "r" || o.Deleting != tc.marked || len(o.Finalizers) != tc.finalizers {
				t.Errorf("%s: the object is %+v", tc.reason, o)
			}
		}
	}
}

// TestPlanBesideAnother: what another restore, an engine and a purge do during a plan is in it.
func TestPlanBesideAnother(t *testing.T) {
	for _, tc := range []struct {
		reason          string
		made, after     func(r *rig)
		members, fences int
	}{
		{"an object that came back ends after the read of the entries", func(r *rig) { r.comesBack("r"); r.comesBack("a") }, func(r *rig) { r.engineDeletes("a") }, 1, 2},
		{"an object comes back after the read of the entries", func(r *rig) { r.comesBack("r") }, func(r *rig) { r.comesBack("a") }, 1, 2},
		{"the entry of an object that came back is purged", func(r *rig) {
			r.comesBack("r")
			r.comesBack("a")
			uid := r.uid("a")
			r.engineDeletes("a")
			_, err := r.PurgeEntries(r.t.Context(), []graph.UID{uid})
			r.ok(err)
		}, func(r *rig) {}, 0, 2},
	} {
		r := newRig(t, "k/r; k/a -> k/r", false)
		r.userDeletes("r")
		r.engineDeletes("a")
		r.observed = func(n int) {
			if n == 2 {
				tc.after(r)
			}
		}
		l := &late{rig: r, before: func(n int) {
			if n == 1 {
				tc.made(r)
			}
		}}
		p, err := restoring.Plan(t.Context(), l, r.graph(), archive.Request{Roots: []graph.UID{"k/r"}})
		if err != nil || len(p.Members) != tc.members || len(p.Refused)+len(p.Taken) != 0 || r.fences != tc.fences {
			t.Errorf("%s: %+v, %v after %d fences, want %d members after %d", tc.reason, p, err, r.fences, tc.members, tc.fences)
		}
	}
}

// TestRootGoes: a root whose entry is purged, or whose new object a user deletes, during the restore ends that with an error. A
// restore that brings nothing back is no success.
func TestRootGoes(t *testing.T) {
	for _, tc := range []struct {
		reason string
		goes   func(r *rig, call int) error
		want   archive.Why
		left   string
	}{
		{"the entry is purged before the first write", func(r *rig, call int) error {
			_, err := r.PurgeEntries(r.t.Context(), []graph.UID{"k/r"})
			return err
		}, archive.Purged, ""},
		{"a user deletes the new root after the first write has failed", func(r *rig, call int) error {
			if call == 1 {
				_, err := r.Store.RestoreEntries(r.t.Context(), []archive.Item{{UID: "k/r", Name: "r"}})
				return errors.Join(err, graph.ErrConflict)
			}
			r.userDeletes("r")
			return graph.ErrRefused
		}, archive.EndedAgain, ""},
		{"a user deletes the new root after the last write", func(r *rig, call int) error {
			r.observed = func(n int) {
				if n == 2 {
					r.userDeletes("r")
				}
			}
			return nil
		}, archive.EndedAgain, "a -> r(gone)"},
	} {
		r := newRig(t, "k/r; k/a -> k/r", true)
		r.userDeletes("r")
		r.engineDeletes("a")
		r.restore = func(n int) error { return tc.goes(r, n) }
		_, err := r.restores("k/r")
		var refused *archive.RefusedError
		if !errors.As(err, &refused) || refused.Refused[0].Why != tc.want {
			t.Errorf("%s: %v, want %s", tc.reason, err, tc.want)
		}
		r.wants(tc.left, tc.reason)
	}
}
