package run

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

// owned creates an owner and three dependents.
func (r *rig) owned() {
	d := r.put("deployments", named("owner"))
	for _, name := range []string{"a", "b", "c"} {
		r.put("configmaps", named(name, ref("apps/v1", "Deployment", "owner", d.UID)))
	}
}

func TestRunActs(t *testing.T) {
	decided := 0
	bubble(t, Config{Act: true, Events: true, Engine: ownergraph.Config{OnDecision: func(engine.DecisionEvent) { decided++ }}}, func(r *rig) {
		r.owned()
		end := r.start(r.program)
		pass(time.Second)
		r.remove("deployments", "ns", "owner")
		pass(time.Second)
		if left := r.all("configmaps"); len(left) != 0 {
			t.Errorf("left %v", left)
		}
		if decided == 0 {
			t.Error("the config's own hook is not called")
		}
		if err := end(); err != nil {
			t.Error(err)
		}
		if err := r.program.Run(r.t.Context()); !errors.Is(err, ownergraph.ErrClosed) {
			t.Errorf("run again: %v", err)
		}
	})
}

// TestRunObserves: the zero config sends no write.
func TestRunObserves(t *testing.T) {
	bubble(t, Config{}, func(r *rig) {
		r.owned()
		r.start(r.program)
		pass(time.Second)
		r.remove("deployments", "ns", "owner")
		pass(time.Hour)
		for _, call := range r.takeCalls("create", "update", "patch", "delete") {
			if call != "create selfsubjectaccessreviews" {
				t.Errorf("asked to %s", call)
			}
		}
		held, err := r.program.collector.WaitIdle(r.t.Context())
		if err != nil || len(held) != 3 {
			t.Errorf("held %v, %v, want the dependents", held, err)
		}
	})
}

func TestRunFails(t *testing.T) {
	const wrong = "%zz"
	for _, c := range []struct {
		server *rest.Config
		config Config
		want   string
		reason string
	}{
		{nil, Config{}, "rest config: nil", "there is no server"},
		{&rest.Config{Host: wrong}, Config{}, wrong, "client-go checks the host"},
		{&rest.Config{}, Config{Engine: ownergraph.Config{ObserveOnly: true}}, "Engine.ObserveOnly", "Act says that"},
		{&rest.Config{}, Config{Engine: ownergraph.Config{Workers: -1}}, "Workers: negative", "the engine checks its own"},
		{&rest.Config{}, Config{HeldAfter: -1}, "HeldAfter: negative", "no time is negative"},
		{&rest.Config{}, Config{Lease: Lease{Name: "x"}}, "Lease: it takes a namespace", "half a name"},
		{&rest.Config{}, Config{Lease: Lease{Namespace: "n", Name: "a/b"}}, "not a namespace and a name", "no name has a slash"},
		{&rest.Config{}, Config{Lease: Lease{Namespace: "n", Name: "x", Duration: time.Second}}, "Lease.Duration: 1s is less than 5s", "a renewal takes longer"},
		{&rest.Config{}, Config{Listen: "nowhere"}, "Listen: listen tcp: address nowhere", "an address has a port"},
	} {
		err := Run(t.Context(), c.server, c.config)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q: %s", c.config, err, c.want, c.reason)
		}
	}
	p, err := New(&rest.Config{}, Config{})
	if err != nil {
		t.Fatal(err)
	}
	var none context.Context
	if err := p.Run(none); !errors.Is(err, graph.ErrInvalid) {
		t.Errorf("without a context: %v", err)
	}
}

// TestRunBreaks: an error of the engine ends the program.
func TestRunBreaks(t *testing.T) {
	bubble(t, Config{Engine: ownergraph.Config{OnDecision: func(engine.DecisionEvent) { panic("hook") }}}, func(r *rig) {
		r.owned()
		done := make(chan error, 1)
		go func() { done <- r.program.Run(r.t.Context()) }()
		synctest.Wait()
		if err := <-done; !errors.Is(err, ownergraph.ErrBroken) {
			t.Errorf("ended with %v", err)
		}
	})
}

// TestStoreLinksNoTypedClient: package clientgo does not link the packages of the
// election and the Events.
func TestStoreLinksNoTypedClient(t *testing.T) {
	list := func(pkg string) (typed []string) {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", pkg).CombinedOutput()
		if err != nil {
			t.Fatalf("go list -deps %s: %v\n%s", pkg, err, out)
		}
		for dep := range strings.FieldsSeq(string(out)) {
			for _, bad := range []string{
				"k8s.io/client-go/kubernetes/typed/", "k8s.io/client-go/informers", "k8s.io/client-go/listers",
				"k8s.io/client-go/tools/cache", "k8s.io/client-go/tools/leaderelection", "k8s.io/client-go/applyconfigurations",
			} {
				if strings.HasPrefix(dep, bad) || dep == "k8s.io/client-go/kubernetes" {
					typed = append(typed, dep)
				}
			}
		}
		return typed
	}
	if typed := list("github.com/ownergraph/ownergraph/adapters/clientgo"); len(typed) != 0 {
		t.Errorf("the store links %s", typed)
	}
	if len(list(".")) == 0 {
		t.Error("this test sees nothing")
	}
}
