package e2e

import (
	"fmt"
	"maps"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/ownergraph/ownergraph/adapters/clientgo"
	program "github.com/ownergraph/ownergraph/adapters/clientgo/run"
)

// deployed runs the program of a rendering with the rights of its ServiceAccount, with more flags.
// Its Leases and its record go when the test ends.
func (w *world) deployed(all rendered, flags ...string) (p *program.Program, user *rest.Config, seen *witness, end func()) {
	w.t.Helper()
	w.t.Cleanup(func() {
		w.kubectlRun("delete", "--ignore-not-found", "-n", home, "configmap/ownergraph-collector", "lease/ownergraph")
		w.kubectlRun("delete", "-n", home, "leases", "-l", clientgo.GroupLabel)
	})
	user, seen = w.serviceAccount()
	p, end = w.runAs(user, slices.Concat(all.args(w.t), flags)...)
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
// ServiceAccount. Each looks at all objects and is ready. They write no object and no Lease, the
// server forbids no request, and some request needs each right.
func TestManifestsObserve(t *testing.T) {
	w := begin(t)
	all := w.apply(filepath.Join(manifests, "base"))
	w.granted(all)
	c := all.container(t)
	p, user, seen, end := w.deployed(all)
	other, _, beside, stop := w.deployed(all)
	for _, p := range []*program.Program{p, other} {
		w.probe(p, c.LivenessProbe.HTTPGet.Path)
		w.probe(p, c.ReadinessProbe.HTTPGet.Path)
	}
	w.observes(p, other)
	w.eventAbout(w.unresolved(), "OwnerUnknown")
	w.commands(user, all)
	stop()
	end()
	want := []string{"create configmaps", "create events", "create selfsubjectaccessreviews", "patch configmaps"}
	if got := seen.writes(t); !slices.Equal(got, want) {
		t.Errorf("it writes %q, want %q", got, want)
	}
	for _, got := range beside.writes(t) {
		if !slices.Contains(want, got) {
			t.Errorf("the second program writes %q", got)
		}
	}
	all.exact(t, seen.requests(t))
}

// observes checks that programs find the objects that they would delete, and delete none of them.
func (w *world) observes(programs ...*program.Program) {
	w.t.Helper()
	var before []int
	for _, p := range programs {
		before = append(before, wouldDelete(p))
	}
	never := object{kind: configMap, name: "never", uid: "no-such-object"}
	garbage := w.create(secret, "garbage", owned(never))
	owner := w.create(configMap, "owner")
	child := w.create(secret, "child", owned(owner))
	w.delete(owner, background)
	for i, p := range programs {
		w.until("wait for the program to find the garbage", func() error {
			if got := wouldDelete(p) - before[i]; got != 2 {
				return fmt.Errorf("%d objects: %w", got, errNotYet)
			}
			return nil
		})
	}
	w.gone(owner)
	w.stays(garbage, child)
}

// TestManifestsLease: with the component lease one of the programs observes, and the other one
// stands by. Both are ready, the server forbids no request, and some request needs each right.
func TestManifestsLease(t *testing.T) {
	w := begin(t)
	all := w.apply(readmeExample(t, "deploy/monitor", "deploy/lease"))
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
	w.observes(p)
	w.eventAbout(w.unresolved(), "OwnerUnknown")
	w.commands(user, all)
	stop()
	end()
	want := []string{"create configmaps", "create events", "create leases", "create selfsubjectaccessreviews", "patch configmaps", "update leases"}
	if got := seen.writes(t); !slices.Equal(got, want) {
		t.Errorf("it writes %q, want %q", got, want)
	}
	if got := idle.writes(t); !slices.Equal(got, []string{"create selfsubjectaccessreviews"}) {
		t.Errorf("the program that stands by writes %q", got)
	}
	all.exact(t, seen.requests(t))
}

// TestManifestsAct: the programs of the overlay divide the objects, and carry deletions out with the
// rights of their ServiceAccount. The server forbids no request, counts the deletes that the
// programs count, and some request needs each right. Without the overlay's roles exactly their verbs
// are missing. A killed program's part goes to the others.
func TestManifestsAct(t *testing.T) {
	w := begin(t)
	base, act := filepath.Join(manifests, "base"), w.render(filepath.Join(manifests, "act"))
	w.granted(w.apply(base))
	user, _ := w.serviceAccount()
	const lacks = "[delete *.* patch *.* create leases.coordination.k8s.io ownergraph delete leases.coordination.k8s.io ownergraph update leases.coordination.k8s.io ownergraph]"
	if missing, err := w.program(user, act.args(t)...).Missing(w.ctx); err != nil || fmt.Sprint(missing) != lacks {
		t.Errorf("with the rights of the base: %v, %v", missing, err)
	}
	w.apply(filepath.Join(manifests, "act"))
	w.granted(act)
	never := object{kind: configMap, name: "never", uid: "no-such-object"}
	garbage, counted := w.create(secret, "garbage", owned(never)), w.serverDeletes()
	owners := w.several(3, configMap, "owner")
	below, above, kept := w.several(9, secret, "below", owned(owners[0])), w.several(9, secret, "above", blocking(owners[1])), w.several(9, secret, "kept", owned(owners[2]))
	all, user := w.replicas(act)
	all.divide("3")
	for i, how := range []metav1.DeletionPropagation{background, foreground, orphan} {
		w.delete(owners[i], how)
	}
	w.goes(append(append(append(owners, garbage), below...), above...)...)
	w.ownedBy(nil, kept...)
	if ours, theirs := all.deleted(), w.serverDeletes()-counted; ours != theirs || theirs != 19 {
		t.Errorf("the programs have counted %d deletes, and the server %d, want 19", ours, theirs)
	}
	w.eventAbout(w.unresolved(), "OwnerUnknown")
	w.commands(user, act)
	all[2].kill()
	w.goes(w.several(20, secret, "later", owned(never))...)
	all[:2].divide("2")
	all[0].end()
	all[1].end()
	used := map[ask]bool{}
	for _, r := range all {
		maps.Copy(used, r.seen.requests(t))
	}
	act.exact(t, used)
}
