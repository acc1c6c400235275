package live

import (
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

func TestCountable(t *testing.T) {
	tests := []struct{ version, want graph.Version }{
		{"0", "0"}, {"753", "753"}, {"4611686018427387903", "4611686018427387903"},
		{"4611686018427387904", ""}, {"18446744073709551616", ""}, {"", ""}, {"007", ""}, {"+7", ""}, {"-7", ""}, {"7 ", ""}, {"0x7", ""}, {"v7", ""}, {"7_0", ""},
	}
	for _, tt := range tests {
		in := []graph.Object{{Version: tt.version}}
		if got := Countable(in)[0].Version; got != tt.want || in[0].Version != tt.version {
			t.Errorf("Countable(%q) = %q, want %q; the argument is %q now", tt.version, got, tt.want, in[0].Version)
		}
	}
}
