package sqlstore

import (
	"database/sql"
	"fmt"
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestGuardedRoot: on Postgres a guard refuses the deletion of a root with 2,000 objects below
// it. Another process approves it, and is killed in the middle of the cascade. A third collector
// ends it. The log of the database is the judge: see guardedPast.
func TestGuardedRoot(t *testing.T) {
	for _, by := range []graph.Propagation{graph.Background, graph.Foreground} {
		t.Run(by.String(), func(t *testing.T) { guardedRoot(t, by) })
	}
}

func guardedRoot(t *testing.T, by graph.Propagation) {
	h := newPostgresDatabase(t).mustHandle(t, nil)
	root := h.mustCreate(t, object("team", "", "root"))
	below := h.createBelow(t, root, "of-root", 40, 49)
	other := h.mustCreate(t, object("team", "", "other"))
	h.createBelow(t, other, "of-other", 1, 20)

	c := h.collect(t, guardTeams())
	c.idle()
	if err := h.Delete(t.Context(), root.Key, graph.DeleteOptions{Propagation: by}); err != nil {
		t.Fatal(err)
	}
	if held := c.idle(); held != "root DeletionRefused; " {
		t.Errorf("held: %s", held)
	}
	c.stop()
	if n := h.count(t, "of-root"); n != len(below) {
		t.Fatalf("%d objects below the refused root, want %d", n, len(below))
	}
	h.approveAndDie(t, guardTask{Root: root.Key, AtMost: len(below), Killed: 700})
	if n := h.count(t, "of-root"); n == 0 || n > len(below)-700+40 { // a foreground delete only marks a bucket
		t.Errorf("%d objects are left after the kill: this is not the middle of the cascade", n)
	}
	c = h.collect(t, guardTeams())
	if held := c.idle(); held != "" {
		t.Errorf("held: %s", held)
	}
	c.stop()
	if n, others := h.count(t, "of-root"), h.count(t, "of-other"); n != 0 || others != 21 {
		t.Errorf("%d objects are left below the root, and %d of the other", n, others)
	}
	for _, wrong := range guardedPast(h.past(t), root.Key, below, by) {
		t.Error(wrong)
	}
}

// createBelow creates objects in two levels below a root, in one transaction for each level. All
// are in the scope of that name.
func (h *handle) createBelow(t *testing.T, root graph.Object, scope string, middles, leaves int) (all []graph.Key) {
	t.Helper()
	under := func(o graph.Object, owner graph.Object) graph.Object {
		o.Owners = []graph.Owner{{Key: owner.Key, Block: true}}
		return o
	}
	var list []graph.Object
	for i := range middles {
		list = append(list, under(object("bucket", scope, fmt.Sprint("b", i)), root))
	}
	made := h.createMany(t, list)
	list = nil
	for i := range middles * leaves {
		list = append(list, under(object("photo", scope, fmt.Sprint("p", i)), made[i%middles]))
	}
	for _, o := range append(made, h.createMany(t, list)...) {
		all = append(all, o.Key)
	}
	return all
}

// count returns the number of rows in a scope.
func (h *handle) count(t *testing.T, scope string) (n int) {
	t.Helper()
	if err := h.db.QueryRowContext(t.Context(), h.conf.names().Replace(`SELECT count(*) FROM {objects} WHERE scope = $1`), scope).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// past returns the changes of the log in their order. The kind of a key is not set.
func (h *handle) past(t *testing.T) (out []graph.Event) {
	t.Helper()
	rows, err := h.db.QueryContext(t.Context(), h.conf.names().Replace(`SELECT type, uid, scope, name, body FROM {log} ORDER BY pos, seq`))
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var what int
		var body sql.RawBytes
		var o graph.Object
		if err := rows.Scan(&what, &o.UID, &o.Scope, &o.Name, &body); err != nil {
			t.Fatal(err)
		}
		switch what {
		case logPut:
			if err := decodeBody(body, &o); err != nil {
				t.Fatal(err)
			}
			out = append(out, graph.Event{Type: graph.Put, Object: o})
		case logGone:
			out = append(out, graph.Event{Type: graph.Gone, Key: o.Key})
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// guardedPast returns the faults of the past. The root got hold and then new, was marked, lost new
// by the refusal, and hold by the approval. Between the mark and the approval the past has no write
// to another object. Afterwards each object below it went once. A foreground deletion marks them
// before, and nothing else is written. No other object was written to.
func guardedPast(past []graph.Event, root graph.Key, below []graph.Key, by graph.Propagation) (wrong []string) {
	ends := map[graph.UID]int{}
	for _, k := range below {
		ends[k.UID] = 0
	}
	var states []string
	marked, released := false, false
	for i, e := range past {
		o, key := e.Object, e.Key
		if e.Type == graph.Put {
			key = o.Key
		}
		_, isBelow := ends[key.UID]
		switch gone := e.Type == graph.Gone; {
		case key.UID == root.UID && gone:
			released = true
			states = append(states, "gone")
		case key.UID == root.UID:
			marked = marked || o.Deleting
			released = marked && !o.HasFinalizer(graph.FinalizerHold)
			states = append(states, fmt.Sprint(o.Deleting, slices.Sorted(slices.Values(o.Finalizers))))
		case !marked:
		case !isBelow || !released || !gone && !(by == graph.Foreground && o.Deleting):
			wrong = append(wrong, fmt.Sprintf("change %d: a write to %s/%s, below the root %v, root released %v", i, key.Scope, key.Name, isBelow, released))
		case gone:
			ends[key.UID]++
		}
	}
	marks := func(others ...string) string {
		if by == graph.Foreground {
			others = append([]string{graph.FinalizerForeground}, others...)
		}
		return fmt.Sprint(true, others)
	}
	hold, both := []string{graph.FinalizerHold}, []string{graph.FinalizerHold, graph.FinalizerNew}
	want := []string{"false []", fmt.Sprint(false, hold), fmt.Sprint(false, both), marks(both...), marks(hold...), "gone"}
	if by == graph.Foreground {
		want = slices.Insert(want, 5, marks())
	}
	if !slices.Equal(states, want) {
		wrong = append(wrong, fmt.Sprintf("the root was %q, want %q", states, want))
	}
	for _, k := range below {
		if ends[k.UID] != 1 {
			wrong = append(wrong, fmt.Sprintf("%s/%s went %d times", k.Scope, k.Name, ends[k.UID]))
		}
	}
	return wrong
}

// TestGuardedPast: the judge sees a write before the approval, a write to another object, and an
// object that stays.
func TestGuardedPast(t *testing.T) {
	key := func(uid graph.UID) graph.Key { return graph.Key{Name: string(uid), UID: uid} }
	put := func(uid graph.UID, deleting bool, finalizers ...string) graph.Event {
		return graph.Event{Type: graph.Put, Object: graph.Object{Key: key(uid), Deleting: deleting, Finalizers: finalizers}}
	}
	gone := func(uid graph.UID) graph.Event { return graph.Event{Type: graph.Gone, Key: key(uid)} }
	hold, isNew := graph.FinalizerHold, graph.FinalizerNew
	start := []graph.Event{put("r", false), put("a", false), put("b", false), put("r", false, hold), put("r", false, hold, isNew), put("r", true, hold, isNew), put("r", true, hold)}
	for _, c := range []struct {
		then   []graph.Event
		wrong  int
		reason string
	}{
		{[]graph.Event{gone("r"), gone("a"), gone("b")}, 0, "the right order"},
		{[]graph.Event{gone("a"), gone("r"), gone("b")}, 2, "a went before the approval, and not after it"},
		{[]graph.Event{put("a", false), gone("r"), gone("a"), gone("b")}, 1, "a write before the approval"},
		{[]graph.Event{gone("r"), put("x", false), gone("a"), gone("b")}, 1, "a write to an object that is not below"},
		{[]graph.Event{gone("r"), gone("a")}, 1, "b stays"},
		{nil, 3, "all stay"},
	} {
		if wrong := guardedPast(append(slices.Clone(start), c.then...), key("r"), []graph.Key{key("a"), key("b")}, graph.Background); len(wrong) != c.wrong {
			t.Errorf("%q, want %d: %s", wrong, c.wrong, c.reason)
		}
	}
}
