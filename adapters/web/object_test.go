package web

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
)

// TestObject: the page has the explanation, the owners, the dependents and links to both.
func TestObject(t *testing.T) {
	r := newRig(t, shop, Config{})
	r.delete("deploy/shop/web@d1", graph.Foreground)
	r.contains(r.get("object?key=rs/shop/web-1"), 200, "dependents hold it", `href="object?key=deploy%2Fshop%2Fweb&amp;uid=d1"`,
		`href="object?key=pod%2Fshop%2Fa&amp;uid=p1"`, `src="tree.svg?key=rs%2Fshop%2Fweb-1&amp;uid=r1"`, `href="plan?key=rs%2Fshop%2Fweb-1&amp;uid=r1"`)
	o := decode[object](r, "object?uid=r1")
	want, err := r.collector.Explain(t.Context(), r.key("rs/shop/web-1@r1"))
	if err != nil || o.Explanation.Sentence() != want.Sentence() || len(o.Objects) != 3 || o.References != 1 {
		t.Errorf("explanation %q with %d objects and %d references (%v)", o.Explanation.Sentence(), len(o.Objects), o.References, err)
	}
	r.contains(r.get("object?key=rs/shop/none"), 404, "not found")
	r.contains(r.get("object?uid=none"), 404, "not found")
	r.contains(r.get("object"), 400, "names no object")
}

// TestObjectGone: an object that is gone has its explanation, and no picture.
func TestObjectGone(t *testing.T) {
	r := newRig(t, shop, Config{})
	r.delete("node/n1@n1", graph.Background)
	r.contains(r.get("object?key=node/n1&uid=n1"), 200, "gone")
	if o := decode[object](r, "object?key=node/n1"); o.Explanation.State != explain.Gone || len(o.Objects) > 0 {
		t.Errorf("state %v with %d objects", o.Explanation.State, len(o.Objects))
	}
	r.contains(r.get("tree.svg?key=node/n1"), 404, "no object is observed here, so there is no tree")
	lost := newRig(t, "pod/shop/a@p1 -> vault/shop/v@v1", Config{})
	r.contains(lost.get("object?key=vault/shop/v&uid=v1"), 200, "referred", `href="object?key=pod%2Fshop%2Fa`)
	r.contains(lost.get("tree.svg?key=vault/shop/v&uid=v1"), 200, "<svg")
}

// TestPlan: the page has the plan of each propagation, and writes nothing.
func TestPlan(t *testing.T) {
	r := newRig(t, shop, Config{})
	before := fmt.Sprint(r.store.Objects())
	for how, want := range map[string]plan.Outcome{"background": plan.Removed, "foreground": plan.Held, "orphan": plan.Removed, "": plan.Removed} {
		p := decode[plan.Plan](r, "plan?key=deploy/shop/web&propagation="+how)
		if root, ok := p.At(r.key("deploy/shop/web@d1")); !ok || root.Outcome != want {
			t.Errorf("%s: %v, want %v", how, root.Outcome, want)
		}
		r.contains(r.get("plan?key=deploy/shop/web&propagation="+how), 200, "deploy/shop/web", `src="plan.svg?key=`)
	}
	r.contains(r.get("plan?key=deploy/shop/web&propagation=all"), 400, "background, foreground or orphan")
	r.contains(r.get("plan?key=deploy/shop/none"), 404, "not found")
	if after := fmt.Sprint(r.store.Objects()); after != before {
		t.Errorf("the store has changed:\n%s\n%s", before, after)
	}
}

// doubtful is a source whose plans know an outcome only as possible.
type doubtful struct{ Source }

func (d doubtful) Plan(ctx context.Context, r plan.Request) (plan.Plan, error) {
	p, err := d.Source.Plan(ctx, r)
	p.Totals[0].Possible = 1
	return p, err
}

// TestPlanPossible: the figures of a plan do not show an outcome as sure that is only possible.
func TestPlanPossible(t *testing.T) {
	r := newRig(t, shop, Config{})
	if w := r.get("plan?key=deploy/shop/web"); strings.Contains(w.Body.String(), "possible only") {
		t.Errorf("a plan without doubt: %s", w.Body)
	}
	r.handler.source = doubtful{r.collector}
	r.contains(r.get("plan?key=deploy/shop/web"), 200, "Of these outcomes, 1 is possible only")
}

// TestPlanBound: a plan of too many objects is refused before it costs anything.
func TestPlanBound(t *testing.T) {
	r := newRig(t, shop, Config{MaxPlan: 3})
	for _, p := range []string{"plan", "plan.svg"} {
		if w := r.get(p + "?key=deploy/shop/web"); w.Header().Get("Retry-After") != "5" {
			t.Errorf("no Retry-After")
		} else {
			r.contains(w, 503, "more than 3 objects")
		}
	}
	r.contains(newRig(t, shop, Config{MaxPlan: 4}).get("plan?key=deploy/shop/web"), 200, "objects go")
}

// TestPictures: the pictures are SVG with a policy of their own.
func TestPictures(t *testing.T) {
	r := newRig(t, shop, Config{})
	for _, p := range []string{"tree.svg?key=deploy/shop/web", "tree.svg?key=deploy/shop/web&all", "plan.svg?key=deploy/shop/web&propagation=foreground"} {
		w := r.get(p)
		r.contains(w, 200, "<svg", "shop/web")
		if w.Header().Get("Content-Type") != "image/svg+xml" || !strings.Contains(w.Header().Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("%s: headers %v", p, w.Header())
		}
	}
	r.contains(r.get("tree.svg"), 400, "names no object")
	r.contains(r.get("plan.svg?key=deploy/shop/none"), 404, "not found")
}
