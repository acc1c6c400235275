package storetest

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/ownergraph/ownergraph"
)

// trial is one law on one store. Its methods are for the law's own goroutine. The
// exception is do, which any goroutine may call.
type trial struct {
	TB
	Subject
	testKinds
	law        law
	patience   time.Duration
	searchTime time.Duration // of a search

	done        bool   // the law has run to its end
	foundBroken bool   // the store broke the law
	breach      string // the expected and the seen state of the breach
	steps
}

const notProven = "not proven: "

const defaultPatience = 10 * time.Second

func newTrial(tb TB, l law, c Config, kinds testKinds) *trial {
	return &trial{TB: tb, law: l, testKinds: kinds, patience: cmp.Or(c.Patience, defaultPatience), searchTime: c.search()}
}

// broken ends the law: the store broke it. The two texts are the expected and the
// seen state.
func (t *trial) broken(expected, seen string) {
	t.Helper()
	t.foundBroken = true
	t.breach = fmt.Sprintf("expected: %s\nseen:     %s%s", expected, seen, t.steps)
	t.Fatalf("%s", Result{Law: t.law.name, Outcome: Broken, Detail: t.breach, Why: t.law.why})
}

// unable ends the law without a judgement, because its set-up failed.
func (t *trial) unable(format string, args ...any) {
	t.Helper()
	t.Fatalf(notProven+format, args...)
}

func (t *trial) checkSubject() {
	t.Helper()
	switch {
	case t.Store == nil:
		t.unable("New returned no Store")
	case t.Client == nil:
		t.unable("New returned no Client")
	}
}

// do runs one call of the store, the client or a hook. It waits at most twice the
// time of the call's context. A panic is an error. A call that does not return
// breaks the law, since no law allows that.
func (t *trial) do(what string, call func(ctx context.Context) error) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), t.patience)
	defer cancel()
	return t.doWith(ctx, what, call)
}

func (t *trial) doWith(ctx context.Context, what string, call func(ctx context.Context) error) error {
	t.Helper()
	done := start(ctx, call)
	// A real store may hang, and only a clock can show that.
	limit := time.NewTimer(2 * t.patience)
	defer limit.Stop()
	select {
	case err := <-done:
		return err
	case <-limit.C:
		t.broken(fmt.Sprintf("%s returns within %s, and when its context ends", what, t.patience), "it has not returned")
		return nil
	}
}

// start runs a call on a goroutine of its own. The channel gets its error.
func start(ctx context.Context, call func(ctx context.Context) error) <-chan error {
	done := make(chan error, 1)
	go func() {
		defer func() {
			if v := recover(); v != nil {
				done <- fmt.Errorf("panic: %v\n%s", v, debug.Stack())
			}
		}()
		done <- call(ctx)
	}()
	return done
}

// get reads through the store.
func (t *trial) get(key ownergraph.Key) (ownergraph.Object, error) {
	t.Helper()
	var o ownergraph.Object
	err := t.do("Get "+place(key), func(ctx context.Context) (err error) { o, err = t.Store.Get(ctx, key); return err })
	return o, err
}

// live reads an object that has to exist.
func (t *trial) live(key ownergraph.Key) ownergraph.Object {
	t.Helper()
	o, err := t.get(key)
	if err != nil {
		t.broken(place(key)+" is there", fmt.Sprintf("Get answers: %v", err))
	}
	return o
}

// patch hands the store a copy of the change. A store that writes into the copy breaks a law
// of its own, and no other law by the way.
func (t *trial) patch(key ownergraph.Key, pre ownergraph.Precondition, change ownergraph.Change) error {
	t.Helper()
	return t.patchBy(key, pre, cloneChange(change))
}

// patchBy hands the store the change in the caller's memory.
func (t *trial) patchBy(key ownergraph.Key, pre ownergraph.Precondition, change ownergraph.Change) error {
	t.Helper()
	return t.do("Patch "+place(key), func(ctx context.Context) error { return t.Store.Patch(ctx, key, pre, change) })
}

func (t *trial) delete(key ownergraph.Key, opts ownergraph.DeleteOptions) error {
	t.Helper()
	return t.do("Delete "+place(key), func(ctx context.Context) error { return t.Store.Delete(ctx, key, opts) })
}

// create, update and userDelete are set-up, by the client. They have to succeed.
func (t *trial) create(o ownergraph.Object) ownergraph.Object {
	t.Helper()
	out, err := t.tryCreate(o)
	if err != nil {
		t.unable("Client.Create %s: %v", o.Key.Place(), err)
	}
	return out
}

func (t *trial) tryCreate(o ownergraph.Object) (out ownergraph.Object, err error) {
	t.Helper()
	err = t.do("Client.Create", func(ctx context.Context) (err error) { out, err = t.Client.Create(ctx, o.Clone()); return err })
	return out, err
}

func (t *trial) update(o ownergraph.Object) ownergraph.Object {
	t.Helper()
	out, err := t.tryUpdate(o)
	if err != nil {
		t.unable("Client.Update %s: %v", o, err)
	}
	return out
}

func (t *trial) tryUpdate(o ownergraph.Object) (out ownergraph.Object, err error) {
	t.Helper()
	err = t.do("Client.Update", func(ctx context.Context) (err error) { out, err = t.Client.Update(ctx, o.Clone()); return err })
	return out, err
}

func (t *trial) userDelete(key ownergraph.Key, opts ownergraph.DeleteOptions) {
	t.Helper()
	if err := t.tryUserDelete(key, opts); err != nil {
		t.unable("Client.Delete %s: %v", place(key), err)
	}
}

func (t *trial) tryUserDelete(key ownergraph.Key, opts ownergraph.DeleteOptions) error {
	t.Helper()
	return t.do("Client.Delete", func(ctx context.Context) error { return t.Client.Delete(ctx, key, opts) })
}

// hook runs a hook of the subject. It has to succeed.
func (t *trial) hook(name string, call func(ctx context.Context) error) {
	t.Helper()
	if err := t.do(name, call); err != nil {
		t.unable("hook %s: %v", name, err)
	}
}
