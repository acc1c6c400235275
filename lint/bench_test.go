package lint_test

import (
	"fmt"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/lint"
)

// large returns an input of n objects: sets with nine pods each. Every thousandth set is
// missing.
func large(n int) lint.Input {
	in := lint.Input{Objects: make([]lint.Object, 0, n)}
	for _, k := range []graph.Kind{"pod", "set"} {
		in.Kinds = append(in.Kinds, lint.Kind{KindInfo: graph.KindInfo{Kind: k, Scoped: true}, Listed: true, Versions: []string{"v1"}})
	}
	version := []string{"v1"}
	for i := range n {
		scope := fmt.Sprintf("ns-%d", i/10%100)
		key := func(kind graph.Kind, i int) graph.Key {
			return graph.Key{Kind: kind, Scope: scope, Name: fmt.Sprintf("%s-%d", kind, i), UID: graph.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", i))}
		}
		switch {
		case i%10_000 == 0:
		case i%10 == 0:
			in.Objects = append(in.Objects, lint.Object{Object: graph.Object{Key: key("set", i), Version: "1"}})
		default:
			in.Objects = append(in.Objects, lint.Object{
				Object:        graph.Object{Key: key("pod", i), Version: "1", Owners: []graph.Owner{{Key: key("set", i-i%10), Controller: true, Block: true}}},
				OwnerVersions: version,
			})
		}
	}
	return in
}

func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{100_000, 800_000} {
		in := large(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r, err := lint.Check(in, lint.Config{})
				if err != nil || len(r.Findings) != 9*n/10_000 {
					b.Fatalf("%d findings, error %v", len(r.Findings), err)
				}
			}
		})
	}
}
