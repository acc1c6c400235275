package e2e

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/jsonpath"

	program "github.com/ownergraph/ownergraph/adapters/clientgo/run"
	"github.com/ownergraph/ownergraph/graph"
)

var event = builtin("", "v1", "Event", "events", true, nil)

// runProgram runs package run's program with flags, until the test ends.
func (w *world) runProgram(flags string) *program.Program {
	w.t.Helper()
	p, _ := w.runUntil(flags)
	return p
}

// runUntil is runProgram until the caller calls end.
func (w *world) runUntil(flags string) (p *program.Program, end func()) {
	w.t.Helper()
	return w.runAs(w.server.Admin(), strings.Fields(flags)...)
}

// program returns package run's program with flags, for a user of the server.
func (w *world) program(user *rest.Config, args ...string) *program.Program {
	w.t.Helper()
	c := program.Config{HeldAfter: time.Second, Logger: slog.New(slog.NewTextHandler(w.t.Output(), nil))}
	f := flag.NewFlagSet("program", flag.ContinueOnError)
	c.RegisterFlags(f)
	if err := f.Parse(args); err != nil {
		w.t.Fatal(err)
	}
	p, err := program.New(user, c)
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

// runAs is runUntil for a user of the server.
func (w *world) runAs(user *rest.Config, args ...string) (p *program.Program, end func()) {
	w.t.Helper()
	p = w.program(user, args...)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx) }()
	end = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			w.t.Error(err)
		}
	})
	w.t.Cleanup(end)
	return p, end
}

// eventAbout waits until the server has an Event with a reason about an object, and returns its type
// and its message.
func (w *world) eventAbout(o object, reason string) string {
	w.t.Helper()
	text := ""
	w.until("wait for an Event "+reason, func() error {
		list, err := w.in(event, o.ns).List(w.ctx, metav1.ListOptions{
			FieldSelector: "reason=" + reason + ",involvedObject.uid=" + string(o.uid),
		})
		switch {
		case err != nil:
			return err
		case len(list.Items) == 0:
			return errNotYet
		}
		kind, _, _ := unstructured.NestedString(list.Items[0].Object, "type")
		message, _, _ := unstructured.NestedString(list.Items[0].Object, "message")
		text = kind + ": " + message
		return nil
	})
	return text
}

// metric returns a figure of the program.
func metric(p *program.Program, name string) string {
	a := httptest.NewRecorder()
	p.Handler().ServeHTTP(a, httptest.NewRequest("GET", "/metrics", nil))
	for line := range strings.Lines(a.Body.String()) {
		if rest, ok := strings.CutPrefix(line, name+" "); ok {
			return strings.TrimSpace(rest)
		}
	}
	return "none"
}

// TestProgramGuards: package run's program has guards and protections by flags. Its Events and
// its metrics show a pass, a refusal with its causes, and the release by kubectl.
func TestProgramGuards(t *testing.T) {
	w := begin(t)
	few, many := w.create(configMap, "few"), w.create(configMap, "many")
	below := w.several(5, secret, "below", owned(many))
	kept := w.create(secret, "kept", owned(many), field(map[string]any{"keep": "yes"}, "metadata", "labels"))
	of := "kind=ConfigMap,namespace=" + w.ns
	p := w.runProgram("-act -events -guard " + of + ",above=3 -protect kind=Secret,namespace=" + w.ns + ",selector=keep,keep!=no")
	for _, o := range []object{few, many} {
		w.carries(o, graph.FinalizerHold, graph.FinalizerNew)
		w.delete(o, background)
	}
	w.goes(few)
	if got := w.eventAbout(few, "VerdictPassed"); got != "Normal: a guard lets its deletion pass" {
		t.Errorf("of a pass: %q", got)
	}
	if got := w.eventAbout(many, "VerdictRefused"); got != "Warning: a guard refuses its deletion" {
		t.Errorf("of a refusal: %q", got)
	}
	if got := w.eventAbout(many, "DeletionRefused"); got != "Warning: its deletion needs an approval: 5 objects end, and the limit is 3, guard Guards[0]" {
		t.Errorf("of the causes: %q", got)
	}
	if got := w.heldRoots(configMap); !slices.Equal(got, []string{w.ns + "/many"}) {
		t.Errorf("roots with hold: %q", got)
	}
	w.kubectlPatch(many, types.StrategicMergePatchType, releaseHold)
	w.goes(append(below, many)...)
	w.stays(kept)
	if got := w.eventAbout(many, "HoldRemoved"); got != "Warning: another writer has taken its hold off" {
		t.Errorf("of a release: %q", got)
	}
	for name, want := range map[string]string{
		"guard_passed_roots_total": "1", "guard_refused_roots_total": "1", "guard_released_roots_total": "1", "guard_unguarded_roots_total": "0",
		`started_calls_total{type="judge"}`: "2",
	} {
		if got := metric(p, "ownergraph_"+name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

// heldJSONPath is the argument -o jsonpath= of the README that shows the roots that a guard
// holds.
const heldJSONPath = `{range .items[?(@.metadata.deletionTimestamp)]}{.metadata.namespace}/{.metadata.name} {.metadata.finalizers}{"\n"}{end}`

// heldRoots does as kubectl get -A -o jsonpath does, and grep.
func (w *world) heldRoots(k kind) (out []string) {
	w.t.Helper()
	list, err := w.client.Resource(k.at()).List(w.ctx, metav1.ListOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	path, text := jsonpath.New("held"), bytes.Buffer{}
	path.AllowMissingKeys(true)
	if err := errors.Join(path.Parse(heldJSONPath), path.Execute(&text, list.UnstructuredContent())); err != nil {
		w.t.Fatal(err)
	}
	for line := range strings.Lines(text.String()) {
		if name, finalizers, _ := strings.Cut(line, " "); strings.Contains(finalizers, graph.FinalizerHold) {
			out = append(out, name)
		}
	}
	return out
}
