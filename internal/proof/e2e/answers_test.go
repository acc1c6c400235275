package e2e

import (
	"context"
	"errors"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/graph"
)

func (w *world) store() *clientgo.Store {
	w.t.Helper()
	s, err := clientgo.New(w.server.Admin(), clientgo.Config{})
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (o object) key() ownergraph.Key {
	return ownergraph.Key{Kind: o.kind.name(), Scope: o.ns, Name: o.name, UID: graph.UID(o.uid)}
}

// TestUnservedIsNotAbsent: the server has ceased to serve a kind, and the store has not
// looked again. The path answers 404, and the kind's objects are not absent.
func TestUnservedIsNotAbsent(t *testing.T) {
	w := begin(t)
	k, d := w.define("Thing")
	o := w.create(k, "stored")
	s := w.store()
	if _, err := s.Get(w.ctx, o.key()); err != nil {
		t.Fatal(err)
	}
	serve := func(yes bool) {
		version := definedVersion("v1", true)
		version["served"] = yes
		w.patchSpec(d, map[string]any{"versions": []any{version}})
		w.until("wait for the server", func() error {
			_, err := w.of(o).Get(w.ctx, o.name, metav1.GetOptions{})
			if apierrors.IsNotFound(err) == yes {
				return errors.Join(errNotYet, err)
			}
			return nil
		})
	}
	serve(false)
	if _, err := s.Get(w.ctx, o.key()); !errors.Is(err, ownergraph.ErrKindUnknown) || errors.Is(err, ownergraph.ErrNotFound) {
		t.Errorf("get: %v", err)
	}
	serve(true)
	w.until("read it again", func() error { _, err := s.Get(w.ctx, o.key()); return err })
}

// TestStartingServerIsNoProof: while the API server starts, it answers 404 to many
// kinds that it will serve. No live object is absent meanwhile.
func TestStartingServerIsNoProof(t *testing.T) {
	w := begin(t)
	k, _ := w.define("Thing")
	list := []object{w.create(k, "custom"), w.create(configMap, "core"), w.create(role, w.ns)}
	s := w.store()
	for _, o := range list {
		if _, err := s.Get(w.ctx, o.key()); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(w.ctx)
	defer cancel()
	restarted := make(chan error, 1)
	go func() { restarted <- w.server.Restart(w.ctx); cancel() }()
	asked, failed := 0, 0
	for ; ctx.Err() == nil; asked++ {
		short, end := context.WithTimeout(w.ctx, time.Second)
		_, err := s.Get(short, list[asked%len(list)].key())
		end()
		if errors.Is(err, ownergraph.ErrNotFound) {
			t.Errorf("%s is there: %v", list[asked%len(list)], err)
		}
		if err != nil {
			failed++
		}
	}
	if err := <-restarted; err != nil {
		t.Fatal(err)
	}
	if failed == 0 {
		t.Error("no request met the restart: the test shows nothing")
	}
	t.Logf("%d requests, %d failed", asked, failed)
}
