package engine

import (
	"strings"
	"testing"
)

// TestEngineNode: a node leads from an object to its dependents and owners.
func TestEngineNode(t *testing.T) {
	e := listed(t, Config{}, "a#1", "b#1 -> a", "c#1 -> b")
	n, ok := e.Node(put("a").Object.Key)
	if !ok {
		t.Fatal("no node")
	}
	var below []string
	for d := range n.Descendants() {
		below = append(below, d.Key().PlaceString())
	}
	if got := strings.Join(below, " "); got != "b/b c/c" {
		t.Errorf("below a are %q", got)
	}
	if _, ok := e.Node(put("none").Object.Key); ok {
		t.Error("there is a node for an object that neither the watch nor a reference has named")
	}
}
