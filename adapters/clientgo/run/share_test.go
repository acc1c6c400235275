package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/share"
)

// sharing is the config of a member that acts.
func sharing(member string) Config {
	return Config{Act: true, Share: Share{Auto: true, Namespace: "tools", Member: member}}
}

// garbage makes objects of some name with an absent owner.
func (r *rig) garbage(name string, n int) {
	for i := range n {
		m := named(fmt.Sprint(name, i), ref("apps/v1", "Deployment", "owner", "none"))
		m.UID = types.UID(fmt.Sprint("uid of ", m.Name))
		r.put("configmaps", m)
	}
}

// TestShare: three programs divide the objects, and each object is deleted once. The part of a
// program that ends goes to the others at once, and that of a killed one after its lease.
func TestShare(t *testing.T) {
	bubble(t, sharing("a"), func(r *rig) {
		programs := []*Program{r.program, r.add(sharing("b")), r.add(sharing("c"))}
		var ends []func() error
		for _, p := range programs {
			ends = append(ends, r.start(p))
		}
		pass(time.Minute)
		slots := 0.0
		for _, p := range programs {
			got := r.samples(p)
			slots += got["ownergraph_share_slots"]
			if got["ownergraph_group_members"] != 3 || got[`ownergraph_share_state{state="member"}`] != 1 || got["ownergraph_group_gap_slots"] != 0 || got["ownergraph_share_lease_left_seconds"] <= 0 {
				t.Errorf("metrics %v", got)
			}
		}
		if all := r.leases(); len(all) != 3 || all["ownergraph-a"] == "" || slots != 4096 {
			t.Errorf("leases %q, and %v slots", all, slots)
		}
		r.takeCalls()
		r.garbage("first", 60)
		pass(time.Second)
		if deletes := r.takeCalls("delete"); len(deletes) != 60 || len(r.all("configmaps")) != 0 {
			t.Errorf("%d deletes of 60 objects, and %d are left", len(deletes), len(r.all("configmaps")))
		}
		if err := ends[2](); err != nil {
			t.Error(err)
		}
		if all := r.leases(); len(all) != 2 || all["ownergraph-c"] != "" {
			t.Errorf("leases %q after an end", all)
		}
		pass(6 * time.Second)
		if got := r.samples(r.program)["ownergraph_group_members"]; got != 2 {
			t.Errorf("%v members after an end", got)
		}
		programs[1].conns.close() // it has no more connections, as a killed program
		r.garbage("second", 60)
		pass(time.Second)
		if left := len(r.all("configmaps")); left == 0 || left == 60 {
			t.Errorf("%d of 60 objects wait for the killed program", left)
		}
		pass(30 * time.Second)
		if left := r.all("configmaps"); len(left) != 0 {
			t.Errorf("left %v", left)
		}
		if all := r.leases(); len(all) != 1 {
			t.Errorf("leases %q after a lease", all)
		}
	})
}

// TestShareReady: /readyz shows the members. A program without the right to its Lease is not ready,
// names the right, and writes nothing. With the right it works.
func TestShareReady(t *testing.T) {
	bubble(t, sharing("a"), func(r *rig) {
		r.garbage("g", 5)
		r.grant("", "observe", "act")
		r.start(r.program)
		pass(time.Minute)
		const rights = "it takes the rights to create, list, update and delete leases.coordination.k8s.io in the namespace tools"
		if w := get(r.program, "/readyz"); w.Code != 503 || !strings.Contains(w.Body.String(), `no member "a" (joining): create Lease tools/ownergraph-a: `+rights) {
			t.Errorf("readyz %d %s", w.Code, w.Body)
		}
		if calls := r.takeCalls("delete", "patch"); len(calls) > 0 {
			t.Errorf("without a lease it sends %q", calls)
		}
		if lines := r.with("lease is not renewed", rights, "level=WARN"); len(lines) != 1 {
			t.Errorf("logged %q", lines)
		}
		if lines := r.with("rights are missing", "create leases.coordination.k8s.io tools"); len(lines) != 1 {
			t.Errorf("logged %q", lines)
		}
		r.grant("", "observe", "act", "share")
		r.start(r.add(sharing("b")))
		pass(time.Minute)
		w := get(r.program, "/readyz")
		for _, want := range []string{"ok: 2 kinds are listed\n", `member "a" (1 of 2): `, `lease of "a": renewed `, `lease of "b": renewed `} {
			if w.Code != 200 || !strings.Contains(w.Body.String(), want) {
				t.Errorf("readyz %d %s, want %s", w.Code, w.Body, want)
			}
		}
		if left := r.all("configmaps"); len(left) != 0 {
			t.Errorf("left %v", left)
		}
		r.set(func() { r.broken = func(_, plural string) bool { return plural == "leases" } })
		pass(30 * time.Second)
		if w := get(r.program, "/readyz"); w.Code != 503 || !strings.Contains(w.Body.String(), `no member "a" (lost): `) {
			t.Errorf("after a lost lease: readyz %d %s", w.Code, w.Body)
		}
	})
}

// TestSharePaused: a paused program gives its part up, and is ready.
func TestSharePaused(t *testing.T) {
	c := sharing("a")
	c.Engine.Record = "collector"
	bubble(t, c, func(r *rig) {
		r.start(r.program)
		pass(time.Minute)
		pause := c
		pause.Command = Command{Verb: Pause}
		pause.Command.What.All = true
		if err := r.add(pause).Run(r.t.Context()); err != nil {
			t.Fatal(err)
		}
		pass(time.Minute)
		if w := get(r.program, "/readyz"); w.Code != 200 || !strings.Contains(w.Body.String(), `no member "a" (out): everything is paused`) {
			t.Errorf("readyz %d %s", w.Code, w.Body)
		}
		if all := r.leases(); len(all) != 0 {
			t.Errorf("leases %q", all)
		}
	})
}

// TestShareObserves: a program that observes is no member, and looks at all objects. It needs no
// namespace, and no right to Leases.
func TestShareObserves(t *testing.T) {
	bubble(t, Config{Share: Share{Auto: true}}, func(r *rig) {
		r.garbage("g", 9)
		r.grant("", "observe")
		r.start(r.program)
		pass(time.Minute)
		if lines := r.with("a program that observes is no member"); len(lines) != 1 {
			t.Errorf("logged %q", lines)
		}
		if n := r.samples(r.program)[`ownergraph_held_objects{reason="ObserveOnly"}`]; n != 9 {
			t.Errorf("%v objects would be deleted, want 9", n)
		}
		if calls := r.takeCalls("create", "update", "list"); strings.Contains(strings.Join(calls, " "), "leases") {
			t.Errorf("it sends %q", calls)
		}
		if _, ok := r.samples(r.program)[`ownergraph_share_state{state="out"}`]; ok {
			t.Error("it has metrics of a member")
		}
	})
}

// TestShareRefused: an error names the setting and the flag.
func TestShareRefused(t *testing.T) {
	auto := Share{Auto: true, Namespace: "tools"}
	for _, c := range []struct {
		config Config
		want   string
		reason string
	}{
		{Config{Act: true, Share: auto, Lease: Lease{Namespace: "n", Name: "x"}}, "configure run: Share.Auto: set (flag -share auto), and Lease (flag -lease) too", "one of the two"},
		{Config{Share: auto, Lease: Lease{Namespace: "n", Name: "x"}}, "configure run: Share.Auto: set (flag -share auto), and Lease", "also of a program that observes"},
		{Config{Act: true, Share: Share{Lease: time.Second}}, "configure run: Share: it has settings of a group, and Auto (flag -share auto) is not set", "half a group"},
		{Config{Act: true, Share: auto, Engine: ownergraph.Config{Share: share.None()}}, "configure run: Engine.Share: set, and the group of Share.Auto", "two deciders"},
		{Config{Act: true, Share: Share{Auto: true}}, "configure run: Share.Namespace: name the namespace of the group (flag -share-group): that of the pod is unknown: open /var/run", "no pod"},
		{Config{Act: true, Share: Share{Auto: true, Namespace: "a/b"}}, `configure run: Share: new group "ownergraph": namespace: `, "no namespace"},
		{Config{Act: true, Share: Share{Auto: true, Namespace: "tools", Group: "A"}}, `configure run: Share: new group "A": name: `, "no name of a Lease"},
		{Config{Act: true, Share: Share{Auto: true, Namespace: "tools", Member: "Pod_1"}}, `configure run: Share.Member: "ownergraph-Pod_1" is no name of a Lease: `, "no Renew could succeed"},
		{Config{Act: true, Share: Share{Auto: true, Namespace: "tools", Member: strings.Repeat("a", 243)}}, `configure run: Share.Member: "ownergraph-aaa`, "254 bytes"},
		{Config{Act: true, Share: Share{Auto: true, Namespace: "tools", Lease: time.Millisecond}}, "Lease: 1ms is shorter than 1s", "shorter than a renewal"},
	} {
		_, err := New(&rest.Config{Host: "http://nowhere.invalid"}, c.config)
		if !errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.reason, err, c.want)
		}
	}
}

// TestShareOfCommand: a command of a user needs no group, also with the flags of the program.
func TestShareOfCommand(t *testing.T) {
	c := sharing("")
	c.Command = Command{Verb: Retire, Finalizer: "example.org/x"}
	bubble(t, c, func(r *rig) {
		if err := r.program.Run(r.t.Context()); err != nil {
			t.Error(err)
		}
		if all := r.leases(); len(all) != 0 {
			t.Errorf("leases %q", all)
		}
	})
}

// TestSharePages: the pages have the group of a member, and no group of a program that is none.
func TestSharePages(t *testing.T) {
	for _, c := range []struct {
		config Config
		want   bool
		reason string
	}{
		{sharing("a"), true, "a member"},
		{Config{Act: true}, false, "a program alone"},
		{Config{Share: Share{Auto: true}}, false, "a program that observes"},
	} {
		c.config.Web = ":0"
		p, err := New(&rest.Config{Host: "http://nowhere.invalid"}, c.config)
		if err != nil {
			t.Fatal(err)
		}
		q, w := httptest.NewRequest(http.MethodGet, "http://localhost/", nil), httptest.NewRecorder()
		q.Header.Set("Accept", "application/json")
		p.pages.ServeHTTP(w, q)
		var page struct {
			Group *struct{ Member, State string }
		}
		if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil {
			t.Fatal(err)
		}
		if g := page.Group; (g != nil) != c.want || g != nil && (g.Member != "a" || g.State != "out") {
			t.Errorf("%s: the group is %+v", c.reason, g)
		}
	}
}
