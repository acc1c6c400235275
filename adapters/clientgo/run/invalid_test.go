package run

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// TestInvalidReferences: a deletion because of a reference whose UID lives at other coordinates is
// an Event about the dependent. It names the reference, and the object that has the UID.
func TestInvalidReferences(t *testing.T) {
	kubernetes := ownergraph.Config{Scope: graph.ScopeAbsent, OwnerName: graph.NameAbsent}
	deployment, configMap := ref("apps/v1", "Deployment", "d", "u"), ref("v1", "ConfigMap", "d", "u")
	renamed := ref("apps/v1", "Deployment", "x", "v")
	for _, c := range []struct {
		config ownergraph.Config
		act    bool
		in     string // the namespace of the dependent
		owners []metav1.OwnerReference
		gone   bool
		want   []string
		reason string
	}{
		{ownergraph.Config{}, true, "ns", []metav1.OwnerReference{configMap}, true,
			[]string{`Warning OwnerRefInvalidKind: ownerRef [v1/ConfigMap, namespace: ns, name: d, uid: u] does not exist in namespace "ns"; the UID is that of apps/Deployment "d" in namespace "ns"`},
			"a wrong kind with the UID of another object"},
		{ownergraph.Config{}, true, "other", []metav1.OwnerReference{configMap}, true,
			[]string{`Warning OwnerRefInvalidNamespace: ownerRef [v1/ConfigMap, namespace: other, name: d, uid: u] does not exist in namespace "other"; the UID is that of apps/Deployment "d" in namespace "ns"`},
			"the namespace goes first, as in Kubernetes"},
		{kubernetes, true, "other", []metav1.OwnerReference{deployment}, true,
			[]string{`Warning OwnerRefInvalidNamespace: ownerRef [apps/v1/Deployment, namespace: other, name: d, uid: u] does not exist in namespace "other"; the UID is that of apps/Deployment "d" in namespace "ns"`},
			"the reading of Kubernetes deletes it"},
		{kubernetes, true, "ns", []metav1.OwnerReference{renamed}, true,
			[]string{`Warning OwnerRefInvalidName: ownerRef [apps/v1/Deployment, namespace: ns, name: x, uid: v] does not exist in namespace "ns"; the UID is that of apps/Deployment "e" in namespace "ns"`},
			"another name"},
		{kubernetes, true, "ns", []metav1.OwnerReference{renamed, configMap}, true,
			[]string{`Warning OwnerRefInvalidKind: ownerRef [v1/ConfigMap, namespace: ns, name: d, uid: u] does not exist in namespace "ns"; the UID is that of apps/Deployment "d" in namespace "ns"`,
				`Warning OwnerRefInvalidName: ownerRef [apps/v1/Deployment, namespace: ns, name: x, uid: v] does not exist in namespace "ns"; the UID is that of apps/Deployment "e" in namespace "ns"`},
			"each fault is an Event"},
		{ownergraph.Config{}, false, "ns", []metav1.OwnerReference{configMap}, false,
			[]string{`Warning OwnerRefInvalidKind: ownerRef [v1/ConfigMap, namespace: ns, name: d, uid: u] does not exist in namespace "ns"; the UID is that of apps/Deployment "d" in namespace "ns"`},
			"a program that observes reports it, too"},
		{ownergraph.Config{}, true, "other", []metav1.OwnerReference{deployment}, false,
			[]string{`Warning OwnerUnknown: owner lives in another scope: apps/Deployment d (UID u)`}, "the safe reading holds it"},
		{ownergraph.Config{}, true, "ns", []metav1.OwnerReference{ref("v1", "ConfigMap", "d", "gone")}, true, nil, "an owner that is gone is no fault"},
	} {
		bubble(t, Config{Events: true, Act: c.act, Engine: c.config}, func(r *rig) {
			for name, uid := range map[string]types.UID{"d": "u", "e": "v"} {
				owner := named(name)
				owner.UID = uid
				r.put("deployments", owner)
			}
			dependent := named("bad", c.owners...)
			dependent.Namespace = c.in
			r.put("configmaps", dependent)
			r.start(r.program)
			pass(30 * time.Minute) // audits
			got := r.eventLines()
			slices.Sort(got)
			if !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q: %s", got, c.want, c.reason)
			}
			if gone := len(r.all("configmaps")) == 0; gone != c.gone {
				t.Errorf("gone %t, want %t: %s", gone, c.gone, c.reason)
			}
			for _, e := range r.events() {
				if o := e.InvolvedObject; o.Kind != "ConfigMap" || o.Namespace != c.in || o.Name != "bad" {
					t.Errorf("it is about %+v: %s", o, c.reason)
				}
			}
		})
	}
}

// TestInvalidBarred: a deletion that a pause bars is reported once it goes out.
func TestInvalidBarred(t *testing.T) {
	for _, c := range []struct {
		barred policy.Reason
		want   int
		reason string
	}{
		{policy.ReasonUnset, 1, "it goes out"},
		{policy.ObserveOnly, 1, "another collector deletes it"},
		{policy.Paused, 0, "the end of the pause decides it again"},
	} {
		w := &sender{queue: make(chan report, 2)}
		d := deletion(1)
		d.Barred = c.barred
		w.decided(d)
		if len(w.queue) != c.want {
			t.Errorf("%d reports, want %d: %s", len(w.queue), c.want, c.reason)
		}
	}
}

// TestInvalidBounded: the program never waits for the Events of deletions. It logs how many it has
// left out. They leave room for the Event of a cascade that the brake holds because of them.
func TestInvalidBounded(t *testing.T) {
	bubble(t, Config{Events: true}, func(r *rig) {
		for i := range maxReports/2 + 7 { // no goroutine sends them
			r.program.sender.decided(deletion(i))
		}
		braked := deletion(0)
		braked.Version, braked.Elsewhere, braked.Decision.Reason = "", nil, policy.Braked
		r.program.sender.decided(braked)
		observed := deletion(0)
		observed.Call, observed.Barred = 0, policy.ObserveOnly
		r.program.sender.decided(observed)
		end := r.start(r.program)
		pass(time.Hour)
		if n := len(r.events()); n != maxReports/2+1 {
			t.Errorf("%d events, want %d", n, maxReports/2+1)
		}
		if lines := r.with("were left out", "count=7"); len(lines) != 1 {
			t.Errorf("logged %q", r.with("left out"))
		}
		r.program.sender.lost.Add(1) // no Event follows
		pass(time.Hour)
		if lines := r.with("were left out", "count=1"); len(lines) != 1 {
			t.Errorf("logged %q", r.with("left out"))
		}
		r.program.sender.lost.Add(3)
		if err := end(); err != nil || len(r.with("were left out", "count=3")) != 1 {
			t.Errorf("at the end, %v: logged %q", err, r.with("left out"))
		}
	})
}

// TestInvalidText: the message names the first references, sorted, and a kind that is no longer
// served without a version.
func TestInvalidText(t *testing.T) {
	bubble(t, Config{Events: true}, func(r *rig) {
		r.start(r.program)
		pass(time.Second)
		d := deletion(0)
		for i := range 2 * maxOwners {
			x := d.Elsewhere[0]
			x.Owner.Kind, x.Owner.Name = "old.example/Thing", fmt.Sprintf("n%02d", 30-i)
			d.Elsewhere = append(d.Elsewhere, x)
		}
		text := r.program.sender.invalidText(&report{key: d.Key, elsewhere: d.Elsewhere})
		if !strings.HasPrefix(text, "ownerRef [v1/ConfigMap, namespace: ns, name: o, uid: u] ") || !strings.Contains(text, "; ownerRef [Thing, namespace: ns, name: n15, uid: u] ") ||
			strings.Count(text, "ownerRef") != maxOwners {
			t.Errorf("%q", text)
		}
	})
}

// deletion returns the decision about the i-th object with an invalid reference.
func deletion(i int) engine.DecisionEvent {
	owner := graph.Key{Kind: "ConfigMap", Scope: "ns", Name: "o", UID: "u"}
	return engine.DecisionEvent{
		Key: graph.Key{Kind: "ConfigMap", Scope: "ns", Name: "x", UID: graph.UID(fmt.Sprint(i))}, Version: "7", Call: 1,
		Decision:  policy.Decision{Action: policy.Delete, Reason: policy.OwnersGone},
		Elsewhere: []graph.OwnerElsewhere{{Owner: graph.Owner{Key: owner}, Lives: graph.Key{Kind: "apps/Deployment", Scope: "ns", Name: "o", UID: "u"}}},
	}
}
