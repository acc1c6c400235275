package e2e

import (
	"strconv"
	"strings"
	"testing"

	"k8s.io/client-go/kubernetes"
)

// serverDeletes returns the deletes of secrets that the server has answered with success, by its
// own count.
func (w *world) serverDeletes() (n int) {
	w.t.Helper()
	client, err := kubernetes.NewForConfig(w.server.Admin())
	if err != nil {
		w.t.Fatal(err)
	}
	text, err := client.RESTClient().Get().AbsPath("/metrics").Do(w.ctx).Raw()
	if err != nil {
		w.t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		rest, ok := strings.CutPrefix(line, "apiserver_request_total{")
		labels, value, _ := strings.Cut(rest, "} ")
		if !ok || !strings.Contains(labels, `resource="secrets"`) || !strings.Contains(labels, `verb="DELETE"`) || !strings.Contains(labels, `code="2`) {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil {
			w.t.Fatal(err)
		}
		n += int(v)
	}
	return n
}

// TestProgramMetrics: package run's program counts its deletes as the server does, during a
// cascade and after it.
func TestProgramMetrics(t *testing.T) {
	w := begin(t)
	owner := w.create(configMap, "owner")
	below := w.several(300, secret, "below", owned(owner))
	before := w.serverDeletes()
	p := w.runProgram("-act")
	deleted := func() int {
		n, err := strconv.Atoi(metric(p, `ownergraph_deleted_objects_total{kind="Secret"}`))
		if err != nil {
			return 0 // before the first one there is no sample
		}
		return n
	}
	w.delete(owner, background)
	scrapes := 0
	w.until("wait for the cascade", func() error {
		ours := deleted()
		if theirs := w.serverDeletes() - before; ours > theirs {
			t.Errorf("the program has counted %d deletes, and the server %d", ours, theirs)
		}
		if scrapes++; ours < len(below) {
			return errNotYet
		}
		return nil
	})
	w.goes(below...)
	if ours, theirs := deleted(), w.serverDeletes()-before; ours != theirs || ours != len(below) || scrapes == 0 {
		t.Errorf("the program has counted %d deletes, and the server %d, want %d", ours, theirs, len(below))
	}
}
