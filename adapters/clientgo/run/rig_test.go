package run

import (
	"bytes"
	"context"
	"log/slog"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unique"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
)

func TestMain(m *testing.M) {
	_ = unique.Make("x").Value() // starts its goroutine outside of any bubble
	os.Exit(m.Run())
}

// journal keeps the log.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(line []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(line)
}

func (j *journal) logger() *slog.Logger { return slog.New(slog.NewTextHandler(j, nil)) }

// with returns the lines that contain all words.
func (j *journal) with(words ...string) []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	var out []string
	for line := range strings.Lines(j.text.String()) {
		all := true
		for _, w := range words {
			all = all && strings.Contains(line, w)
		}
		if all {
			out = append(out, line)
		}
	}
	return out
}

// rig is a program and its server.
type rig struct {
	*api
	*journal
	t       *testing.T
	server  *rest.Config
	program *Program
}

// bubble runs a test in a bubble, which ends only when every goroutine has ended.
func bubble(t *testing.T, c Config, test func(*rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &rig{api: newAPI(), journal: &journal{}, t: t}
		r.server = r.serve(t)
		r.program = r.add(c)
		test(r)
	})
}

// add returns another program on the server.
func (r *rig) add(c Config) *Program {
	r.t.Helper()
	c.Logger = r.logger()
	p, err := New(r.server, c)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(p.conns.close) // also of a program that never ran
	return p
}

// start runs a program until the test ends or until the caller calls end, which returns
// the program's error.
func (r *rig) start(p *Program) (end func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx) }()
	end = sync.OnceValue(func() error {
		cancel()
		return <-done
	})
	r.t.Cleanup(func() { _ = end() })
	synctest.Wait()
	return end
}

// get sends a request to the program's handler.
func get(p *Program, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	p.Handler().ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	return w
}

// pass lets time pass in the bubble.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func named(name string, owners ...metav1.OwnerReference) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "ns", Name: name, OwnerReferences: owners}
}

func ref(apiVersion, kind, name string, uid types.UID) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: apiVersion, Kind: kind, Name: name, UID: uid}
}
