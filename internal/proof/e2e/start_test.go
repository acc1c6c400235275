package e2e

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// aggregated is the form in which client-go asks for aggregated discovery.
const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

// early is an answer of /apis from before the server knew all groups.
type early struct {
	kind string
	body []byte
}

// restartEarly restarts the server, and returns its first answer of /apis without a
// group.
func (w *world) restartEarly(group string) early {
	w.t.Helper()
	client, err := rest.HTTPClientFor(w.server.Admin())
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(w.ctx)
	defer cancel()
	found := make(chan early, 1)
	go func() {
		defer close(found)
		for ctx.Err() == nil {
			if e, ok := askEarly(ctx, client, w.server.Admin().Host); ok && !strings.Contains(string(e.body), group) {
				found <- e
				return
			}
		}
	}()
	if err := w.server.Restart(w.ctx); err != nil {
		w.t.Fatal(err)
	}
	cancel()
	e, ok := <-found
	if !ok {
		w.t.Fatalf("no answer of /apis was without %s while the server started", group)
	}
	return e
}

func askEarly(ctx context.Context, client *http.Client, host string) (early, bool) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, host+"/apis", nil)
	if err != nil {
		return early{}, false
	}
	r.Header.Set("Accept", aggregated)
	response, err := client.Do(r)
	if err != nil {
		return early{}, false
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return early{response.Header.Get("Content-Type"), body}, err == nil && response.StatusCode == http.StatusOK
}

// response returns the answer as it came.
func (e early) response(r *http.Request) *http.Response {
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {e.kind}}, Body: io.NopCloser(bytes.NewReader(e.body)), ContentLength: int64(len(e.body)),
	}
}

// untilSickOrGone waits until a collector calls a kind sick, or has let an owner end.
func (c *collecting) untilSickOrGone(k kind, owner object) {
	c.w.t.Helper()
	c.w.until("wait for the kind to be sick, or for the owner to end", func() error {
		if c.sick()[k.name()] != "" {
			return nil
		}
		_, err := c.w.of(owner).Get(c.w.ctx, owner.name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errNotYet
	})
}

// TestStartingServerBlocksKinds: the server has just started. Its discovery lacks the
// groups of definitions, and names no error. An owner that orphans stays until its
// dependents of such a group are known. Neither its collector nor the next one deletes
// them. The test prolongs that moment, with an answer that the server gave in it.
func TestStartingServerBlocksKinds(t *testing.T) {
	w := begin(t)
	k, _ := w.define("Thing")
	owner := w.create(configMap, "owner")
	children := w.several(10, k, "child", blocking(owner))
	w.delete(owner, orphan)
	answer := w.restartEarly(k.gvk.Group)
	var over atomic.Bool
	c := w.collect(settings{answer: func(r *http.Request) *http.Response {
		if r.URL.Path == "/apis" && !over.Load() {
			return answer.response(r)
		}
		return nil
	}})
	c.untilSickOrGone(k, owner)
	w.marked(owner, "orphan")
	over.Store(true)
	c.quiet()
	w.gone(owner)
	w.ownedBy(nil, children...)
	c.stop()
	w.collect(settings{}).quiet()
	w.stays(children...)
}

// TestUnservedVersionBlocksKinds: no version of a definition is served while an owner
// orphans, and the collector is a new one. The kind is sick until a version is served
// again.
func TestUnservedVersionBlocksKinds(t *testing.T) {
	w := begin(t)
	k, d := w.define("Thing")
	owner := w.create(configMap, "owner")
	children := w.several(10, k, "child", blocking(owner))
	w.delete(owner, orphan)
	unserved := definedVersion("v1", true)
	unserved["served"] = false
	w.patchSpec(d, map[string]any{"versions": []any{unserved}})
	w.until("wait for discovery to lack the kind", func() error {
		client, err := rest.HTTPClientFor(w.server.Admin())
		if err != nil {
			return err
		}
		if e, ok := askEarly(w.ctx, client, w.server.Admin().Host); !ok || strings.Contains(string(e.body), k.gvk.Group) {
			return errNotYet
		}
		return nil
	})
	c := w.collect(settings{})
	c.untilSickOrGone(k, owner)
	w.marked(owner, "orphan")
	w.patchSpec(d, map[string]any{"versions": []any{definedVersion("v1", true)}})
	w.goes(owner)
	c.quiet()
	w.ownedBy(nil, children...)
	c.stop()
	w.collect(settings{}).quiet()
	w.stays(children...)
}
