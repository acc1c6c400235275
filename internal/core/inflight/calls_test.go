package inflight

import (
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/queue"
)

// callRig is a rig with calls, whose prepared form is a text.
type callRig struct {
	*rig
	c      Calls[string]
	stamps seq.Counter
}

func newCallRig(t *testing.T) *callRig {
	t.Helper()
	return &callRig{rig: newRig(t), c: NewCalls[string]()}
}

// issue issues a call about the object of the rig.
func (r *callRig) issue(p Purpose) uint64 {
	n := r.v.Node(r.id)
	return r.c.Issue(r.v, &r.stamps, &Call{Purpose: p, Node: r.id, Key: n.Key(), Version: n.Version(), Run: uint32(p)})
}

// own issues a write or reread of the object, whose key is in flight in the queue.
func (r *callRig) own(p Purpose) uint64 {
	r.q.Add(r.id, queue.Normal)
	r.q.Next(r.now)
	return r.issue(p)
}

// queued reports whether the object is ready to be decided.
func (r *callRig) queued() bool {
	for x := range r.q.Entries() {
		if x.Key == r.id && x.State == queue.Ready {
			return true
		}
	}
	return false
}

// TestCallSize: a call takes at most 128 bytes. A map stores no larger value in itself.
func TestCallSize(t *testing.T) {
	if n := unsafe.Sizeof(Call{}); n > 128 {
		t.Errorf("a call takes %d bytes, want 128 at most", n)
	}
}

// TestIssue: a node notes its own write or reread, and no other call.
func TestIssue(t *testing.T) {
	for _, c := range []struct {
		purpose Purpose
		own     bool
		reason  string
	}{
		{Read, false, "the read of an owner is beside its own calls"},
		{Reread, true, "it ends the wait of its key"},
		{ReadHolder, false, "the holder may be written meanwhile"},
		{Patch, true, "it ends the wait of its key"},
		{Delete, true, "it ends the wait of its key"},
		{Fence, false, "it is about no node"},
		{List, false, "it is about no node"},
		{Handle, false, "package handlers follows the runs"},
		{Select, false, "it is about no node"},
	} {
		r := newCallRig(t)
		first, id := r.issue(Fence), r.issue(c.purpose)
		if got := r.v.State(r.id).Call == id; got != c.own {
			t.Errorf("%v: noted by the node %v, want %v: %s", c.purpose, got, c.own, c.reason)
		}
		x, ok := r.c.Take(id)
		if !ok || x.Purpose != c.purpose || x.Began != 2 || id <= first || r.c.Len() != 1 {
			t.Errorf("%v: took call %d, %+v (%v), and %d are left", c.purpose, id, x, ok, r.c.Len())
		}
		if _, ok := r.c.Take(id); ok {
			t.Errorf("%v: the call was taken twice", c.purpose)
		}
	}
}

// TestPrepared: prepared calls go out in their order, and no caller can report one before.
func TestPrepared(t *testing.T) {
	r := newCallRig(t)
	under := r.issue(Fence)
	var ids []uint64
	for _, text := range []string{"a", "b", "c"} {
		ids = append(ids, r.issue(Read))
		r.c.Prepare(ids[len(ids)-1], &text)
	}
	late := r.issue(List)
	var got string
	if !r.c.PopPrepared(&got) || got != "a" || !slices.Equal(r.c.Prepared(), []string{"b", "c"}) {
		t.Errorf("popped %q, and %q are left", got, r.c.Prepared())
	}
	for _, c := range []struct {
		id     uint64
		ok     bool
		reason string
	}{
		{ids[1], false, "it is prepared"}, {ids[2], false, "it is prepared"}, {99, false, "there is no such call"},
		{ids[0], true, "its lane has it"}, {under, true, "it is older than the prepared ones"}, {late, true, "it is newer than them"},
	} {
		if _, ok := r.c.Take(c.id); ok != c.ok {
			t.Errorf("call %d was taken %v, want %v: %s", c.id, ok, c.ok, c.reason)
		}
	}
	for x := range r.c.UnderWay() {
		t.Errorf("%v is under way, and all calls are prepared", x.Purpose)
	}
	copied := r.c.Clone()
	if got := r.c.DropPrepared(); !slices.Equal(got, ids[1:]) || r.c.PopPrepared(new(string)) {
		t.Errorf("dropped calls %v, want %v and none left", got, ids[1:])
	}
	if len(copied.Prepared()) != 2 || copied.Len() != 2 {
		t.Error("a change of the original has changed the copy")
	}
	r.c.Drop(ids[1])
	if !slices.Equal(r.c.IDs(), ids[2:]) {
		t.Errorf("calls %v are left, want %v", r.c.IDs(), ids[2:])
	}
}

// TestRevoke: the key of a revoked call is decided again, and a reread is asked for again.
func TestRevoke(t *testing.T) {
	for _, c := range []struct {
		purpose Purpose
		change  func(r *callRig)
		queued  bool
		reread  bool
		effects string
		reason  string
	}{
		{Patch, nil, true, false, "[]", "the graph decides about another write"},
		{Reread, nil, true, true, "[]", "the object has still to be read"},
		{Patch, func(r *callRig) { r.v.Edit(r.id).Reread = true }, true, true, "[]", "a reread that is wanted stays wanted"},
		{Patch, func(r *callRig) { r.v.Edit(r.id).Call = 99 }, false, false, "[]", "the node is another one now"},
		{ReadHolder, nil, false, false, "[return read]", "the sweep reads again"},
	} {
		r := newCallRig(t)
		id := r.own(c.purpose)
		if c.change != nil {
			c.change(r)
		}
		r.c.RevokeID(r.v, id, r.q, &r.out)
		s := r.v.State(r.id)
		if got := types(&r.out); r.queued() != c.queued || s.Reread != c.reread || got != c.effects || s.Call == id || r.c.Len() > 0 {
			t.Errorf("%v: queued %v, state %+v, effects %s, %d calls: %s", c.purpose, r.queued(), s, got, r.c.Len(), c.reason)
		}
		if c.purpose == ReadHolder && r.out.Items()[0].Run != uint32(ReadHolder) {
			t.Errorf("the read of another run comes back")
		}
	}
}

// TestComplete: the end of a write finds the node as it was, or gone, or replaced.
func TestComplete(t *testing.T) {
	for _, c := range []struct {
		change func(r *callRig)
		want   Completion
		reason string
	}{
		{func(*callRig) {}, Current, "the object is in the graph"},
		{func(r *callRig) { r.apply(t, graph.Event{Type: graph.Gone, Key: r.v.Node(r.id).Key()}) }, Ended, "it went, and a dependent still names it"},
		{func(r *callRig) { r.v.Edit(r.id).Call = 99 }, Replaced, "the node has another call"},
	} {
		r := newCallRig(t)
		r.apply(t, event(t, "b#1 -> a"))
		id := r.own(Delete)
		c.change(r)
		if got := r.c.Complete(r.v, id, r.id); got != c.want || r.v.State(r.id).Call == id {
			t.Errorf("%v, want %v: %s", got, c.want, c.reason)
		}
	}
}

func (r *callRig) apply(t *testing.T, ev graph.Event) {
	t.Helper()
	if _, err := r.v.Graph.Apply(ev); err != nil {
		t.Fatal(err)
	}
}

// TestShow: the calls about a shown object note it, and others do not.
func TestShow(t *testing.T) {
	r := newCallRig(t)
	read, own, other := r.issue(Read), r.issue(Patch), r.issue(Delete)
	r.c.Show(read, own)
	r.c.Show(0, 99)
	if !r.c.At(read).Shown || !r.c.At(own).Shown || r.c.At(other).Shown || r.c.Len() != 3 {
		t.Error("other calls than the read and the patch are shown")
	}
}

// TestRetries: a retry belongs to one node and one version.
func TestRetries(t *testing.T) {
	r := newCallRig(t)
	o := r.v.Node(r.id).Object()
	r.c.SetRetry(r.v, &r.stamps, r.id, o)
	if s := r.v.State(r.id); s.Known != 1 || s.Changed != 1 || s.Mark != 0 {
		t.Errorf("the state is %+v, want the version known and changed at 1, and no mark", s)
	}
	r.v.Edit(r.id).Mark = 1
	if r.c.SetRetry(r.v, &r.stamps, r.id, o); r.v.State(r.id).Mark != 2 {
		t.Errorf("the mark is known since %d, want 2: it may have changed and changed back", r.v.State(r.id).Mark)
	}
	if got, ok := r.c.Retry(r.id); !ok || !got.Equal(o) || !r.c.HasRetry(r.id) || r.c.HasRetry(r.id+1) || len(r.c.Retries()) != 1 {
		t.Errorf("the retry is %v (%v)", got, ok)
	}
	if !r.c.IsRetry(r.id, o.Version) || r.c.IsRetry(r.id, "9") || r.c.IsRetry(r.id+1, "") {
		t.Error("the retry has another version")
	}
	copied := r.c.Clone()
	r.c.DropRetry(r.id)
	if r.c.HasRetry(r.id) || !copied.HasRetry(r.id) {
		t.Error("a dropped retry stays, or left the copy")
	}
	if copied.DropRetries(); copied.HasRetry(r.id) {
		t.Error("a retry outlives a rewind")
	}
}

// TestCheckCalls: Check names each broken invariant.
func TestCheckCalls(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(r *callRig)
		reason string
	}{
		{"", func(r *callRig) { r.own(Patch); r.issue(Read); r.issue(ReadHolder) }, "reads go beside a write"},
		{"N3", func(r *callRig) { r.issue(Patch) }, "the key is not in flight in the queue"},
		{"N3", func(r *callRig) { r.own(Patch); r.issue(Reread) }, "an object has two calls of its own"},
		{"", func(r *callRig) { r.own(Patch); r.apply(r.T, graph.Event{Type: graph.Gone, Key: r.v.Node(r.id).Key()}) }, "the object went meanwhile"},
		{"N4", func(r *callRig) { r.issue(Read); r.issue(Read) }, "an owner is read twice"},
		{"N5", func(r *callRig) {
			r.c.SetRetry(r.v, &r.stamps, r.id, graph.Object{})
			r.v.Graph = graph.New(graph.Config{}) // no node is in use
		}, "no node has the retry"},
		{"N6", func(r *callRig) {
			r.c.Issue(r.v, &r.stamps, &Call{Purpose: Delete, Node: r.id, Key: r.v.Node(r.id).Key()})
		}, "a write has no version"},
	} {
		r := newCallRig(t)
		c.change(r)
		if err := r.c.Check(r.v, r.q, 0); (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v, want %q: %s", err, c.want, c.reason)
		}
	}
	r := newCallRig(t)
	r.issue(Patch)
	if err := r.c.Check(r.v, r.q, r.stamps.Last()); err != nil {
		t.Errorf("%v, and the call is from before a rewind", err)
	}
}

// TestCallNames: each purpose and each completion has a name of its own.
func TestCallNames(t *testing.T) {
	seen := map[string]bool{}
	for p := range numPurposes + 1 {
		seen[p.String()] = true
	}
	for c := range Current + 1 {
		seen["completion "+c.String()] = true
	}
	if want := int(numPurposes) + 1 + int(Current) + 1; len(seen) != want {
		t.Errorf("%d names, want %d", len(seen), want)
	}
}
