package storetest

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// TestRepeatsOfKinds checks which reports of the set of kinds a listing explains.
func TestRepeatsOfKinds(t *testing.T) {
	event := map[string]ownergraph.Event{
		"K": {Type: graph.KindsKnown, Kinds: []ownergraph.KindInfo{{Kind: "a"}, {Kind: "b"}}},
		"R": {Type: graph.KindsKnown, Kinds: []ownergraph.KindInfo{{Kind: "b"}, {Kind: "a"}}},
		"N": {Type: graph.KindsKnown, Kinds: []ownergraph.KindInfo{{Kind: "a"}}},
		"L": {Type: graph.ListBegun, Kind: "a"},
		"P": {Type: graph.Put},
	}
	for _, c := range []struct {
		events string
		want   int
		reason string
	}{
		{"", 0, "nothing is reported"},
		{"K L P P", 0, "the first report is owed"},
		{"K L P K L P K L P", 0, "each report begins a listing"},
		{"K L P K P K P K P", 1, "the listing explains the report after it, and the last one may have one to come"},
		{"K L P K P K P K P K L", 2, "the last listing explains the report before it"},
		{"K L P K P K P K P K P K P", 3, "reports without a listing on either side"},
		{"K L P K P R P R P K P", 2, "the order of the set says nothing"},
		{"K L P K P N P K P N P K P", 0, "each set is another one"},
		{"K L P K K K L P", 0, "a beginning that ends before its listing begins anew"},
		{"K L P K P K K K P K P", 3, "reports in a row, with no listing on either side"},
		{"K L P L P K P L K P", 0, "a listing between two reports explains both"},
	} {
		var events []ownergraph.Event
		for _, name := range strings.Fields(c.events) {
			events = append(events, event[name])
		}
		if got := repeatsOfKinds(events); got != c.want {
			t.Errorf("%s: %d repeats, want %d: %s", c.events, got, c.want, c.reason)
		}
	}
}

// TestWatchesMayBeginAnew checks that a store whose watches begin anew now and then, each at
// changes of its own, is not taken for one that repeats the set of kinds by mistake.
func TestWatchesMayBeginAnew(t *testing.T) {
	for _, every := range []int{1, 2, 5} {
		synctest.Test(t, func(t *testing.T) {
			r := judgeBy(t.Context(), lawsAlone("alias/watch"), Config{New: func(tb TB) Subject { return beginningAnew(every)(tb, memorySubject(tb)) }})
			if err := r.Err(); err != nil {
				t.Errorf("a watch that begins anew after %d changes: %v", every, err)
			}
		})
	}
}

// beginningAnew makes each watch but the first begin anew after so many changes.
func beginningAnew(every int) func(TB, Subject) Subject {
	errAnew := errors.New("the watch begins anew")
	return func(_ TB, s Subject) Subject {
		sound := s.Store
		var watches atomic.Int64
		s.Store = &wrapper{Store: sound, watch: eachEvent(func(ctx context.Context, sink sinkFunc) error {
			first := watches.Add(1) == 1
			for {
				in, changes := newListings(), 0
				err := watchEach(ctx, sound, func(e ownergraph.Event) error {
					in.applyEvent(e)
					if err := sink(e); err != nil || !in.change(e) {
						return err
					}
					if changes++; changes == every && !first {
						return errAnew
					}
					return nil
				})
				if !errors.Is(err, errAnew) {
					return err
				}
			}
		})}
		return s
	}
}
