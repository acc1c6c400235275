package storetest

import (
	"context"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

func mutantsOfArguments() []mutant {
	creating := func(before func(o ownergraph.Object)) func(TB, Subject) Subject {
		return withUsers(func(u *wrappedClient) {
			u.create = func(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
				before(o)
				return u.Client.Create(ctx, o)
			}
		})
	}
	updating := func(before func(o ownergraph.Object)) func(TB, Subject) Subject {
		return withUsers(func(u *wrappedClient) {
			u.update = func(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
				before(o)
				return u.Client.Update(ctx, o)
			}
		})
	}
	return []mutant{
		{name: "create resolves the owners of its caller", law: argumentCreate, reason: "a loop over the caller's slice", plant: creating(resolveInPlace)},
		{name: "create sorts the finalizers of its caller", law: argumentCreate, reason: "the order of the text form", plant: creating(func(o ownergraph.Object) { slices.Sort(o.Finalizers) })},
		{name: "create appends behind the owners of its caller", law: argumentCreate, reason: "append to a slice with capacity", plant: creating(func(o ownergraph.Object) {
			_ = append(o.Owners, ownergraph.Owner{})
		})},
		{name: "create keeps the owners of its caller", law: argumentCreate, reason: "the object goes into the map without Clone", plant: keepingCreated},
		{name: "update resolves the owners of its caller", law: argumentUpdate, reason: "a loop over the caller's slice", plant: updating(resolveInPlace)},
		{name: "update removes doubles in its caller's list", law: argumentUpdate, reason: "slices.Compact", plant: updating(func(o ownergraph.Object) {
			slices.Sort(o.Finalizers)
			_ = slices.Compact(o.Finalizers)
		})},
		{name: "a patch collects its references behind those of its caller", law: argumentPatch, reason: "append(c.DropOwners, c.Unblock...)",
			plant: patching(func(sound ownergraph.Store) patchFunc {
				return func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
					_ = append(c.DropOwners, c.Unblock...)
					return sound.Patch(ctx, key, pre, c)
				}
			})},
		{name: "a refused patch clears the change of its caller", law: argumentPatch, reason: "the array is used again", plant: patching(func(sound ownergraph.Store) patchFunc {
			return func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
				err := sound.Patch(ctx, key, pre, c)
				if err != nil {
					clear(c.DropOwners)
				}
				return err
			}
		})},
		{name: "a patch resolves the owner of its caller", law: argumentPatch, reason: "the pointer is not copied", plant: patching(func(sound ownergraph.Store) patchFunc {
			return func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
				if c.AddOwner != nil && c.AddOwner.Scope == "" && slices.Contains(scopedKinds(), c.AddOwner.Kind) {
					c.AddOwner.Scope = key.Scope
				}
				return sound.Patch(ctx, key, pre, c)
			}
		})},
		{name: "a deletion corrects the grace period of its caller", law: "argument/delete", reason: "a negative number becomes 0 by the pointer", plant: deleting(func(sound ownergraph.Store) deleteFunc {
			return func(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
				if g := opts.GraceSeconds; g != nil && *g < 0 {
					*g = 0
				}
				return sound.Delete(ctx, key, opts)
			}
		})},
		{name: "a deletion shortens the grace period of its caller", law: "argument/delete", reason: "the object's own period is written into the pointer", plant: deleting(func(sound ownergraph.Store) deleteFunc {
			return func(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
				err := sound.Delete(ctx, key, opts)
				if opts.GraceAtMost && opts.GraceSeconds != nil {
					*opts.GraceSeconds = min(*opts.GraceSeconds, 10)
				}
				return err
			}
		})},
		{name: "labels are taken out of the caller's map", law: "argument/labels", reason: "the map is consumed", plant: func(_ TB, s Subject) Subject {
			label := s.Label
			s.Label = func(ctx context.Context, key ownergraph.Key, labels map[string]string) error {
				err := label(ctx, key, labels)
				if len(labels) > 1 {
					clear(labels)
				}
				return err
			}
			return s
		}},
		{name: "a batch appends behind the references of a write", law: "batch/argument", reason: "append to a slice with capacity", plant: batching(func(sound batchFunc) batchFunc {
			return func(ctx context.Context, writes []ownergraph.Write) ([]error, error) {
				for _, w := range writes {
					_ = append(w.Change.DropOwners, ownergraph.Owner{})
				}
				return sound(ctx, writes)
			}
		})},
		{name: "a batch shortens the grace period of its caller", law: "batch/argument", reason: "the object's own period is written into the pointer", plant: batching(func(sound batchFunc) batchFunc {
			return func(ctx context.Context, writes []ownergraph.Write) ([]error, error) {
				results, err := sound(ctx, writes)
				for _, w := range writes {
					if o := w.Options; o.GraceAtMost && o.GraceSeconds != nil {
						*o.GraceSeconds = min(*o.GraceSeconds, 10)
					}
				}
				return results, err
			}
		})},
		{name: "a record ends with a newline behind the caller's value", law: "records/argument", reason: "append(value, '\\n')", plant: recordWritten(func(sound ownergraph.Records) writeRecordFunc {
			return func(ctx context.Context, name string, value []byte, version ownergraph.Version) (ownergraph.Version, error) {
				_ = append(value, '\n')
				return sound.WriteRecord(ctx, name, value, version)
			}
		})},
		{name: "create puts the owners of its caller back afterwards", law: "argument/together", reason: "defer", races: true, plant: withUsers(func(u *wrappedClient) {
			u.create = func(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
				was := slices.Clone(o.Owners)
				resolveInPlace(o)
				defer copy(o.Owners, was)
				yield()
				return u.Client.Create(ctx, o)
			}
		})},
	}
}

func resolveInPlace(o ownergraph.Object) {
	for i := range o.Owners {
		if o.Owners[i].Scope == "" && slices.Contains(scopedKinds(), o.Owners[i].Kind) {
			o.Owners[i].Scope = o.Scope
		}
	}
}

// keepingCreated shows an object that was not written since with the owners that its creator
// has now.
func keepingCreated(tb TB, s Subject) Subject {
	type kept struct {
		version ownergraph.Version
		owners  []ownergraph.Owner
	}
	var given guarded[map[ownergraph.Key]kept]
	given.v = map[ownergraph.Key]kept{}
	client := s.Client
	s = reading(func(_ ownergraph.Key, o ownergraph.Object, err error) (ownergraph.Object, error) {
		given.with(func(m *map[ownergraph.Key]kept) {
			if k := (*m)[o.Key]; k.version == o.Version && len(k.owners) == len(o.Owners) && len(k.owners) > 0 && k.owners[0].Kind == lentOwner.Kind {
				o.Owners = slices.Clone(k.owners)
			}
		})
		return o, err
	})(tb, s)
	s.Client = &wrappedClient{Client: client, create: func(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
		made, err := client.Create(ctx, o)
		if err == nil {
			given.with(func(m *map[ownergraph.Key]kept) { (*m)[made.Key] = kept{made.Version, o.Owners} })
		}
		return made, err
	}}
	return s
}

// mutantsOfReferences show references in a place that the sound store did not give them.
func mutantsOfReferences() []mutant {
	by := func(verbs ...string) func(placing) bool {
		return func(p placing) bool { return slices.Contains(verbs, p.verb) && !slices.Contains(p.served, p.ref.Kind) }
	}
	return []mutant{
		{name: "a patch resolves an owner of an unserved kind", law: referenceUnserved, reason: "only creations and updates resolve", plant: placed(by("patch", "batch"))},
		{name: "a creation resolves an owner of an unserved kind", law: referenceUnserved, reason: "a kind that is missing in the table is global", plant: placed(by("create"))},
		{name: "an update resolves an owner of an unserved kind", law: referenceUnserved, reason: "only new objects are resolved", plant: placed(by("update"))},
		{name: "a batch resolves an owner of an unserved kind", law: "batch/reference", reason: "a batch has its own statements", plant: placed(by("batch"))},
		{name: "the watch resolves owners of unserved kinds", law: referenceUnserved, reason: "the flag is not in the log", plant: losingFlag(true, false)},
		{name: "a global object gets owners in no scope", law: referenceScope, reason: "the scope of the dependent, also if that is empty",
			plant: placed(func(p placing) bool { return p.dep.Scope == "" && slices.Contains(scopedKinds(), p.ref.Kind) })},
		{name: "an owner is in the scope of the first dependent", law: referenceScope, reason: "the caller's list is resolved once, and cached",
			plant: placedAt(func(p placing) (string, bool) {
				return scopeOne, p.dep.Scope == scopeTwo && p.ref.Scope == "" && slices.Contains(scopedKinds(), p.ref.Kind)
			})},
		{name: "an owner of a vanished kind is resolved", law: "reference/vanished", reason: "the set of kinds of the start", plant: placed(func(p placing) bool {
			return !slices.Contains(p.served, p.ref.Kind) && slices.ContainsFunc(memoryKinds(), func(x ownergraph.KindInfo) bool { return x.Kind == p.ref.Kind })
		})},
		{name: "an owner of a sick kind gets another scope", law: "reference/sick", reason: "a kind whose table is locked counts as scoped",
			plant: placedAt(func(p placing) (string, bool) { return "lost", slices.Contains(p.sick, p.ref.Kind) })},
		{name: "a restart resolves owners of unserved kinds", law: "reference/restart", reason: "a column that is not saved", plant: restarting(losingFlag(true, true))},
	}
}

func scopedKinds() (list []ownergraph.Kind) {
	for _, info := range memoryKinds() {
		if info.Scoped {
			list = append(list, info.Kind)
		}
	}
	return list
}

// losingFlag shows references to unserved kinds as resolved.
func losingFlag(watch, get bool) func(TB, Subject) Subject {
	show := func(o ownergraph.Object) ownergraph.Object {
		o = o.Clone()
		for i, r := range o.Owners {
			if infoOf(r.Kind).Kind == r.Kind && !slices.ContainsFunc(memoryKinds(), func(x ownergraph.KindInfo) bool { return x.Kind == r.Kind }) {
				o.Owners[i].Unresolved = false
			}
		}
		return o
	}
	return func(tb TB, s Subject) Subject {
		if get {
			s = reading(func(_ ownergraph.Key, o ownergraph.Object, err error) (ownergraph.Object, error) { return show(o), err })(tb, s)
		}
		if watch {
			s = watching(func() func(ownergraph.Event, sinkFunc) error {
				return func(e ownergraph.Event, sink sinkFunc) error {
					if e.Type == graph.Put {
						e.Object = show(e.Object)
					}
					return sink(e)
				}
			})(tb, s)
		}
		return s
	}
}
