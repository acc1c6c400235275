package storetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// Finalizers of somebody's own. Kubernetes wants a domain in front.
const (
	foreign = "example.org/hold"
	another = "example.org/more"
)

// place prints coordinates without the UID that may be among them.
func place(key ownergraph.Key) string { return strings.TrimSuffix(key.Place().String(), `@""`) }

const (
	scopeOne = "one"
	scopeTwo = "two"
)

func keyOf(info ownergraph.KindInfo, name string) ownergraph.Key {
	k := ownergraph.Key{Kind: info.Kind, Name: name}
	if info.Scoped {
		k.Scope = scopeOne
	}
	return k
}

// object is one to be created, of the main kind.
func (t *trial) object(name string, finalizers ...string) ownergraph.Object {
	return ownergraph.Object{Key: keyOf(t.main, name), Finalizers: finalizers}
}

// made is object, created.
func (t *trial) made(name string, finalizers ...string) ownergraph.Object {
	t.Helper()
	return t.create(t.object(name, finalizers...))
}

// marked is made with a finalizer, and deleted.
func (t *trial) marked(name string, finalizers ...string) ownergraph.Object {
	t.Helper()
	if len(finalizers) == 0 {
		finalizers = []string{foreign}
	}
	o := t.made(name, finalizers...)
	t.userDelete(o.Key, ownergraph.DeleteOptions{Propagation: ownergraph.Background})
	o = t.live(o.Key)
	if !o.Deleting {
		t.unable("Client.Delete left %s without a mark", o)
	}
	return o
}

// remove has a user delete an object without finalizers.
func (t *trial) remove(o ownergraph.Object) {
	t.Helper()
	t.userDelete(o.Key, ownergraph.DeleteOptions{Propagation: ownergraph.Background})
}

// touch has a user change an object, by a finalizer that it has not yet or has.
func (t *trial) touch(o ownergraph.Object) ownergraph.Object {
	t.Helper()
	o = o.Clone()
	if o.HasFinalizer(another) {
		o.Finalizers = slices.DeleteFunc(o.Finalizers, func(f string) bool { return f == another })
	} else {
		o.Finalizers = append(o.Finalizers, another)
	}
	return t.update(o)
}

// owned is made with references to the owners.
func (t *trial) owned(name string, owners ...ownergraph.Owner) ownergraph.Object {
	t.Helper()
	o := t.object(name)
	o.Owners = owners
	return t.create(o)
}

func exact(o ownergraph.Object) ownergraph.Precondition {
	return ownergraph.Precondition{UID: o.UID, Version: o.Version}
}

// sameRefs reports whether two lists have the same references with the same
// flags, in any order.
func sameRefs(a, b []ownergraph.Owner) bool {
	sort := func(list []ownergraph.Owner) []string {
		var out []string
		for _, r := range list {
			out = append(out, r.String())
		}
		slices.Sort(out)
		return out
	}
	return slices.Equal(sort(a), sort(b))
}

func sameFinalizers(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// sameContent reports whether two states of an object agree in all that a
// writer may set, and in the mark.
func sameContent(a, b ownergraph.Object) bool {
	return a.Key == b.Key && a.Deleting == b.Deleting && a.GraceSeconds == b.GraceSeconds &&
		sameRefs(a.Owners, b.Owners) && sameFinalizers(a.Finalizers, b.Finalizers)
}

// wantContent breaks the law unless the object is as wanted, whatever its
// version.
func (t *trial) wantContent(when string, want, seen ownergraph.Object) {
	t.Helper()
	if !sameContent(want, seen) {
		want.Version, want.Generation = seen.Version, seen.Generation
		want.ObservedGeneration = seen.ObservedGeneration
		t.broken(fmt.Sprintf("%s: %s", when, want), seen.String())
	}
}

// wantSame breaks the law unless the object is as it was, its version too.
func (t *trial) wantSame(when string, want, seen ownergraph.Object) {
	t.Helper()
	if !sameContent(want, seen) || want.Version != seen.Version {
		t.broken(fmt.Sprintf("%s: %s", when, want), seen.String())
	}
}

// accept breaks the law at an error.
func (t *trial) accept(what string, err error) {
	t.Helper()
	if err != nil {
		t.broken(what+" succeeds", err.Error())
	}
}

// refuse breaks the law without an error.
func (t *trial) refuse(what string, err error) {
	t.Helper()
	if err == nil {
		t.broken(what+" is an error", "it succeeded")
	}
}

// absent breaks the law unless the store says that nothing is there.
func (t *trial) absent(when string, key ownergraph.Key) {
	t.Helper()
	if o, err := t.get(key); err == nil {
		t.broken(fmt.Sprintf("%s: nothing is at %s", when, place(key)), o.String())
	}
}

func propagated(p ownergraph.Propagation) ownergraph.DeleteOptions {
	return ownergraph.DeleteOptions{Propagation: p}
}

func isMain(t *trial, of graph.EventType) func(ownergraph.Event) bool {
	return func(e ownergraph.Event) bool { return e.Type == of && e.Of() == t.main.Kind }
}
