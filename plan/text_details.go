package plan

import (
	"fmt"
	"maps"
	"slices"
)

// Details returns what Text does not say, for a reader who asks for more: the steps, the counts
// by kind, the phases of a guard's order, the verdicts of guards, the waves with the cost, and the
// fingerprint. It ends with a line break, and is the same for equal plans. It is bounded: see
// StepsText. Of kinds, phases and verdicts it has the first 100 each.
//
//test:by TestDetails TestTextBounded
func (p Plan) Details() string {
	w := &writer{}
	w.WriteString(p.StepsText())
	listed(w, p.Totals, "kind", func(t Total) string { return kindName(t.Kind) + ": " + t.words() })
	w.phases(p.Objects)
	listed(w, p.Verdicts, "verdict", func(v Verdict) string { return v.String() })
	w.line(0, "%s: %s", number(p.Waves, "wave"), p.Cost)
	w.line(0, "fingerprint %s", word(p.Fingerprint))
	return w.String()
}

// phases counts the objects of each phase of a guard's order.
func (w *writer) phases(objects []Object) {
	count, forward := map[int]int{}, map[int]int{}
	for i := range objects {
		if o := &objects[i]; o.Phase > 0 {
			count[o.Phase]++
			if o.Forward {
				forward[o.Phase]++
			}
		}
	}
	listed(w, slices.Sorted(maps.Keys(count)), "phase", func(n int) string {
		text := fmt.Sprintf("phase %d: %s", n, number(count[n], "object"))
		if forward[n] > 0 {
			text += fmt.Sprintf(", %d moved forward by ownership", forward[n])
		}
		return text
	})
}
