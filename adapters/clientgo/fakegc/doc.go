// Package fakegc adds a garbage collector to controller-runtime's fake client. A unit test
// then shows the deletion of dependents:
//
//	c, gc := fakegc.New(t, fake.NewClientBuilder().WithObjects(owner).Build())
//	...
//	err := c.Delete(ctx, owner, client.PropagationPolicy(metav1.DeletePropagationForeground))
//	...
//	if err := gc.WaitIdle(ctx); err != nil {
//		t.Fatal(err) // names each held object, its reason and its waiting partners
//	}
//
// The collector works only in WaitIdle, so a test stays deterministic, inside and outside
// of testing/synctest. It is the engine itself, on a Store of level 2. The rules of
// deletion are those of package finalizer.
//
// # Additions to the fake client
//
//   - Every object has a UID. An object of the builder gets one too, and with it a new
//     version. The client keeps a UID that the test sets, once. An object that is created
//     again has a new UID.
//   - A UID precondition is met for deletions, updates and patches.
//   - A deletion propagates. With Foreground or Orphan the object stays, with a deletion
//     mark and the finalizer of that name. The collector removes the finalizer. The
//     defaults are those of the API server: a Job and a ReplicationController orphan.
//     DeleteAllOf deletes object by object.
//   - An object that is being deleted gains no finalizer.
//   - References with a policy act (graph.OnDelete). They are in the annotation of package annotation, as
//     on a server: clientgo.SetOwner writes it. Each collector that a test starts on Collector.Store needs
//     ownergraph.Config.Policies for it.
//   - An object has a namespace if its kind has. A Create that contradicts this is a bad
//     request, as on a server. The client's RESTMapper decides, and for built-in kinds the
//     package knows. For any other kind the first object decides.
//
// Indexes, status, server-side apply and versions are those of the fake client.
//
// # Differences from a server
//
//   - The kinds are those of the client's scheme that have list types, and those that a
//     test uses through the client. Name all other kinds in the scheme. An example is a kind
//     of which only the builder was given an unstructured object.
//   - A kind without a list type (SubjectAccessReview, TokenReview, Binding) is left out,
//     because no server stores its objects.
//   - The fake client keeps the versions of a kind apart. Of two objects with one name, the
//     object in the scheme's preferred version counts.
//   - There are no grace periods, and the annotation clientgo.GraceAnnotation gives none.
//   - The deletion of a Namespace does not empty it.
//   - A watch of the fake client reports a propagating deletion as two changes.
//
// The interceptors of the builder run below the collector, and see its calls. To see only
// the calls of the test, wrap the client that New returns. Call fake.AddIndex on the fake
// client itself.
//
// TestConformance runs package storetest on the store. It names the promises that the
// store does not make, with the reasons.
package fakegc
