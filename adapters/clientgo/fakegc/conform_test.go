package fakegc

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/ownergraph/ownergraph/adapters/storetest"
	"github.com/ownergraph/ownergraph/annotation"
	"github.com/ownergraph/ownergraph/graph"
)

// users are the clients of the kit. They write through the client of the store.
type users struct{ *store }

func (u users) object(o graph.Object) client.Object {
	k := u.kinds[o.Kind]
	made, err := u.inner.Scheme().New(k.gvk(k.versions[0]))
	if err != nil {
		panic(err)
	}
	out := made.(client.Object)
	out.SetNamespace(o.Scope)
	out.SetName(o.Name)
	return out
}

// fill writes the owners and the finalizers of o.
func (u users) fill(into client.Object, o graph.Object) error {
	var refs []metav1.OwnerReference
	var annotated []annotation.Reference
	for _, r := range o.Owners {
		ref := metav1.OwnerReference{Name: r.Name, UID: types.UID(r.UID), BlockOwnerDeletion: &r.Block, Controller: &r.Controller}
		group, name, found := strings.Cut(string(r.Kind), "/")
		if !found {
			group, name = "", string(r.Kind)
		}
		ref.Kind, ref.APIVersion = name, schema.GroupVersion{Group: group, Version: "v1"}.String()
		if r.OnDelete == graph.OnDeleteUnset {
			refs = append(refs, ref)
			continue
		}
		annotated = append(annotated, annotation.Reference{
			APIVersion: ref.APIVersion, Kind: ref.Kind, Name: r.Name, UID: r.UID, Block: r.Block, Controller: r.Controller, OnDelete: r.OnDelete,
		})
	}
	value, err := annotation.Format(o.Key, annotated)
	if err != nil {
		return errors.Join(graph.ErrRefused, err)
	}
	into.SetAnnotations(nil)
	if value != "" {
		into.SetAnnotations(map[string]string{annotation.Owners: value})
	}
	into.SetOwnerReferences(refs)
	into.SetFinalizers(slices.Clone(o.Finalizers))
	return nil
}

func (u users) Create(ctx context.Context, o graph.Object) (graph.Object, error) {
	if err := graph.Validate(o, graph.Limits{}); err != nil {
		return graph.Object{}, errors.Join(graph.ErrRefused, err)
	}
	made := u.object(o)
	if err := u.fill(made, o); err != nil {
		return graph.Object{}, err
	}
	if err := u.client.Create(ctx, made); err != nil {
		return graph.Object{}, err
	}
	return u.seen(o.Kind, made), nil
}

func (u users) Update(ctx context.Context, o graph.Object) (graph.Object, error) {
	made := u.object(o)
	if err := u.client.Get(ctx, client.ObjectKeyFromObject(made), made); err != nil {
		return graph.Object{}, sentinel("update", o.Key, err)
	}
	made.SetUID(types.UID(o.UID))
	version, _, _ := strings.Cut(string(o.Version), "@")
	made.SetResourceVersion(version)
	if err := u.fill(made, o); err != nil {
		return graph.Object{}, err
	}
	if err := u.client.Update(ctx, made); err != nil {
		return graph.Object{}, sentinel("update", o.Key, err)
	}
	return u.seen(o.Kind, made), nil
}

func (u users) Delete(ctx context.Context, key graph.Key, opts graph.DeleteOptions) error {
	asked := client.DeleteOptions{Preconditions: &metav1.Preconditions{}}
	if v := types.UID(opts.Precondition.UID); v != "" {
		asked.Preconditions.UID = &v
	}
	if v, _, _ := strings.Cut(string(opts.Precondition.Version), "@"); v != "" {
		asked.Preconditions.ResourceVersion = &v
	}
	if opts.Propagation != graph.Unset {
		p := policyOf(opts.Propagation)
		asked.PropagationPolicy = &p
	}
	err := u.client.Delete(ctx, u.object(graph.Object{Key: key}), &asked)
	if apierrors.IsNotFound(err) {
		return graph.ErrNotFound
	}
	return sentinel("delete", key, err)
}

func (u users) seen(kind graph.Kind, o client.Object) graph.Object {
	u.mu.Lock()
	defer u.mu.Unlock()
	m := &metav1.PartialObjectMetadata{}
	m.Namespace, m.Name, m.UID, m.ResourceVersion = o.GetNamespace(), o.GetName(), o.GetUID(), o.GetResourceVersion()
	m.OwnerReferences, m.Finalizers, m.DeletionTimestamp, m.Generation = o.GetOwnerReferences(), o.GetFinalizers(), o.GetDeletionTimestamp(), o.GetGeneration()
	m.Annotations = o.GetAnnotations()
	return u.objectOf(u.kinds[kind], m)
}

// without returns the promises that the store does not make, with the reasons.
func without() []storetest.Promise {
	return []storetest.Promise{
		storetest.GracePeriods,      // no agent ends one
		storetest.StillVersions,     // the fake client gives every update a new version
		storetest.Compaction,        // there is no log: each round of a watch reads the present objects
		storetest.BrokenConnections, // there is no connection
		storetest.Rewinds,           // a fake client has no restore
		storetest.SickKinds,         // an interceptor may fail a kind, and that fails the watch
		storetest.ChangingKinds,     // a kind comes by use and never goes
		storetest.Durability,        // the fake client ends with its test
		storetest.SecondHandles,     // all handles are in one process
		storetest.Outages,           // there is no database
		storetest.FailedCommits,     // there is no commit
		// UIDs are the same in each run of a test, and only the test writes.
		storetest.UnforeseeableUIDs,
	}
}

func TestConformance(t *testing.T) {
	storetest.Test(t, storetest.Config{
		New: func(tb storetest.TB) storetest.Subject {
			s, err := newStore(fake.NewClientBuilder().WithScheme(small(tb)).Build())
			if err != nil {
				tb.Fatalf("%v", err)
			}
			return storetest.Subject{Store: s, Client: users{s}}
		},
		Without: without(),
	})
}

// TestConformanceInBubble: the laws are true in a bubble too, because no call waits outside
// of it.
func TestConformanceInBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		err := storetest.Check(context.Background(), storetest.Config{
			New: func(tb storetest.TB) storetest.Subject {
				s, err := newStore(fake.NewClientBuilder().WithScheme(small(tb)).Build())
				if err != nil {
					tb.Fatalf("%v", err)
				}
				return storetest.Subject{Store: s, Client: users{s}}
			},
			Without: without(), Patience: time.Minute, Search: 40 * time.Millisecond,
		})
		if err != nil {
			t.Error(err)
		}
	})
}
