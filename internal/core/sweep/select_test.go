package sweep

import (
	"errors"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/core/selecting"
	"github.com/ownergraph/ownergraph/policy"
)

// page requests the next page of a selection, and fails unless one is due.
func (r *rig) page(call uint64) graph.SelectRequest {
	r.Helper()
	req, ok := r.sw.NextSelect(r.view())
	if !ok {
		r.Fatal("no page is due")
	}
	r.sw.SetSelectCall(call, r.stamps.Stamp())
	return req
}

// answer takes the objects of one kind as the answer to a request, each with the value 1 of
// its label.
func (r *rig) answer(call uint64, more string, objects ...string) {
	r.Helper()
	page := graph.SelectPage{More: more}
	for _, text := range objects {
		o := r.object(text)
		page.Objects = append(page.Objects, graph.LabelMatch{Key: o.Key, Version: o.Version, Value: "1"})
	}
	r.sw.SelectDone(r.view(), call, page, nil, 0)
	r.check()
}

// selectAll answers all selections that are due: the objects are those of the kind volume.
func (r *rig) selectAll(objects ...string) {
	r.Helper()
	for call := uint64(100); call < 120; call++ {
		at, ok := r.sw.SelectAt(r.view())
		if !ok {
			return
		}
		r.now = maxTime(r.now, at)
		if req := r.page(call); req.Kind == "volume" {
			r.answer(call, "", objects...)
		} else {
			r.answer(call, "")
		}
	}
	r.Fatal("the selections do not end")
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// TestMemberByLabel: a member by its label is deleted at the version that the selection
// showed.
func TestMemberByLabel(t *testing.T) {
	r := newRig(t, byLabel())
	r.put("tenant/1#1[x.io/tenant]; volume/a#1; volume/b#1")
	r.marked()
	r.decides("volume/a", policy.Keep, policy.NoOwners, "no selection has shown it")
	if !r.sw.Selecting(r.view()) {
		t.Error("the run wants selections")
	}
	r.selectAll("volume/a#1")
	r.walk()
	r.pass()
	r.decides("volume/a", policy.Delete, policy.HolderDeleted, "the selection showed this version")
	r.decides("volume/b", policy.Keep, policy.NoOwners, "the selection did not show it")
	r.put("volume/a#2")
	r.pass()
	r.decides("volume/a", policy.Wait, policy.NeedSweep, "the labels of the new version are unknown")
	r.selectAll()
	r.walk()
	r.decides("volume/a", policy.Keep, policy.NoOwners, "a later selection does not show it")
}

// TestMayBelong: an object may belong to the run of each holder that its unknown labels may name.
func TestMayBelong(t *testing.T) {
	chosen := byName()
	chosen.Members[0].Selector = "!keep"
	for _, c := range []struct {
		sweep    guard.Sweep
		selected bool
		object   string
		want     bool
		reason   string
	}{
		{byLabel(), false, "volume/a#1", true, "its label may name the holder"},
		{byLabel(), false, "volume/a#1~[x]", true, "the holder may wait for a marked object"},
		{byLabel(), true, "volume/a#1", false, "a selection has shown its label"},
		{byLabel(), true, "volume/a#2", true, "no selection has shown the new version"},
		{byName(), false, "volume/1-a#1", false, "its name alone tells"},
		{chosen, false, "volume/1-a#1", true, "a selector decides"},
		{chosen, false, "volume/2-a#1", false, "its name tells that it is no member"},
	} {
		r := newRig(t, c.sweep)
		r.put("tenant/1#1[x.io/tenant]; volume/a#1")
		r.marked()
		if c.selected {
			r.selectAll("volume/a#1")
		}
		o := r.put(c.object)
		for _, counts := range []bool{true, false} {
			got := r.sw.MayBelong(r.view(), r.id(o.Key), func(h graph.NodeID) bool { return counts && h == r.id(r.object("tenant/1").Key) })
			if got != (counts && c.want) {
				t.Errorf("%s may belong to tenant 1: %t, want %t: %s", c.object, got, counts && c.want, c.reason)
			}
		}
	}
}

// TestEmptyByLabels: the last selections of a run begin after the fence that showed no
// member.
func TestEmptyByLabels(t *testing.T) {
	r := newRig(t, byLabel())
	r.put("tenant/1#1[x.io/tenant]")
	r.marked()
	r.decides("tenant/1", policy.Wait, policy.NeedSelect, "no selection is complete")
	r.selectAll()
	r.decides("tenant/1", policy.Wait, policy.NeedFence, "the fence has not passed")
	r.pass()
	r.decides("tenant/1", policy.Wait, policy.NeedSelect, "the selections began before the fence")
	r.selectAll()
	r.decides("tenant/1", policy.Release, policy.MembersGone, "the selections began after the fence")
}

// TestUnmetMatch: a selection that shows an object which the graph does not have yet is
// repeated.
func TestUnmetMatch(t *testing.T) {
	r := newRig(t, byLabel())
	r.put("tenant/1#1[x.io/tenant]")
	r.marked()
	r.page(1)
	r.answer(1, "", "volume/a#1")
	k := selecting.Key{Rule: 0, Kind: "volume"}
	if s := r.sw.labels.selections[k]; !s.unmet || r.sw.labels.wanted[len(r.sw.labels.wanted)-1] != k {
		t.Errorf("the selection is %+v, and wanted are %v", s, r.sw.labels.wanted)
	}
	r.put("volume/a#1")
	r.selectAll("volume/a#1")
	if r.sw.labels.selections[k].unmet || len(r.sw.members) != 1 {
		t.Error("the graph has the object now")
	}
}

// TestPages: a selection goes on page by page, and only its own call answers it.
func TestPages(t *testing.T) {
	r := newRig(t, byLabel())
	r.put("tenant/1#1[x.io/tenant]; volume/a#1; volume/b#1")
	r.marked()
	first := r.page(1)
	if _, again := r.sw.NextSelect(r.view()); again || first.After != "" || first.Limit != 10 {
		t.Errorf("the first page is %+v, and another one is due: %t", first, again)
	}
	r.sw.ReturnSelect(2)
	if _, again := r.sw.NextSelect(r.view()); again {
		t.Error("another call returns the page")
	}
	r.sw.ReturnSelect(1)
	if req := r.page(3); req != first {
		t.Errorf("after the return the page is %+v, want %+v", req, first)
	}
	r.answer(1, "")
	if r.sw.labels.call != 3 {
		t.Error("the answer to the returned call counts")
	}
	r.answer(3, "next")
	if req := r.page(4); req.After != "next" || req.Kind != first.Kind {
		t.Errorf("the second page is %+v", req)
	}
}

// TestUnsoundPage: a page that breaks the contract proves nothing, and neither does an error.
// Only a user can help with a refusal.
func TestUnsoundPage(t *testing.T) {
	match := func(kind graph.Kind, uid graph.UID, v graph.Version) graph.SelectPage {
		return graph.SelectPage{Objects: []graph.LabelMatch{{Key: graph.Key{Kind: kind, Name: "a", UID: uid}, Version: v, Value: "1"}}}
	}
	for _, c := range []struct {
		reason  string
		page    graph.SelectPage
		err     error
		blocked bool
	}{
		{"an object of another kind", match("pod", "a", "1"), nil, true},
		{"an object without a UID", match("tenant", "", "1"), nil, true},
		{"an object without a version", match("tenant", "a", ""), nil, true},
		{"the cursor of this page", graph.SelectPage{More: "here"}, nil, true},
		{"a refusal", graph.SelectPage{}, graph.ErrRefused, true},
		{"an outage", graph.SelectPage{}, errors.New("down"), false},
	} {
		r := newRig(t, byLabel())
		r.put("tenant/1#1[x.io/tenant]")
		r.marked()
		kind := r.page(1).Kind
		r.sw.labels.after = "here"
		for i := range c.page.Objects {
			if c.page.Objects[i].Key.Kind == "tenant" {
				c.page.Objects[i].Key.Kind = kind
			}
		}
		r.sw.SelectDone(r.view(), 1, c.page, c.err, time.Minute)
		s := r.sw.labels.selections[selecting.Key{Rule: 0, Kind: kind}]
		if s.began != 0 || s.err == "" || s.externallyBlocked != c.blocked || r.sw.labels.under || s.pace.Next.Before(r.now.Add(time.Minute)) {
			t.Errorf("%s: the selection is %+v", c.reason, s)
		}
		if r.sw.ResumeSelects(r.view(), kind); r.sw.labels.selections[selecting.Key{Rule: 0, Kind: kind}].externallyBlocked {
			t.Errorf("%s: the recovery of the kind does not retry it", c.reason)
		}
	}
}

// TestDropSelects: the selections of a kind that left are forgotten.
func TestDropSelects(t *testing.T) {
	r := newRig(t, byLabel())
	r.put("tenant/1#1[x.io/tenant]")
	r.marked()
	r.selectAll()
	before := len(r.sw.labels.selections)
	r.serve("tenant")
	if r.sw.DropSelects(r.view()); before != 1 || len(r.sw.labels.selections) != 0 {
		t.Errorf("%d selections, and then %v", before, r.sw.labels.selections)
	}
}

// TestDependsOnLabels: labels decide about the members of a rule with labels, and about no
// other object.
func TestDependsOnLabels(t *testing.T) {
	taken := byLabel()
	taken.Members[0].Kinds = []graph.Kind{"volume"}
	for _, c := range []struct {
		sweep  guard.Sweep
		object string
		want   bool
		reason string
	}{
		{byLabel(), "volume/1-a#1", true, "any object may have the label"},
		{byName(), "volume/1-a#1", false, "the name decides"},
		{taken, "tenant/2#1", false, "the rule does not take the kind"},
	} {
		r := newRig(t, c.sweep)
		if got := r.sw.DependsOnLabels(r.object(c.object)); got != c.want {
			t.Errorf("%s depends on labels: %t, want %t: %s", c.object, got, c.want, c.reason)
		}
	}
}
