package view_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/view"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// parse reads objects in the notation of package graph.
func parse(t testing.TB, text string) []graph.Object {
	t.Helper()
	objects, err := graph.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// shop has a deployment with its dependents, one of them with two owners, and one with a
// wrong reference.
const shop = `"apps/Deployment"/shop/web@d -> "shop.io/App"/shop/web@app^!;
	"apps/ReplicaSet"/shop/web-7d4@r1 -> "apps/Deployment"/shop/web@d^!;
	"apps/ReplicaSet"/shop/web-9f2@r2~[foreground] -> "apps/Deployment"/shop/web@d^!;
	Pod/shop/web-7d4-x2v@p1 -> "apps/ReplicaSet"/shop/web-7d4@r1^!;
	Pod/shop/web-9f2-c8q@p2~[example.org/drain] -> "apps/ReplicaSet"/shop/web-9f2@r2^!;
	ConfigMap/shop/web-settings@c -> "apps/Deployment"/shop/web@d, Secret/shop/web-key@s;
	ConfigMap/other/web-settings@c2 -> "apps/Deployment"/other/web@d;
	Secret/shop/web-key@s -> "apps/Deployment"/shop/web@d!`

// project has a reference of each policy. One task has two policies for one owner, a flaw.
const project = `project/site@p -> team/web@t:cascade, lead/ann@l!:release; team/web@t; lead/ann@l;
	task/draft@d -> project/site@p; task/done@e -> project/site@p, project/site@p:cascade;
	invoice/one@i -> project/site@p:restrict; invoice/two@j -> project/site@p:restrict, team/web@t^!:cascade;
	note/gone@n -> project/site@p:release, project/old@o:restrict`

// forecast is a plan with waves, a held object, a protected one, and one that another
// owner keeps.
func forecast(t testing.TB) (plan.Plan, []graph.Object) {
	objects := parse(t, `site/front@f; page/home@h -> site/front@f^!; page/news@n -> site/front@f^!;
		image/logo@l -> page/home@h!, theme/blue@b; image/photo@p -> page/news@n!; text/legal@t -> page/home@h`)
	key := func(i int) graph.Key { return objects[i].Key }
	return plan.Plan{
		Request: plan.Request{Delete: []plan.Target{{Key: key(0), Propagation: graph.Foreground}}},
		Objects: []plan.Object{
			{Key: key(3), Outcome: plan.Trimmed, Reason: policy.WaitingBesideSolid, Owners: []graph.Key{{Kind: "theme", Name: "blue", UID: "b"}}, Wave: 2, Parent: key(1)},
			{Key: key(4), Outcome: plan.Held, Reason: policy.NeedFinalizers, Causes: []string{"example.org/archive"}, Wave: 3, Parent: key(2)},
			{Key: key(1), Outcome: plan.Removed, Reason: policy.DependentsGone, Wave: 3, Parent: key(0)},
			{Key: key(2), Outcome: plan.Held, Reason: policy.NeedDependents, Causes: []string{"image/photo@p"}, Wave: 2, Parent: key(0)},
			{Key: key(0), Outcome: plan.Held, Reason: policy.NeedDependents, Causes: []string{"page/news@n"}, Root: true, Wave: 1},
			{Key: key(5), Outcome: plan.Held, Reason: policy.Protected, Parent: key(1)},
		},
		Waves: 3, Cost: plan.Cost{Writes: 6, Reads: 2, Fences: 3},
	}, objects
}

// explanation is that of a site whose deletion waits for a finalizer on one page, and for
// a sick kind.
func explanation(t testing.TB) explain.Explanation {
	site := parse(t, "site/front@f")[0].Key
	page, image := parse(t, "page/home@h")[0].Key, parse(t, "image/logo@l")[0].Key
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	return explain.Explanation{
		Key: site, State: explain.Exists, Deleting: true,
		Decision: explain.Decision{Action: policy.Wait, Reason: policy.NeedDependents},
		Owners: []explain.Owner{
			{Owner: parse(t, "x -> tenant/blue@t^!")[0].Owners[0], Class: explain.Solid, Evidence: explain.WatchSaw, At: at},
			{Owner: parse(t, "x -> tenant/old@o")[0].Owners[0], Class: explain.Dangling, Evidence: explain.ReadFoundNothing, At: at},
		},
		Wait: []explain.Condition{
			{Key: page, Reason: policy.NeedFinalizers, End: explain.Controller, Actor: "example.com/archive", Since: at},
			{Key: image, Reason: policy.NeedFence, For: []explain.Condition{{Key: image, Reason: policy.FenceHeld, End: explain.Kind, Actor: "theme", Text: "forbidden"}}},
		},
	}
}

// TestGolden checks the four forms of four pictures.
func TestGolden(t *testing.T) {
	objects := parse(t, shop)
	forecast, of := forecast(t)
	for _, tt := range []struct {
		name    string
		picture view.Picture
		reason  string
	}{
		{"tree", view.Tree(objects, objects[0].Key, 0), "owners above, dependents below, marks, flaws, and two owners"},
		{"plan", view.Plan(forecast, of, 0), "waves, and objects that stay"},
		{"policies", view.Tree(parse(t, project), parse(t, project)[0].Key, 0), "a word and a line for each policy, and a legend"},
		{"explanation", view.Explanation(explanation(t), 0), "owners with their classes, and chains to their ends"},
		{"ring", view.All(parse(t, "a/x@a -> c/x@c!; b/x@b -> a/x@a; c/x@c -> b/x@b; d/x@d -> d/x@d, b/x@b"), 0), "a ring, and an object that owns itself"},
	} {
		for form, text := range forms(tt.picture) {
			file := filepath.Join("testdata", tt.name+"."+form)
			if *update {
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), text); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", file, tt.reason, diff)
			}
		}
	}
}

// forms returns a picture in all forms, by the ending of their files.
func forms(p view.Picture) map[string]string {
	return map[string]string{"txt": p.Text(), "dot": p.DOT(), "mmd": p.Mermaid(), "svg": p.SVG()}
}
