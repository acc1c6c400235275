// Package fakegc gives controller-runtime's fake client a garbage collector, so
// that a unit test sees what becomes of dependents:
//
//	c, gc := fakegc.New(t, fake.NewClientBuilder().WithObjects(owner).Build())
//	...
//	err := c.Delete(ctx, owner, client.PropagationPolicy(metav1.DeletePropagationForeground))
//	...
//	if err := gc.WaitIdle(ctx); err != nil {
//		t.Fatal(err) // names what is held, by whom, and why
//	}
//
// Nothing is collected but in WaitIdle, so a test is as deterministic as it was,
// inside of testing/synctest and outside. The collector is the real one, on a
// Store of level 2; the rules of deletion are those of package finalizer.
//
// # What the client does that the fake one does not
//
//   - Every object has a UID, those of the builder too, which have a new version
//     by that. One that the test gave it is kept, once: an object that is created
//     again has a new one.
//   - A UID precondition is one: of a deletion, an update, a patch.
//   - A deletion propagates. With Foreground or Orphan the object stays, marked,
//     with the finalizer of that name, until the collector takes that off. The
//     defaults are those of the API server: a Job and a ReplicationController
//     orphan. DeleteAllOf deletes object by object.
//   - An object that is being deleted gains no finalizer.
//   - An object has a namespace if its kind has: a Create that no server would
//     take is a bad request. The client's RESTMapper says which kinds do; of
//     built-in kinds it is known, and of any other kind the first object tells.
//
// All else is the fake client's: indexes, status, server-side apply, versions.
// Held by TestUIDs, TestUIDStays, TestPreconditions, TestPropagation,
// TestDefaultsOfKinds, TestDeleteAllOf, TestLateFinalizers and TestScopes.
//
// # What differs from a server
//
// Kinds are those that the client's scheme knows, with their lists, and those that
// are used through the client: name the others in the scheme, such as one of which
// the builder alone was given an unstructured object. A kind without a list type
// (SubjectAccessReview, TokenReview, Binding) takes no part, since no server stores
// its objects. A kind's versions are one
// kind, but the fake client keeps their objects apart; of two
// objects with one name, that in the scheme's preferred version counts. Grace
// periods are taken for none. A deleted Namespace takes nothing along. A watch of
// the fake client sees a deletion that propagates as two changes.
//
// Interceptors that were given to the builder lie below, and see what the
// collector does; wrap the client that New returns to see the test's own calls
// only. What fake.AddIndex adds has to be added to the fake client.
//
// TestConformance holds the store to package storetest, and names what it does
// not promise, with the reasons.
package fakegc
