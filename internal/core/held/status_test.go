package held

import (
	"testing"

	"github.com/ownergraph/ownergraph/policy"
)

// TestStatusOfReasons: every reason to hold an object has a status, and no other reason.
func TestStatusOfReasons(t *testing.T) {
	const want = `
owned by itself alone: stuck
the owner's kind has to be listed: pending
a read contradicts the watch: pending
dependents hold it: blocked
finalizers hold it: pending
its grace period has to end: pending
its controller has to acknowledge the deletion: pending
a sick kind holds the fence: stuck
it is not known whether an owner exists: stuck
the object is flawed: stuck
it and its owners own each other: stuck
its kind is not served: stuck
its kind is sick: stuck
the store refused the write: stuck
a finalizer's handler failed: stuck
other writers are faster: stuck
its write is undone again and again: stuck
observing only: pending
the store promises too little: pending
another live object has its UID: stuck
its members are not gone: blocked
it was deleted before its sweep could guard it: stuck
its members cannot be told from the members of others: stuck
its sweep names a kind that is not served: stuck
another object has a claim on it: stuck
its members by label have to be selected: pending
a kind has not passed the fence in time: stuck
writes to it fail: stuck
it is protected: pending
its protection is not known: pending
a guard has to judge its deletion: pending
its deletion needs an approval: pending
it carries the finalizers of a guard that is not in the settings: stuck
it may not own others, so no guard can judge it: stuck
objects of an earlier phase go first: blocked
its cascade has more objects than the brake allows: stuck
a user refused the cascade: pending
kinds have to be listed before the brake counts its cascade: pending
the store has put the call off: pending
the store does not begin a fence: stuck
the judgement of its deletion fails: stuck
the engine is paused: pending
it is in the share of another collector: pending
another object restricts it: blocked
`
	got := "\n"
	for r := range policy.Reason(255) {
		s := StatusOf(r)
		if r.Held() != (s != Unset) {
			t.Errorf("%s: status %s", r, s)
		}
		if s != Unset {
			got += r.String() + ": " + s.String() + "\n"
		}
	}
	if got != want {
		t.Errorf("got %swant %s", got, want)
	}
	if s := numStatuses.String(); s != "status(6)" {
		t.Errorf("a status that is none is %q", s)
	}
}
