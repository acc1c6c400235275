package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	audit "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/processes"
)

// audited is the folder of the audit log of the shared server, with the program of the collectors.
var audited string

// collectorUsers are the users of the shared server whose deletes and patches it logs. Each
// process of the tests of shares is one of them.
func collectorUsers() []string {
	return []string{"a", "b", "c", "d", "other", "former-1", "former-2", "speed1-0", "speed2-0", "speed2-1", "speed3-0", "speed3-1", "speed3-2"}
}

// auditFlags returns the flags of an API server that logs the writes of these users. The log is
// written before the next request of the same client.
func auditFlags(dir string) ([]string, error) {
	policy := map[string]any{
		"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": []string{"RequestReceived", "ResponseStarted"},
		"rules": []any{
			map[string]any{"level": "Request", "users": collectorUsers(), "verbs": []string{"delete", "patch"}, "resources": []any{map[string]any{"group": "", "resources": []string{"configmaps", "secrets"}}}},
			map[string]any{"level": "None"},
		},
	}
	text, err := json.Marshal(policy)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "policy.json")
	return []string{"--audit-policy-file=" + file, "--audit-log-path=" + auditLog(dir), "--audit-log-maxsize=2000"}, os.WriteFile(file, text, 0o600)
}

func auditLog(dir string) string { return filepath.Join(dir, "audit.log") }

// auditedWrites reads the writes to objects of a namespace from the audit log.
func auditedWrites(ns string) (out []processes.Write, err error) {
	text, err := os.ReadFile(auditLog(audited))
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(text) {
		var e audit.Event
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("read the audit log: %w: %s", err, line)
		}
		if e.ObjectRef == nil || e.ObjectRef.Namespace != ns || isCut(&e) {
			continue
		}
		w, err := auditedWrite(&e)
		if err != nil {
			return nil, fmt.Errorf("read the audit log: %w: %s", err, line)
		}
		out = append(out, w)
	}
	return out, nil
}

// isCut reports whether the server did nothing: it was too busy, or it had not read the request of a
// program that was killed.
func isCut(e *audit.Event) bool {
	s := e.ResponseStatus
	if s == nil || s.Code == 429 {
		return s != nil
	}
	return e.RequestObject == nil && s.Code == 500 && (strings.Contains(s.Message, "stream error") || s.Message == "client disconnected")
}

func auditedWrite(e *audit.Event) (w processes.Write, err error) {
	kind := map[string]graph.Kind{"configmaps": configMap.name(), "secrets": secret.name()}[e.ObjectRef.Resource]
	w = processes.Write{
		Process: e.User.Username, Verb: e.Verb, At: e.RequestReceivedTimestamp.Time, Ended: e.StageTimestamp.Time,
		Key: graph.Key{Kind: kind, Scope: e.ObjectRef.Namespace, Name: e.ObjectRef.Name},
	}
	w.Outcome, w.Text = auditedOutcome(e)
	pre, err := demanded(e.Verb, e.RequestObject)
	w.Key.UID, w.Bound = pre.UID, pre.UID != "" && pre.Version != ""
	return w, err
}

// auditedOutcome returns the outcome of a request. The answer to a killed program has no outcome, and
// neither has that of a server whose own time is over. A JSON patch that tests a part of another state
// is not applicable.
func auditedOutcome(e *audit.Event) (processes.Outcome, string) {
	s := e.ResponseStatus
	switch {
	case s == nil || strings.Contains(s.Message, context.Canceled.Error()):
		return processes.OutcomeUnset, ""
	case s.Code == 504 || s.Code == 500 && strings.Contains(s.Message, "request timed out"):
		return processes.OutcomeUnset, s.Message
	case s.Code == 200 || s.Code == 202:
		return processes.OutcomeDone, ""
	case s.Code == 404 || s.Code == 409 || s.Code == 422 && e.Verb == "patch":
		return processes.OutcomeLost, s.Message
	}
	return processes.OutcomeFailed, fmt.Sprintf("%d %s", s.Code, s.Message)
}

// TestAuditedOutcomes: a write that the server did not carry out is none. One that it may have carried
// out has no outcome.
func TestAuditedOutcomes(t *testing.T) {
	for _, c := range []struct {
		verb    string
		code    int32
		message string
		read    bool // the server had read the request
		cut     bool
		want    processes.Outcome
		reason  string
	}{
		{"delete", 200, "", true, false, processes.OutcomeDone, "it is done"},
		{"delete", 202, "", true, false, processes.OutcomeDone, "a finalizer holds the object"},
		{"delete", 404, "not found", true, false, processes.OutcomeLost, "the object is gone"},
		{"patch", 409, "conflict", true, false, processes.OutcomeLost, "the object has changed"},
		{"patch", 422, "the test failed", true, false, processes.OutcomeLost, "a part of the object has changed"},
		{"delete", 422, "invalid", true, false, processes.OutcomeFailed, "a delete tests nothing"},
		{"delete", 429, "too many requests", false, true, processes.OutcomeFailed, "the server was too busy to read it"},
		{"delete", 429, "the storage is initializing", true, true, processes.OutcomeFailed, "the server was too busy to begin"},
		{"delete", 500, "stream error: CANCEL", false, true, processes.OutcomeFailed, "the program was killed before"},
		{"delete", 500, "stream error: CANCEL", true, false, processes.OutcomeFailed, "the server had the whole request"},
		{"patch", 500, "context canceled", true, false, processes.OutcomeUnset, "the program was killed meanwhile"},
		{"patch", 500, "etcdserver: request timed out", true, false, processes.OutcomeUnset, "etcd may have carried it out"},
		{"patch", 504, "Timeout", true, false, processes.OutcomeUnset, "the server may carry it out yet"},
		{"patch", 403, "forbidden", true, false, processes.OutcomeFailed, "a right is missing"},
		{"patch", 500, "internal error", true, false, processes.OutcomeFailed, "no reason that a proof allows"},
	} {
		e := &audit.Event{Verb: c.verb, ResponseStatus: &metav1.Status{Code: c.code, Message: c.message}}
		if c.read {
			e.RequestObject = &runtime.Unknown{}
		}
		if got, _ := auditedOutcome(e); isCut(e) != c.cut || got != c.want {
			t.Errorf("%s %d %q: cut %t, %s, want %t, %s: %s", c.verb, c.code, c.message, isCut(e), got, c.cut, c.want, c.reason)
		}
	}
}

// demanded returns the UID and the version that a request demands.
func demanded(verb string, body *runtime.Unknown) (pre graph.Precondition, err error) {
	if body == nil {
		return pre, nil
	}
	if verb == "delete" {
		var opts struct {
			Preconditions struct{ UID, ResourceVersion string }
		}
		err = json.Unmarshal(body.Raw, &opts)
		return graph.Precondition{UID: graph.UID(opts.Preconditions.UID), Version: graph.Version(opts.Preconditions.ResourceVersion)}, err
	}
	var ops []struct {
		Op, Path string
		Value    any
	}
	err = json.Unmarshal(body.Raw, &ops)
	for _, o := range ops {
		text, _ := o.Value.(string)
		switch {
		case o.Op == "replace" && o.Path == "/metadata/uid":
			pre.UID = graph.UID(text)
		case o.Op == "replace" && o.Path == "/metadata/resourceVersion":
			pre.Version = graph.Version(text)
		}
	}
	return pre, err
}
