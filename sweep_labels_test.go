package ownergraph_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/internal/probe"
)

// labelled is a sweep of tenants by their objects' label.
func labelled(selector string) finalizer.Sweep {
	return finalizer.Sweep{
		Finalizer: "x.io/tenant", Holder: "tenant",
		Members: []finalizer.Members{{By: finalizer.ByLabel, Label: "x.io/of", Selector: selector}},
	}
}

// label has a user set the labels of an object, as in "a=b,c=d".
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

// sweptBy runs a collector with sweeps by labels on a store in a bubble. Labels
// are "key labels" each.
func sweptBy(t *testing.T, objects string, labels []string, cfg ownergraph.Config, test func(t *testing.T, r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, objects)
		for _, l := range labels {
			key, set, _ := strings.Cut(l, " ")
			s.label(t, key, set)
		}
		r := collect(t, s, cfg)
		r.idle()
		test(t, r)
	})
}

// TestSweepByLabel: what carries the holder's name in a label goes, in every kind
// and scope, if its other labels are as wanted; what carries another name stays,
// and so do the holders, whatever they carry. It costs two pages for each kind.
func TestSweepByLabel(t *testing.T) {
	sweptBy(t, "tenant/1; tenant/11; volume/a; volume/b; volume/c; volume/d; pod/x/p; pod/y/q; team/z",
		[]string{"volume/a x.io/of=1", "volume/b x.io/of=11", "volume/c x.io/of=1,keep=", "pod/x/p x.io/of=1,app=web", "tenant/1 x.io/of=1", "tenant/11 x.io/of=1"},
		sweeping(labelled("!keep")), func(t *testing.T, r *rig) {
			r.delete(t, "tenant/1", graph.Unset)
			r.reports(t)
			r.holds(t, "pod/y/q; team/z; tenant/11[x.io/tenant]; volume/b; volume/c; volume/d")
			if s := r.Stats(); s.Calls[ownergraph.CallSelect] != 6 || s.Calls[ownergraph.CallDelete] != 2 || s.Sweeps.Ended != 1 || s.Writes.Conflicts != 0 {
				t.Errorf("%+v", s)
			}
		})
}

// TestSweepBySelector: a selector says more of members that something else names.
func TestSweepBySelector(t *testing.T) {
	sweep := tenancy()
	sweep.Members[0].Selector = "tier in (gold, silver)"
	sweep.Members = sweep.Members[:1]
	sweptBy(t, "tenant/1; tenant/2; volume/1-a; volume/1-b; volume/1-c; volume/2-a",
		[]string{"volume/1-a tier=gold", "volume/1-b tier=lead", "volume/2-a tier=gold"},
		sweeping(sweep), func(t *testing.T, r *rig) {
			r.delete(t, "tenant/1", graph.Unset)
			r.reports(t)
			r.holds(t, "tenant/2[x.io/tenant]; volume/1-b; volume/1-c; volume/2-a")
		})
}

// TestSweepRelabelled: who leaves the set while it is swept stays, who enters it
// goes, and the holder waits.
func TestSweepRelabelled(t *testing.T) {
	phases := labelled("")
	phases.Phases = []finalizer.Phase{{Kinds: []graph.Kind{"pod"}}, {After: true}}
	sweptBy(t, "tenant/1; pod/x/p[x.io/slow]; volume/a; volume/b; volume/c", []string{"pod/x/p x.io/of=1", "volume/a x.io/of=1", "volume/b x.io/of=1"},
		sweeping(phases), func(t *testing.T, r *rig) {
			r.delete(t, "tenant/1", graph.Unset)
			r.reports(t, "pod/x/p: finalizers hold it (x.io/slow)", "tenant/1: its members are not gone (pod: 1 left, volume: 2 left)")
			r.label(t, "volume/a", "x.io/of=2")
			r.label(t, "volume/c", "x.io/of=1")
			r.finish(t, "pod/x/p", "x.io/slow")
			r.reports(t)
			r.holds(t, "volume/a")
		})
}

// TestSweepRelabelledAtTheLastMoment: a delete that meets an object whose labels
// have just changed is a conflict, and is judged by its labels, not repeated.
func TestSweepRelabelledAtTheLastMoment(t *testing.T) {
	for _, to := range []string{"x.io/of=2", "", "x.io/of=1,more="} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, "tenant/1; volume/a")
			s.label(t, "volume/a", "x.io/of=1")
			var once sync.Once
			s.call = func(_ context.Context, verb string, key ownergraph.Key, do func() error) error {
				if verb == "delete" {
					once.Do(func() { s.label(t, "volume/a", to) })
				}
				return do()
			}
			r := collect(t, s, sweeping(labelled("")))
			r.idle()
			r.delete(t, "tenant/1", graph.Unset)
			r.reports(t)
			want, deletes := "volume/a", uint64(1)
			if strings.Contains(to, "=1") {
				want, deletes = "", 2
			}
			r.holds(t, want)
			if st := r.Stats(); st.Writes.Conflicts != 1 || st.Calls[ownergraph.CallDelete] != deletes {
				t.Errorf("to %q: %+v", to, st)
			}
		})
	}
}

// TestSweepByLabelPages: a selection of several pages is one, also where pages
// fail.
func TestSweepByLabelPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		objects := "tenant/1; tenant/2"
		for i := range 50 {
			objects += fmt.Sprintf("; volume/v%d", i)
		}
		s := newTap(t, objects)
		for i := range 50 {
			s.label(t, fmt.Sprintf("volume/v%d", i), fmt.Sprintf("x.io/of=%d", 1+i%2))
		}
		var n atomic.Int32
		s.call = func(_ context.Context, verb string, _ ownergraph.Key, do func() error) error {
			if verb == "select" && n.Add(1)%5 == 0 {
				return errTest
			}
			return do()
		}
		cfg := sweeping(labelled(""))
		probe.Tuning(&cfg).SelectPage = 9
		r := collect(t, s, cfg)
		r.idle()
		r.delete(t, "tenant/1", graph.Unset)
		pass(time.Minute)
		r.reports(t)
		if got := strings.Count(r.shape(), ";") + 1; got != 26 {
			t.Errorf("%d objects are left, want tenant 2 and its 25: %s", got, r.shape())
		}
	})
}

// TestSweepByLabelSickKind: a kind of which nobody can say who is labelled holds
// the release and is named, be it sick, or refuse to be asked; what is known of
// others goes.
func TestSweepByLabelSickKind(t *testing.T) {
	sweptBy(t, "tenant/1; volume/a; pod/x/p", []string{"volume/a x.io/of=1", "pod/x/p x.io/of=1"}, sweeping(labelled("")), func(t *testing.T, r *rig) {
		if err := r.Inside(inside.Key{}).Sicken("pod", "webhook down"); err != nil {
			t.Fatal(err)
		}
		r.delete(t, "tenant/1", graph.Unset)
		r.reports(t, "tenant/1: its members by label have to be selected (pod: webhook down)")
		r.holds(t, "pod/x/p; tenant/1~[x.io/tenant]")
		if err := r.Inside(inside.Key{}).Recover("pod"); err != nil {
			t.Fatal(err)
		}
		r.reports(t)
		r.holds(t, "")
	})
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "tenant/1; pod/x/p")
		s.label(t, "pod/x/p", "x.io/of=1")
		var forbidden atomic.Bool
		forbidden.Store(true)
		s.call = func(_ context.Context, verb string, _ ownergraph.Key, do func() error) error {
			if verb == "select" && forbidden.Load() {
				return fmt.Errorf("forbidden: %w", ownergraph.ErrRefused)
			}
			return do()
		}
		r := collect(t, s, sweeping(labelled("")))
		r.idle()
		r.delete(t, "tenant/1", graph.Unset)
		r.reports(t, "tenant/1: its members by label have to be selected (pod: forbidden: refused)")
		forbidden.Store(false)
		pass(5 * time.Minute)
		r.reports(t)
		r.holds(t, "")
	})
	synctest.Test(t, func(t *testing.T) { // it falls sick while it is asked
		s := newTap(t, "tenant/1; pod/x/p")
		s.label(t, "pod/x/p", "x.io/of=1")
		var once sync.Once
		s.call = func(_ context.Context, verb string, _ ownergraph.Key, do func() error) error {
			if verb == "select" {
				once.Do(func() { _ = s.Inside(inside.Key{}).Sicken("pod", "webhook down") })
			}
			return do()
		}
		r := collect(t, s, sweeping(labelled("")))
		r.idle()
		r.delete(t, "tenant/1", graph.Unset)
		r.reports(t, "tenant/1: its members by label have to be selected (pod: webhook down)")
		if err := r.Inside(inside.Key{}).Recover("pod"); err != nil {
			t.Fatal(err)
		}
		pass(time.Second) // at once, then
		r.holds(t, "")
	})
}

// TestSweepByLabelContested: who is named by one holder and labelled for another,
// which lives, is nobody's, whichever of them goes; a label that names nobody
// contests nothing.
func TestSweepByLabelContested(t *testing.T) {
	both := tenancy()
	both.Members = append(both.Members, finalizer.Members{By: finalizer.ByLabel, Label: "x.io/of"})
	for first, other := range map[string]string{"tenant/1": "tenant/2", "tenant/2": "tenant/1"} {
		sweptBy(t, "tenant/1; tenant/2; volume/1-a; volume/1-b; volume/2-c; volume/x",
			[]string{"volume/1-a x.io/of=2", "volume/1-b x.io/of=nobody", "volume/x x.io/of=1"}, sweeping(both), func(t *testing.T, r *rig) {
				r.delete(t, first, graph.Unset)
				r.reports(t, first+": its members are not gone (volume: 1 left)",
					"volume/1-a: another object has a claim on it ("+other+")")
				r.delete(t, other, graph.Unset)
				r.reports(t)
				r.holds(t, "")
			})
	}
}

// TestSweepByLabelResumes: collectors that come and go, and two at once, sweep
// what is labelled, each from where the others were, and nothing else.
func TestSweepByLabelResumes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		objects := "tenant/1[x.io/tenant]; tenant/2"
		for i := range 40 {
			objects += fmt.Sprintf("; volume/v%d", i)
		}
		s := newTap(t, objects)
		for i := range 40 {
			s.label(t, fmt.Sprintf("volume/v%d", i), fmt.Sprintf("x.io/of=%d", 1+i%2))
		}
		s.delete(t, "tenant/1", graph.Unset)
		var left atomic.Int32
		for range 4 {
			left.Store(4)
			stopped, stop := context.WithCancel(t.Context())
			s.call = func(ctx context.Context, verb string, _ ownergraph.Key, do func() error) error {
				if verb == "delete" && left.Add(-1) < 0 {
					stop()
					<-ctx.Done()
					return ctx.Err()
				}
				return do()
			}
			r := collect(t, s, sweeping(labelled("")))
			<-stopped.Done()
			if err := r.stop(); err != nil {
				t.Fatal(err)
			}
		}
		s.call = nil
		a, b := collect(t, s, sweeping(labelled(""))), collect(t, s, sweeping(labelled("")))
		a.idle()
		b.idle()
		if got := strings.Count(s.shape(), ";") + 1; got != 21 || strings.Contains(s.shape(), "tenant/1") {
			t.Errorf("%d objects are left: %s", got, s.shape())
		}
	})
}

// TestSweepByLabelBusy: who changes an object again and again has it reported, and
// does not have the store asked without end.
func TestSweepByLabelBusy(t *testing.T) {
	sweptBy(t, "tenant/1; volume/a; volume/b", []string{"volume/a x.io/of=1", "volume/b x.io/of=1"}, sweeping(labelled("")), func(t *testing.T, r *rig) {
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
		r.holds(t, "tenant/1~[x.io/tenant]; volume/a")
		calm.Store(true)
		pass(time.Minute)
		r.reports(t)
		r.holds(t, "")
	})
}

// TestSweepByLabelNeedsSelector: a store that cannot be asked for labels is
// refused when the collector is made, and the sweep and its field are named.
func TestSweepByLabelNeedsSelector(t *testing.T) {
	s := newTap(t, "tenant/1")
	_, err := ownergraph.New(plain{s}, sweeping(tenancy(), func() finalizer.Sweep {
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

// TestSweepByLabelWithoutFences: a store of level 1 that can select is swept as
// well; its kinds are listed again, and the release is best effort.
func TestSweepByLabelWithoutFences(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "tenant/1; volume/a; volume/b")
		s.label(t, "volume/a", "x.io/of=1")
		r := collectOn(t, struct {
			plain
			ownergraph.LabelSelector
		}{plain{s}, s}, s, sweeping(labelled("")))
		r.idle()
		r.delete(t, "tenant/1", graph.Unset)
		pass(time.Second)
		r.reports(t)
		r.holds(t, "volume/b")
		if st := r.Stats(); st.Writes.BestEffort == 0 || st.Calls[ownergraph.CallFence] != 0 {
			t.Errorf("%+v", st)
		}
	})
}

// TestSweepByLabelConfirm: that few belong to a holder by labels is known when they
// were selected.
func TestSweepByLabelConfirm(t *testing.T) {
	sweep := labelled("")
	sweep.Confirm, sweep.ConfirmAbove = "x.io/confirm", 1
	sweptBy(t, "tenant/1; tenant/2; volume/a; volume/b; volume/c", []string{"volume/a x.io/of=1", "volume/b x.io/of=1", "volume/c x.io/of=2"},
		sweeping(sweep), func(t *testing.T, r *rig) {
			r.delete(t, "tenant/1", graph.Unset)
			r.delete(t, "tenant/2", graph.Unset)
			r.reports(t, "tenant/1: it has so many members that its deletion needs a confirmation (volume: 2 left)")
			r.holds(t, "tenant/1~[x.io/confirm,x.io/tenant]; volume/a; volume/b")
		})
}

// TestSweepByLabelMany: thousands of members cost one request each, and their
// pages; who belongs to others costs none.
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

// TestSweepByLabelPhases: a phase that waits for another begins when a selection
// has shown that nobody is left of that one, whichever kind is asked for first.
func TestSweepByLabelPhases(t *testing.T) {
	for _, kinds := range [][2]graph.Kind{{"pod", "volume"}, {"volume", "pod"}} {
		sweep := labelled("")
		sweep.Phases = []finalizer.Phase{{Kinds: kinds[:1]}, {Kinds: kinds[1:], After: true}}
		names := map[graph.Kind]string{"pod": "pod/x/p", "volume": "volume/v"}
		first, second := names[kinds[0]], names[kinds[1]]
		sweptBy(t, "tenant/1; "+first+"[x.io/slow]; "+second, []string{first + " x.io/of=1", second + " x.io/of=1"}, sweeping(sweep), func(t *testing.T, r *rig) {
			r.delete(t, "tenant/1", graph.Unset)
			r.idle()
			if _, err := r.Store.Get(t.Context(), keyOf(t, second)); err != nil {
				t.Errorf("%s went before %s: %v", second, first, err)
			}
			r.finish(t, first, "x.io/slow")
			r.reports(t)
			r.holds(t, "")
		})
	}
}
