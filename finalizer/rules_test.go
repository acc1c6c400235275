package finalizer

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

func parse(t *testing.T, text string) graph.Object {
	t.Helper()
	o, err := graph.ParseObject(text)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// says renders an outcome: "removed", "unchanged", or the object to be stored.
func says(out Outcome, err error) string {
	switch {
	case err != nil:
		return err.Error()
	case out.Effect == Stored:
		return out.Object.String()
	}
	return out.Effect.String()
}

func seconds(n int64) *int64 { return &n }

// TestDeletePropagation: the precedence of the propagations, for 3 that the object may
// carry, 4 of the deletion, and 2 defaults of the kind.
func TestDeletePropagation(t *testing.T) {
	for _, tc := range []struct {
		carries    string
		asks       graph.Propagation
		background string // the outcome if the kind's default is background
		orphan     string // the outcome if the default is orphan
		reason     string
	}{
		{"a", graph.Foreground, "a~[foreground]", "a~[foreground]", "the option wins"},
		{"a", graph.Background, "removed", "removed", "the option wins, over an orphaning default too"},
		{"a", graph.Orphan, "a~[orphan]", "a~[orphan]", "the option wins"},
		{"a", graph.Unset, "removed", "a~[orphan]", "nothing else speaks, so the default does"},
		{"a[orphan]", graph.Foreground, "a~[foreground]", "a~[foreground]", "the option replaces the finalizer"},
		{"a[orphan]", graph.Background, "removed", "removed", "background takes the finalizer off"},
		{"a[orphan]", graph.Orphan, "a~[orphan]", "a~[orphan]", "both agree"},
		{"a[orphan]", graph.Unset, "a~[orphan]", "a~[orphan]", "the finalizer wins over the default"},
		{"a[foreground]", graph.Foreground, "a~[foreground]", "a~[foreground]", "both agree"},
		{"a[foreground]", graph.Background, "removed", "removed", "background takes the finalizer off"},
		{"a[foreground]", graph.Orphan, "a~[orphan]", "a~[orphan]", "the option replaces the finalizer"},
		{"a[foreground]", graph.Unset, "a~[foreground]", "a~[foreground]", "the finalizer wins over the default"},
	} {
		for def, want := range map[graph.Propagation]string{graph.Background: tc.background, graph.Orphan: tc.orphan} {
			t.Run(fmt.Sprint(tc.carries, " ", tc.asks, " default ", def), func(t *testing.T) {
				opts := graph.DeleteOptions{Propagation: tc.asks}
				if got := says(Delete(parse(t, tc.carries), opts, def)); got != want {
					t.Errorf("Delete: %s, want %s: %s", got, want, tc.reason)
				}
			})
		}
	}
}

// TestDeleteAgain: the changes that a later deletion may make.
func TestDeleteAgain(t *testing.T) {
	for _, tc := range []struct {
		live   string
		asks   graph.Propagation
		def    graph.Propagation
		want   string
		reason string
	}{
		{"a~[foreground]", graph.Background, 0, "removed", "the finalizer was all that held it"},
		{"a~[foreground]*", graph.Background, 0, "a~*", "another finalizer still holds it"},
		{"a~[foreground]", graph.Orphan, 0, "a~[orphan]", "foreground turns into orphan"},
		{"a~[orphan]", graph.Foreground, 0, "a~[foreground]", "orphan turns into foreground"},
		{"a~[orphan]", graph.Unset, 0, "unchanged", "the finalizer stays in charge"},
		{"a~[x]", graph.Foreground, 0, "a~[x,foreground]", "the finalizer comes although the mark is set: only a deletion may"},
		{"a~[x]", graph.Unset, graph.Orphan, "a~[x,orphan]", "without a finalizer the default decides anew, as in Kubernetes"},
		{"a~[x]", graph.Unset, 0, "unchanged", "nothing to change"},
		{"a~[orphan,x]", graph.Orphan, 0, "unchanged", "a right list keeps its order"},
		{"a~[orphan,foreground]", graph.Unset, 0, "a~[orphan]", "of two, which no store should have, orphan keeps objects"},
		{"a~*%3/1", graph.Foreground, 0, "a~*[foreground]%3/1", "the generation rises for the first mark only"},
		{"a~", graph.Unset, 0, "removed", "an object that was left over goes"},
	} {
		if got := says(Delete(parse(t, tc.live), graph.DeleteOptions{Propagation: tc.asks}, tc.def)); got != tc.want {
			t.Errorf("Delete(%s, %s): %s, want %s: %s", tc.live, tc.asks, got, tc.want, tc.reason)
		}
	}
}

// TestDeleteGrace: the rules of grace periods, as in Kubernetes.
func TestDeleteGrace(t *testing.T) {
	for _, tc := range []struct {
		live   string
		asks   graph.Propagation
		grace  *int64
		want   string
		reason string
	}{
		{"a", 0, nil, "removed", "no grace is no grace"},
		{"a", 0, seconds(0), "removed", "nothing holds it"},
		{"a", 0, seconds(30), "a~30", "a grace period holds it"},
		{"a*", 0, seconds(0), "a~*", "the finalizer holds it"},
		{"a*", 0, seconds(30), "a~30*", "both hold it"},
		{"a%1/0", 0, seconds(30), "a~30%2/0", "the mark is a new generation"},
		{"a%1/0", 0, seconds(0), "removed", "an object that goes at once needs no generation"},
		{"a*", 0, nil, "a~*", "a store without generations keeps none"},
		{"a~30", 0, seconds(0), "removed", "the agent ends it"},
		{"a~30*", 0, seconds(0), "a~*", "the grace is over, the finalizer is not"},
		{"a~30", 0, seconds(10), "a~10", "it may shorten"},
		{"a~30", 0, seconds(30), "unchanged", "as long is not shorter"},
		{"a~30", 0, seconds(60), "unchanged", "it may not grow"},
		{"a~30", 0, nil, "unchanged", "nil keeps the pending one"},
		{"a~30", graph.Foreground, nil, "unchanged", "the propagation is fixed while a grace period is pending"},
		{"a~30", graph.Orphan, seconds(60), "unchanged", "the propagation is fixed while a grace period is pending"},
		{"a~30", graph.Orphan, seconds(30), "unchanged", "one that is as long does not shorten either"},
		{"a~30", graph.Orphan, seconds(10), "a~10[orphan]", "a deletion that shortens may change it"},
		{"a~30[orphan]", graph.Background, seconds(0), "removed", "a deletion that ends it may change it"},
		{"a~*", graph.Foreground, seconds(30), "a~*[foreground]", "one that has run out stays so, and none is pending"},
		{"a~30%4/0", 0, seconds(10), "a~10%4/0", "the generation rises for the first mark only"},
	} {
		opts := graph.DeleteOptions{Propagation: tc.asks, GraceSeconds: tc.grace}
		if got := says(Delete(parse(t, tc.live), opts, graph.Unset)); got != tc.want {
			t.Errorf("Delete(%s, %s, grace %s): %s, want %s: %s", tc.live, tc.asks, show(tc.grace), got, tc.want, tc.reason)
		}
	}
}

func show(n *int64) string {
	if n == nil {
		return "nil"
	}
	return fmt.Sprint(*n)
}

func TestDeletePreconditions(t *testing.T) {
	for _, tc := range []struct {
		name   string
		opts   graph.DeleteOptions
		def    graph.Propagation
		kind   error
		want   string // in the message
		reason string
	}{
		{"none", graph.DeleteOptions{}, 0, nil, "", "zero demands nothing"},
		{"both", graph.DeleteOptions{Precondition: graph.Precondition{UID: "a", Version: "7"}}, 0, nil, "", "they are met"},
		{"uid", graph.DeleteOptions{Precondition: graph.Precondition{UID: "a'"}}, 0, graph.ErrConflict,
			`delete a: uid: want "a'", is "a"`, "another incarnation"},
		{"version", graph.DeleteOptions{Precondition: graph.Precondition{UID: "a", Version: "6"}}, 0, graph.ErrConflict,
			`delete a: version: want "6", is "7"`, "another state"},
		{"grace", graph.DeleteOptions{GraceSeconds: seconds(-1)}, 0, graph.ErrRefused,
			"delete a: graceSeconds: negative", "the rules do not guess"},
		{"propagation", graph.DeleteOptions{Propagation: 9}, 0, graph.ErrRefused,
			"delete a: propagation: propagation(9) means nothing", "the rules do not guess"},
		{"default", graph.DeleteOptions{}, 9, graph.ErrRefused,
			"delete a: default propagation: propagation(9) means nothing", "the rules do not guess"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out, err := Delete(parse(t, "a#7"), tc.opts, tc.def)
			if !errors.Is(err, tc.kind) || (tc.kind != nil && out.Effect != EffectUnset) {
				t.Fatalf("Delete: %v, %v, want %v: %s", out.Effect, err, tc.kind, tc.reason)
			}
			if tc.kind != nil && !strings.HasPrefix(err.Error(), tc.want) {
				t.Errorf("Delete: %q, want %q: %s", err, tc.want, tc.reason)
			}
		})
	}
}

func TestEffectString(t *testing.T) {
	for e, want := range map[Effect]string{EffectUnset: "unset", Unchanged: "unchanged", Stored: "stored", Removed: "removed", 9: "effect(9)"} {
		if e.String() != want {
			t.Errorf("Effect(%d) is %q, want %q", uint8(e), e, want)
		}
	}
}
