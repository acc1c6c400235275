package engine

import "testing"

// TestRevokedAtOnce: the engine raises its revision before it does anything else about the
// cause of a revocation, since a rewind walks the whole graph. Here that walk panics.
func TestRevokedAtOnce(t *testing.T) {
	e, err := New(Level2, Config{})
	if err != nil {
		t.Fatal(err)
	}
	before := e.revision.Number()
	func() {
		defer func() { _ = recover() }()
		e.graph = nil
		e.rewind("restored")
		t.Error("the graph was not walked")
	}()
	if e.revision.Number() == before {
		t.Error("a rewind walks the graph before it revokes calls")
	}
	before = e.revision.Number()
	if e.fail("E0: made by the test"); e.revision.Number() == before {
		t.Error("an engine that broke revokes no calls")
	}
}
