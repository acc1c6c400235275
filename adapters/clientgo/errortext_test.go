package clientgo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

const deniedBy = "ValidatingAdmissionPolicy 'keep' with binding 'keep' denied request: ask the owners first"

// refusing answers every write with a status.
func refusing(code int, reason, message, details string) func(*http.Request) *fakeResponse {
	return func(q *http.Request) *fakeResponse {
		if q.Method == http.MethodGet {
			return nil
		}
		return &fakeResponse{code: code, body: fmt.Sprintf(
			`{"kind":"Status","apiVersion":"v1","status":"Failure","code":%d,"reason":%q,"message":%q,"details":{%s}}`, code, reason, message, details)}
	}
}

// TestErrorText: the error of a refused write has the server's message, for each code.
func TestErrorText(t *testing.T) {
	for _, c := range []struct {
		code                     int
		reason, message, details string
		want                     string
		why                      string
	}{
		{422, "Invalid", deniedBy, "", deniedBy, "a policy denies with 422 unless it says otherwise"},
		{403, "Forbidden", deniedBy, "", deniedBy, "or with 403"},
		{400, "BadRequest", `admission webhook "x" denied the request: no`, "", `admission webhook "x" denied the request: no`, "a webhook"},
		{422, "Invalid", "", `"causes":[{"reason":"FieldValueForbidden","message":"not yet","field":"metadata"}]`, "metadata: not yet", "only the causes say why"},
		{403, "Forbidden", "", "", "the server's only reason is Forbidden", "the reason is missing"},
	} {
		bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
			m := named("ns", "a")
			m.Finalizers = []string{"f"}
			live := r.create("ConfigMap", m)
			r.locked(func() { r.fault = refusing(c.code, c.reason, c.message, c.details) })
			at := key("ConfigMap", "ns", "a")
			for verb, err := range map[string]error{
				"patch":                     r.store.Patch(r.t.Context(), at, exactly(live), graph.Change{DropFinalizer: "f"}),
				"a patch without a version": r.store.Patch(r.t.Context(), at, graph.Precondition{UID: graph.UID(live.UID)}, graph.Change{DropFinalizer: "f"}),
				"delete":                    r.store.Delete(r.t.Context(), at, graph.DeleteOptions{}),
			} {
				only(r.t, c.why, err, graph.ErrRefused)
				var status apierrors.APIStatus
				if !strings.Contains(err.Error(), c.want) || !errors.As(err, &status) || int(status.Status().Code) != c.code {
					t.Errorf("%s: %s: %v, want %q", c.why, verb, err, c.want)
				}
			}
		})
	}
}

// TestErrorTextIsBounded: an error has a bounded part of the server's message.
func TestErrorTextIsBounded(t *testing.T) {
	bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
		r.create("ConfigMap", named("ns", "a"))
		r.locked(func() { r.fault = refusing(403, "Forbidden", "x"+strings.Repeat("ü", 100_000), "") })
		err := r.store.Delete(r.t.Context(), key("ConfigMap", "ns", "a"), graph.DeleteOptions{})
		only(r.t, "a long message", err, graph.ErrRefused)
		if n := len(err.Error()); n < maxText || n > maxText+200 || !utf8.ValidString(err.Error()) {
			t.Errorf("%d bytes, want %d and little more", n, maxText)
		}
	})
}

// TestErrorTextIsLogged: the log has the policy's message, and the object is held.
func TestErrorTextIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newFake(standardKinds()...), Config{})
		m := named("ns", "a", ref("v1", "Node", "n", "gone"))
		r.create("ConfigMap", m)
		r.locked(func() { r.fault = refusing(422, "Invalid", deniedBy, "") })
		var log bytes.Buffer
		c, err := ownergraph.New(r.store, ownergraph.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- c.Run(ctx) }()
		pass(time.Minute)
		held := c.Held(9)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if len(held) != 1 || held[0].Reason != policy.StoreRefused {
			t.Errorf("held %v", held)
		}
		if !strings.Contains(log.String(), deniedBy) {
			t.Errorf("the log has not the policy's words:\n%s", &log)
		}
	})
}
