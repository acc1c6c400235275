package storetest

import (
	"context"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// mutantsOfRestores are stores whose restores are alike, if they are of one backup.
func mutantsOfRestores() []mutant {
	return []mutant{
		{name: "two restores of a backup have one epoch", law: rewindAgain, reason: "the epoch is a hash of the backup", plant: epochsOfBackups},
		{name: "a running watch reports a backup once", law: rewindAgain, reason: "it compares the backup's name", plant: watching(reportedOnce)},
		{name: "a backup brings its raised versions again", law: "rewind/raised-again", reason: "the new versions are computed from the backup", plant: raisedOnce},
	}
}

// epochsOfBackups gives each restore the number of its backup as its epoch.
func epochsOfBackups(tb TB, s Subject) Subject {
	type epochs struct {
		made, now int
		of        map[string]int // the backup of each epoch of the sound store
	}
	var e guarded[epochs]
	e.v.of = map[string]int{}
	backup := s.Backup
	s.Backup = func(ctx context.Context) (func(context.Context) error, error) {
		number := 0
		e.with(func(e *epochs) { e.made++; number = e.made })
		restore, err := backup(ctx)
		return func(ctx context.Context) error {
			e.with(func(e *epochs) { e.now = number })
			return restore(ctx)
		}, err
	}
	return everywhere(watching(func() func(ownergraph.Event, sinkFunc) error {
		return func(event ownergraph.Event, sink sinkFunc) error {
			if event.Type == graph.Rewound {
				e.with(func(e *epochs) {
					if e.of[event.Epoch] == 0 {
						e.of[event.Epoch] = e.now
					}
					event.Epoch = fmt.Sprintf("backup %d", e.of[event.Epoch])
				})
			}
			return sink(event)
		}
	}))(tb, s)
}

// reportedOnce drops each report of a rewind after the second one of a watch.
func reportedOnce() func(ownergraph.Event, sinkFunc) error {
	reports := 0
	return func(e ownergraph.Event, sink sinkFunc) error {
		if e.Type == graph.Rewound {
			if reports++; reports > 2 {
				return nil
			}
		}
		return sink(e)
	}
}

// raisedOnce shows an object after a second restore at the version after the first one,
// until the next write.
func raisedOnce(_ TB, s Subject) Subject {
	var of guarded[map[ownergraph.Version]ownergraph.Version] // the shown version of each
	of.v = map[ownergraph.Version]ownergraph.Version{}
	sound, backup := s.Store, s.Backup
	s.Backup = func(ctx context.Context) (func(context.Context) error, error) {
		restore, err := backup(ctx)
		first := map[ownergraph.Key]ownergraph.Version{}
		return func(ctx context.Context) error {
			if err := restore(ctx); err != nil {
				return err
			}
			for _, kind := range []ownergraph.Kind{"app", "pod"} {
				o, err := sound.Get(ctx, ownergraph.Key{Kind: kind, Scope: scopeOne, Name: "a"})
				if err != nil {
					continue
				}
				of.with(func(m *map[ownergraph.Version]ownergraph.Version) {
					if v, again := first[o.Key]; again {
						(*m)[o.Version] = v
						return
					}
					first[o.Key] = o.Version
				})
			}
			return nil
		}, err
	}
	return renaming(func(n *renamed) {
		n.version = func(o ownergraph.Object) (v ownergraph.Version) {
			v = o.Version
			of.with(func(m *map[ownergraph.Version]ownergraph.Version) {
				if shown, ok := (*m)[v]; ok {
					v = shown
				}
			})
			return v
		}
	})(nil, s)
}
