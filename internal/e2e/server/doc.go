// Package server runs a real Kubernetes API server, for tests and for playing:
// etcd and kube-apiserver as plain processes on 127.0.0.1, without
// kube-controller-manager, so that nothing collects garbage there.
//
//	s, err := server.Start(ctx, server.Config{Users: []string{"collector"}})
//	defer s.Stop()
//	client, err := kubernetes.NewForConfig(s.Admin())
//
// The first Start on a machine builds both executables from the module proxy,
// which takes minutes; see [Build]. Every other one takes seconds.
//
// Everything lives in one folder, which Stop removes. The processes end with
// Stop, with Config.Lifetime, and, on Linux, with the process that started them.
// Held by TestServer, TestStartFails and TestDiesWithParent.
//
// What kube-controller-manager would do is not done: a namespace that is
// deleted stays Terminating, and nobody makes service accounts.
package server
