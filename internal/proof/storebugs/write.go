package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// rule returns the outcome of a write for the live object.
type rule func(live graph.Object) (finalizer.Outcome, error)

// Patch applies a change by the rules of package finalizer.
func (s *Store) Patch(ctx context.Context, key graph.Key, pre graph.Precondition, change graph.Change) error {
	if s.has(PatchIgnoresUID) {
		pre.UID = ""
	}
	if s.has(PatchInTwoSteps) {
		return s.patchInTwoSteps(ctx, key, pre, change)
	}
	_, err := s.write(ctx, "patch", key, func(live graph.Object) (finalizer.Outcome, error) {
		return s.adjusted(finalizer.Patch(live, pre, change))
	})
	if err != nil && s.has(RetriedWrites) && ctx.Err() == nil && !errors.Is(err, graph.ErrConflict) {
		_, err = s.write(ctx, "patch", key, func(live graph.Object) (finalizer.Outcome, error) { return finalizer.Patch(live, pre, change) })
	}
	return err
}

// patchInTwoSteps checks in one transaction, and writes in the next.
func (s *Store) patchInTwoSteps(ctx context.Context, key graph.Key, pre graph.Precondition, change graph.Change) error {
	live, err := s.get(ctx, key)
	if err != nil {
		return err
	}
	if _, err := finalizer.Patch(live, pre, change); err != nil {
		return err
	}
	_, err = s.write(ctx, "patch", key, func(live graph.Object) (finalizer.Outcome, error) {
		return finalizer.Patch(live, graph.Precondition{UID: pre.UID}, change)
	})
	return err
}

// adjusted changes the outcome of a write for a planted bug.
func (s *Store) adjusted(out finalizer.Outcome, err error) (finalizer.Outcome, error) {
	if err == nil && s.has(LastFinalizerStays) && out.Effect == finalizer.Removed {
		out.Effect = finalizer.Stored
	}
	return out, err
}

// Delete removes or marks an object by the rules of package finalizer.
func (s *Store) Delete(ctx context.Context, key graph.Key, opts graph.DeleteOptions) error {
	if s.has(DeleteIgnoresVersion) {
		opts.Precondition.Version = ""
	}
	_, err := s.write(ctx, "delete", key, func(live graph.Object) (finalizer.Outcome, error) {
		if s.has(SecondDeleteIgnored) && live.Deleting && opts.Precondition.Holds(live) {
			return finalizer.Outcome{Effect: finalizer.Unchanged, Object: live}, nil
		}
		return finalizer.Delete(live, opts, graph.Unset)
	})
	return err
}

// Create adds an object. The store makes its UID, at random, and its version.
func (s *Store) Create(ctx context.Context, o graph.Object) (graph.Object, error) {
	s.fillIn(o)
	o = o.Clone()
	o.Generation = 1
	if err := graph.Validate(o, graph.Limits{}); err != nil {
		return o, fmt.Errorf("create %s: %w: %w", o.Key, graph.ErrRefused, err)
	}
	var made graph.Object
	err := s.change(ctx, "create "+o.Key.String(), func(t *tx) error {
		var scoped bool
		if err := t.row("SELECT coalesce((SELECT scoped FROM kinds WHERE kind = ?), 0)", []any{o.Kind}, &scoped); err != nil {
			return err
		}
		live, err := t.find("create", o.Key)
		switch {
		case err == nil && !(s.has(EmptyIsNull) && o.Scope == ""):
			return conflict("create "+o.Key.String(), fmt.Errorf("taken by %s", live.UID))
		case err != nil && !errors.Is(err, graph.ErrNotFound):
			return err
		case scoped != (o.Scope != ""):
			return fmt.Errorf("create %s: scope: %w", o.Key, graph.ErrRefused)
		}
		if o.UID, err = s.makeUID(t, o.Key); err != nil {
			return err
		}
		if o, err = t.resolve(graph.Object{}, o); err != nil {
			return err
		}
		made, err = t.carryOut(finalizer.Outcome{Effect: finalizer.Stored, Object: o})
		return err
	})
	return made, err
}

// makeUID returns a UID that no user can foresee.
func (s *Store) makeUID(t *tx, key graph.Key) (graph.UID, error) {
	switch s.bug {
	case CountedUIDs:
		number, err := t.drawNumber()
		return graph.UID(fmt.Sprintf("6f1c2f0e-93ab-4c55-%012x", number)), err
	case TimedUIDs:
		return graph.UID(strconv.FormatInt(time.Now().UnixNano(), 36)), nil
	case UIDsOfNames:
		return graph.UID(strings.Join([]string{string(key.Kind), key.Scope, key.Name}, ":")), nil
	}
	return newUID(), nil
}

// Update replaces the owners and finalizers of an object, as users do.
func (s *Store) Update(ctx context.Context, o graph.Object) (graph.Object, error) {
	s.fillIn(o)
	return s.write(ctx, "update", o.Key, func(live graph.Object) (finalizer.Outcome, error) {
		wanted := live.Clone()
		wanted.UID, wanted.Version, wanted.Owners, wanted.Finalizers = o.UID, o.Version, o.Owners, o.Finalizers
		out, err := finalizer.Update(live, wanted)
		if s.has(UpdateClearsMark) && err == nil && out.Effect == finalizer.Stored {
			out.Object.Deleting = false
		}
		return out, err
	})
}

// write changes one live object in one transaction.
func (s *Store) write(ctx context.Context, verb string, key graph.Key, r rule) (graph.Object, error) {
	var after graph.Object
	err := s.change(ctx, verb+" "+key.String(), func(t *tx) error {
		t.verb = verb
		live, err := t.find(verb, key)
		if err != nil {
			return err
		}
		out, err := r(live)
		if err == nil && out.Effect == finalizer.Stored && adds(live, out.Object) {
			err = graph.Validate(out.Object, graph.Limits{})
		}
		if err != nil {
			return err
		}
		if out.Object, err = t.resolve(live, out.Object); err != nil {
			return err
		}
		after, err = t.carryOut(out)
		return err
	})
	return after, err
}

// adds reports whether a write adds owners or finalizers, so that it has to be
// validated. A write that only removes is never refused. So a user can repair an
// invalid object.
func adds(before, after graph.Object) bool {
	return len(after.Owners) > len(before.Owners) || len(after.Finalizers) > len(before.Finalizers)
}

// carryOut stores or removes the object, and logs that.
func (t *tx) carryOut(out finalizer.Outcome) (graph.Object, error) {
	o := out.Object
	if out.Effect == finalizer.Unchanged {
		return o, nil
	}
	number, err := t.drawNumber()
	if err != nil {
		return o, err
	}
	if out.Effect == finalizer.Removed {
		return o, t.remove(o, number)
	}
	version := number
	if t.s.has(ClockVersions) {
		version = time.Now().UnixMilli()
	}
	o.Version = graph.Version(strconv.FormatInt(version, 10))
	kept := t.s.kept(o)
	if err := t.put(kept, version); err != nil {
		return o, err
	}
	if t.s.has(UserWritesUnlogged) && t.verb == "update" {
		return o, nil
	}
	return o, t.logObject(number, graph.Put, kept)
}

// kept returns the object as the store keeps it. A correct store keeps it in full.
func (s *Store) kept(o graph.Object) graph.Object {
	o.Owners = s.stored(o.Owners)
	if s.has(FloatNumbers) {
		o.GraceSeconds = int64(float64(o.GraceSeconds))
	}
	return o
}

func (t *tx) remove(o graph.Object, number int64) error {
	if err := t.drop(o.Key); err != nil {
		return err
	}
	if t.s.has(TombstoneMissing) && t.verb == "patch" {
		return nil
	}
	return t.logObject(number, graph.Gone, o)
}

func (t *tx) logObject(number int64, what graph.EventType, o graph.Object) error {
	body, err := json.Marshal(o)
	if err != nil {
		return err
	}
	if t.s.has(ChangesFolded) {
		if err := t.exec("DELETE FROM changes WHERE kind = ? AND json_extract(body, '$.Name') = ? AND json_extract(body, '$.Scope') = ?", o.Kind, o.Name, o.Scope); err != nil {
			return err
		}
	}
	return t.logAs(number, what, o.Kind, string(body))
}
