package e2e

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/restmapper"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/internal/probe"
)

// TestTwoEngines: two of our engines run on one server. Doubled work costs a conflict,
// and never an object.
func TestTwoEngines(t *testing.T) {
	w := begin(t)
	a, b := w.collect(settings{}), w.collect(settings{})
	a.quiet()
	b.quiet()
	f := w.families(9, 40)
	f.delete()
	a.quiet()
	b.quiet()
	f.converged()
	for _, c := range []*collecting{a, b} {
		s := c.Stats()
		if s.Calls.Of(engine.CallDelete)+s.Calls.Of(engine.CallPatch) == 0 { // the faster engine's writes succeed
			t.Error("an engine had nothing to do: the test shows nothing")
		}
		t.Logf("%d writes succeeded, %d conflicts, %d requests", len(c.book.succeeded()), s.Writes.Conflicts, probe.Requests(s))
	}
}

// TestOrphanAgain: forty children get their reference again, after their owner has orphaned them
// and gone. Two engines of ours delete all of them, as Kubernetes does: the one that ended the
// orphaning, and the other one.
func TestOrphanAgain(t *testing.T) {
	const n = 40
	w := begin(t)
	a, b := w.collect(settings{}), w.collect(settings{})
	a.quiet()
	b.quiet()
	owner := w.create(configMap, "owner")
	children := w.several(n, secret, "child", owned(owner))
	w.delete(owner, orphan)
	a.quiet()
	b.quiet()
	w.gone(owner)
	w.ownedBy(nil, children...)
	w.parallel(n, func(i int) { w.adopt(children[i], owner) })
	a.quiet()
	b.quiet()
	w.gone(children...)
}

// TestBesideUpstream: ours runs beside the garbage collector of Kubernetes. Only our
// writes are judged. The end has to be right for any order of the two. Orphaning by
// upstream is an exception: it may delete a dependent that it has not seen yet, so the
// test gives it time.
func TestBesideUpstream(t *testing.T) {
	w := begin(t)
	c := w.collect(settings{})
	theirs := w.upstream()
	c.quiet()
	f := w.families(9, 40)
	c.quiet()
	theirs.sees(f.all())
	f.delete()
	f.converge()
	c.quiet()
	f.converged()
	if ours := len(c.book.succeeded()); ours == 0 || theirs.writes() == 0 {
		t.Errorf("%d writes are ours, %d theirs: the test shows nothing", ours, theirs.writes())
	}
	t.Logf("%d of our writes succeeded, %d of theirs were sent; %d conflicts of ours", len(c.book.succeeded()), theirs.writes(), c.Stats().Writes.Conflicts)
}

// upstream is the garbage collector of Kubernetes, at work.
type upstream struct {
	*garbagecollector.GarbageCollector
	w    *world
	mu   sync.Mutex
	sent int
}

// upstream starts one in the way of kube-controller-manager, without its limit of
// requests a second. It ends with the test.
func (w *world) upstream() *upstream {
	w.t.Helper()
	u := &upstream{w: w}
	config := w.server.Admin()
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return counted{u, next} })
	client, partials := kubernetes.NewForConfigOrDie(config), metadata.NewForConfigOrDie(config)
	typed := informers.NewSharedInformerFactory(client, 0)
	metas := metadatainformer.NewSharedInformerFactory(partials, 0)
	started := make(chan struct{})
	close(started)
	ctx, cancel := context.WithCancel(context.Background())
	gc, err := garbagecollector.NewGarbageCollector(ctx, client, partials,
		restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client.Discovery())),
		garbagecollector.DefaultIgnoredResources(), informerfactory.NewInformerFactory(typed, metas), started)
	if err != nil {
		w.t.Fatal(err)
	}
	u.GarbageCollector = gc
	var work sync.WaitGroup
	work.Go(func() { gc.Run(ctx, 20, 30*time.Second) })
	work.Go(func() { gc.Sync(ctx, client.Discovery(), 30*time.Second) })
	typed.Start(ctx.Done())
	metas.Start(ctx.Done())
	w.t.Cleanup(func() {
		cancel()
		work.Wait()
		typed.Shutdown()
		metas.Shutdown()
	})
	return u
}

// sees waits until it has objects in its graph.
func (u *upstream) sees(list []object) {
	u.w.t.Helper()
	for _, o := range list {
		u.w.until("wait for upstream to see "+o.String(), func() error {
			if !u.GraphHasUID(o.uid) {
				return errNotYet
			}
			return nil
		})
	}
}

func (u *upstream) writes() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.sent
}

// counted counts the writes of upstream.
type counted struct {
	u    *upstream
	next http.RoundTripper
}

// RoundTrip sends a request on.
func (c counted) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet {
		c.u.mu.Lock()
		c.u.sent++
		c.u.mu.Unlock()
	}
	return c.next.RoundTrip(r)
}
