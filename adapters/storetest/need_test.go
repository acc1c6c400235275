package storetest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph"
)

func TestNewTestKinds(t *testing.T) {
	kinds := memoryKinds()
	var many []ownergraph.KindInfo
	for i := range 9 {
		many = append(many, ownergraph.KindInfo{Kind: ownergraph.Kind(fmt.Sprint(9 - i)), Scoped: i > 0})
	}
	for _, c := range []struct {
		infos        []ownergraph.KindInfo
		can          []ownergraph.Kind
		few          []ownergraph.Kind
		main, second ownergraph.Kind
		reason       string
	}{
		{kinds, nil, []ownergraph.Kind{"app", "pod", "node", "event"}, "app", "pod", "those that may own first, and of these the scoped ones"},
		{kinds, []ownergraph.Kind{"event", "node"}, []ownergraph.Kind{"node", "event"}, "node", "event", "the kinds of the client"},
		{kinds, []ownergraph.Kind{"pod"}, []ownergraph.Kind{"pod"}, "pod", "pod", "one is main and second"},
		{many, nil, []ownergraph.Kind{"1", "2", "3", "9"}, "1", "2", "few of many, a global one among them"},
	} {
		got, err := newTestKinds(c.infos, c.can)
		var few []ownergraph.Kind
		for _, info := range got.few {
			few = append(few, info.Kind)
		}
		if err != nil || !slices.Equal(few, c.few) || got.main.Kind != c.main || got.second.Kind != c.second || len(got.infos) != len(c.infos) {
			t.Errorf("newTestKinds(%v): %v, main %s, second %s, %v; want %v, %s, %s: %s", c.can, few, got.main.Kind, got.second.Kind, err, c.few, c.main, c.second, c.reason)
		}
	}
}

// TestKinds checks that a client with one kind of objects proves less, and that the
// report shows that.
func TestKinds(t *testing.T) {
	r := Judge(t.Context(), Config{New: memorySubject, Kinds: []ownergraph.Kind{"node"}})
	var open []string
	for _, x := range r.Of(Unproven) {
		open = append(open, x.Law)
	}
	if want := []string{"read/scopes", "read/kinds", "text/scopes", "fence/sick", "fence/kinds", "reference/scope", "reference/vanished", "reference/sick"}; !slices.Equal(open, want) || len(r.Of(Broken)) > 0 {
		t.Errorf("with objects of one global kind:\n%s\nwant %v unproven", r, want)
	}
}
