package finalizer

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Delete returns the effect of a deletion on the live object. The argument def is the
// default propagation of its kind, and Unset stands for Background.
//
//   - The propagation is that of the options. Without one it is that of the object's
//     propagation finalizer, and then the kind's default. Delete takes both propagation
//     finalizers off and puts the chosen one on. A later deletion therefore changes the
//     propagation, also of a marked object. Background takes the finalizer off, and the
//     object may go (Kubernetes; the proposal has only orphan).
//   - An object with finalizers or a grace period is marked and stays. Another object is
//     removed (proposal, deletion handler).
//   - The first mark raises the generation by one. A generation of 0 stays 0 (proposal,
//     orphaning example, step 8; Kubernetes).
//   - A grace period may only get shorter. While one is pending, a deletion that does not
//     shorten it changes nothing, not even the propagation. A deletion with grace 0 ends
//     it (Kubernetes).
//   - A nil grace stands for 0 on the first deletion and for the pending one afterwards.
//     A store with a default of its own fills it in before.
//
// Errors: ErrConflict if the precondition is not met, and ErrRefused for options or a
// default without a meaning.
//
//test:by TestDeletePropagation TestDeleteGrace TestDeletePreconditions TestLaws
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
	return conclude(live, next), nil
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

// grace returns the grace period after the deletion. It never rises for a marked object,
// so a grace period that has run out stays 0.
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

// propagate adds the finalizer of p to the list, which it may change, and removes that of
// any other propagation. A list that is right already keeps its order.
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
