package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

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

// isCut reports whether the server had not read the request, and did nothing: the program was killed, or
// the server was too busy.
func isCut(e *audit.Event) bool {
	s := e.ResponseStatus
	if e.RequestObject != nil || s == nil {
		return false
	}
	return s.Code == 429 || s.Code == 500 && (strings.Contains(s.Message, "stream error") || s.Message == "client disconnected")
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

// auditedOutcome returns the outcome of a request. The answer to a killed program has no outcome. A
// JSON patch that tests a part of another state is not applicable.
func auditedOutcome(e *audit.Event) (processes.Outcome, string) {
	s := e.ResponseStatus
	switch {
	case s == nil || strings.Contains(s.Message, context.Canceled.Error()):
		return processes.OutcomeUnset, ""
	case s.Code == 200 || s.Code == 202:
		return processes.OutcomeDone, ""
	case s.Code == 404 || s.Code == 409 || s.Code == 422 && e.Verb == "patch":
		return processes.OutcomeLost, s.Message
	}
	return processes.OutcomeFailed, fmt.Sprintf("%d %s", s.Code, s.Message)
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
