package promstats

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/ownergraph/ownergraph"
)

// TestOutsiders: no user of the store can grow a label. Hostile kinds share one label, and no
// label has the name or the UID of an object.
func TestOutsiders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var kinds []ownergraph.Kind
		for i := range 500 {
			kinds = append(kinds, ownergraph.Kind(fmt.Sprintf("kind%03d", i)))
		}
		kinds = append(kinds, "other", "quo\"te", ownergraph.Kind(strings.Repeat("x", 1000)), "important")
		r := newRig(t, kinds, nil, ownergraph.Config{}, Config{MaxKinds: 20, Kinds: []ownergraph.Kind{"important"}})
		defer r.stop()
		root := r.create("kind499", "marker-root", nil)
		for i, k := range kinds {
			held := []string{"example.org/marker"}
			if i%2 == 0 {
				held = nil
			}
			r.create(k, fmt.Sprint("marker-", i), held, root)
		}
		r.delete(root, ownergraph.DeleteOptions{})
		r.idle()
		got := r.scrape()
		if problems, err := testutil.GatherAndLint(r.registry); err != nil || len(problems) > 0 {
			t.Errorf("%v, error %v", problems, err)
		}
		objects, deleted := 0, 0.0
		for name, v := range got {
			if strings.Contains(name, "marker") || strings.Contains(name, string(root.UID)) {
				t.Errorf("%s tells about an object", name)
			}
			if strings.HasPrefix(name, "objects{") {
				objects++
			}
			if strings.HasPrefix(name, "deleted_objects_total{") {
				deleted += v
			}
		}
		if objects != 21 || len(got) > 250 {
			t.Errorf("%d labels of kinds, want 21; %d samples", objects, len(got))
		}
		if deleted != float64(len(kinds)) {
			t.Errorf("%v deletes, want %d", deleted, len(kinds))
		}
		if got["cascades_in_progress"] != 1 || got["call_duration_seconds{type=batch} count"] == 0 {
			t.Errorf("%v cascades with %v batches, want 1", got["cascades_in_progress"], got["call_duration_seconds{type=batch} count"])
		}
		if _, ok := got["objects{kind=important}"]; !ok {
			t.Error("a configured kind has lost its label to others")
		}
	})
}

func TestKindLabels(t *testing.T) {
	l := newKindLabels(3, []ownergraph.Kind{"own"})
	for _, c := range []struct {
		kind   ownergraph.Kind
		want   string
		reason string
	}{
		{"own", "own", "it is configured"},
		{"a", "a", "there is room"},
		{"", other, "it has no name"},
		{other, other, "it would hide in the label of the others"},
		{"\xff", other, "it is no text"},
		{ownergraph.Kind(strings.Repeat("x", maxLabel+1)), other, "it is too long"},
		{"b", "b", "the unfit ones have taken no room"},
		{"c", other, "there is no room"},
		{"a", "a", "it keeps its label"},
	} {
		if got := l.of(c.kind); got != c.want {
			t.Errorf("the label of %.10q is %.10q, want %q: %s", c.kind, got, c.want, c.reason)
		}
	}
}
