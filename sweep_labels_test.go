package ownergraph_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/probe"
)

// labelled is a sweep of tenants by their objects' label.
func labelled(selector string) guard.Sweep {
	return guard.Sweep{
		Finalizer: "x.io/tenant", Holder: "tenant",
		Members: []guard.Members{{By: guard.ByLabel, Label: "x.io/of", Selector: selector}},
	}
}

// label sets the labels of an object as a user, as in "a=b,c=d".
func (s *tap) label(t *testing.T, key, labels string) {
	t.Helper()
	set := map[string]string{}
	for _, l := range strings.Split(labels, ",") {
		if name, value, ok := strings.Cut(l, "="); ok {
			set[name] = value
		}
	}
	if _, err := s.Label(t.Context(), keyOf(t, key).Place(), graph.Precondition{}, set); err != nil {
		t.Fatal(err)
	}
}

// TestSweepByLabelBusy: a user changes an object before each delete. The object is
// reported, and the store gets a bounded number of requests.
func TestSweepByLabelBusy(t *testing.T) {
	testSweep(t, "tenant/1; volume/a; volume/b", sweeping(labelled("")), func(t *testing.T, r *rig) {
		r.label(t, "volume/a", "x.io/of=1")
		r.label(t, "volume/b", "x.io/of=1")
		r.idle()
		var calm atomic.Bool
		r.call = func(_ context.Context, verb string, key ownergraph.Key, do func() error) error {
			if verb == "delete" && key.Name == "a" && !calm.Load() {
				r.label(t, "volume/a", fmt.Sprint("x.io/of=1,n=", time.Now().UnixNano()))
			}
			return do()
		}
		before := r.Stats()
		r.delete(t, "tenant/1", graph.Unset)
		pass(time.Hour)
		if s := r.Stats(); probe.Requests(s)-probe.Requests(before) > 3000 || s.Decisions-before.Decisions > 9000 {
			t.Errorf("an hour cost %d requests and %d decisions", probe.Requests(s)-probe.Requests(before), s.Decisions-before.Decisions)
		}
		r.contains(t, "tenant/1~[x.io/tenant]; volume/a")
		calm.Store(true)
		pass(time.Minute)
		r.reports(t)
		r.contains(t, "")
	})
}

// TestSweepByLabelNeedsSelector: New refuses a sweep by labels on a store that is no
// LabelSelector. The error names the sweep and its field.
func TestSweepByLabelNeedsSelector(t *testing.T) {
	s := newTap(t, "tenant/1")
	_, err := ownergraph.New(plain{s}, sweeping(tenancy(), func() guard.Sweep {
		sweep := labelled("")
		sweep.Finalizer = "x.io/other"
		return sweep
	}()))
	const want = `Sweeps[1]: finalizer "x.io/other": Members[0].Label: the store is no LabelSelector`
	if !errors.Is(err, ownergraph.ErrInvalid) || !strings.Contains(fmt.Sprint(err), want) {
		t.Errorf("New: %v, want %q", err, want)
	}
	if _, err := ownergraph.New(wrapped{s}, sweeping(labelled("app=web"))); err != nil {
		t.Errorf("New: %v: the store has the power, under a wrapper", err)
	}
}

var sweepMembers = flag.Int("ownergraph.members", 20_000, "members of the tenant of TestSweepMany")

// TestSweepMany: a tenant with thousands of members in the memory store goes with one
// request for each, and a few more.
func TestSweepMany(t *testing.T) {
	n := *sweepMembers
	objects := []graph.Object{{Key: graph.Key{Kind: "tenant", Name: "1", UID: "t1"}}, {Key: graph.Key{Kind: "tenant", Name: "11", UID: "t11"}}}
	for i := range n {
		k := graph.Key{Kind: "volume", Name: fmt.Sprint("1-", i), UID: graph.UID(fmt.Sprint("v", i))}
		if i%2 == 0 {
			k = graph.Key{Kind: "pod", Scope: fmt.Sprint("1-", i%100), Name: fmt.Sprint("p", i), UID: k.UID}
		}
		objects = append(objects, graph.Object{Key: k})
	}
	objects = append(objects, graph.Object{Key: graph.Key{Kind: "volume", Name: "11-a", UID: "other"}})
	store, err := memory.New(memory.Config{Objects: objects})
	if err != nil {
		t.Fatal(err)
	}
	r := collect(t, &tap{Store: store}, sweeping(tenancy()))
	r.idle()
	before := r.Stats()
	if err := store.Delete(t.Context(), objects[0].Key, ownergraph.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	r.idle()
	after := r.Stats()
	if left := len(store.Objects()); left != 2 {
		t.Errorf("%d objects are left, want the other tenant and its volume", left)
	}
	if cost := probe.Requests(after) - probe.Requests(before); cost > uint64(n)+8 {
		t.Errorf("%d requests for %d members", cost, n)
	}
	t.Logf("%d members: %d deletes, %d patches, %d reads, %d fences", n, after.Calls.Of(engine.CallDelete)-before.Calls.Of(engine.CallDelete),
		after.Calls.Of(engine.CallPatch)-before.Calls.Of(engine.CallPatch), after.Calls.Of(engine.CallRead)-before.Calls.Of(engine.CallRead), after.Calls.Of(engine.CallFence)-before.Calls.Of(engine.CallFence))
}

// TestSweepByLabelMany: each of thousands of members costs one request, besides the pages.
// The objects of other tenants cost none.
func TestSweepByLabelMany(t *testing.T) {
	const members, others = 3000, 3000
	objects := []graph.Object{{Key: graph.Key{Kind: "tenant", Name: "1", UID: "t1"}}}
	for i := range members + others {
		objects = append(objects, graph.Object{Key: graph.Key{Kind: "volume", Name: fmt.Sprint("v", i), UID: graph.UID(fmt.Sprint("v", i))}})
	}
	store, err := memory.New(memory.Config{Objects: objects})
	if err != nil {
		t.Fatal(err)
	}
	for i := range members + others {
		if _, err := store.Label(t.Context(), objects[i+1].Key, graph.Precondition{}, map[string]string{"x.io/of": fmt.Sprint(1 + i/members)}); err != nil {
			t.Fatal(err)
		}
	}
	r := collect(t, &tap{Store: store}, sweeping(labelled("")))
	r.idle()
	before := r.Stats()
	if err := store.Delete(t.Context(), objects[0].Key, ownergraph.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	r.idle()
	cost := probe.Requests(r.Stats()) - probe.Requests(before)
	if left := len(store.Objects()); left != others || cost > members+members/500+12 {
		t.Errorf("%d objects are left, want %d; %d requests for %d members", left, others, cost, members)
	}
}
