package script

import (
	"os"
	"strings"
	"testing"
)

// upstream lists the scenarios of the Kubernetes garbage collector's own tests
// (v1.36.3) by file. Each has to be in the table below.
const upstream = `
garbagecollector_test.go:
	TestGarbageCollectorConstruction
	TestAttemptToDeleteItemDeleteObjectNotFound
	TestAttemptToDeleteItemDeleteObjectNotFoundWaitingForDependents
	TestAttemptToDeleteItem
	TestProcessEvent/test1
	TestProcessEvent/test2
	TestProcessEvent/test3
	TestProcessEvent/reverse test2
	TestDependentsRace
	TestAbsentOwnerCache
	TestDeleteOwnerRefPatch
	TestUnblockOwnerReference
	TestOrphanDependentsFailure
	TestGetDeletableResources
	TestGarbageCollectorSync
	BenchmarkReferencesDiffs
	TestConflictingData/1
	TestConflictingData/2
	TestConflictingData/3
	TestConflictingData/4
	TestConflictingData/5
	TestConflictingData/6
	TestConflictingData/7
	TestConflictingData/8
	TestConflictingData/9
	TestConflictingData/10
	TestConflictingData/11
	TestConflictingData/12
	TestConflictingData/13
	TestConflictingData/14
	TestConflictingData/15
	TestConflictingData/16
	TestConflictingData/17
graph_builder_test.go:
	TestGetAlternateOwnerIdentity
dump_test.go:
	TestToDOTGraph
	TestToDOTGraphObj
	TestMarshalDOT
test/integration/garbagecollector:
	TestCrossNamespaceReferencesWithWatchCache
	TestCrossNamespaceReferencesWithoutWatchCache
	TestCascadingDeletion
	TestCreateWithNonExistentOwner
	TestStressingCascadingDeletion
	TestOrphaning
	TestSolidOwnerDoesNotBlockWaitingOwner
	TestNonBlockingOwnerRefDoesNotBlock
	TestDoubleDeletionWithFinalizer
	TestBlockingOwnerRefDoesBlock
	TestCustomResourceCascadingDeletion
	TestMixedRelationships
	TestCRDDeletionCascading
	TestCascadingDeleteOnCRDConversionFailure
	TestClusterScopedOwners
test/e2e/apimachinery:
	should delete pods created by rc when not orphaning
	should orphan pods created by rc if delete options say so
	should orphan pods created by rc if deleteOptions.OrphanDependents is nil
	should delete RS created by deployment when not orphaning
	should orphan RS created by deployment when deleteOptions.PropagationPolicy is Orphan
	should keep the rc around until all its pods are deleted if the deleteOptions says so
	should not delete dependents that have both valid owner and owner that's waiting for dependents to be deleted
	should not be blocked by dependency circle
	should support cascading deletion of custom resources
	should support orphan deletion of custom resources
	should delete jobs and pods created by cronjob
store contract:
	TestStoreDeletionPropagation
	TestStoreDeleteWithOrphanDependents
	TestDeletionFinalizersForGarbageCollection
	TestGracefulStoreHandleFinalizers
	TestNonGracefulStoreHandleFinalizers
	TestGracefulStoreCanDeleteIfExistingGracePeriodZero
	TestStoreGracefulDeleteWithResourceVersion
	TestMarkAsDeleting
	TestGCAdmission
	TestBlockOwnerDeletionAdmission
	TestDeleteWithGCFinalizers
	TestUpdateConditions
	TestProcessContentTotals
	TestDeleteEncounters404
	TestNamespaceCondition
`

const (
	notOurs = "not the engine's: "
	differs = "differs: "
)

// ours names our files for each upstream scenario. It has a reason for a scenario
// that is not the engine's, and for an outcome that differs on purpose.
func ours() map[string][]string {
	return map[string][]string{
		"TestGarbageCollectorConstruction":                                {"garbage-collector-construction"},
		"TestAttemptToDeleteItemDeleteObjectNotFound":                     {"attempt-to-delete-item-object-not-found", differs + "no virtual delete event: the engine keeps the proof beside the graph (R4)"},
		"TestAttemptToDeleteItemDeleteObjectNotFoundWaitingForDependents": {"attempt-to-delete-item-object-not-found-waiting-for-dependents", differs + "as above"},
		"TestAttemptToDeleteItem":                                         {"attempt-to-delete-item", differs + "no read of the object before a delete: the delete carries the version"},
		"TestProcessEvent/test1":                                          {"process-event-test1"},
		"TestProcessEvent/test2":                                          {"process-event-test2"},
		"TestProcessEvent/test3":                                          {"process-event-test3"},
		"TestProcessEvent/reverse test2":                                  {"process-event-reverse-test2"},
		"TestDependentsRace":                                              {notOurs + "the graph has one thread, so there is no race"},
		"TestAbsentOwnerCache":                                            {"absent-owner-cache", differs + "the memory of absence has full coordinates, so it never answers for another scope"},
		"TestDeleteOwnerRefPatch":                                         {"delete-owner-ref-patch"},
		"TestUnblockOwnerReference":                                       {"unblock-owner-reference", differs + "only inside of a ring, and behind a fence"},
		"TestOrphanDependentsFailure":                                     {"orphan-dependents-failure"},
		"TestGetDeletableResources":                                       {"a-kind-vanishes-and-returns", notOurs + "discovery is the store's: the store reports the set of kinds"},
		"TestGarbageCollectorSync":                                        {"garbage-collector-sync"},
		"BenchmarkReferencesDiffs":                                        {notOurs + "a benchmark of a comparison that the graph does not make"},

		"TestConflictingData/1":  {"conflicting-data-01-good-child-cluster-scoped-owner", differs + "the store resolves the scope, and the engine polls nothing"},
		"TestConflictingData/2":  {"conflicting-data-02-bad-child-other-namespace-child-first", "conflicting-data-02-absent", differs + "held by default, absent by a setting"},
		"TestConflictingData/3":  {"conflicting-data-03-bad-child-other-namespace-owner-first", "conflicting-data-03-absent", differs + "held by default, absent by a setting"},
		"TestConflictingData/4":  {"conflicting-data-04-cluster-scoped-child-child-first", "conflicting-data-04-absent"},
		"TestConflictingData/5":  {"conflicting-data-05-cluster-scoped-child-owner-first"},
		"TestConflictingData/6":  {"conflicting-data-06-non-preferred-version", differs + "a kind has no version"},
		"TestConflictingData/7":  {"conflicting-data-07-inaccessible-version-child-first", differs + "held, not retried"},
		"TestConflictingData/8":  {"conflicting-data-08-inaccessible-version-owner-first", differs + "held, not retried"},
		"TestConflictingData/9":  {"conflicting-data-09-missing-owner-inaccessible-first"},
		"TestConflictingData/10": {"conflicting-data-10-missing-owner-accessible-first", differs + "no other identity: each set of full coordinates is a node"},
		"TestConflictingData/11": {"conflicting-data-11-incorrect-version-parent-last", differs + "no other identity"},
		"TestConflictingData/12": {"conflicting-data-12-incorrect-version-late-absence"},
		"TestConflictingData/13": {"conflicting-data-13-incorrect-version-good-child-first"},
		"TestConflictingData/14": {"conflicting-data-14-cluster-scoped-bad-child-missing-parent"},
		"TestConflictingData/15": {"conflicting-data-15-cluster-scoped-bad-child-late-parent"},
		"TestConflictingData/16": {"conflicting-data-16-good-child-first-missing-parent", differs + "no other identity"},
		"TestConflictingData/17": {"conflicting-data-17-conflict-references-changed", "conflicting-data-17-conflict-unrelated", differs + "the retry carries the version of the read (R1)"},

		"TestGetAlternateOwnerIdentity": {"conflicting-data-10-missing-owner-accessible-first", differs + "the graph never chooses among coordinates of one UID"},
		"TestToDOTGraph":                {notOurs + "pictures come later"},
		"TestToDOTGraphObj":             {notOurs + "pictures come later"},
		"TestMarshalDOT":                {notOurs + "pictures come later"},

		"TestCrossNamespaceReferencesWithWatchCache":    {"cross-namespace-references", differs + "children of kinds that are not served are held"},
		"TestCrossNamespaceReferencesWithoutWatchCache": {"cross-namespace-references", notOurs + "a cache in front of the store belongs to the store"},
		"TestCascadingDeletion":                         {"cascading-deletion"},
		"TestCreateWithNonExistentOwner":                {"create-with-non-existent-owner"},
		"TestStressingCascadingDeletion":                {"stressing-cascading-deletion"},
		"TestOrphaning":                                 {"orphaning"},
		"TestSolidOwnerDoesNotBlockWaitingOwner":        {"solid-owner-does-not-block-waiting-owner"},
		"TestNonBlockingOwnerRefDoesNotBlock":           {"non-blocking-owner-ref-does-not-block"},
		"TestDoubleDeletionWithFinalizer":               {"double-deletion-with-finalizer"},
		"TestBlockingOwnerRefDoesBlock":                 {"blocking-owner-ref-does-block"},
		"TestCustomResourceCascadingDeletion":           {"custom-resource-cascading-deletion"},
		"TestMixedRelationships":                        {"mixed-relationships"},
		"TestCRDDeletionCascading":                      {"crd-deletion-cascading", differs + "the store deletes the instances; a kind that vanishes proves nothing"},
		"TestCascadingDeleteOnCRDConversionFailure":     {"crd-conversion-failure"},
		"TestClusterScopedOwners":                       {"cluster-scoped-owners"},

		"should delete pods created by rc when not orphaning":                                                           {"should-delete-pods-created-by-rc-when-not-orphaning"},
		"should orphan pods created by rc if delete options say so":                                                     {"should-orphan-pods-created-by-rc"},
		"should orphan pods created by rc if deleteOptions.OrphanDependents is nil":                                     {notOurs + "a kind's default propagation is the store's: finalizer.Delete"},
		"should delete RS created by deployment when not orphaning":                                                     {"should-delete-rs-created-by-deployment"},
		"should orphan RS created by deployment when deleteOptions.PropagationPolicy is Orphan":                         {"should-orphan-rs-created-by-deployment"},
		"should keep the rc around until all its pods are deleted if the deleteOptions says so":                         {"should-keep-the-rc-around"},
		"should not delete dependents that have both valid owner and owner that's waiting for dependents to be deleted": {"should-not-delete-dependents-with-a-valid-owner"},
		"should not be blocked by dependency circle":                                                                    {"should-not-be-blocked-by-dependency-circle"},
		"should support cascading deletion of custom resources":                                                         {"should-support-cascading-deletion-of-custom-resources"},
		"should support orphan deletion of custom resources":                                                            {"should-support-orphan-deletion-of-custom-resources"},
		"should delete jobs and pods created by cronjob":                                                                {"should-delete-jobs-and-pods-created-by-cronjob"},

		"TestStoreDeletionPropagation":                        {"policy-foreground-to-orphan", "policy-orphan-to-foreground", notOurs + "the table is finalizer's TestDeletePropagation"},
		"TestStoreDeleteWithOrphanDependents":                 {notOurs + "finalizer's TestDeletePropagation"},
		"TestDeletionFinalizersForGarbageCollection":          {notOurs + "finalizer's TestDeletePropagation"},
		"TestGracefulStoreHandleFinalizers":                   {notOurs + "finalizer's TestDeleteGrace and TestUpdate"},
		"TestNonGracefulStoreHandleFinalizers":                {notOurs + "finalizer's TestUpdate"},
		"TestGracefulStoreCanDeleteIfExistingGracePeriodZero": {notOurs + "finalizer's TestDeleteGrace"},
		"TestStoreGracefulDeleteWithResourceVersion":          {notOurs + "finalizer's TestDeletePreconditions"},
		"TestMarkAsDeleting":                                  {notOurs + "finalizer's TestDeleteGrace"},
		"TestGCAdmission":                                     {notOurs + "the store's admission decides on references"},
		"TestBlockOwnerDeletionAdmission":                     {notOurs + "the store's admission decides on blocking references"},
		"TestDeleteWithGCFinalizers":                          {notOurs + "namespaces are deleted by another controller"},
		"TestUpdateConditions":                                {notOurs + "namespaces are deleted by another controller"},
		"TestProcessContentTotals":                            {notOurs + "namespaces are deleted by another controller"},
		"TestDeleteEncounters404":                             {notOurs + "namespaces are deleted by another controller"},
		"TestNamespaceCondition":                              {notOurs + "namespaces are deleted by another controller"},
	}
}

// TestUpstream checks that every upstream scenario has a file here, or a reason.
func TestUpstream(t *testing.T) {
	table := ours()
	for line := range strings.SplitSeq(upstream, "\n") {
		name, ok := strings.CutPrefix(line, "\t")
		if !ok {
			continue
		}
		if len(table[name]) == 0 {
			t.Errorf("%s: neither a file nor a reason", name)
		}
		for _, entry := range table[name] {
			if strings.HasPrefix(entry, notOurs) || strings.HasPrefix(entry, differs) {
				continue
			}
			if _, err := os.Stat("testdata/" + entry + ".txt"); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		delete(table, name)
	}
	for name := range table {
		t.Errorf("%s: not in the list", name)
	}
}
