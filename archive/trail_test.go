package archive

import (
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestTrail: the words of an entry follow from the writes of its object, in their order.
func TestTrail(t *testing.T) {
	plain, orphan := graph.Object{Finalizers: []string{"x.io/z"}}, graph.Object{Deleting: true, Finalizers: []string{"x.io/z", graph.FinalizerOrphan}}
	marked := graph.Object{Deleting: true, Finalizers: []string{"x.io/z"}}
	cause := &graph.Cause{Root: graph.Key{Name: "r"}, Holder: graph.Key{Name: "h"}}
	for _, c := range []struct {
		trail               Trail
		explicit, orphaning bool
		cause               bool
		reason              string
	}{
		{Trail{}.Deleted(plain, nil), true, false, false, "a user deletes it"},
		{Trail{}.Deleted(plain, cause), false, false, true, "an engine deletes it"},
		{Trail{}.Deleted(plain, cause).Deleted(marked, nil), true, false, true, "a user deletes it after an engine's mark"},
		{Trail{}.Deleted(plain, nil).Deleted(marked, cause), true, false, true, "an engine deletes it after a user's mark"},
		{Trail{}.Deleted(plain, nil).Changed(orphan, marked), true, true, false, "its orphan finalizer goes off"},
		{Trail{}.Deleted(plain, nil).Deleted(orphan, nil), true, false, false, "another propagation takes the orphaning back"},
		{Trail{}.Deleted(plain, nil).Changed(orphan, marked).Changed(marked, graph.Object{Deleting: true}), true, true, false, "another finalizer goes off after that"},
		{Trail{}.Changed(graph.Object{Finalizers: []string{graph.FinalizerOrphan}}, plain), false, false, false, "an unmarked object orphans nothing"},
	} {
		x := c.trail
		if x.Explicit != c.explicit || x.Orphaning != c.orphaning || (x.Cause == *cause) != c.cause {
			t.Errorf("%s: %+v", c.reason, x)
		}
		if e := x.Entry(marked); x.Finalizers != nil && !slices.Equal(e.Object.Finalizers, plain.Finalizers) {
			t.Errorf("%s: the entry has the finalizers %v, want those before the mark", c.reason, e.Object.Finalizers)
		}
	}
}
