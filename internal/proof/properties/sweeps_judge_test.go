package properties

import (
	"errors"
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/proof/invariant"
	"github.com/ownergraph/ownergraph/internal/proof/world"
)

// sweepJudge judges every write of the engines of a world without owner references.
// Every delete is then a sweep's.
type sweepJudge struct {
	sweeps *invariant.Sweeps
	w      *world.World
	// fair is off while kinds may be unserved, since no fence sees their objects. It is
	// also off where there are no fences.
	fair   bool
	broken error
}

func newSweepJudge(t interface {
	Helper()
	Fatal(args ...any)
}, w *world.World, sweeps []guard.Sweep) *sweepJudge {
	t.Helper()
	s, err := invariant.NewSweeps(sweeps, w.Store.Objects())
	if err != nil {
		t.Fatal(err)
	}
	j := &sweepJudge{sweeps: s, w: w, fair: true}
	w.OnCommit = func(graph.Event) { s.Commit(asCounted(w.Store.Objects())) }
	w.OnWrite = func(_ *world.Store, c engine.Call) { j.write(c) }
	return j
}

// write judges a write of an engine that changes the store. It uses the rules of the
// ledger that do not concern owners.
func (j *sweepJudge) write(c engine.Call) {
	var bad *invariant.Breach
	err := j.sweeps.Judge(c)
	if errors.As(err, &bad) && bad.Rule == "S24" && !j.fair {
		err = nil
	}
	if of := j.w.Ledger.Judge(c); err == nil && errors.As(of, &bad) && (bad.Rule == "S5" || bad.Rule == "S6") {
		err = of
	}
	if j.broken == nil {
		j.broken = err
	}
}

// rest returns the breach of a world at rest.
func (j *sweepJudge) rest() error {
	return j.sweeps.Rest(func(o graph.Object) bool {
		now, _ := j.w.Store.At(o.Key)
		return now.MarkWithheld() // it may have lived without the finalizer of its sweep
	})
}

// asCounted returns the objects as they count for their members: a mark that a guard withholds is
// no mark.
func asCounted(objects []graph.Object) []graph.Object {
	objects = slices.Clone(objects)
	for i, o := range objects {
		objects[i].Deleting = o.Deleting && !o.MarkWithheld()
	}
	return objects
}

// TestSweepJudge checks that the judge of random worlds finds breaches.
func TestSweepJudge(t *testing.T) {
	objects, err := graph.Parse("tenant/a~[x.io/tenant]; vol/a-v; vol/aa-v")
	if err != nil {
		t.Fatal(err)
	}
	sweeps := []guard.Sweep{{Finalizer: "x.io/tenant", Holder: "tenant", Members: []guard.Members{{By: guard.ByName, Delimiter: "-"}}}}
	w, err := world.New(ownergraph.Level2, ownergraph.Config{Sweeps: sweeps}, 1, sweepKinds, objects)
	if err != nil {
		t.Fatal(err)
	}
	j := newSweepJudge(t, w, sweeps)
	if j.rest() == nil {
		t.Error("the judge does not report a remaining member")
	}
	for _, tc := range []struct {
		name   string
		bare   bool
		broken bool
		reason string
	}{
		{"a-v", false, false, "the volume belongs to the marked tenant"},
		{"aa-v", false, true, "the volume belongs to the neighbour"},
		{"a-v", true, true, "the delete has no version"},
	} {
		key := graph.Key{Kind: "vol", Name: tc.name, UID: graph.UID("vol/" + tc.name)}
		c := engine.Call{Type: engine.CallDelete, Key: key}
		if c.Options.Precondition.UID = key.UID; !tc.bare {
			c.Options.Precondition.Version = "1"
		}
		j.broken = nil
		if j.write(c); (j.broken != nil) != tc.broken {
			t.Errorf("delete %s: %v: %s", key, j.broken, tc.reason)
		}
	}
}
