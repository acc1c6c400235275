package sqlstore

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// TestArchiveEarlyTrigger: a trigger that runs before the deletion of an object could take its row away before the archive has
// it. So the removals of kinds with rows are refused by each way, and the objects stay. One that runs afterwards does no harm.
func TestArchiveEarlyTrigger(t *testing.T) {
	h := newPostgresDatabase(t).withRows(t, `n integer`)
	var list []graph.Object
	for i := range 4 {
		list = append(list, h.withRow(t, fmt.Sprint("p", i), nil, `5`))
	}
	free := h.mustCreate(t, object("team", "", "t"))
	function := `"` + h.conf.Schema + `".take()`
	h.run(t, h.db, `CREATE FUNCTION `+function+` RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DELETE FROM `+h.photos()+` WHERE uid = old.uid; RETURN old; END $$`)
	h.run(t, h.db, h.conf.names().Replace(`CREATE TRIGGER take BEFORE DELETE ON {objects} FOR EACH ROW EXECUTE FUNCTION `+function))
	results, err := h.Batch(t.Context(), []graph.Write{deletion(list[0]), deletion(list[1])})
	for way, err := range map[string]error{
		"a deletion":     h.Delete(t.Context(), list[2].Key, graph.DeleteOptions{}),
		"a batch":        errors.Join(append(results, err)...),
		"a precondition": h.Delete(t.Context(), list[3].Key, graph.DeleteOptions{Precondition: graph.Precondition{UID: list[3].UID}}),
		"Migrate":        h.Migrate(t.Context()),
	} {
		if !errors.Is(err, graph.ErrRefused) && !errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), "BEFORE DELETE") {
			t.Errorf("%s: %v, want one with BEFORE DELETE", way, err)
		}
	}
	for _, o := range list {
		if _, err := h.Get(t.Context(), o.Key); err != nil || h.rowOf(t, o.UID, "n") != "5" || len(h.entries(t, archive.Query{UIDs: []graph.UID{o.UID}})) != 0 {
			t.Errorf("%s: %v, row %s", o.Key, err, h.rowOf(t, o.UID, "n"))
		}
	}
	h.removes(t, free, graph.DeleteOptions{})
	h.run(t, h.db, h.conf.names().Replace(`DROP TRIGGER take ON {objects}; CREATE TRIGGER take AFTER DELETE ON {objects} FOR EACH ROW EXECUTE FUNCTION `+function))
	for _, o := range list {
		h.removes(t, o, graph.DeleteOptions{})
		if got := h.rowOf(t, h.mustRestore(t, item(o))[0].UID, "n"); got != "5" {
			t.Errorf("%s comes back with %s", o.Key, got)
		}
	}
	h.run(t, h.db, `DROP FUNCTION `+function+` CASCADE`)
}
