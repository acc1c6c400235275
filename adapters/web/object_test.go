package web

import (
	"context"
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
)

// TestObject: the page has the explanation, the owners, the dependents and links to both.
func TestObject(t *testing.T) {
	r := newRig(t, shop, Config{})
	r.delete("deploy/shop/web@d1", graph.Foreground)
	r.contains(r.get("object?key=rs/shop/web-1"), 200, "dependents hold it", `href="object?key=deploy%2Fshop%2Fweb&amp;uid=d1"`,
		`href="object?key=pod%2Fshop%2Fa&amp;uid=p1"`, `href="tree.svg?key=rs%2Fshop%2Fweb-1&amp;uid=r1&amp;all"`, `href="plan?key=rs%2Fshop%2Fweb-1&amp;uid=r1"`)
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
		r.contains(r.get("plan?key=deploy/shop/web&propagation="+how), 200, "deploy/shop/web", `href="plan.svg?key=`)
	}
	r.contains(r.get("plan?key=deploy/shop/web&propagation=all"), 400, "background, foreground or orphan")
	r.contains(r.get("plan?key=deploy/shop/none"), 404, "not found")
	if after := fmt.Sprint(r.store.Objects()); after != before {
		t.Errorf("the store has changed:\n%s\n%s", before, after)
	}
}

// TestPolicies: the page of an object has the policy of each reference, and the page of a plan names
// those that refuse it.
func TestPolicies(t *testing.T) {
	objects, err := graph.Parse("node/a@a; node/b@b; pod/s/c@c -> node/a@a:cascade, node/b@b:release; bill/s/x@x -> node/b@b:restrict")
	if err != nil {
		t.Fatal(err)
	}
	r := newRigOf(t, memory.Config{Objects: objects, Strict: true, UIDPrefix: "new-"}, Config{})
	r.contains(r.get("object?key=pod/s/c&uid=c"), 200, `<span class="cause">cascade</span>`, `<span class="cause">release</span>`)
	r.contains(r.get("object?key=node/b&uid=b"), 200, "restrict")
	r.contains(r.get("plan?key=node/a"), 200, "cascade")
	r.contains(r.get("plan?key=node/b"), 200, "the store refuses the deletion of", "bill/s/x")
	if p := decode[plan.Plan](r, "plan?key=node/b"); len(p.Refusals) != 1 || len(p.Refusals[0].Dependents) != 1 {
		t.Errorf("refusals %v, want one by the bill", p.Refusals)
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

// TestPlanBound: a plan of too many objects shows their number alone, and has no picture.
func TestPlanBound(t *testing.T) {
	r := newRig(t, shop, Config{MaxPlan: 3})
	r.contains(r.get("plan?key=deploy/shop/web"), 200, "are 4 objects. A deletion removes at most these.", "limit of this page, which is 3 objects")
	if x := decode[planSum](r, "plan?key=deploy/shop/web"); x.Schema != "ownergraph/plan-sum/v1" || x.Objects != 4 || x.Growing || x.Limit != 3 {
		t.Errorf("the sum is %+v", x)
	}
	w := r.get("plan.svg?key=deploy/shop/web")
	if r.contains(w, 503, "too many objects"); w.Header().Get("Retry-After") != "5" {
		t.Errorf("no Retry-After")
	}
	r.contains(newRig(t, shop, Config{MaxPlan: 4}).get("plan?key=deploy/shop/web"), 200, "objects go")
}

// TestPlanPages: the pages of a plan together have each object once.
func TestPlanPages(t *testing.T) {
	r := newWide(t, 1200)
	seen, pages := map[string]bool{}, 0
	for next := "plan?key=root/root"; next != ""; pages++ {
		body := r.get(next).Body.String()
		_, table, _ := strings.Cut(body, `aria-labelledby="objects"`)
		for _, m := range regexp.MustCompile(`<td role="cell"><a href="(object[^"]*)"`).FindAllStringSubmatch(table, -1) {
			seen[m[1]] = true
		}
		next = ""
		if m := regexp.MustCompile(`href="([^"]*)" rel="next"`).FindStringSubmatch(body); m != nil {
			next = html.UnescapeString(m[1])
		}
	}
	if len(seen) != 1201 || pages != 13 {
		t.Errorf("%d objects on %d pages", len(seen), pages)
	}
	r.contains(r.get("plan?key=root/root&from=x"), 400, "no number")
}

// TestObjectGraph: the picture of an object has links to the others. A group opens and closes by a link.
func TestObjectGraph(t *testing.T) {
	r := newWide(t, 60)
	opens := `href="object?key=root%2Froot&amp;open=pod%40root&amp;uid=root#tree"`
	r.contains(r.get("object?key=root/root"), 200, "<svg", "pod × 60", opens)
	w := r.get("object?key=root/root&open=pod%40root")
	r.contains(w, 200, ">p0000</text>", `href="object?key=pod%2Fp0000&amp;uid=u0000"`, "close <bdi>pod</bdi>", `href="object?key=root%2Froot&amp;uid=root#tree"`)
	if strings.Contains(w.Body.String(), "pod × 60") {
		t.Error("an open group shows as a group")
	}
	r.contains(r.get("plan?key=root/root"), 200, "pod × 60", `href="plan?key=root%2Froot&amp;open=pod%40root&amp;uid=root#tree"`)
	seen := map[string]bool{}
	for next := "object?key=root/root"; next != ""; {
		body := r.get(next).Body.String()
		_, list, _ := strings.Cut(body, `<ul class="objects">`)
		for _, m := range regexp.MustCompile(`<li><a href="(object[^"]*)"`).FindAllStringSubmatch(list, -1) {
			seen[m[1]] = true
		}
		next = ""
		if m := regexp.MustCompile(`href="([^"]*)" rel="next"`).FindStringSubmatch(body); m != nil {
			next = html.UnescapeString(m[1])
		}
	}
	if len(seen) != 60 {
		t.Errorf("%d dependents on the pages", len(seen))
	}
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
