// Package envtestgc adds a garbage collector to envtest, or to any API server without
// kube-controller-manager. Without one, a deletion leaves its dependents, and a foreground
// deletion never ends.
//
// One line in a TestMain, or in a BeforeSuite, starts it:
//
//	func TestMain(m *testing.M) {
//		environment := &envtest.Environment{CRDDirectoryPaths: []string{"../config/crd"}}
//		server, err := environment.Start()
//		...
//		gc, err := envtestgc.Start(server, envtestgc.Config{})
//		...
//		code := m.Run()
//		_ = gc.Stop()
//		_ = environment.Stop()
//		os.Exit(code)
//	}
//
// One line in a test waits for the end of a cascade:
//
//	err := k8sClient.Delete(ctx, owner, client.PropagationPolicy(metav1.DeletePropagationForeground))
//	...
//	if err := gc.WaitIdle(ctx); err != nil {
//		t.Fatal(err) // names each held object, its reason and its waiting partners
//	}
//
// The collector is the engine of package ownergraph. It acts on all kinds of the server,
// including custom resources that a test installs later. It needs only a rest.Config: no
// manager, no scheme and no release of envtest. The user of the config must have every
// right, as envtest's user has.
//
// # Parallel tests
//
// One collector serves all tests of a server. Parallel tests use a namespace each, and wait
// only for that namespace:
//
//	func TestCart(t *testing.T) {
//		t.Parallel()
//		namespace := createNamespace(t, k8sClient) // a new one, with a generated name
//		...
//		if err := gc.WaitIdleIn(ctx, namespace); err != nil {
//			t.Fatal(err)
//		}
//	}
//
// WaitIdle would also wait for the finalizers of all other tests. A test of objects without
// a namespace runs alone, with WaitIdle.
//
// # Reports
//
// Begin a test with gc.ReportTo(t). If the test fails, its log has the collector's writes
// and their reasons. Config.Logger receives each write at once, at level debug.
//
// # Limits
//
// The collector does nothing else of kube-controller-manager's work. A Deployment makes no
// Pods. No controller removes the finalizers in Config.Unhandled. A deleted Namespace stays
// Terminating, because no controller empties it, and WaitIdle does not wait for it. So use
// a new namespace for each test, or delete its objects one by one.
package envtestgc
