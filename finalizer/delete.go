package finalizer

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Delete says what a deletion does to the live object, def being its kind's
// default propagation (Unset stands for Background).
//
//   - The propagation is the options' own, else what the object's propagation
//     finalizer says, else the kind's default. Both propagation finalizers are
//     taken off and the chosen one is put on, so a later deletion changes the
//     propagation, also of a marked object: background takes the finalizer off,
//     and the object may vanish (Kubernetes; the proposal knows only orphan).
//   - With finalizers left, or a grace period, the object is marked and stays;
//     otherwise it is removed (proposal, deletion handler).
//   - The first mark raises the generation by one, where the object has one:
//     0 stays 0 (proposal, orphaning example, step 8; Kubernetes).
//   - A grace period may only shorten. While one is pending, a deletion that
//     does not shorten it changes nothing, the propagation neither. A deletion
//     with grace 0 ends it (Kubernetes).
//   - A nil grace stands for 0 on the first deletion and for the pending one
//     afterwards. A store with a default of its own fills it in before.
//
// Errors: ErrConflict where the precondition does not hold, ErrRefused for
// options or a default that mean nothing. Held by TestDeletePropagation,
// TestDeleteGrace, TestDeletePreconditions and TestLaws.
func Delete(live graph.Object, opts graph.DeleteOptions, def graph.Propagation) (Outcome, error) {
	if err := checkOptions(live, opts, def); err != nil {
		return Outcome{}, err
	}
	next := live.Clone()
	if live.Deleting && live.GraceSeconds > 0 && !shortens(live, opts) {
		return Outcome{Unchanged, next}, nil
	}
	next.Finalizers = propagate(next.Finalizers, choose(live, opts.Propagation, def))
	next.GraceSeconds = grace(live, opts)
	if !next.Deleting && next.Generation > 0 {
		next.Generation++
	}
	next.Deleting = true
	return settle(live, next), nil
}

func checkOptions(live graph.Object, opts graph.DeleteOptions, def graph.Propagation) error {
	switch {
	case opts.Propagation > graph.Orphan:
		return refuse("delete", live, "propagation", fmt.Sprintf("%s means nothing", opts.Propagation), graph.ErrRefused)
	case def > graph.Orphan:
		return refuse("delete", live, "default propagation", fmt.Sprintf("%s means nothing", def), graph.ErrRefused)
	case opts.GraceSeconds != nil && *opts.GraceSeconds < 0:
		return refuse("delete", live, "graceSeconds", "negative", graph.ErrRefused)
	}
	return check("delete", live, opts.Precondition)
}

func shortens(live graph.Object, opts graph.DeleteOptions) bool {
	return opts.GraceSeconds != nil && *opts.GraceSeconds < live.GraceSeconds
}

// grace returns the grace period after the deletion. That of a marked object
// never rises, so one that has run out stays so.
func grace(live graph.Object, opts graph.DeleteOptions) int64 {
	switch {
	case live.Deleting && opts.GraceSeconds == nil:
		return live.GraceSeconds
	case live.Deleting:
		return min(live.GraceSeconds, *opts.GraceSeconds)
	case opts.GraceSeconds == nil:
		return 0
	}
	return *opts.GraceSeconds
}

func choose(live graph.Object, asked, def graph.Propagation) graph.Propagation {
	if asked != graph.Unset {
		return asked
	}
	if own := live.Propagation(); own != graph.Unset {
		return own
	}
	return def
}

// propagate puts the finalizer of p into the list, which it may change, and
// takes that of any other propagation out. A list that is right already keeps
// its order.
func propagate(list []string, p graph.Propagation) []string {
	want := p.Finalizer()
	list = slices.DeleteFunc(list, func(f string) bool {
		return f != want && (f == graph.FinalizerOrphan || f == graph.FinalizerForeground)
	})
	if want != "" && !slices.Contains(list, want) {
		list = append(list, want)
	}
	return list
}
