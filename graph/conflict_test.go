package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestConflictingData has the graph's part of upstream's scenarios, under their names.
// Objects name one UID by several coordinates, right and wrong. The graph ends the same
// in every order of the events, under both scope rules. The events of one object stay in
// order. The tests of the engine have the reads and deletes of the scenarios.
func TestConflictingData(t *testing.T) {
	const kinds = "kinds node pod+ role+ secret+ deployment+; "
	var listed strings.Builder
	for _, k := range []string{"node", "pod", "role", "secret", "deployment"} {
		fmt.Fprintf(&listed, "list %s; end %s; prune %s; ", k, k, k)
	}
	for _, tc := range []struct {
		name    string
		streams []string
		hold    string
		absent  string // the result under ScopeAbsent, if it differs
		reason  string
	}{
		{"good child in ns1 -> cluster-scoped owner",
			[]string{"put pod/ns1/c -> node/n", "put node/n"},
			"node/n <1/0>; pod/ns1/c -> node/n {solid}", "",
			"a global owner has no scope to be mistaken about"},
		{"bad child in ns1 -> owner in ns2 (child first)",
			[]string{"put pod/ns1/c -> pod/ns1/p@u", "put pod/ns2/p@u"},
			"pod/ns1/c -> pod/ns1/p@u {misplaced}; phantom pod/ns1/p@u <1/0>; pod/ns2/p@u",
			"pod/ns1/c -> pod/ns1/p@u {unobserved}; phantom pod/ns1/p@u <1/0>; pod/ns2/p@u",
			"the owner is not touched by what refers to another place; the child is held and reported, or, as Kubernetes has it, a read proves it dangling"},
		{"bad child in ns1 -> owner in ns2 (owner first)",
			[]string{"put pod/ns2/p@u; put pod/ns2/p@u#2", "put pod/ns1/c -> pod/ns1/p@u; gone pod/ns1/c"},
			"pod/ns2/p@u#2", "",
			"the child deleted, nothing is left of its mistake"},
		{"bad cluster-scoped child -> owner in ns1 (child first)",
			[]string{"put node/n -> pod/p@u?", "put pod/ns1/p@u"},
			`phantom ""@u <1/0>; node/n -> pod/p@u? {unresolved}; pod/ns1/p@u <1/0>`, "",
			"a global object has no scope to look in: never deleted"},
		{"bad cluster-scoped child -> owner in ns1 (owner first)",
			[]string{"put pod/ns1/p@u; gone pod/ns1/p@u", "put node/n -> pod/ns1/p@u"},
			"node/n -> pod/ns1/p@u {scoped}; absent pod/ns1/p@u <1/0>", "",
			"not even where the store names the scope and the owner is gone"},
		{"good child -> existing owner with non-preferred accessible API version",
			[]string{"put pod/ns1/c -> role/ns1/r", "put role/ns1/r; gone role/ns1/r"},
			"pod/ns1/c -> role/ns1/r {dangling}; absent role/ns1/r <1/0>", "",
			"all versions of a type are one kind, so there is nothing to correct"},
		{"child -> existing owner with inaccessible API version (child first)",
			[]string{"put pod/ns1/c -> ext.deployment/ns1/d@u", "put deployment/ns1/d@u"},
			"deployment/ns1/d@u; phantom ext.deployment/ns1/d@u <1/0>; pod/ns1/c -> ext.deployment/ns1/d@u {unserved}", "",
			"an owner of an unserved kind is unknown, though another object has the UID"},
		{"child -> existing owner with inaccessible API version (owner first)",
			[]string{"put deployment/ns1/d@u; gone deployment/ns1/d@u", "put pod/ns1/c -> ext.deployment/ns1/d@u"},
			"phantom ext.deployment/ns1/d@u <1/0>; pod/ns1/c -> ext.deployment/ns1/d@u {unserved}", "",
			"also after the end of that object"},
		{"child -> non-existent owner with inaccessible API version (inaccessible parent apiVersion first)",
			[]string{"put pod/ns1/c1 -> ext.deployment/ns1/d@u", "put pod/ns1/c2 -> deployment/ns1/d@u", "gone deployment/ns1/d@u"},
			"absent deployment/ns1/d@u <1/0>; phantom ext.deployment/ns1/d@u <1/0>; pod/ns1/c1 -> ext.deployment/ns1/d@u {unserved}; pod/ns1/c2 -> deployment/ns1/d@u {dangling}", "",
			"one that cannot be resolved does not delay its sibling"},
		{"child -> non-existent owner with inaccessible API version (accessible parent apiVersion first)",
			[]string{"put pod/ns1/c2 -> deployment/ns1/d@u; gone pod/ns1/c2", "put pod/ns1/c1 -> ext.deployment/ns1/d@u", "gone deployment/ns1/d@u"},
			"phantom ext.deployment/ns1/d@u <1/0>; pod/ns1/c1 -> ext.deployment/ns1/d@u {unserved}", "",
			"the sibling deleted, only the unknown is left"},
		{"bad child -> existing owner with incorrect API version (bad child, good child, bad parent delete, good parent)",
			[]string{"put pod/ns1/bad -> secret/ns1/s@u", "put pod/ns1/good -> deployment/ns1/d@u", "gone secret/ns1/s@u", "put deployment/ns1/d@u"},
			"deployment/ns1/d@u <1/0>; pod/ns1/bad -> secret/ns1/s@u {dangling}; pod/ns1/good -> deployment/ns1/d@u {solid}; absent secret/ns1/s@u <1/0>", "",
			"the wrong place is proven empty, the right one is not affected"},
		{"bad child -> existing owner with incorrect API version (bad child, good child, good parent, bad parent delete)",
			[]string{"put pod/ns1/bad -> secret/ns1/s@u; gone pod/ns1/bad", "put pod/ns1/good -> deployment/ns1/d@u", "put deployment/ns1/d@u", "gone secret/ns1/s@u"},
			"deployment/ns1/d@u <1/0>; pod/ns1/good -> deployment/ns1/d@u {solid}", "",
			"the bad child deleted, the good one and its owner are as if it had never been"},
		{"bad child -> existing owner with incorrect API version (good child, bad child, good parent)",
			[]string{"put pod/ns1/good -> deployment/ns1/d@u!", "put pod/ns1/bad -> secret/ns1/s@u!", "put deployment/ns1/d@u~[foreground]"},
			"deployment/ns1/d@u~[foreground] <1/1>; pod/ns1/bad -> secret/ns1/s@u! {unobserved}; pod/ns1/good -> deployment/ns1/d@u! {waiting}; phantom secret/ns1/s@u <1/1>", "",
			"the owner waits for the good child alone"},
		{"cluster-scoped bad child, namespaced good child, missing parent",
			[]string{"put node/bad -> pod/p@u?", "put pod/ns1/good -> pod/ns1/p@u", "gone pod/ns1/p@u"},
			`phantom ""@u <1/0>; node/bad -> pod/p@u? {unresolved}; pod/ns1/good -> pod/ns1/p@u {dangling}; absent pod/ns1/p@u <1/0>`, "",
			"the good child can be collected; the bad one is held, and costs no retries"},
		{"cluster-scoped bad child, namespaced good child, late observed parent",
			[]string{"put node/bad -> pod/p@u?", "put pod/ns1/good -> pod/ns1/p@u", "put pod/ns1/p@u"},
			`phantom ""@u <1/0>; node/bad -> pod/p@u? {unresolved}; pod/ns1/good -> pod/ns1/p@u {solid}; pod/ns1/p@u <2/0>`, "",
			"the owner has both: the one that refers to it, and the one that may"},
		{"namespaced good child, cluster-scoped bad child, missing parent",
			[]string{"put pod/ns1/good -> pod/ns1/p@u; gone pod/ns1/good", "put node/bad -> pod/p@u?", "gone pod/ns1/p@u"},
			`phantom ""@u <1/0>; node/bad -> pod/p@u? {unresolved}`, "",
			"the good child collected, only the unknown is left"},
		{"resourceVersion conflict between Get/Delete while processing object deletion",
			[]string{"put pod/ns1/c -> role/ns1/a; put pod/ns1/c#2 -> role/ns1/b; put pod/ns1/c#3* -> role/ns1/b", "put role/ns1/a; gone role/ns1/a", "put role/ns1/b"},
			"pod/ns1/c#3* -> role/ns1/b {solid}; role/ns1/b <1/0>", "",
			"the last version of its references counts"},
	} {
		for _, rule := range []graph.ScopeRule{graph.ScopeHold, graph.ScopeAbsent} {
			want := tc.hold
			if rule == graph.ScopeAbsent && tc.absent != "" {
				want = tc.absent
			}
			t.Run(tc.name+"/"+rule.String(), func(t *testing.T) {
				w := play(t, graph.Config{Scope: rule}, kinds+listed.String())
				if n := inEveryOrder(t, w, streams(t, tc.streams), want); n < 2 || t.Failed() {
					t.Errorf("%d orders: %s", n, tc.reason)
				}
			})
		}
	}
}
