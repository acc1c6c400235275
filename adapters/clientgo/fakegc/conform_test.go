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
	"github.com/ownergraph/ownergraph/graph"
)

// users are those who write through the client, as the kit needs them.
type users struct{ *Store }

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

// fill writes the owners and the finalizers of o, spelt as they were.
func (u users) fill(into client.Object, o graph.Object) {
	var refs []metav1.OwnerReference
	for _, r := range o.Owners {
		ref := metav1.OwnerReference{Name: r.Name, UID: types.UID(r.UID), BlockOwnerDeletion: &r.Block, Controller: &r.Controller}
		group, name, found := strings.Cut(string(r.Kind), "/")
		if !found {
			group, name = "", string(r.Kind)
		}
		ref.Kind, ref.APIVersion = name, schema.GroupVersion{Group: group, Version: "v1"}.String()
		refs = append(refs, ref)
	}
	into.SetOwnerReferences(refs)
	into.SetFinalizers(slices.Clone(o.Finalizers))
}

func (u users) Create(ctx context.Context, o graph.Object) (graph.Object, error) {
	if err := graph.Validate(o, graph.Limits{}); err != nil {
		return graph.Object{}, errors.Join(graph.ErrRefused, err)
	}
	made := u.object(o)
	u.fill(made, o)
	if err := u.Client().Create(ctx, made); err != nil {
		return graph.Object{}, err
	}
	return u.seen(o.Kind, made), nil
}

func (u users) Update(ctx context.Context, o graph.Object) (graph.Object, error) {
	made := u.object(o)
	if err := u.Client().Get(ctx, client.ObjectKeyFromObject(made), made); err != nil {
		return graph.Object{}, meaning("update", o.Key, err)
	}
	made.SetUID(types.UID(o.UID))
	version, _, _ := strings.Cut(string(o.Version), "@")
	made.SetResourceVersion(version)
	u.fill(made, o)
	if err := u.Client().Update(ctx, made); err != nil {
		return graph.Object{}, meaning("update", o.Key, err)
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
	err := u.Client().Delete(ctx, u.object(graph.Object{Key: key}), &asked)
	if apierrors.IsNotFound(err) {
		return graph.ErrNotFound
	}
	return meaning("delete", key, err)
}

func (u users) seen(kind graph.Kind, o client.Object) graph.Object {
	u.mu.Lock()
	defer u.mu.Unlock()
	m := &metav1.PartialObjectMetadata{}
	m.Namespace, m.Name, m.UID, m.ResourceVersion = o.GetNamespace(), o.GetName(), o.GetUID(), o.GetResourceVersion()
	m.OwnerReferences, m.Finalizers, m.DeletionTimestamp, m.Generation = o.GetOwnerReferences(), o.GetFinalizers(), o.GetDeletionTimestamp(), o.GetGeneration()
	return u.objectOf(u.kinds[kind], m)
}

// without is what the store does not promise, with the reasons.
func without() []storetest.Promise {
	return []storetest.Promise{
		storetest.GracePeriods,      // nobody runs who would end one
		storetest.StillVersions,     // the fake client gives every update a new version
		storetest.Compaction,        // there is no log: a watch looks at what is there
		storetest.BrokenConnections, // nor a connection
		storetest.Rewinds,           // nothing restores a fake client
		storetest.SickKinds,         // an interceptor may fail a kind, and that fails the watch
		storetest.ChangingKinds,     // kinds come by use, and never go
		storetest.Durability,        // the fake client ends with its test
		storetest.SecondHandles,     // it is of one process
		storetest.Outages,           // there is no database
		storetest.FailedCommits,     // nor a commit
		// UIDs are the same in each run of a test, and its writers are its own.
		storetest.UnforeseeableUIDs,
	}
}

func TestConformance(t *testing.T) {
	storetest.Test(t, storetest.Config{
		New: func(tb storetest.TB) storetest.Subject {
			s, err := NewStore(fake.NewClientBuilder().WithScheme(small(tb)).Build())
			if err != nil {
				tb.Fatalf("%v", err)
			}
			return storetest.Subject{Store: s, Client: users{s}}
		},
		Without: without(),
	})
}

// The laws hold in a bubble too: no call waits for anything outside.
func TestConformanceInBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		err := storetest.Check(context.Background(), storetest.Config{
			New: func(tb storetest.TB) storetest.Subject {
				s, err := NewStore(fake.NewClientBuilder().WithScheme(small(tb)).Build())
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
