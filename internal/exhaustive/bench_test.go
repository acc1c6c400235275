package exhaustive

import "testing"

// sample returns worlds of one graph.
func sample(n int) []*state {
	var out []*state
	i := 0
	g := Graphs(3)[60]
	Search(g, Scope{Actions: 2, Prompt: true, Hasten: true, HoldSet: true, bend: func(x *state, m move) bool {
		if i++; i%97 == 0 && len(out) < n {
			out = append(out, x.clone())
		}
		return false
	}})
	return out
}

func BenchmarkClone(b *testing.B) {
	xs := sample(100)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		xs[i%len(xs)].w.Clone()
	}
}

func BenchmarkEngineClone(b *testing.B) {
	xs := sample(100)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		xs[i%len(xs)].w.Sides[0].Engine.Clone()
	}
}

func BenchmarkEngineFingerprint(b *testing.B) {
	xs := sample(100)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		xs[i%len(xs)].w.Sides[0].Engine.Fingerprint(nil)
	}
}
