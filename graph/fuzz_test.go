package graph_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
)

// FuzzEvents: no stream of events makes the graph panic or breaks an invariant. A refused
// event returns ErrInvalid and changes nothing.
func FuzzEvents(f *testing.F) {
	f.Add([]byte("a stream of events, of which most are refused"))
	f.Fuzz(rapid.MakeFuzz(anyEvents))
}

// TestAnyEvents is FuzzEvents with rapid's choices.
func TestAnyEvents(t *testing.T) { rapid.Check(t, anyEvents) }

func anyEvents(t *rapid.T) {
	w := begin(t, drawConfig(t))
	for _, e := range rapid.SliceOfN(rapid.Custom(anyEvent), 0, 20).Draw(t, "events") {
		w.try(t, e)
	}
	if err := w.Check(); err != nil {
		t.Fatalf("%v: %s", err, w)
	}
}

// anyEvent draws an event of any type, known or not, with any fields. Some of its events
// are valid.
func anyEvent(t *rapid.T) graph.Event {
	kind := rapid.SampledFrom(worldKinds).Draw(t, "kind")
	if rapid.Bool().Draw(t, "right") {
		return drawEvent(t, kind)
	}
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "x", "1", "\xff", "a\x00b", "\u202e"}))
	e := graph.Event{
		Type: graph.EventType(rapid.IntRange(0, 14).Draw(t, "type")), Kind: kind.Kind,
		Object:  drawState(t, drawServed(t, kind)),
		Key:     drawServed(t, kind),
		Version: graph.Version(text.Draw(t, "at")), Fence: rapid.Uint64().Draw(t, "fence"),
		Reason: text.Draw(t, "reason"),
	}
	switch rapid.IntRange(0, 6).Draw(t, "what") {
	case 0:
		e.Kind = graph.Kind(text.Draw(t, "any kind"))
	case 1:
		e.Key = anyKey(t, text)
	case 2:
		e.Object.Key = anyKey(t, text)
	case 3:
		e.Object.Version = graph.Version(text.Draw(t, "version"))
	case 4:
		e.Object.Finalizers = rapid.SliceOfN(text, 0, 4).Draw(t, "finalizers")
		e.Object.GraceSeconds = rapid.Int64().Draw(t, "grace")
	case 5:
		e.Object.Owners = append(e.Object.Owners, graph.Owner{Key: anyKey(t, text), Unresolved: rapid.Bool().Draw(t, "unresolved")})
	case 6:
		for range rapid.IntRange(0, 3).Draw(t, "kinds") {
			e.Kinds = append(e.Kinds, graph.KindInfo{Kind: graph.Kind(text.Draw(t, "name")), Scoped: rapid.Bool().Draw(t, "scoped")})
		}
	}
	return e
}

func anyKey(t *rapid.T, text *rapid.Generator[string]) graph.Key {
	return graph.Key{
		Kind: graph.Kind(text.Draw(t, "kind")), Scope: text.Draw(t, "scope"),
		Name: text.Draw(t, "name"), UID: graph.UID(text.Draw(t, "UID")),
	}
}
