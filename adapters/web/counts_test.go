package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
)

// newWide runs a collector on a root with dependents. Each of them blocks the root, and a
// finalizer holds it.
func newWide(t *testing.T, dependents int) *rig {
	t.Helper()
	root := graph.Key{Kind: "root", Name: "root", UID: "root"}
	m := memory.Config{Objects: []graph.Object{{Key: root}}}
	for i := range dependents {
		m.Objects = append(m.Objects, graph.Object{
			Key:        graph.Key{Kind: "pod", Name: fmt.Sprintf("p%04d", i), UID: graph.UID(fmt.Sprintf("u%04d", i))},
			Owners:     []graph.Owner{{Key: root, Block: true}},
			Finalizers: []string{"x.io/f"},
		})
	}
	return newRigOf(t, m, Config{})
}

// TestManyCounts: the page of an object counts what there is, and says where it has a part.
func TestManyCounts(t *testing.T) {
	r := newWide(t, 2500)
	w := r.get("object?key=root/root")
	r.contains(w, 200, "<dt>References to it</dt><dd>2,500</dd>", "at least 499 objects below it", "of 2,500 references to the object")
	if strings.Contains(w.Body.String(), "\n499 objects below it") {
		t.Error("the page counts 499 objects below the root")
	}
	r.contains(r.get("object?key=pod/p0001"), 200, "0 objects below it")
}

// TestHeldPages: the pages of held objects together have each of them once, of all reasons and of
// one.
func TestHeldPages(t *testing.T) {
	r := newWide(t, 2500)
	r.delete("root/root@root", graph.Foreground)
	for _, c := range []struct {
		page   string
		want   int
		reason string
	}{{"held", 2501, "all reasons"}, {"held?reason=NeedFinalizers", 2500, "one reason"}, {"held?reason=NeedDependents", 1, "one page has no next one"}} {
		seen, pages := map[string]bool{}, 0
		for next := c.page; next != ""; pages++ {
			list := decode[heldList](r, next)
			if list.Total != c.want || list.Cut || len(list.Objects) == 0 {
				t.Fatalf("%s: %q has %d objects of %d, cut %t", c.reason, next, len(list.Objects), list.Total, list.Cut)
			}
			for _, o := range list.Objects {
				if seen[o.Key.Link] {
					t.Errorf("%s: %s is on two pages", c.reason, o.Key.Link)
				}
				seen[o.Key.Link] = true
			}
			next = list.Next
		}
		if len(seen) != c.want || pages != (c.want+maxHeldRows-1)/maxHeldRows {
			t.Errorf("%s: %d objects on %d pages, want %d", c.reason, len(seen), pages, c.want)
		}
	}
	r.contains(r.get("held?after=%22"), 400, "no sound key")
}

// TestOverviewDeletions: the first page names a deletion under way, and counts all objects that
// are left.
func TestOverviewDeletions(t *testing.T) {
	r := newWide(t, 2500)
	const none = "No deletion, sweep, phase or handler is under way."
	r.contains(r.get(""), 200, none)
	r.delete("root/root@root", graph.Foreground)
	o := decode[overview](r, "")
	if len(o.Deletions) != 1 || o.Deletions[0].Root.Name != "root" || o.Deletions[0].Left != 2501 || o.Deletions[0].Growing || o.DeletionsCut {
		t.Errorf("deletions: %+v, cut %t", o.Deletions, o.DeletionsCut)
	}
	w := r.get("")
	r.contains(w, 200, "0 of 2,501 gone", ">2,501<", `href="`+strings.ReplaceAll(o.Deletions[0].Link, "&", "&amp;")+`"`)
	if strings.Contains(w.Body.String(), none) {
		t.Error("the page says that nothing is under way")
	}
}

// TestCascadeEnded: a page that is opened after the end of a deletion has no counts of it.
func TestCascadeEnded(t *testing.T) {
	r := newRig(t, "root/root@root; pod/s/a@a -> root/root@root; pod/s/b@b -> root/root@root", Config{})
	r.delete("root/root@root", graph.Background)
	p := decode[progress](r, "cascade?key=root/root")
	if p.State != "done" || !p.Uncounted || p.Known != 0 || p.Gone != 0 {
		t.Errorf("progress: %+v", p)
	}
	w := r.get("cascade?key=root/root")
	r.contains(w, 200, "The deletion ended before this page was opened.")
	if strings.Contains(w.Body.String(), "Known objects") {
		t.Errorf("the page has counts:\n%s", w.Body)
	}
	r.contains(r.get("events?key=root/root"), 200, "event: done", `"uncounted":true`)
}
