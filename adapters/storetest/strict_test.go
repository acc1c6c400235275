package storetest

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/internal/portion"
)

// TestModelAtLevel3 compares the memory store of level 3 with the map.
func TestModelAtLevel3(t *testing.T) {
	inBubble(2, modelTest(Config{New: strictSubject}))(t)
}

// TestEngineAtLevel3 runs the engine on the memory store of level 3.
func TestEngineAtLevel3(t *testing.T) {
	inBubble(portion.Number(3, 10), engineTest(Config{New: strictSubject}))(t)
}

// TestLevel3Finds checks that histories show a store that claims level 3 and refuses no
// reference.
func TestLevel3Finds(t *testing.T) {
	lax := Config{New: memorySubject, Level: ownergraph.Level3}
	for _, c := range []struct {
		name     string
		property func(*rapid.T)
		want     string
		reason   string
	}{
		{"model of a lax store", modelTest(lax), `want one that wraps "refused"`, "the model refuses the reference"},
		{"engine on a lax store", engineTest(lax), "accepted a write that it had to refuse", "the specification has no end with the reference"},
	} {
		t.Run(c.name, func(t *testing.T) {
			message := find(t, 1, 300, c.property)
			if !strings.Contains(message, c.want) {
				t.Errorf("%s: it does not say %q: %s", c.reason, c.want, message)
			}
		})
	}
}
