package sqlstore

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestBatchOfOneUID: deletions of a batch that name one UID at different places have their own results. The entry has the
// words of the one that removes the object, and its row.
func TestBatchOfOneUID(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.withRows(t, `n integer`)
		for i, change := range []func(*graph.Key){func(k *graph.Key) { k.Name = "elsewhere" }, func(k *graph.Key) { k.Kind = "bucket" }, func(k *graph.Key) { k.Kind = "note" }} {
			o, neighbour := h.withRow(t, fmt.Sprint("p", i), nil, `7`), h.withRow(t, fmt.Sprint("q", i), nil, `8`)
			wrong := deletion(o)
			wrong.Options.Cause = engineCause
			change(&wrong.Key)
			results, err := h.Batch(t.Context(), []graph.Write{wrong, deletion(o), deletion(neighbour)})
			if err != nil {
				t.Fatalf("%s: %v", wrong.Key, err)
			}
			if !errors.Is(results[0], graph.ErrNotFound) || errors.Join(results[1:]...) != nil {
				t.Errorf("%s: %v", wrong.Key, results)
			}
			if e := h.entry(t, o.UID); !e.Explicit || e.Cause != (graph.Cause{}) {
				t.Errorf("%s: the entry has the words of another deletion: %+v", wrong.Key, e)
			}
			if got := h.rowOf(t, h.mustRestore(t, item(o))[0].UID, "n"); !strings.Contains(got, "7") {
				t.Errorf("%s: the row is %s", wrong.Key, got)
			}
		}
	})
}
