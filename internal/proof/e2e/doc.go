// Package e2e proves the engine and adapters/clientgo on a real Kubernetes API server.
// Package server starts etcd and kube-apiserver, without kube-controller-manager. So
// our collector is the only one. The package has tests and no code.
//
//	GOWORK=off go -C internal/proof/e2e test ./...
//	GOWORK=off go -C internal/proof/e2e run ./cmd/play    # a server to play with
//
// The tests take about eight minutes on two cores. The first run on a machine builds the
// servers before, from the module proxy, which takes 3 to 6 minutes more. They stay in
// the user's cache folder, by version. OWNERGRAPH_SERVER_BINARIES names a folder with
// servers that exist already. kubectl is built in the same way.
//
// # Scenarios
//
// The package has every scenario of the integration tests of Kubernetes' garbage
// collector (v1.36.3, test/integration/garbagecollector), written anew:
//
//	TestCrossNamespaceReferencesWithWatchCache     TestCrossNamespaceReferences
//	TestCrossNamespaceReferencesWithoutWatchCache  TestWithoutWatchCache
//	TestCascadingDeletion                          TestCascade
//	TestCreateWithNonExistentOwner                 TestAbsentOwner
//	TestStressingCascadingDeletion                 TestManyAtOnce
//	TestOrphaning                                  TestOrphan
//	TestSolidOwnerDoesNotBlockWaitingOwner         TestSolidOwnerDoesNotBlock
//	TestNonBlockingOwnerRefDoesNotBlock            TestNonBlockingDoesNotBlock
//	TestDoubleDeletionWithFinalizer                TestDeletedTwice
//	TestBlockingOwnerRefDoesBlock                  TestBlockingBlocks
//	TestCustomResourceCascadingDeletion            TestCustomResources
//	TestMixedRelationships                         TestMixedKinds
//	TestCRDDeletionCascading                       TestDefinitionDeleted
//	TestCascadingDeleteOnCRDConversionFailure      TestConversionFails
//	TestClusterScopedOwners                        TestGlobalOwners
//
// Upstream's tests wait until upstream has seen the dependents before an owner orphans.
// Ours do not wait. Our collector differs in two ways:
//
//   - It holds a reference to an owner in another namespace, unless Config.Scope asks
//     for Kubernetes' reading (TestCrossNamespaceHeld).
//   - A kind that cannot be watched delays exact deletions, which are the foreground and
//     orphan deletions, unless Config.FenceWait bounds the wait (TestConversionFails).
//     Upstream goes on without having seen the kind.
//
// Further scenarios:
//
//   - a ring of owners (TestForegroundRing)
//   - two engines at once (TestTwoEngines), and ours beside upstream's
//     (TestBesideUpstream)
//   - the engine killed, the API server killed, and a definition removed, each in the
//     middle of a cascade (TestEngineKilled, TestServerRestarted,
//     TestDefinitionDeletedMeanwhile)
//   - plans of deletions in 200 random namespaces, against the server's end state and etcd's
//     history (TestPlansOfNamespaces)
//   - names used again (TestNamesReused)
//   - adoption while an owner orphans (TestAdoptedWhileOrphaned)
//   - a watch that lags (TestLateWatch)
//   - rights that lack one kind (TestRightsLackOneKind, TestRightsLackWrites)
//   - answers that look like absence (TestUnservedIsNotAbsent,
//     TestStartingServerIsNoProof)
//   - package storetest, with real compactions, restores, outages and broken
//     connections (TestKit, TestKitHistories)
//
// Attacks found these scenarios, and they are tested since:
//
//   - Discovery lacks a group while the server starts, or while no version of a
//     definition is served (TestStartingServerBlocksKinds, TestUnservedVersionBlocksKinds).
//   - The server is restored in the middle of a cascade (TestRestoredMidCascade).
//   - A policy puts owner references back (TestOwnersRestoredByPolicy).
//
// Package upstream runs Kubernetes' own end-to-end tests of the garbage collector.
//
// # Sweeps
//
// The user stories of KubeZoo's proposal describe the sweep of tenants
// (examples/tenants). They are TestUserStory1NativeResources, TestUserStory2Definitions
// and TestUserStory3CustomResources. In each, upstream's namespace controller ends the
// namespaces, and then our scope sweep does. Further scenarios:
//
//   - the order of the scope sweep, and a right that it lacks (TestScopeSweep)
//   - a scope sweep beside upstream's controller (TestScopeSweepBesideUpstream)
//   - an engine without a sweep of namespaces (TestNamespaceWithoutSweep)
//   - two engines (TestTwoSweepers), and one that is killed (TestSweeperKilled)
//   - a user who goes on creating (TestSweepAgainstCreator)
//   - a kind that the engine may not see (TestSweepLacksKind)
//   - the proposal's alternative, one anchor that owns all (TestAnchor)
//
// The database judges them. At the revision at which a tenant went, none of its objects
// was left. Since the start of the deletion, no key of another tenant was written to.
//
// # Guards
//
// A root with 2,000 objects below it is refused, approved, and ended by a second collector after
// the first was killed (TestGuardedRootApproved, TestGuardedRootPatched). Further scenarios:
//
//   - the commands of adapters/clientgo/README.md (TestKubectlApproves,
//     TestKubectlApprovesOneUID, TestKubectlProtects)
//   - the flags, Events and metrics of adapters/clientgo/run (TestProgramGuards)
//   - the limits beside kube-controller-manager (TestGuardBesideUpstream,
//     TestGuardIgnoredByUpstreamForeground, TestGuardIgnoredByUpstreamOrphan)
//   - namespaces (TestGuardedNamespaceLosesContent, TestGuardedNamespaceWithScopeSweep,
//     TestNamespaceEndsGuardedContent)
//
// # Manifests
//
// kubectl of the server's version renders and applies adapters/clientgo/run/deploy, and a warning
// of the server is a fault (TestManifestsApply, TestManifestsElsewhere, TestManifestsFit). The
// definition of a ServiceMonitor is that of prometheus-operator. The program runs with the flags
// of the Deployment and a token of its ServiceAccount. The server forbids no request, and some
// request needs each right (TestManifestsObserve, TestManifestsLease, TestManifestsAct). Three
// programs divide the objects, and one of them is killed. The admission policies of the
// README's example refuse what they are for, and nothing else (TestManifestsFinalizers,
// TestManifestsApprovers, TestManifestsProtect). No container runs: a test carries out the build
// line of the Dockerfile (TestDockerfile).
//
// # Groups
//
// The Leases of a group are those of a real server, with a member that stops, a Lease that a user
// deletes, and each right that is missing (TestGroupLeases, TestGroupRights).
//
// Processes of examples/collector divide the objects, while one is killed, one is stopped and goes on,
// and one comes: see package processes (TestShares). Two processes with one Lease, as those of former
// manifests, are replaced by members (TestSharesRollingUpdate). A process without a share works beside
// members (TestSharesBesideOther). The audit log of the server has each write of a process. The
// history of etcd has each change.
//
//	GOWORK=off go -C internal/proof/e2e test -v -run 'TestShares$' . -processes.whole    # the figures
//
// # Judgement
//
// After a test its history is read from etcd: every state of every object in one order.
// The rules of package invariant judge each write of ours by it. S1 to S4 say which
// objects may be deleted, dropped and released. S5 says that a write is carried out
// only on its own version. Each write that leaves a collector has to carry UID and
// version, with any result. TestJudge shows that the judge sees a wrong deletion.
//
// No test waits for a length of time, except for TestOwnersRestoredByPolicy, which
// counts writes that may have no end. Each wait has a bound.
package e2e
