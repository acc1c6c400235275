package web

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/group"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/share"
)

// sharing is the status of the first of some members, the last of which is late.
func sharing(t *testing.T, names ...string) group.Status {
	t.Helper()
	sets, err := share.Divide(names)
	if err != nil {
		t.Fatal(err)
	}
	s := group.Status{Name: names[0], Instance: "one", State: group.StateMember, Share: sets[0], Left: 12 * time.Second, Gap: sets[len(sets)-1]}
	for i, name := range names {
		s.Members = append(s.Members, group.MemberStatus{Member: group.Member{Name: name, Age: time.Duration(i) * time.Minute}, Share: sets[i], Late: i == len(names)-1})
	}
	return s
}

// TestGroup: the first page shows the members with their shares and ages, and the gap. The page of an
// object names its member. Without a group the pages have neither.
func TestGroup(t *testing.T) {
	r := newRig(t, shop, Config{})
	for _, page := range []string{"", "object?key=pod/shop/a"} {
		body := r.json(page).Body.String() + r.get(page).Body.String()
		for _, part := range []string{`"group":`, `"member":`, `id="group"`, "Member of its share"} {
			if strings.Contains(body, part) {
				t.Errorf("%q has %q: %s", page, part, body)
			}
		}
	}
	s, now := sharing(t, "a", "b", "<c>"), time.Now()
	r.handler.config.Group, r.handler.config.Now = func() group.Status { return s }, func() time.Time { return now }
	g := decode[overview](r, "").Group
	if g == nil || g.Member != "a" || g.State != "member" || g.Share != s.Share.String() || g.Slots != s.Share.Len() || !g.Until.Equal(now.Add(12*time.Second)) || g.Gap != s.Gap.Len() {
		t.Fatalf("group %+v", g)
	}
	for i, m := range g.Members {
		want := groupMember{s.Members[i].Name, s.Members[i].Share.String(), s.Members[i].Share.Len(), now.Add(-s.Members[i].Age), i == 2}
		if got := m; !got.Renewed.Equal(want.Renewed) || got.Name != want.Name || got.Share != want.Share || got.Slots != want.Slots || got.Late != want.Late {
			t.Errorf("member %+v, want %+v", got, want)
		}
	}
	gap := fmt.Sprintf("%s of 4,096 slots have no working member", count(g.Gap))
	r.contains(r.get(""), 200, gap, "This collector is <bdi>a</bdi> (member), and writes to 1,348 of 4,096 slots.", "&lt;c&gt;", "late: it may not work", ">2 min ago<")
	for i := range s.Members {
		if m := s.Members[i]; m.Share.Has("p1") {
			r.contains(r.get("object?uid=p1"), 200, "<dt>Member of its share</dt><dd><bdi>")
			if o := decode[object](r, "object?uid=p1"); o.Member != m.Name {
				t.Errorf("the member is %q, want %q", o.Member, m.Name)
			}
		}
	}
}

// TestGroupTrouble: the first page says why a collector is no member, and what its coordinator says.
func TestGroupTrouble(t *testing.T) {
	r := newRig(t, shop, Config{})
	s := group.Status{Name: "a", State: group.StateLost, Reason: "no <right>", Err: errors.New("no <right>"), Share: share.None(), Gap: share.All()}
	r.handler.config.Group = func() group.Status { return s }
	g := decode[overview](r, "").Group
	if g.Reason != s.Reason || g.Error != s.Reason || g.Share != "none" || g.Gap != share.Slots || g.Members == nil || !g.Until.IsZero() {
		t.Errorf("group %+v", g)
	}
	r.contains(r.get(""), 200, "no member of its group (lost): no &lt;right&gt;", "writes to 0 of 4,096 slots.", "Last renewal: <bdi>no &lt;right&gt;</bdi>")
	s = group.Status{Name: "a", State: group.StateMember, Gap: share.None(), Members: sharing(t, "a").Members}
	if w := r.get(""); strings.Contains(w.Body.String(), "Needs a look") {
		t.Errorf("a sound group needs a look: %s", w.Body)
	}
}

// TestGroupMany: the page of a large group is bounded, and says so.
func TestGroupMany(t *testing.T) {
	var names []string
	for i := range group.MaxMembers {
		names = append(names, fmt.Sprintf("%04d", i))
	}
	s := sharing(t, names...)
	r := newRig(t, shop, Config{})
	r.handler.config.Group = func() group.Status { return s }
	if g := decode[overview](r, "").Group; len(g.Members) != maxRows || g.More != group.MaxMembers-maxRows {
		t.Errorf("%d members and %d more", len(g.Members), g.More)
	}
	r.contains(r.get(""), 200, "824 more members left out")
}

// TestOtherShareIsNotStuck: the objects that another collector deletes are pending, and the pages of
// this one name the cause.
func TestOtherShareIsNotStuck(t *testing.T) {
	r := newRig(t, "deploy/shop/web@d1; pod/shop/a@p1 -> deploy/shop/web@d1; pod/shop/b@p2 -> deploy/shop/web@d1", Config{})
	if err := r.collector.SetShare(share.None(), time.Time{}); err != nil {
		t.Fatal(err)
	}
	r.delete("deploy/shop/web@d1", graph.Background)
	counts := map[string]int{}
	for _, s := range decode[overview](r, "").Status {
		counts[s.Status] = s.Objects
	}
	if counts["stuck"] != 0 || counts["pending"] != 2 {
		t.Errorf("objects by status: %v", counts)
	}
	d := decode[deletionList](r, "deletions").Deletions
	if len(d) != 1 || d[0].Left != 2 || d[0].Blocker == nil || d[0].Blocker.Status != "pending" || d[0].Blocker.Reason != policy.OtherShare {
		t.Errorf("deletions %+v", d)
	}
	r.contains(r.get("object?uid=p1"), 200, "The collector of its share deletes it.")
}
