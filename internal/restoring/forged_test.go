package restoring_test

import (
	"context"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/restoring"
)

// forged is a store whose entries were edited by hand.
type forged struct {
	*rig
	edit func(e *archive.Entry)
}

func (f forged) Entries(ctx context.Context, q archive.Query) (archive.Page, error) {
	page, err := f.rig.Entries(ctx, q)
	for i := range page.Entries {
		f.edit(&page.Entries[i])
	}
	return page, err
}

// TestForgedNote: an entry whose note of the restored object has the UID of another object is unreadable. No reference
// follows the note.
func TestForgedNote(t *testing.T) {
	for _, tc := range []struct{ reason, forged, root, want string }{
		{"the root names another object", "k/r", "k/r", "k/other has its UID"},
		{"a member names another object", "k/a", "k/r", ""},
	} {
		r := newRig(t, "k/r; k/a -> k/r:cascade; k/b -> k/a:cascade; k/other", false)
		r.userDeletes("r")
		r.engineDeletes("a", "b")
		f := forged{r, func(e *archive.Entry) {
			if string(e.Object.UID) == tc.forged {
				e.Restored = e.Object.Key
				e.Restored.UID = r.uid("other")
			}
		}}
		out, err := restoring.Restore(t.Context(), f, r.graph(), archive.Request{Roots: []graph.UID{graph.UID(tc.root)}}, nil)
		if tc.want != "" {
			if r.wants("other", tc.reason); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: %v, want %s", tc.reason, err, tc.want)
			}
			continue
		}
		r.wants("other; r", tc.reason)
		if err != nil || len(out.Left) != 1 || out.Left[0].Why != archive.PayloadUnreadable || out.Left[0].Entry.Object.UID != "k/a" {
			t.Errorf("%s: %+v, %v, want a left away, with b below it", tc.reason, out.Left, err)
		}
	}
}

// TestForgedRing: notes of restored objects that lead in a ring end a restore with an error, also many of them.
func TestForgedRing(t *testing.T) {
	var text strings.Builder
	text.WriteString("k/r")
	for i := range 3000 {
		text.WriteString("; k/" + strings.Repeat("a", i%7+1) + "-" + strings.Repeat("b", i/7+1) + " -> k/r")
	}
	r := newRig(t, text.String(), false)
	r.userDeletes("r")
	var names []string
	var uids []graph.UID
	for _, o := range r.Objects() {
		names, uids = append(names, o.Name), append(uids, o.UID)
	}
	r.engineDeletes(names...)
	next := map[graph.UID]graph.UID{"k/r": uids[0]}
	for i, uid := range uids {
		next[uid] = append(uids, "k/r")[i+1]
	}
	f := forged{r, func(e *archive.Entry) {
		e.Restored = graph.Key{Kind: "k", Name: e.Object.Name, UID: next[e.Object.UID]}
	}}
	if _, err := restoring.Restore(t.Context(), f, r.graph(), archive.Request{Roots: []graph.UID{"k/r"}}, nil); err == nil || len(r.Objects()) != 0 {
		t.Errorf("%v, %d objects are back, want an error and none", err, len(r.Objects()))
	}
}
