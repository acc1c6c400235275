// Package upstream runs Kubernetes' own end-to-end tests of its garbage collector against ours.
// They are the 11 specs of k8s.io/kubernetes/test/e2e/apimachinery that upstream calls "Garbage
// collector". Seven of them are conformance tests. The package has tests and no code.
//
//	GOWORK=off go -C internal/proof/e2e test -count=1 -v ./upstream
//
// The run takes about three minutes on two cores. Package server has the time of the first build.
//
// # Cluster
//
// etcd and kube-apiserver are real, and kube-controller-manager does not run. The program of
// adapters/clientgo/run collects the garbage. Upstream's own controllers run in the test's process:
// those of Deployments, ReplicaSets, ReplicationControllers, Jobs, CronJobs, Namespaces,
// ServiceAccounts and the root certificate.
//
// No scheduler, kubelet or container runs. The test has two nodes without a machine. It binds each
// pod to one of them, and reports the pod as running and ready. It ends a pod after its mark.
//
// # Specs
//
// The specs, their framework and the controllers are the packages of the module proxy, in the
// version of go.mod. Nothing of them is copied or changed. Each spec runs in a process of its own,
// because Ginkgo runs a suite once in a process. TestSpecs has a subtest for each. Upstream's specs
// with the label Serial run alone, and the others run at the same time.
//
// TestSpecs fails unless upstream has 11 specs, 7 of them for conformance, and each of them ran and
// passed. TestWithoutCollector is the counter-proof: the same cluster without our collector fails
// a spec.
package upstream
