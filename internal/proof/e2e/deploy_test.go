package e2e

import (
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	program "github.com/ownergraph/ownergraph/adapters/clientgo/run"
)

// deployed runs the program of a rendering with the rights of its ServiceAccount. Its Lease and its
// record go when the test ends.
func (w *world) deployed(all rendered) (p *program.Program, user *rest.Config, seen *witness, end func()) {
	w.t.Helper()
	w.t.Cleanup(func() {
		w.kubectlRun("delete", "--ignore-not-found", "-n", home, "configmap/ownergraph-collector", "lease/ownergraph")
	})
	user, seen = w.serviceAccount()
	p, end = w.runAs(user, all.args(w.t)...)
	return p, user, seen, end
}

// granted waits until the server grants all rights that the program of a rendering needs.
func (w *world) granted(all rendered) {
	w.t.Helper()
	user, _ := w.serviceAccount()
	p := w.program(user, all.args(w.t)...)
	w.until("wait for the rights", func() error {
		missing, err := p.Missing(w.ctx)
		if err == nil && len(missing) > 0 {
			err = fmt.Errorf("%v: %w", missing, errNotYet)
		}
		return err
	})
}

// probe waits until a probe of the container succeeds.
func (w *world) probe(p *program.Program, path string) {
	w.t.Helper()
	w.until("wait for "+path, func() error {
		a := httptest.NewRecorder()
		p.Handler().ServeHTTP(a, httptest.NewRequest("GET", path, nil))
		if a.Code != 200 {
			return fmt.Errorf("%d %s: %w", a.Code, a.Body, errNotYet)
		}
		return nil
	})
}

// unresolved makes an object whose owner's kind no server has.
func (w *world) unresolved() object {
	return w.create(configMap, "unresolved", references(metav1.OwnerReference{
		APIVersion: "nobody.example.org/v1", Kind: "Unknown", Name: "unknown", UID: "unknown",
	}))
}

// commands pauses and resumes as the program's user, as kubectl exec does.
func (w *world) commands(user *rest.Config, all rendered) {
	w.t.Helper()
	record := all.args(w.t)[slices.Index(all.container(w.t).Args, "-record=$(NAMESPACE)/ownergraph-collector")]
	w.commandAs(user, "-pause namespace=nowhere,unchecked "+record)
	w.commandAs(user, "-resume namespace=nowhere "+record)
}

// wouldDelete returns the number of objects that a program would delete if it acted.
func wouldDelete(p *program.Program) int {
	n, err := strconv.Atoi(metric(p, `ownergraph_held_objects{reason="ObserveOnly"}`))
	if err != nil {
		return 0 // without such an object there is no sample
	}
	return n
}

// TestManifestsObserve: the programs of the base observe with the rights of their
// ServiceAccount. One collects, and both are ready. They write no object, the server forbids no
// request, and some request needs each right.
func TestManifestsObserve(t *testing.T) {
	w := begin(t)
	all := w.apply(filepath.Join(manifests, "base"))
	w.granted(all)
	c := all.container(t)
	p, user, seen, end := w.deployed(all)
	w.probe(p, c.LivenessProbe.HTTPGet.Path)
	w.until("wait until the first program collects", func() error { // one that stands by is ready too
		if got := metric(p, `ownergraph_kinds{health="listed"}`); got == "0" || got == "none" {
			return errNotYet
		}
		return nil
	})
	w.probe(p, c.ReadinessProbe.HTTPGet.Path)
	other, _, idle, stop := w.deployed(all)
	w.probe(other, c.LivenessProbe.HTTPGet.Path)
	w.probe(other, c.ReadinessProbe.HTTPGet.Path)
	before := wouldDelete(p)
	never := object{kind: configMap, name: "never", uid: "no-such-object"}
	garbage := w.create(secret, "garbage", owned(never))
	owner := w.create(configMap, "owner")
	child := w.create(secret, "child", owned(owner))
	w.delete(owner, background)
	w.until("wait for the program to find the garbage", func() error {
		if got := wouldDelete(p) - before; got != 2 {
			return fmt.Errorf("%d objects: %w", got, errNotYet)
		}
		return nil
	})
	w.eventAbout(w.unresolved(), "OwnerUnknown")
	w.commands(user, all)
	stop()
	end()
	w.gone(owner)
	w.stays(garbage, child)
	want := []string{"create configmaps", "create events", "create leases", "create selfsubjectaccessreviews", "patch configmaps", "update leases"}
	if got := seen.writes(t); !slices.Equal(got, want) {
		t.Errorf("it writes %q, want %q", got, want)
	}
	if got := idle.writes(t); !slices.Equal(got, []string{"create selfsubjectaccessreviews"}) {
		t.Errorf("the program that stands by writes %q", got)
	}
	all.exact(t, seen.requests(t))
}

// TestManifestsAct: the program of the overlay carries deletions out with the rights of its
// ServiceAccount. The server forbids no request, counts the deletes that the program counts, and
// some request needs each right. Without the overlay's role exactly its verbs are missing.
func TestManifestsAct(t *testing.T) {
	w := begin(t)
	base, act := filepath.Join(manifests, "base"), w.render(filepath.Join(manifests, "act"))
	w.granted(w.apply(base))
	user, _ := w.serviceAccount()
	if missing, err := w.program(user, act.args(t)...).Missing(w.ctx); err != nil || fmt.Sprint(missing) != "[delete *.* patch *.*]" {
		t.Errorf("with the rights of the base: %v, %v", missing, err)
	}
	w.apply(filepath.Join(manifests, "act"))
	w.granted(act)
	never := object{kind: configMap, name: "never", uid: "no-such-object"}
	garbage, counted := w.create(secret, "garbage", owned(never)), w.serverDeletes()
	owners := w.several(3, configMap, "owner")
	below, above, kept := w.several(9, secret, "below", owned(owners[0])), w.several(9, secret, "above", blocking(owners[1])), w.several(9, secret, "kept", owned(owners[2]))
	p, user, seen, end := w.deployed(act)
	c := act.container(t)
	w.probe(p, c.LivenessProbe.HTTPGet.Path)
	w.probe(p, c.ReadinessProbe.HTTPGet.Path)
	for i, how := range []metav1.DeletionPropagation{background, foreground, orphan} {
		w.delete(owners[i], how)
	}
	w.goes(append(append(append(owners, garbage), below...), above...)...)
	w.ownedBy(nil, kept...)
	if ours, theirs := metric(p, `ownergraph_deleted_objects_total{kind="Secret"}`), w.serverDeletes()-counted; ours != fmt.Sprint(theirs) || theirs != 19 {
		t.Errorf("the program has counted %s deletes, and the server %d, want 19", ours, theirs)
	}
	w.eventAbout(w.unresolved(), "OwnerUnknown")
	w.commands(user, act)
	end()
	act.exact(t, seen.requests(t))
}
