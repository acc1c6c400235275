package engine

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/brake"
	"github.com/ownergraph/ownergraph/internal/core/kinds"
)

// BrakedCascade is a cascade that the brake holds. It is a value.
type BrakedCascade struct {
	// Key is the root of the cascade, or after a restart a nearest absent owner of its objects.
	// Objects with roots that the engine does not know have the UID "roots-left-out" alone.
	Key graph.Key
	// Limit is the limit of the brake. Over: more objects than that were found below the
	// root before the first delete. The engine counts no further.
	Limit int
	Over  bool
	// Handed counts the deletes without an approval. Approved counts the deletes of the last
	// approval, which is over.
	Handed, Approved int
	// Held counts the objects that wait for this cascade. It is 0 for a cascade of the record
	// without such objects in this engine.
	Held int
	// Refused is the answer of a user who has refused the cascade, or unset.
	Refused Refusal
	// Uncounted has the kinds that the count has left out, because they were sick and never
	// listed, at most 8 of them. The objects of these kinds are not known. "" stands for the
	// kinds of a set that was refused. MoreUncounted is the number of further kinds.
	Uncounted     []graph.Kind
	MoreUncounted int

	cause brake.Cause
}

// String returns the root, the count and the limit on one line.
func (b BrakedCascade) String() string {
	x := brake.Status{Key: b.Key, Cause: b.cause, Limit: b.Limit, Handed: b.Handed, Approved: b.Approved}
	if b.Over {
		x.Cause = brake.TooMany
	}
	s := x.Text()
	if b.Refused != RefusalUnset {
		s += ", refused: " + b.Refused.String()
	}
	if gap := (&kinds.Gap{Kinds: b.Uncounted, More: b.MoreUncounted}).Names(); len(gap) > 0 {
		s += ", not counted: " + strings.Join(gap, ", ")
	}
	return s
}

// Refusal is the answer of a user who refuses a cascade.
type Refusal uint8

const (
	// RefusalUnset is no answer.
	RefusalUnset Refusal = iota
	// KeepHeld keeps the objects as they are. They stay held until the engine ends, or with
	// Config.Record until another answer. An approval lets them go all the same.
	KeepHeld
	// OrphanHeld removes the references to the absent owners. The objects then have no
	// owner, so the answer survives a restart. An object with an owner in a foreground
	// deletion stays held: delete that owner again with orphan.
	OrphanHeld
)

var refusalNames = [...]string{"unset", "keep", "orphan"}

// String returns the answer in lower case.
func (r Refusal) String() string {
	if int(r) < len(refusalNames) {
		return refusalNames[r]
	}
	return fmt.Sprintf("refusal(%d)", uint8(r))
}

// BrakeApproval lets deletes of a braked cascade go: at most AtMost of them, until a time.
// Then the cascade is held again.
type BrakeApproval struct {
	Until  time.Time
	AtMost int
}

// BrakeStats counts the work of the brake.
type BrakeStats struct {
	// Cascades is the number of cascades that hold objects now.
	Cascades int
	// Trips, Approvals and Refusals count what has happened to cascades.
	Trips, Approvals, Refusals uint64
	// Uncounted is the number of kinds that counts leave out now: see BrakedCascade.
	Uncounted int
}

// brakeStats returns the figures of the brake.
func (r reports) brakeStats() BrakeStats {
	e := r.e
	n, missing := e.brake.Counts(), 0
	if e.cfg.Brake.PerCascade > 0 && !e.cfg.Brake.AwaitSick {
		missing = e.kinds.CountMissing()
	}
	return BrakeStats{e.brake.CountHeld(), n.Trips, n.Approvals, n.Refusals, missing}
}

func brakedCascade(s brake.Status) BrakedCascade {
	b := BrakedCascade{
		Key: s.Key, Limit: s.Limit, Over: s.Cause == brake.TooMany, Handed: s.Handed, Approved: s.Approved, Held: s.Objects,
		cause: s.Cause,
	}
	if s.Gap != nil {
		b.Uncounted, b.MoreUncounted = slices.Clone(s.Gap.Kinds), s.Gap.More
	}
	switch s.State {
	case brake.RefusedKeep:
		b.Refused = KeepHeld
	case brake.RefusedOrphan:
		b.Refused = OrphanHeld
	}
	return b
}

// brakeDetail names the cascade that holds an object, with the count and the limit.
func (r reports) brakeDetail(id graph.NodeID) []string {
	switch w, ok := r.e.brake.WaitOf(id); {
	case !ok:
		return nil
	case w.For == brake.NeedRoom:
		return []string{"too many cascades are under way"}
	default:
		return []string{"cascade " + brakedCascade(w.Cascade).String()}
	}
}

// unlisted returns the kinds whose listings the brake awaits.
func (r reports) unlisted() (out []KindStatus) {
	for _, k := range r.e.Kinds() {
		awaited := k.Sick == "" || r.e.cfg.Brake.AwaitSick || r.e.kinds.Relisting()
		if awaited && (!k.Listed || r.e.kinds.Stale(k.Kind)) {
			out = append(out, k)
		}
	}
	return out
}

// namesOf names kinds, each with the reason for which it is sick, if it is.
func namesOf(kinds []KindStatus) (names []string) {
	for _, k := range kinds {
		if k.Sick != "" {
			k.Kind += graph.Kind(": " + k.Sick)
		}
		names = append(names, string(k.Kind))
	}
	return names
}

// Braked returns at most limit of the cascades that the brake holds, by key.
func (e *Engine) Braked(limit int) []BrakedCascade {
	all := e.brake.Held()
	out := make([]BrakedCascade, 0, min(max(limit, 0), len(all)))
	for _, s := range all[:cap(out)] {
		out = append(out, brakedCascade(s))
	}
	return out
}

// ApproveCascade approves a cascade that the brake holds: see Collector.ApproveCascade.
func (e *Engine) ApproveCascade(now time.Time, key graph.Key, a BrakeApproval) error {
	e.tick(now)
	if err := a.validate("approve cascade "+key.String(), e.now); err != nil {
		return err
	}
	if !e.brake.TryApprove(e.brakeView(), e.brake.Complete(key), a.Until, a.AtMost) {
		return notHeld("approve", key)
	}
	e.endStep()
	return nil
}

// RefuseCascade refuses a cascade that the brake holds: see Collector.RefuseCascade.
func (e *Engine) RefuseCascade(now time.Time, key graph.Key, r Refusal) error {
	e.tick(now)
	if err := r.validate("refuse cascade " + key.String()); err != nil {
		return err
	}
	if !e.brake.TryRefuse(e.brakeView(), e.brake.Complete(key), r == OrphanHeld) {
		return notHeld("refuse", key)
	}
	e.endStep()
	return nil
}

func notHeld(verb string, k graph.Key) error {
	return fmt.Errorf("%s cascade %s, uid %q: the brake holds no such cascade: %w", verb, k, k.UID, graph.ErrNotFound)
}

func (a BrakeApproval) validate(what string, now time.Time) error {
	switch {
	case !a.Until.After(now):
		return fmt.Errorf("%s: Until: not in the future: %w", what, graph.ErrInvalid)
	case a.AtMost < 1:
		return fmt.Errorf("%s: AtMost: %d: %w", what, a.AtMost, graph.ErrInvalid)
	}
	return nil
}

func (r Refusal) validate(what string) error {
	if r != KeepHeld && r != OrphanHeld {
		return fmt.Errorf("%s: answer: %s: %w", what, r, graph.ErrInvalid)
	}
	return nil
}
