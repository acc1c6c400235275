package run

import (
	"slices"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// down returns API services that are not available.
func down(groups ...string) (list []clientgo.UnavailableService) {
	for _, g := range groups {
		list = append(list, clientgo.UnavailableService{Name: "v1." + g, Group: g, Reason: "ServiceNotFound", Service: "n/" + g})
	}
	return list
}

// isDown is the text about one of them.
func isDown(group string) string {
	return "API service v1." + group + " is not available (ServiceNotFound), its service is n/" + group
}

// TestBehind: the kinds that a count leaves out have the API services of their groups beside them.
func TestBehind(t *testing.T) {
	for _, c := range []struct {
		kinds    []graph.Kind
		services []clientgo.UnavailableService
		want     []string
		reason   string
	}{
		{[]graph.Kind{"a/*"}, down("a", "b"), []string{isDown("a")}, "one of two groups"},
		{[]graph.Kind{"c/Thing", "Pod"}, down("a"), nil, "other groups"},
		{[]graph.Kind{"a/*"}, nil, nil, "all are available"},
		{[]graph.Kind{"a/*", "b/*", "c/*", "d/*", "e/*", "f/*"}, down("a", "b", "c", "d", "e", "f"),
			[]string{isDown("a"), isDown("b"), isDown("c"), isDown("d"), "2 more API services are not available"}, "more than the bound"},
	} {
		if got := behind(c.kinds, c.services); !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q: %s", got, c.want, c.reason)
		}
	}
	w := &sender{services: func() []clientgo.UnavailableService { return down("a") }}
	d := decision(policy.Braked, "")
	d.Cascade = &engine.BrakedCascade{Uncounted: []graph.Kind{"a/*"}}
	if got := w.advice(&d); len(got) != 3 || got[1] != "kinds that are sick, and not counted: a/*" || got[2] != isDown("a") {
		t.Errorf("the advice about a braked cascade is %q", got)
	}
}

// TestHeldByServices: the Event about a namespace that waits for its controller names each API service
// that is not available. One that waits for another finalizer alone, and any other object, has none.
func TestHeldByServices(t *testing.T) {
	bubble(t, Config{Events: true}, func(r *rig) {
		r.program.services = func() []clientgo.UnavailableService { return down("metrics.k8s.io") }
		r.start(r.program)
		held := func(kind graph.Kind, uid graph.UID, why policy.Reason, detail ...string) engine.Held {
			return engine.Held{Key: graph.Key{Kind: kind, Name: "root", UID: uid}, Reason: why, Since: time.Now().Add(-time.Hour), Detail: detail}
		}
		r.program.reportHeld([]engine.Held{
			held("Namespace", "a", policy.NeedFinalizers, clientgo.NamespaceFinalizer),
			held("Namespace", "b", policy.NeedFinalizers, "x/y"),
			held("ConfigMap", "c", policy.NeedFinalizers, "x/z"),
			held("Namespace", "d", policy.OwnerUnknown),
		}, graph.Key{}, time.Now())
		pass(time.Second)
		got := r.eventLines()
		slices.Sort(got)
		want := []string{
			"Warning NeedFinalizers: finalizers hold it: " + clientgo.NamespaceFinalizer + ", " + isDown("metrics.k8s.io"),
			"Warning NeedFinalizers: finalizers hold it: x/y",
			"Warning NeedFinalizers: finalizers hold it: x/z",
			"Warning OwnerUnknown: it is not known whether an owner exists",
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	})
}
