package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

func mutantsOfEpochs() []mutant {
	epoch := func(of func(string) string) func(TB, Subject) Subject {
		return everywhere(watching(func() func(ownergraph.Event, sinkFunc) error {
			return func(e ownergraph.Event, sink sinkFunc) error {
				if e.Type == graph.Rewound {
					e.Epoch = of(e.Epoch)
				}
				return sink(e)
			}
		}))
	}
	return []mutant{
		{name: "a rewind has no epoch", law: rewindEpoch, reason: "the field is new", plant: epoch(func(string) string { return "" })},
		{name: "each watch has an epoch of its own", law: rewindEpoch, reason: "it is drawn when it is reported", plant: epoch(func(string) string { return fmt.Sprint(rand.Uint64()) })},
		{name: "every restore has one epoch", law: "rewind/another-epoch", reason: "a constant", plant: epoch(func(string) string { return "restored" })},
		{name: "a restore brings versions back", law: "rewind/raised", reason: "rows are copied back as they were", plant: lowered},
	}
}

// lowered shows a restored object at the version of the backup, until the next
// write.
func lowered(_ TB, s Subject) Subject {
	type restored struct {
		was, now map[ownergraph.Key]ownergraph.Object
	}
	var of guarded[restored]
	sound, backup := s.Store, s.Backup
	objects := func(ctx context.Context) map[ownergraph.Key]ownergraph.Object {
		list := map[ownergraph.Key]ownergraph.Object{}
		for _, name := range []string{"a", "b"} {
			for _, kind := range []ownergraph.Kind{"app", "pod"} {
				if o, err := sound.Get(ctx, ownergraph.Key{Kind: kind, Scope: scopeOne, Name: name}); err == nil {
					list[o.Key] = o
				}
			}
		}
		return list
	}
	s.Backup = func(ctx context.Context) (func(context.Context) error, error) {
		was := objects(ctx)
		restore, err := backup(ctx)
		return func(ctx context.Context) error {
			if err := restore(ctx); err != nil {
				return err
			}
			of.with(func(r *restored) { *r = restored{was, objects(ctx)} })
			return nil
		}, err
	}
	return renaming(func(n *renamed) {
		n.version = func(o ownergraph.Object) (v ownergraph.Version) {
			v = o.Version
			of.with(func(r *restored) {
				if now, ok := r.now[o.Key]; ok && now.Version == v {
					v = r.was[o.Key].Version
				}
			})
			return v
		}
	})(nil, s)
}
