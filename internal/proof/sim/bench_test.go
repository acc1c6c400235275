package sim

import "testing"

// BenchmarkSteps runs one seed after the other. Each operation is one step in safety
// mode. A step also bears its share of the other costs of its seed.
func BenchmarkSteps(b *testing.B) {
	var count Count
	b.ReportAllocs()
	for left, seed := b.N, uint64(1); left > 0; seed++ {
		left -= max(1, History{Seed: seed, Steps: min(left, 1000)}.Run(&count).Made)
	}
}
