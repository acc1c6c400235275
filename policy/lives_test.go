package policy_test

import (
	"testing"
)

// decideRows checks rows in the form of the golden table, one step after another.
func decideRows(t *testing.T, rows []row) {
	for _, r := range rows {
		in, set, err := parseInput(r.input)
		if err != nil {
			t.Fatal(err)
		}
		if got := says(in.Object, decide(in, set)); got != r.want {
			t.Errorf("%s\n got %s\nwant %s\n%s", r.input, got, r.want, r.reason)
		}
	}
}

// TestDeploymentCascades follows the collector proposal's "Life of a Deployment and its
// descendants", where the user deletes the descendants too. The numbers are its steps.
func TestDeploymentCascades(t *testing.T) {
	decideRows(t, []row{
		{"D | | known 1", "keep: no owners", "2: the entry of D"},
		{"R[orphan] -> D | solid | known 2", "keep: an owner exists", "4: the entry of R, with D as its owner"},
		{"P -> R | solid | known 3", "keep: an owner exists", "6: the entries of the pods"},
		{"R[orphan] -> D | gone changed 4 | known 2 override", "delete background: all owners are gone",
			"10: the proposal never orphans here, with any finalizer of R"},
		{"R[orphan] -> D | gone changed 4 | known 2", "delete orphan: all owners are gone",
			"10, Kubernetes' reading and the default: R keeps the finalizer that it carries"},
		{"P -> R | gone changed 5 | known 3", "delete background: all owners are gone", "13: the pods"},
		{"R~[orphan] -> D | gone changed 4 | known 5 mark 6 exact passed 7 referring 1", "wait: dependents hold it",
			"the default, one step on: R leaves its pods"},
		{"P -> R | solid orphaning mark 6 | known 3 exact passed 7", "orphan R: an owner leaves it", "and they stay"},
		{"P | | known 8", "keep: no owners", "for good"},
	})
}

// TestDeploymentOrphans is the other half, where the user keeps the descendants.
func TestDeploymentOrphans(t *testing.T) {
	decideRows(t, []row{
		{"D~[orphan]%2/1 | | known 4 mark 5 exact unacknowledged referring 1", "wait: dependents hold it", "8: D is marked"},
		{"R[orphan] -> D | solid orphaning mark 5 unacknowledged | known 2 exact",
			"wait D: its controller has to acknowledge the deletion", "9: the controller might adopt R again"},
		{"R[orphan] -> D | solid orphaning mark 5 unacknowledged | known 2 exact passed 6",
			"wait D: its controller has to acknowledge the deletion", "9: no fence replaces that"},
		{"R[orphan] -> D | solid orphaning mark 5 | known 2 exact", "wait D: a fence has to pass", "10: it has, and R was known before"},
		{"R[orphan] -> D | solid orphaning mark 5 | known 2 exact passed 6", "orphan D: an owner leaves it", "10: R is updated"},
		{"R[orphan] | | known 7", "keep: no owners", "13: R is skipped"},
		{"D~[orphan]%2/2 | | known 7 mark 5 exact passed 5", "wait: a fence has to pass", "10: no other object may refer to D"},
		{"D~[orphan]%2/2 | | known 7 mark 5 exact passed 6", "release orphan: nothing refers to it any more", "10: at last, D itself"},
	})
}

// TestAcknowledgement: a decision waits for a silent controller until its time is over.
// It delays nothing else meanwhile.
func TestAcknowledgement(t *testing.T) {
	decideRows(t, []row{
		{"x -> a, b | solid orphaning mark 2 unacknowledged; solid orphaning mark 2 | known 3 exact passed 4",
			"orphan b: an owner leaves it", "b has been acknowledged"},
		{"x -> a, b | solid orphaning mark 2 unacknowledged; gone | known 3 exact passed 4",
			"trim b: some owners are gone, another exists", "a is still there"},
		{"x -> a, b | solid orphaning mark 2 unacknowledged; solid orphaning mark 2 | known 3 exact passed 3",
			"wait a: its controller has to acknowledge the deletion", "that has an end, the read of b may have none"},
		{"x~[foreground] -> a | solid orphaning mark 2 unacknowledged | known 3 mark 4 exact passed 5",
			"release foregroundDeletion: nothing blocks it any more", "x itself waits for no dependent"},
		{"x~[foreground] -> a | solid orphaning mark 2 unacknowledged | known 3 mark 4 exact",
			"wait: a fence has to pass", "and asks for its own fence"},
		{"x -> a | solid orphaning mark 2 overdue | known 3 exact passed 4",
			"orphan a: its controller has not acknowledged the deletion in time", "its time is over"},
		{"a~[orphan] | | known 3 mark 4 exact passed 5 unacknowledged",
			"wait: its controller has to acknowledge the deletion", "the owner's own end waits as well"},
		{"a~[orphan] | | known 3 mark 4 exact passed 5 overdue",
			"release orphan: its controller has not acknowledged the deletion in time", "as long"},
		{"a~[foreground] | | known 3 mark 4 exact passed 5 unacknowledged",
			"release foregroundDeletion: nothing blocks it any more", "of a foreground deletion nothing is asked"},
	})
}

// TestTwoPropagations: two owners have two propagations.
func TestTwoPropagations(t *testing.T) {
	decideRows(t, []row{
		{"x -> a, b | solid orphaning mark 2; gone changed 4 | known 3 exact passed 5", "orphan a b: an owner leaves it",
			"b went in the background while a orphans: x stays"},
		{"x -> a, b | solid orphaning mark 2; gone changed 4 | known 3 exact", "trim b: some owners are gone, another exists",
			"a is still there, and its fence to come"},
		{"x -> b | gone changed 4 | known 6", "delete background: all owners are gone", "a had ended before: the last one decides"},
		{"x -> a, b | solid orphaning mark 2; waiting mark 2 | known 3 exact passed 5", "orphan a: an owner leaves it",
			"a orphans, b waits: first what keeps x"},
		{"x -> b | waiting mark 2 saw waiting 7 same | known 6 exact passed 5", "delete background b: all owners are gone or wait for it",
			"then the rest of b's deletion"},
		{"x -> a, b | solid orphaning mark 2 saw solid 6; waiting mark 2 | known 3 exact passed 5",
			"trim b: some owners wait for it, another exists", "a changed its mind: it keeps x, and b is free"},
		{"x -> a, b | waiting mark 2 saw waiting 6 same; waiting mark 2 saw orphaning 6 | known 3 exact passed 5",
			"wait b: a read contradicts the watch", "b changed its mind: x is not for a to take"},
	})
}

// TestForegroundAgain: a was deleted in the foreground, and its fence has passed. Then a
// user orphaned it and deleted it in the foreground again. A later dependent of a may
// have dependents of its own. The fence of the former mark does not show these.
func TestForegroundAgain(t *testing.T) {
	decideRows(t, []row{
		{"x -> a | waiting mark 2 | known 6 exact passed 5", "verify a: an owner has to be read", "x came after the fence"},
		{"x -> a | waiting mark 2 saw waiting 7 same | known 6 exact passed 5",
			"delete background a: all owners are gone or wait for it", "as the graph has a: the fence is about this mark"},
		{"x -> a | waiting mark 2 saw waiting 7 | known 6 exact passed 5",
			"delete foreground a: all owners are gone or wait for it", "another version: it may be another mark"},
		{"x -> a | waiting mark 2 saw waiting 7 | known 6 exact passed 7",
			"delete foreground a: all owners are gone or wait for it", "a fence that began with the read is none"},
		{"x -> a | waiting mark 2 saw waiting 7 | known 6 exact passed 8",
			"delete background a: all owners are gone or wait for it", "a later fence has brought the state that the read showed"},
		{"x -> a | waiting mark 2 saw waiting 7 | known 6 exact held passed 3 released 5",
			"delete foreground a: all owners are gone or wait for it", "the former mark was released, too"},
		{"x -> a | waiting mark 2 saw waiting 7 | known 6 released 9",
			"delete background a: all owners are gone or wait for it", "level 1 has no fence that could be void"},
		{"x -> a | waiting mark 8 saw waiting 7 | known 6 exact passed 5",
			"delete foreground a: all owners are gone or wait for it", "the watch has brought it: the fence of the mark that a carries now is to come"},
		{"x -> a | waiting mark 8 saw waiting 7 | known 6 exact passed 9",
			"delete background a: all owners are gone or wait for it", "and has passed"},
	})
}

// TestRemembered: an owner ended its orphaning before the reference to it was seen.
func TestRemembered(t *testing.T) {
	decideRows(t, []row{
		{"x -> a | gone remembered | known 3", "orphan a: an owner has left it", "it is not to die of a"},
		{"x -> a, b | gone remembered; gone | known 3", "orphan a: an owner has left it", "nor of a, but of b"},
		{"x -> b | gone | known 4", "delete background: all owners are gone", "b left no dependent"},
		{"x -> a, b | gone remembered; waiting mark 2 | known 3 exact passed 4", "orphan a: an owner has left it", "or of b, which waits"},
		{"x -> a, b | gone remembered; solid orphaning mark 2 | known 3 exact passed 4", "orphan a b: an owner leaves it", "both left it"},
		{"x -> a, b | gone remembered; unserved | known 3", "keep b: owner's kind not served", "b may be an owner: nothing is urgent"},
		{"x -> a | gone remembered unconfirmed | known 3 exact", "wait a: a fence has to pass", "whether a is gone is open"},
		{"x -> a | gone remembered | known 3 flawed", "keep: the object is flawed", "nothing rests on a flawed object"},
		{"x~[foreign] -> a | gone remembered | known 3", "keep: finalizers hold it", "another client is deleting x"},
	})
}
