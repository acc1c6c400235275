// Package server runs a real Kubernetes API server, for tests and for playing. It runs
// etcd and kube-apiserver as plain processes on 127.0.0.1, without
// kube-controller-manager. So no garbage collector runs there.
//
//	s, err := server.Start(ctx, server.Config{Users: []string{"collector"}})
//	defer s.Stop()
//	client, err := kubernetes.NewForConfig(s.Admin())
//
// The first Start on a machine builds both executables from the module proxy, which
// takes minutes. See [Build]. Every other one takes seconds.
//
// All files are in one folder, which Stop removes. The processes end with Stop, with
// Config.Lifetime, and, on Linux, with the process that started them.
//
// The work of kube-controller-manager is not done. A deleted namespace stays
// Terminating, and no service accounts are made.
package server
