package sim

import "testing"

// TestNothingReadsOnDelete: an engine acts the same for every policy of a reference. Each
// history has one digest with policies and without them.
func TestNothingReadsOnDelete(t *testing.T) {
	kept, of := 0, 0
	for seed := range seeded(200) / 10 {
		h := History{Seed: *firstSeed + uint64(seed), Steps: *steps}
		without := h.Record(nil, nil)
		h.With = "policies"
		with := h.Record(nil, nil)
		if with.Broken != nil || without.Digest != with.Digest {
			t.Errorf("%s: digest %x, without policies %x, broken %v", h, with.Digest, without.Digest, with.Broken)
		}
		s, err := begin(h)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range s.w.Store.Objects() {
			for _, r := range o.Owners {
				of++
				if r.OnDelete != 0 {
					kept++
				}
			}
		}
	}
	if kept*2 < of || of == 0 {
		t.Errorf("%d of %d references have a policy, want two of three", kept, of)
	}
}
