package splitmix

import "testing"

// TestMix: the generator with the seed 1234567 has the outputs that its implementations publish.
func TestMix(t *testing.T) {
	state := uint64(1234567)
	for i, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821} {
		state += Step
		if got := Mix(state); got != want {
			t.Errorf("output %d is %d, want %d", i, got, want)
		}
	}
}
