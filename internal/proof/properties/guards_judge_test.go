package properties

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
)

// judgeRefusal returns an error unless the only target of a plan is refused and stays, and no
// other object changes. The plan is made as if the guards had passed, so its ends are no ends
// of this history. A plan of several targets counts the objects of all, so its verdicts may
// differ from those of the history.
func judgeRefusal(p plan.Plan, before, after []graph.Object) error {
	if len(p.Request.Delete) > 1 {
		return nil
	}
	find := func(objects []graph.Object, k graph.Key) (graph.Object, bool) {
		i := slices.IndexFunc(objects, func(o graph.Object) bool { return o.Key == k })
		if i < 0 {
			return graph.Object{}, false
		}
		return objects[i], true
	}
	for i := range p.Verdicts {
		v := &p.Verdicts[i]
		if o, ok := find(after, v.Root); v.Refused() && (!ok || !o.MarkWithheld() || o.HasFinalizer(graph.FinalizerNew)) {
			return fmt.Errorf("%s, and the root is %q", v, o)
		}
	}
	for _, o := range before {
		now, ok := find(after, o.Key)
		if now.Version = o.Version; p.Request.Delete[0].Key != o.Key && (!ok || !now.Equal(o)) {
			return fmt.Errorf("the deletion was refused, and %q is %q", o, now)
		}
	}
	return nil
}
