// Package e2e proves the engine and adapters/clientgo on a real Kubernetes API
// server: etcd and kube-apiserver as package server starts them, without
// kube-controller-manager, so that what is collected is collected by us. It has
// tests and no code.
//
//	GOWORK=off go -C internal/e2e test ./...
//	GOWORK=off go -C internal/e2e run ./cmd/play    # a server to play with
//
// The tests take about five minutes on two cores. The first run on a machine
// builds the servers before, from the module proxy, which takes 3 to 6 minutes
// more; they are kept in the user's cache folder, by version. Who has them sets
// OWNERGRAPH_SERVER_BINARIES to their folder.
//
// # What it proves
//
// Every scenario of the integration tests of Kubernetes' garbage collector
// (v1.36.3, test/integration/garbagecollector), written anew:
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
// Where those wait until upstream has seen the dependents before they orphan,
// ours do not. In two things ours differs. A reference to an owner in another
// namespace is held unless Config.Scope asks for Kubernetes' reading
// (TestCrossNamespaceHeld). A kind that cannot be watched holds what has to be
// exact, foreground and orphan deletions, unless Config.FenceWait bounds the
// wait (TestConversionFails); upstream goes on without having seen the kind.
//
// Beyond those: a ring of owners (TestForegroundRing); two engines at once
// (TestTwoEngines); ours beside upstream's (TestBesideUpstream); the engine
// killed, the API server killed, and a definition removed, each in the middle of
// a cascade (TestEngineKilled, TestServerRestarted,
// TestDefinitionDeletedMeanwhile); names used again (TestNamesReused); adoption
// while an owner orphans (TestAdoptedWhileOrphaned); a watch that lags
// (TestLateWatch); rights that lack one kind (TestRightsLackOneKind,
// TestRightsLackWrites); answers that look like absence and are none
// (TestUnservedIsNotAbsent, TestStartingServerIsNoProof); and package storetest,
// with real compactions, restores, outages and broken connections (TestKit,
// TestKitHistories).
//
// Found by attack, and tested since: discovery that lacks a group while the server
// starts, or while no version of a definition is served (TestStartingServerHoldsKinds,
// TestUnservedVersionHoldsKinds); a restore in the middle of a cascade
// (TestRestoredMidCascade); and a policy that puts owner references back
// (TestOwnersRestoredByPolicy).
//
// The sweep of tenants (examples/tenants), as the user stories of KubeZoo's
// proposal have it: TestUserStory1NativeResources, TestUserStory2Definitions and
// TestUserStory3CustomResources, each with namespaces ended by upstream's
// namespace controller and by our scope sweep. Besides: the scope sweep's order,
// and a right that it lacks (TestScopeSweep); beside upstream's controller
// (TestScopeSweepBesideUpstream); an engine that was not asked to end namespaces
// (TestNamespaceWithoutSweep); two engines (TestTwoSweepers); one that is killed
// (TestSweeperKilled); somebody who goes on creating (TestSweepAgainstCreator); a
// kind that may not be seen (TestSweepLacksKind); and the proposal's alternative,
// one anchor that owns all (TestAnchor). They are judged by the database: at the
// revision at which a tenant went nothing of it was left, and no key of anybody
// else was written to since before.
//
// # How it judges
//
// When a test is over, its history is read from etcd: every state of every
// object in one order. Each write of ours is judged by it, by the rules of
// package invariant: S1 to S4 say what may be deleted, dropped and released, S5
// that a write lands on the version that it was made for. TestJudge shows that
// the judge sees a wrong deletion. Each write that leaves a collector has to
// carry UID and version, whatever comes of it.
//
// No test waits for a length of time, but for TestOwnersRestoredByPolicy, which counts
// writes that may have no end. Each wait has an end.
package e2e
