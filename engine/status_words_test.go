package engine_test

import (
	"testing"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/internal/core/held"
	"github.com/ownergraph/ownergraph/policy"
)

// TestOneVocabulary: a status has the word of a pace, or one of the two words that an explanation
// does not need.
func TestOneVocabulary(t *testing.T) {
	words := map[string]string{"queued": "a status alone", "blocked": "a status alone"}
	for p := explain.Resting; p <= explain.Stuck; p++ {
		words[p.String()] = "a pace"
	}
	for s := engine.StatusMoving; s <= engine.StatusStuck; s++ {
		if words[s.String()] == "" {
			t.Errorf("%s is no word of package explain", s)
		}
		delete(words, s.String())
	}
	if len(words) != 1 || words[explain.Resting.String()] == "" {
		t.Errorf("no status has the words %v, want resting alone: the engine counts no resting objects by status", words)
	}
}

// TestOneWord: an object that waits for a user has one word in counts and in explanations.
func TestOneWord(t *testing.T) {
	for r := policy.NoOwners; r <= policy.GraceNeedsForeground; r++ {
		want := engine.Status(held.StatusOf(r))
		x := explain.Explanation{
			State: explain.Exists, Decision: explain.Decision{Action: policy.Wait, Reason: r},
			Wait: []explain.Condition{{Reason: r, End: explain.User}},
		}
		pace, _ := x.Pace()
		switch r {
		case policy.NeedFinalizers, policy.NeedGrace, policy.NeedAcknowledgement, policy.NeedWatch, policy.NeedListing, policy.BrakeListing,
			policy.NeedSelect, policy.StoreDelays, policy.ObserveOnly, policy.OtherShare: // no chain of these ends at a user
			continue
		}
		if (want == engine.StatusPending || want == engine.StatusStuck) && pace.String() != want.String() {
			t.Errorf("%s: %s in an explanation, and %s in a count", r.Code(), pace, want)
		}
	}
}
