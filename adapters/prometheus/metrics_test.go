package promstats

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/group"
	"github.com/ownergraph/ownergraph/share"
)

// counted counts the deletes that a store has accepted, as the server itself would.
type counted struct {
	ownergraph.Store
	deletes, refused atomic.Int64
	refuse           string // the name of an object
}

func (c *counted) Unwrap() ownergraph.Store { return c.Store }

func (c *counted) Delete(ctx context.Context, k ownergraph.Key, o ownergraph.DeleteOptions) error {
	if k.Name == c.refuse {
		c.refused.Add(1)
		return ownergraph.ErrRefused
	}
	pass(10 * time.Millisecond)
	err := c.Store.Delete(ctx, k, o)
	if err == nil {
		c.deletes.Add(1)
	}
	return err
}

// TestCascade: the metrics of a cascade are those of the store, also during the cascade. One
// object is held by a finalizer, and one delete is refused.
func TestCascade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &counted{refuse: "refused"}
		r := newRig(t, []ownergraph.Kind{"app", "pod"}, func(inner ownergraph.Store) ownergraph.Store { s.Store = inner; return s },
			ownergraph.Config{Workers: 4}, Config{})
		defer r.stop()
		root := r.create("app", "root", nil)
		for i := range 200 {
			r.create("pod", fmt.Sprint("p", i), nil, root)
		}
		held := r.create("pod", "held", []string{"example.org/hold"}, root)
		r.create("pod", "refused", nil, root)
		r.idle()
		r.wants(r.scrape(), map[string]float64{
			"objects{kind=app}": 1, "objects{kind=pod}": 202, "kind_sick{kind=pod}": 0, "kinds{health=listed}": 2, "kinds{health=sick}": 0,
			"calls_total{result=ok,type=delete}": 0, "calls_in_flight": 0, "cascade_duration_seconds count": 0,
		})
		began := time.Now()
		r.delete(root, ownergraph.DeleteOptions{})
		pass(55 * time.Millisecond)
		synctest.Wait()
		during := r.scrape()
		if n := float64(s.deletes.Load()); during["calls_total{result=ok,type=delete}"] != n || n == 0 || n > 200 || during["calls_in_flight"] == 0 {
			t.Errorf("the store has %v deletes, the metrics say %v", n, during["calls_total{result=ok,type=delete}"])
		}
		r.idle()
		lasted := time.Since(began)
		pass(time.Minute)
		r.wants(r.scrape(), map[string]float64{
			"objects{kind=pod}": 2, "deleted_objects_total{kind=pod}": 201, "gone_objects_total": 201,
			"calls_total{result=ok,type=delete}": float64(s.deletes.Load()), "calls_total{result=refused,type=delete}": float64(s.refused.Load()),
			"call_duration_seconds{type=delete} count": float64(s.deletes.Load() + s.refused.Load()), "started_calls_total{type=delete}": float64(s.deletes.Load() + s.refused.Load()),
			"held_objects{reason=NeedFinalizers}": 1, "held_objects{reason=StoreRefused}": 1, "cascades_in_progress": 1, "cascade_duration_seconds count": 0,
			"pending_objects{status=pending}": 1, "pending_objects{status=stuck}": 1, "refused_writes_total": float64(s.refused.Load()),
		})
		if sum, least := r.scrape()["call_duration_seconds{type=delete} sum"], 0.01*float64(s.deletes.Load()); sum < least-1e-6 || sum > least+1 {
			t.Errorf("the deletes took %v s, want about %v", sum, least)
		}
		if age := r.scrape()["oldest_held_seconds{reason=NeedFinalizers}"]; age < 60 || age > 70 {
			t.Errorf("an object is held for %v s, want a minute", age)
		}
		o, err := r.store.Get(t.Context(), held)
		if err == nil {
			o.Finalizers = nil
			_, err = r.store.Update(t.Context(), o)
		}
		if err != nil {
			t.Fatal(err)
		}
		end := time.Since(began)
		r.idle()
		pass(time.Minute)
		got := r.scrape()
		r.wants(got, map[string]float64{"cascades_in_progress": 0, "cascade_duration_seconds count": 1, "held_objects{reason=StoreRefused}": 1})
		if sum := got["cascade_duration_seconds sum"]; sum < (end-time.Second).Seconds() || sum > end.Seconds()+1 || lasted > end {
			t.Errorf("the cascade took %v s, want about %v", sum, end)
		}
		if f := got["fence_duration_seconds count"]; f == 0 {
			t.Errorf("%v fences have passed", f)
		}
	})
}

// hanging is a store whose deletes take an hour.
type hanging struct{ ownergraph.Store }

func (h hanging) Unwrap() ownergraph.Store { return h.Store }

func (h hanging) Delete(ctx context.Context, k ownergraph.Key, o ownergraph.DeleteOptions) error {
	pass(time.Hour)
	return h.Store.Delete(ctx, k, o)
}

// TestUnfinished: an object whose delete hangs is not held, and its age grows until it is gone.
func TestUnfinished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, []ownergraph.Kind{"app", "pod"}, func(inner ownergraph.Store) ownergraph.Store { return hanging{inner} },
			ownergraph.Config{CallTimeout: 2 * time.Hour}, Config{})
		defer r.stop()
		root := r.create("app", "root", nil)
		r.create("pod", "p", nil, root)
		r.idle()
		r.wants(r.scrape(), map[string]float64{"unfinished_objects": 0, "oldest_unfinished_seconds": 0})
		r.delete(root, ownergraph.DeleteOptions{})
		pass(50 * time.Minute)
		synctest.Wait()
		got := r.scrape()
		if age := got["oldest_unfinished_seconds"]; got["unfinished_objects"] != 1 || age < 2990 || age > 3000 || hasFamily(got, "held_objects") {
			t.Errorf("%v objects are unfinished for %v s, want one for 50 minutes", got["unfinished_objects"], age)
		}
		r.idle()
		r.wants(r.scrape(), map[string]float64{"unfinished_objects": 0, "oldest_unfinished_seconds": 0})
	})
}

// TestHandlersAndPauses: runs of handlers and pauses have metrics.
func TestHandlersAndPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var fails atomic.Bool
		fails.Store(true)
		r := newRig(t, []ownergraph.Kind{"app"}, nil, ownergraph.Config{Handlers: map[string]finalizer.Handler{
			"example.org/h": func(context.Context, ownergraph.Object) error {
				if fails.Load() {
					return errors.New("by the test")
				}
				return nil
			},
		}}, Config{})
		defer r.stop()
		k := r.create("app", "a", []string{"example.org/h"})
		r.delete(k, ownergraph.DeleteOptions{})
		r.idle()
		got := r.scrape()
		if n := got["calls_total{result=error,type=handle}"]; n == 0 || got["failed_handlers_total"] != n {
			t.Errorf("%v failed runs by the calls, %v by the engine", n, got["failed_handlers_total"])
		}
		fails.Store(false)
		pass(10 * time.Minute)
		r.idle()
		r.wants(r.scrape(), map[string]float64{"calls_total{result=ok,type=handle}": 1, "pauses{extent=kind}": 0, "objects{kind=app}": 0})
		if _, err := r.collector.Pause(t.Context(), engine.Extent{Kind: "app"}); err != nil {
			t.Fatal(err)
		}
		r.wants(r.scrape(), map[string]float64{"pauses{extent=kind}": 1, "pauses{extent=all}": 0, "pauses{extent=scope}": 0, "pauses{extent=unread}": 0})
	})
}

// logged is a store whose compaction fails since a time.
type logged struct {
	ownergraph.Store
	count uint64
	since time.Time
}

func (l *logged) FailedCompactions() (uint64, time.Time, error) { return l.count, l.since, nil }

// TestCompactions: the compactions of a store that fail have metrics, also behind a wrapper.
func TestCompactions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &logged{}
		r := newRig(t, []ownergraph.Kind{"app"}, func(inner ownergraph.Store) ownergraph.Store {
			l.Store = inner
			return &counted{Store: l}
		}, ownergraph.Config{}, Config{})
		defer r.stop()
		r.wants(r.scrape(), map[string]float64{"failed_compactions_total": 0, "compaction_failing_seconds": 0})
		l.count, l.since = 7, time.Now()
		pass(time.Minute)
		r.wants(r.scrape(), map[string]float64{"failed_compactions_total": 7, "compaction_failing_seconds": 60})
		l.since = time.Time{}
		r.wants(r.scrape(), map[string]float64{"failed_compactions_total": 7, "compaction_failing_seconds": 0})
	})
}

// TestLint: all metrics pass the linter of Prometheus. Each has a sample, and the documentation
// lists it with its labels.
func TestLint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, []ownergraph.Kind{"app", "pod"}, nil, ownergraph.Config{}, Config{})
		defer r.stop()
		archive, err := NewArchive(archived(t))
		if err != nil {
			t.Fatal(err)
		}
		r.registry.MustRegister(newGroup(func() group.Status { return group.Status{} }), archive)
		root := r.create("app", "root", nil)
		r.create("pod", "held", []string{"example.org/hold"}, root)
		r.create("pod", "p", nil, root)
		r.delete(root, ownergraph.DeleteOptions{})
		r.idle()
		problems, err := testutil.GatherAndLint(r.registry)
		if err != nil || len(problems) > 0 {
			t.Errorf("%v, error %v", problems, err)
		}
		got, doc := r.scrape(), documented(t)
		if !hasFamily(got, "build_info{go_version="+runtime.Version()+",version=(devel)}") {
			t.Error("no version of Go")
		}
		all := append(slices.Concat(families(), groupFamilies(), archiveFamilies()), family{"call_duration_seconds", "", "type"}, family{"cascade_duration_seconds", "", ""})
		for _, f := range all {
			if !hasFamily(got, f.name) {
				t.Errorf("%s has no sample", f.name)
			}
			if labels, ok := doc[f.name]; !ok || labels != f.labels {
				t.Errorf("the documentation gives %s the labels %q, %t; want %q", f.name, labels, ok, f.labels)
			}
		}
		if len(doc) != len(all) {
			t.Errorf("%d metrics are documented, want %d", len(doc), len(all))
		}
	})
}

var documentedLine = regexp.MustCompile(`(?m)^//\t([a-z_]+)(?:\{([a-z_,]+)\})?$`)

// documented returns the metrics of the package comment with their labels.
func documented(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, m := range documentedLine.FindAllStringSubmatch(string(text), -1) {
		out[m[1]] = m[2]
	}
	return out
}

func hasFamily(samples map[string]float64, name string) bool {
	for s := range samples {
		if s == name || strings.HasPrefix(s, name+"{") || strings.HasPrefix(s, name+" ") {
			return true
		}
	}
	return false
}

// number gives each figure a number of its own, from 1000 on, and returns their names.
func number(v reflect.Value, name string, names []string) []string {
	switch c := v.Addr().Interface().(type) {
	case *share.Set: // of as many slots
		set, err := share.OfRanges(share.Range{First: 0, Last: uint64(1000+len(names))<<52 - 1})
		if err != nil {
			panic(err) // a set has 4,096 slots
		}
		*c = set
		return append(names, name)
	case *engine.Counts[engine.CallType, uint64]:
		return numberCounts(c, name, names)
	case *engine.Counts[engine.Status, int]:
		return numberCounts(c, name, names)
	}
	switch {
	case v.Type() == reflect.TypeFor[time.Time](), v.Type() == reflect.TypeFor[ownergraph.Key](): // see TestUnfinished
		return names
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			names = number(v.Field(i), name+"."+v.Type().Field(i).Name, names)
		}
		return names
	case v.Type() == reflect.TypeFor[time.Duration]():
		v.SetInt(int64(time.Duration(1000+len(names)) * time.Second))
	case v.CanInt():
		v.SetInt(int64(1000 + len(names)))
	default:
		v.SetUint(uint64(1000 + len(names)))
	}
	return append(names, name)
}

// numberCounts does so for each key that has a name. 0 is the unset status or type.
func numberCounts[K engine.Status | engine.CallType, N int | uint64](c *engine.Counts[K, N], name string, names []string) []string {
	for k := K(1); !strings.Contains(fmt.Sprint(k), "("); k++ {
		c.Add(k, 1000+len(names))
		names = append(names, fmt.Sprintf("%s of %v", name, k))
	}
	return names
}

// statsOnly are the metrics of some stats.
type statsOnly struct {
	m *Metrics
	s engine.Stats
}

func (x statsOnly) Describe(chan<- *prometheus.Desc)     {}
func (x statsOnly) Collect(out chan<- prometheus.Metric) { sink{x.m.descs, out}.stats(x.s) }

// TestComplete: each figure of the stats has one metric with its value. The number of objects
// is the sum of the kinds, and the number of pauses is the sum of the extents.
func TestComplete(t *testing.T) {
	r := newRig(t, []ownergraph.Kind{"app"}, nil, ownergraph.Config{}, Config{})
	defer r.stop()
	x := statsOnly{m: r.metrics}
	names := number(reflect.ValueOf(&x.s).Elem(), "Stats", nil)
	registry := prometheus.NewRegistry()
	registry.MustRegister(x)
	seen := map[float64]int{}
	for _, v := range (&rig{TB: t, registry: registry}).scrape() {
		seen[v]++
	}
	for i, name := range names {
		want := 1
		if name == "Stats.Objects" || name == "Stats.Pauses" {
			want = 0
		}
		if n := seen[float64(1000+i)]; n != want {
			t.Errorf("%s is measured %d times, want %d", name, n, want)
		}
	}
}

// TestBlockedIsNotHeld: an owner that waits for its dependents is blocked. The finalizer of another
// program holds the dependent.
func TestBlockedIsNotHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, []ownergraph.Kind{"app", "pod"}, nil, ownergraph.Config{}, Config{})
		defer r.stop()
		root := r.create("app", "root", nil)
		pod := ownergraph.Object{Key: ownergraph.Key{Kind: "pod", Name: "a"}, Finalizers: []string{"example.org/hold"}, Owners: []ownergraph.Owner{{Key: root, Block: true}}}
		if _, err := r.store.Create(t.Context(), pod); err != nil {
			t.Fatal(err)
		}
		r.idle()
		r.delete(root, ownergraph.DeleteOptions{Propagation: ownergraph.Foreground})
		r.idle()
		got := r.scrape()
		r.wants(got, map[string]float64{"held_objects{reason=NeedFinalizers}": 1, "pending_objects{status=pending}": 1, "pending_objects{status=blocked}": 1})
		if _, ok := got["held_objects{reason=NeedDependents}"]; ok {
			t.Errorf("a blocked object counts as held: %v", got)
		}
	})
}
