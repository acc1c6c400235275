package run

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// events returns the Events on the server, by name.
func (r *rig) events() []corev1.Event {
	r.t.Helper()
	var out []corev1.Event
	for _, o := range r.all("events") {
		e := corev1.Event{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o, &e); err != nil {
			r.t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

// TestEvents: an unresolvable reference is reported at once, and once, by any number of
// programs.
func TestEvents(t *testing.T) {
	bubble(t, Config{Events: true}, func(r *rig) {
		bad := r.put("configmaps", named("bad", ref("apps/v9", "Deployment", "d", "u")))
		end := r.start(r.program)
		pass(time.Second)
		all := r.events()
		if len(all) != 1 {
			t.Fatalf("events %v", all)
		}
		e := all[0]
		if o := e.InvolvedObject; o.APIVersion != "v1" || o.Kind != "ConfigMap" || o.Namespace != "ns" || o.Name != "bad" || o.UID != bad.UID {
			t.Errorf("it is about %+v", o)
		}
		if e.Namespace != "ns" || e.Reason != "OwnerUnknown" || e.Type != "Warning" || e.Source.Component != "ownergraph" ||
			e.Message != "owner's scope not resolvable: apps/Deployment d (UID u)" {
			t.Errorf("event %+v", e)
		}
		if at := e.FirstTimestamp.Time; e.LastTimestamp.Time != at || time.Since(at) > 2*time.Second || e.Count != 1 {
			t.Errorf("of %v to %v, %d times", at, e.LastTimestamp, e.Count)
		}
		pass(50 * time.Minute) // audits and reads of the held objects
		if err := end(); err != nil {
			t.Error(err)
		}
		r.start(r.add(Config{Events: true}))
		pass(4*time.Hour + 30*time.Minute)
		calls := slices.DeleteFunc(r.takeCalls("create"), func(s string) bool { return s != "create events" })
		if len(calls) != 1+1+4 || len(r.events()) != 1 { // at first, after the restart, and every hour
			t.Errorf("%d events, by %d calls", len(r.events()), len(calls))
		}
	})
}

// TestHeldEvents: a held object is reported after HeldAfter, with its reason.
func TestHeldEvents(t *testing.T) {
	bubble(t, Config{Events: true}, func(r *rig) {
		now := metav1.Now()
		marked := named("marked")
		marked.DeletionTimestamp, marked.Finalizers = &now, []string{"example.org/a", "example.org/b"}
		r.put("deployments", marked)
		yes := true
		one, two := ref("apps/v1", "Deployment", "d", "u"), ref("apps/v1", "Deployment", "e", "v")
		one.Controller, two.Controller = &yes, &yes
		r.put("configmaps", named("flawed", one, two))
		gone := named("gone")
		gone.DeletionTimestamp, gone.Finalizers = &now, []string{"example.org/a"}
		r.put("configmaps", gone)
		r.start(r.program)
		pass(3 * time.Minute)
		lines := func() (out []string) {
			for _, e := range r.events() {
				out = append(out, fmt.Sprintf("%s %s %s: %s", e.InvolvedObject.Name, e.InvolvedObject.GroupVersionKind(), e.Reason, e.Message))
			}
			slices.Sort(out)
			return out
		}
		if got := lines(); len(got) != 1 || !strings.HasPrefix(got[0], "flawed /v1, Kind=ConfigMap ObjectFlawed: the object is flawed: ") || !strings.Contains(got[0], "ontroller") {
			t.Errorf("events %q", got)
		}
		r.remove("configmaps", "ns", "gone")
		pass(4 * time.Minute)
		if got := lines(); len(got) != 2 || got[1] != "marked apps/v1, Kind=Deployment NeedFinalizers: finalizers hold it: example.org/a, example.org/b" {
			t.Errorf("events %q", got)
		}
	})
}

// TestHeldEventsOfMany: each of many held objects gets its Event, although the queue takes a part of
// them at a time.
func TestHeldEventsOfMany(t *testing.T) {
	bubble(t, Config{Events: true}, func(r *rig) {
		yes := true
		one, two := ref("apps/v1", "Deployment", "d", "u"), ref("apps/v1", "Deployment", "e", "v")
		one.Controller, two.Controller = &yes, &yes
		const many = 3 * maxReports / 2
		for i := range many {
			r.put("configmaps", named(fmt.Sprintf("flawed-%04d", i), one, two))
		}
		r.start(r.program)
		pass(30 * time.Minute)
		if n := len(r.events()); n != many {
			t.Errorf("%d events, want %d", n, many)
		}
	})
}

// TestEventsBounded: no caller waits for the sender, and its memory and rate are
// bounded. A flood of references leaves room for the Event of a cascade that the brake holds.
func TestEventsBounded(t *testing.T) {
	bubble(t, Config{Events: true}, func(r *rig) {
		sender := r.program.sender
		for i := range 100_000 { // no goroutine sends them
			sender.decided(engine.DecisionEvent{
				Key:      graph.Key{Kind: "ConfigMap", Scope: "ns", Name: "x", UID: graph.UID(fmt.Sprint(i))},
				Decision: policy.Decision{Reason: policy.OnlySelf},
			})
		}
		sender.decided(engine.DecisionEvent{Key: graph.Key{Kind: "ConfigMap", Scope: "ns", Name: "root", UID: "root"}, Decision: policy.Decision{Reason: policy.Braked}})
		if n := len(sender.queue); n != maxReports/2+1 {
			t.Errorf("%d wait", n)
		}
		r.start(r.program)
		pass(10 * time.Second)
		if n := len(r.events()); n != sendBurst+10*sendRate {
			t.Errorf("%d events after 10 s", n)
		}
	})
}

// TestEventsRefused: a server that refuses Events costs one log record in ten minutes.
func TestEventsRefused(t *testing.T) {
	bubble(t, Config{Events: true}, func(r *rig) {
		r.set(func() { r.broken = func(verb, plural string) bool { return verb == "create" && plural == "events" } })
		for i := range 100 {
			r.put("configmaps", named(fmt.Sprint("bad", i), ref("apps/v9", "Deployment", "d", "u")))
		}
		end := r.start(r.program)
		pass(5 * time.Minute)
		if lines := r.with("an Event could not be sent"); len(lines) != 1 || !strings.Contains(lines[0], "reason=OwnerUnknown") {
			t.Errorf("logged %q", lines)
		}
		r.set(func() { r.broken = nil })
		pass(15 * time.Minute)
		if n := len(r.events()); n != 100 {
			t.Errorf("%d events after it takes them", n)
		}
		_ = end()
	})
}

// TestEventsEnd: a server without an answer does not delay the end of the program.
func TestEventsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rig{api: newAPI(), journal: &journal{}, t: t}
		r.server = r.serve(t)
		r.program = r.add(Config{Events: true})
		for i := range 2 * sendBurst {
			r.put("configmaps", named(fmt.Sprint("bad", i), ref("apps/v9", "Deployment", "d", "u")))
		}
		end := r.start(r.program)
		pass(time.Second) // it waits for the rate limit
		begun := time.Now()
		if err := end(); err != nil || time.Since(begun) > time.Second {
			t.Errorf("ended with %v after %v", err, time.Since(begun))
		}
	})
}

// TestCascadeWithoutObject: the cascade of the objects with too many roots has no object, so its
// Event is about the record. Without a record there is no Event.
func TestCascadeWithoutObject(t *testing.T) {
	record := graph.Key{Kind: "ConfigMap", Scope: "ns", Name: "ownergraph-a"}
	for _, c := range []struct {
		record graph.Key
		want   int
		reason string
	}{
		{record, 1, "the record stands for the program"},
		{graph.Key{}, 0, "the log has the cascade"},
	} {
		answers, err := simplelru.NewLRU[graph.UID, int](maxTopics, nil)
		if err != nil {
			t.Fatal(err)
		}
		w := &sender{answers: answers, record: c.record, queue: make(chan report, 2)}
		w.decided(engine.DecisionEvent{Key: graph.Key{UID: "roots-left-out"}, Decision: policy.Decision{Action: policy.Wait, Reason: policy.Braked}})
		if len(w.queue) != c.want {
			t.Fatalf("%d reports, want %d: %s", len(w.queue), c.want, c.reason)
		}
		if c.want > 0 {
			if r := <-w.queue; r.key != c.record || !strings.Contains(r.message(), "more roots than are kept") {
				t.Errorf("%+v: %s", r, c.reason)
			}
		}
	}
}
