// Package envtestgc gives envtest, or any other API server that has no
// kube-controller-manager beside it, a garbage collector. Without one, nothing
// that a test deletes takes its dependents along, and a foreground deletion
// never ends.
//
// One line in a TestMain, or in a BeforeSuite:
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
// and one line where a test wants the cascade to be over:
//
//	err := k8sClient.Delete(ctx, owner, client.PropagationPolicy(metav1.DeletePropagationForeground))
//	...
//	if err := gc.WaitIdle(ctx); err != nil {
//		t.Fatal(err) // names what is held, by whom, and why
//	}
//
// It is the real collector, with the rules of package ownergraph, and acts on
// everything that the server serves, custom resources that are installed later
// too. It needs a rest.Config and nothing else: no manager, no scheme, no
// release of envtest. The user of the config has to have every right, as
// envtest's has.
//
// # Parallel tests
//
// One collector serves all tests of a server. Tests that run in parallel take a
// namespace each, and wait for that alone:
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
// WaitIdle would wait for the finalizers of all other tests, too. TestParallel shows
// two such tests. A test of objects without a namespace runs alone, with WaitIdle.
//
// # What a test sees
//
// A test that fails says what was done and why: begin it with gc.ReportTo(t).
// Lines returns the same lines, and Config.Logger has them as they come.
//
// # What it does not do
//
// It collects garbage, and does nothing else of what kube-controller-manager
// does. A deleted Namespace stays Terminating, since nobody empties it, and
// WaitIdle does not wait for that: use a new namespace for each test, or delete
// its objects one by one. A Deployment makes no Pods. Finalizers of other
// controllers that do not run stay where they are: Config.Unhandled.
package envtestgc
