package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/graph"
)

// replicaSet has no pods of its own. Its controller does not run.
var replicaSet = builtin("apps", "v1", "ReplicaSet", "replicasets", true, map[string]any{
	"replicas": int64(0), "selector": map[string]any{"matchLabels": map[string]any{"app": "none"}},
	"template": map[string]any{
		"metadata": map[string]any{"labels": map[string]any{"app": "none"}},
		"spec":     pod.spec,
	},
})

// lasts gives an object the annotation with a grace period.
func lasts(seconds string) option {
	return func(u *unstructured.Unstructured) {
		u.SetAnnotations(map[string]string{clientgo.GraceAnnotation: seconds})
	}
}

// graceStore returns a store of ours on the shared server, and counts its reads of whole pods.
func (w *world) graceStore() (s *clientgo.Store, reads *int) {
	w.t.Helper()
	reads = new(int)
	config := w.server.Admin()
	config.Wrap((&wire{meet: func(r *http.Request) error {
		if r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/pods/") {
			*reads++
		}
		return nil
	}}).through)
	s, err := clientgo.New(config, clientgo.Config{GraceKinds: []graph.Kind{replicaSet.name(), pod.name()}})
	if err != nil {
		w.t.Fatal(err)
	}
	return s, reads
}

// graphKey returns the engine's key of an object.
func graphKey(o object) graph.Key {
	return graph.Key{Kind: o.kind.name(), Scope: o.ns, Name: o.name, UID: graph.UID(o.uid)}
}

// periodOf returns the grace period of an object's mark, -1 for none.
func (w *world) periodOf(o object) int64 {
	w.t.Helper()
	if p := w.read(o).GetDeletionGracePeriodSeconds(); p != nil {
		return *p
	}
	return -1
}

// deleteWithin deletes as a user does who names a grace period.
func (w *world) deleteWithin(o object, policy metav1.DeletionPropagation, seconds int64) {
	w.t.Helper()
	opts := metav1.DeleteOptions{PropagationPolicy: &policy, GracePeriodSeconds: &seconds, Preconditions: &metav1.Preconditions{UID: &o.uid}}
	if err := w.of(o).Delete(w.ctx, o.name, opts); err != nil {
		w.t.Errorf("delete %s: %v", o, err)
	}
}

// endPod ends the grace period of a pod, as its kubelet does.
func (w *world) endPod(o object) {
	err := w.of(o).Delete(w.ctx, o.name, metav1.DeleteOptions{GracePeriodSeconds: new(int64), Preconditions: &metav1.Preconditions{UID: &o.uid}})
	if err != nil && !apierrors.IsNotFound(err) {
		w.t.Errorf("end %s: %v", o, err)
	}
}

// scheduled makes a pod that keeps its grace period, because it has a node. The pod ends with the test
// at the latest, because no kubelet runs.
func (w *world) scheduled(name string, seconds int64, with ...option) object {
	w.t.Helper()
	o := w.create(pod, name, append(with, field("none", "spec", "nodeName"), field(seconds, "spec", "terminationGracePeriodSeconds"))...)
	w.t.Cleanup(func() { w.endPod(o) })
	return o
}

// TestGraceOfServer: a server keeps the grace period of a scheduled pod alone, also below a finalizer.
// It takes a second deletion of a marked pod if that one is shorter. The manual of grace periods rests
// on this.
func TestGraceOfServer(t *testing.T) {
	w := begin(t)
	for _, c := range []struct {
		object  object
		first   int64
		second  int64
		repeats bool // the second deletion counts
		reason  string
	}{
		{w.scheduled("scheduled", 30, finalizers(hold)), 7, 6, true, "a pod with a node"},
		{w.create(pod, "pod", finalizers(hold)), 0, 0, true, "a pod without a node has nothing to end"},
		{w.create(replicaSet, "set", finalizers(hold)), 0, 0, true, "a kind without graceful deletions"},
		{w.create(configMap, "map", finalizers(hold), lasts("7")), 0, 0, true, "an annotation of ours is nothing to the server"},
	} {
		w.deleteWithin(c.object, background, 7)
		if got := w.periodOf(c.object); got != c.first {
			t.Errorf("%s: the mark has %d s, want %d", c.reason, got, c.first)
		}
		w.deleteWithin(c.object, foreground, 6) // as a guard repeats it (RULES, E7)
		if got := w.periodOf(c.object); got != c.second {
			t.Errorf("%s: after a second deletion the mark has %d s, want %d", c.reason, got, c.second)
		}
		if got := slices.Contains(w.read(c.object).GetFinalizers(), metav1.FinalizerDeleteDependents); got != c.repeats {
			t.Errorf("%s: the second deletion counts: %t", c.reason, got)
		}
	}
	if own := w.create(pod, "negative", field(int64(-1), "spec", "terminationGracePeriodSeconds")); own.uid != "" {
		seconds, _, err := unstructured.NestedInt64(w.read(own).Object, "spec", "terminationGracePeriodSeconds")
		if err != nil || seconds < 0 {
			t.Errorf("a pod has a grace period of %d s, %v", seconds, err)
		}
	}
}

// TestGraceOfStore: a delete with GraceAtMost marks a pod with the shorter period, after one read. The
// store reads the annotation of other kinds as their period.
func TestGraceOfStore(t *testing.T) {
	w := begin(t)
	s, reads := w.graceStore()
	five := int64(5)
	for _, c := range []struct {
		object object
		most   bool
		want   int64
		reads  int
		reason string
	}{
		{w.scheduled("short", 2), true, 2, 1, "its own is shorter"},
		{w.scheduled("long", 30), true, 5, 1, "the carried one is shorter"},
		{w.scheduled("exact", 2), false, 5, 0, "an exact period"},
		{w.create(configMap, "other", finalizers(hold)), true, 0, 0, "another kind"},
	} {
		*reads = 0
		opts := graph.DeleteOptions{
			Precondition: graph.Precondition{UID: graph.UID(c.object.uid)}, Propagation: graph.Background, GraceSeconds: &five, GraceAtMost: c.most,
		}
		if err := s.Delete(w.ctx, graphKey(c.object), opts); err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		if got := w.periodOf(c.object); got != c.want || *reads != c.reads {
			t.Errorf("%s: %d s after %d reads, want %d s after %d", c.reason, got, *reads, c.want, c.reads)
		}
	}
	other := w.create(replicaSet, "annotated", lasts("7"), finalizers(hold))
	w.delete(other, foreground)
	if o, err := s.Get(w.ctx, graphKey(other)); err != nil || !o.Deleting || o.GraceSeconds != 7 {
		t.Errorf("the store has %d s, %v, for the annotation", o.GraceSeconds, err)
	}
}

// TestGracePropagates: a foreground deletion of a ReplicaSet passes the period of its annotation on to
// its pods, and that of a pod passes its own period on. No pod gets more than its own. The test ends the
// pods in place of a kubelet, and the owners go after them.
func TestGracePropagates(t *testing.T) {
	w := begin(t)
	set := w.create(replicaSet, "web", lasts("5"))
	driver := w.scheduled("driver", 30)
	below := []struct {
		pod  object
		want int64
	}{
		{w.scheduled("web-short", 2, blocking(set)), 2},
		{w.scheduled("web-long", 30, blocking(set)), 5},
		{w.scheduled("executor-short", 3, blocking(driver)), 3},
		{w.scheduled("executor-long", 3600, blocking(driver)), 9},
	}
	kinds := []graph.Kind{replicaSet.name(), pod.name()}
	c := w.collect(settings{engine: ownergraph.Config{PropagateGrace: kinds}, store: clientgo.Config{GraceKinds: kinds}})
	w.delete(set, foreground)
	w.deleteWithin(driver, foreground, 9)
	for _, b := range below {
		w.until("wait for the mark of "+b.pod.name, func() error {
			if got := w.periodOf(b.pod); got != b.want {
				return fmt.Errorf("%s has a mark of %d s, want %d", b.pod, got, b.want)
			}
			return nil
		})
	}
	w.marked(set, metav1.FinalizerDeleteDependents)
	w.marked(driver, metav1.FinalizerDeleteDependents)
	for _, b := range below {
		w.endPod(b.pod)
	}
	w.endPod(driver)
	w.goes(set, driver)
	c.idle()
}
