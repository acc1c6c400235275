package e2e

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var apiService = builtin("apiregistration.k8s.io", "v1", "APIService", "apiservices", false, nil)

// deadService makes an API service of a group of the world's own. Its service does not exist, so no
// kind of the group can be listed. It waits until the server says so.
func (w *world) deadService() (group string) {
	w.t.Helper()
	group = w.ns + ".stats.example.org"
	o := w.create(apiService, "v1alpha1."+group, field(map[string]any{
		"group": group, "version": "v1alpha1", "groupPriorityMinimum": int64(100), "versionPriority": int64(100),
		"insecureSkipTLSVerify": true, "service": map[string]any{"name": "stats", "namespace": "kube-system"},
	}, "spec"))
	w.until("wait for the state of "+o.name, func() error {
		u, err := w.in(apiService, "").Get(w.ctx, o.name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if text := fmt.Sprint(u.Object["status"]); !strings.Contains(text, "Available") || !strings.Contains(text, "False") {
			return fmt.Errorf("it is %s: %w", text, errNotYet)
		}
		return nil
	})
	return group
}

// TestProgramBrakeBesideDeadService: an API service that is down stops no deletion, neither of a
// program that begins beside it, nor of one that had listed every kind before. The reports of a
// braked cascade name the kinds that are not counted, with the API service and its service. By a flag
// the brake waits for them.
func TestProgramBrakeBesideDeadService(t *testing.T) {
	w := begin(t)
	go1, go2, stay := w.create(configMap, "go1"), w.create(configMap, "go2"), w.create(configMap, "stay")
	below1, below2 := w.create(secret, "below1", owned(go1)), w.create(secret, "below2", owned(go2))
	many := w.several(3, secret, "many", owned(stay))

	p, end := w.runUntil("-act -events -brake 2") // it has listed every kind before
	w.shows(p, `kinds{health="sick"}`, "0")
	w.shows(p, `kinds{health="unlisted"}`, "0")
	group := w.deadService()
	w.shows(p, "brake_uncounted_kinds", "1")
	w.delete(go1, background)
	w.goes(go1, below1)
	end()

	p, end = w.runUntil("-act -events -brake 2") // it begins beside the dead service
	w.shows(p, "brake_uncounted_kinds", "1")
	w.delete(go2, background)
	w.goes(go2, below2)
	w.delete(stay, background)
	if got := w.eventAbout(stay, "Braked"); !strings.Contains(got, "not counted: "+group+"/*") {
		t.Errorf("of a trip: %q, want that it names the kinds of %s", got, group)
	} else if !strings.Contains(got, isDown(group)) {
		t.Errorf("of a trip: %q, want %q", got, isDown(group))
	}
	w.stays(many...)
	end()

	await, child := w.create(configMap, "await"), object{}
	child = w.create(secret, "child", owned(await))
	p, _ = w.runUntil("-act -events -brake 2 -brake-await-sick")
	w.shows(p, `kinds{health="sick"}`, "1")
	w.delete(await, background)
	w.goes(await)
	if got := w.eventAbout(child, "BrakeListing"); !strings.Contains(got, "kinds have to be listed before the brake counts its cascade: "+group+"/*") {
		t.Errorf("of a wait: %q, want that it names the kinds of %s", got, group)
	} else if !strings.Contains(got, isDown(group)) {
		t.Errorf("of a wait: %q, want %q", got, isDown(group))
	}
	w.stays(child)
}

// isDown is the text about the API service of deadService.
func isDown(group string) string {
	return "API service v1alpha1." + group + " is not available (ServiceNotFound), its service is kube-system/stats"
}

// TestProgramNamesDeadServices: the Event about a namespace that does not end names the API services
// that are not available, also that of metrics.
func TestProgramNamesDeadServices(t *testing.T) {
	w := begin(t)
	space := w.create(namespace, w.ns+"-old")
	group := w.deadService()
	w.deadMetrics()
	w.namespaceController()
	w.end(space)
	w.runUntil("-events -held-after 1s")
	got := w.eventAbout(space, "NeedFinalizers")
	for _, want := range []string{isDown(group), "API service v1beta1.metrics.k8s.io is not available (ServiceNotFound), its service is kube-system/metrics-server"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// deadMetrics makes the API service of metrics. No service stands behind it.
func (w *world) deadMetrics() object {
	w.t.Helper()
	return w.create(apiService, "v1beta1.metrics.k8s.io", field(map[string]any{
		"group": "metrics.k8s.io", "version": "v1beta1", "groupPriorityMinimum": int64(100), "versionPriority": int64(100),
		"insecureSkipTLSVerify": true, "service": map[string]any{"name": "metrics-server", "namespace": "kube-system", "port": int64(8443)},
	}, "spec"))
}
