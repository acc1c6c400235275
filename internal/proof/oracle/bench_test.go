package oracle

import "testing"

// BenchmarkEnds measures a call. Random triples with two actions need some 35 µs on
// average. Rings and dense graphs cost the most.
func BenchmarkEnds(b *testing.B) {
	for _, bc := range []struct{ name, scenario string }{
		{"chain", "a; b -> a!; c -> b! | fg a; touch b"},
		{"two_owners", "a*; b; c -> a!, b | fg a; bg b"},
		{"held", "a*; b* -> a!; c* -> a!, b! | fg a; orphan b"},
		{"ring", "a -> b!; b -> a!; c -> a, b! | fg a; fg b"},
	} {
		b.Run(bc.name, func(b *testing.B) {
			start, actions := scenario(b, bc.scenario)
			for b.Loop() {
				Ends(start, actions, Config{})
			}
		})
	}
}
