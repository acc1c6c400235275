package view_test

import (
	"fmt"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/view"
)

// crowd returns n objects in a forest of trees, each 10 wide.
func crowd(n int) []graph.Object {
	objects := make([]graph.Object, n)
	for i := range objects {
		o := &objects[i]
		o.Key = graph.Key{Kind: graph.Kind(fmt.Sprint("example.org/Kind", i%7)), Scope: fmt.Sprint("team-", i%100), Name: fmt.Sprintf("object-%06d", i), UID: graph.UID(fmt.Sprintf("%032d", i))}
		if i > 0 {
			o.Owners = []graph.Owner{{Key: objects[(i-1)/10].Key, Block: true, Controller: true}}
		}
		if i > 20 {
			o.Owners = append(o.Owners, graph.Owner{Key: objects[i*7919%i].Key})
		}
	}
	return objects
}

// BenchmarkPictures makes pictures of 100,000 objects in all forms.
func BenchmarkPictures(b *testing.B) {
	objects := crowd(100_000)
	p := plan.Plan{Waves: 12}
	for i, o := range objects {
		p.Objects = append(p.Objects, plan.Object{Key: o.Key, Outcome: plan.Removed, Reason: policy.OwnersGone, Wave: 1 + i%12, Root: i == 0})
	}
	for _, bm := range []struct {
		name string
		of   func(limit int) view.Picture
	}{
		{"tree", func(limit int) view.Picture { return view.Tree(objects, objects[0].Key, limit) }},
		{"all", func(limit int) view.Picture { return view.All(objects, limit) }},
		{"plan", func(limit int) view.Picture { return view.Plan(p, objects, limit) }},
	} {
		b.Run(bm.name, func(b *testing.B) {
			for b.Loop() {
				bm.of(0)
			}
		})
		for _, limit := range []int{1000, 5000} {
			picture := bm.of(limit)
			for _, form := range []struct {
				name string
				draw func() string
			}{{"text", picture.Text}, {"dot", picture.DOT}, {"mermaid", picture.Mermaid}, {"svg", picture.SVG}} {
				b.Run(fmt.Sprint(bm.name, "/", form.name, "/", limit), func(b *testing.B) {
					for b.Loop() {
						form.draw()
					}
				})
			}
		}
	}
}
