package storetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// The finalizers of the laws. Kubernetes wants a domain in front.
const (
	holdFinalizer = "example.org/hold"
	moreFinalizer = "example.org/more"
)

// place prints coordinates without the UID of the key.
func place(key ownergraph.Key) string { return strings.TrimSuffix(key.Place().String(), `@""`) }

// The scopes of the laws. The bytes of scope + "/" + name sort them the other way round than
// Key.Compare does, because "-" is below "/". A store that mixes both orders shows it here.
const (
	scopeOne = "one"
	scopeTwo = "one-two"
)

func keyOf(info ownergraph.KindInfo, name string) ownergraph.Key {
	k := ownergraph.Key{Kind: info.Kind, Name: name}
	if info.Scoped {
		k.Scope = scopeOne
	}
	return k
}

// object returns an object of the main kind, to create.
func (t *trial) object(name string, finalizers ...string) ownergraph.Object {
	return ownergraph.Object{Key: keyOf(t.main, name), Finalizers: finalizers}
}

// made creates an object.
func (t *trial) made(name string, finalizers ...string) ownergraph.Object {
	t.Helper()
	return t.create(t.object(name, finalizers...))
}

// marked creates an object with a finalizer, and deletes it.
func (t *trial) marked(name string, finalizers ...string) ownergraph.Object {
	t.Helper()
	if len(finalizers) == 0 {
		finalizers = []string{holdFinalizer}
	}
	o := t.made(name, finalizers...)
	t.userDelete(o.Key, ownergraph.DeleteOptions{Propagation: ownergraph.Background})
	o = t.live(o.Key)
	if !o.Deleting {
		t.unable("Client.Delete left %s without a mark", o)
	}
	return o
}

// remove deletes an object without finalizers, as a user.
func (t *trial) remove(o ownergraph.Object) {
	t.Helper()
	t.userDelete(o.Key, ownergraph.DeleteOptions{Propagation: ownergraph.Background})
}

// touch changes an object as a user. It adds a finalizer, or removes it.
func (t *trial) touch(o ownergraph.Object) ownergraph.Object {
	t.Helper()
	o = o.Clone()
	if o.HasFinalizer(moreFinalizer) {
		o.Finalizers = slices.DeleteFunc(o.Finalizers, func(f string) bool { return f == moreFinalizer })
	} else {
		o.Finalizers = append(o.Finalizers, moreFinalizer)
	}
	return t.update(o)
}

// owned creates an object with references to the owners.
func (t *trial) owned(name string, owners ...ownergraph.Owner) ownergraph.Object {
	t.Helper()
	o := t.object(name)
	o.Owners = owners
	return t.create(o)
}

func exact(o ownergraph.Object) ownergraph.Precondition {
	return ownergraph.Precondition{UID: o.UID, Version: o.Version}
}

// sameRefs reports whether two lists have the same references with the same flags,
// in any order.
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

// sameContent reports whether two states of an object have the same mark, owners
// and finalizers.
func sameContent(a, b ownergraph.Object) bool {
	return a.Key == b.Key && a.Deleting == b.Deleting && a.GraceSeconds == b.GraceSeconds &&
		sameRefs(a.Owners, b.Owners) && sameFinalizers(a.Finalizers, b.Finalizers)
}

// wantContent breaks the law if the content of the object differs. It ignores the
// version.
func (t *trial) wantContent(when string, want, seen ownergraph.Object) {
	t.Helper()
	if !sameContent(want, seen) {
		want.Version, want.Generation = seen.Version, seen.Generation
		want.ObservedGeneration = seen.ObservedGeneration
		t.broken(fmt.Sprintf("%s: %s", when, want), seen.String())
	}
}

// wantSame breaks the law if the content or the version of the object differs.
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

// absent breaks the law if the store has an object at the key.
func (t *trial) absent(when string, key ownergraph.Key) {
	t.Helper()
	if o, err := t.get(key); err == nil {
		t.broken(fmt.Sprintf("%s: nothing is at %s", when, place(key)), o.String())
	}
}

func propagated(p graph.Propagation) ownergraph.DeleteOptions {
	return ownergraph.DeleteOptions{Propagation: p}
}

func isMain(t *trial, of graph.EventType) func(ownergraph.Event) bool {
	return func(e ownergraph.Event) bool { return e.Type == of && e.Of() == t.main.Kind }
}
