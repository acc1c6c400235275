package invariant

import (
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

// Judge returns a *Breach, or nil for a write that breaks no invariant. The caller
// judges a write before its commit, and only if the store will commit it. A write
// that meets a conflict does no harm.
func (l *Ledger) Judge(c engine.Call) error {
	if bad := l.judge(c); bad != nil {
		return bad
	}
	return nil
}

func (l *Ledger) judge(c engine.Call) *Breach {
	d, bad := l.target(c)
	switch {
	case d == nil || bad != nil:
		return bad
	case c.Type == engine.CallDelete:
		return l.judgeDelete(d, c.Options.Propagation)
	}
	if bad := l.judgeGuard(d, c.Change); bad != nil {
		return bad
	}
	if bad := l.judgeDrops(d, c.Change.DropOwners); bad != nil {
		return bad
	}
	for i := range c.Change.Unblock {
		o, ok := l.owner(d, &c.Change.Unblock[i])
		if !ok {
			continue
		}
		if p := l.past(d.Key, o.Key); p.blocked && !p.ringed {
			return l.withheld(&Breach{Rule: "S3r", Object: d.Key, Other: o.Key, text: "%[1]s is unblocked from %[2]s outside of a ring of waiting objects"}, o)
		}
	}
	return l.judgeRelease(d, c.Change.DropFinalizer)
}

// target returns the object of a write, nil for none, and finds a write under another UID or version.
func (l *Ledger) target(c engine.Call) (*graph.Object, *Breach) {
	d, ok := l.at(c.Key)
	if !ok {
		return nil, nil
	}
	switch pre := precondition(c); {
	case pre.UID == "" || pre.Version == "":
		return d, &Breach{Rule: "S5", Object: c.Key, text: "%[3]s %[1]s: no UID or version", detail: c.Type.String()}
	case d.UID != c.Key.UID || d.UID != pre.UID:
		return d, &Breach{Rule: "S6", Object: c.Key, Other: d.Key, text: "a write of %[1]s meets another incarnation, UID %[3]s", detail: string(d.UID)}
	case d.Version != pre.Version:
		return d, &Breach{Rule: "S5", Object: c.Key, text: "a write of %[1]s meets version %[3]s, which is not its own", detail: string(d.Version)}
	}
	return d, nil
}

func precondition(c engine.Call) graph.Precondition {
	if c.Type == engine.CallDelete {
		return c.Options.Precondition
	}
	return c.Precondition
}

func (l *Ledger) judgeDelete(d *graph.Object, as graph.Propagation) *Breach {
	switch {
	case d.Deleting && as == graph.Foreground && d.HasFinalizer(graph.FinalizerHold) && d.HasFinalizer(graph.FinalizerNew):
		return nil // the deletion is repeated before the verdict, for an order (G7)
	case !d.Deleting && l.protects(d):
		return &Breach{Rule: "G1", Object: d.Key, text: "the engine deletes %[1]s, which is protected"}
	case l.Strict && !d.Deleting && l.restricted(d):
		return &Breach{Rule: "E4", Object: d.Key, text: "the store takes a deletion of %[1]s, which is restricted"}
	}
	waits, bad := l.judgeOwners(d)
	own := d.Propagation()
	switch {
	case bad != nil:
		return bad
	case !l.Override && own != graph.Unset && as != graph.Unset && as != own:
		return &Breach{Rule: "S14", Object: d.Key, text: "the engine deletes %[1]s with the propagation %[3]s, and its finalizer asks for another", detail: as.String()}
	case waits && own == graph.Unset && as == graph.Background:
		return l.judgeBackground(d)
	}
	return nil
}

// judgeBackground finds a background deletion that lets a waiting owner end early.
// Dependents block the deleted object since before the owner's mark. The owner
// would end before them, so the deletion has to be foreground.
func (l *Ledger) judgeBackground(d *graph.Object) *Breach {
	for i := range l.pasts {
		if p := &l.pasts[i]; p.below && p.owner == d.Key {
			return &Breach{Rule: "S3b", Object: d.Key, Other: p.dep, Ends: true, text: "%[1]s ends, %[2]s still blocks it, and its owner waits"}
		}
	}
	return nil
}

func (l *Ledger) judgeDrops(d *graph.Object, drops []graph.Owner) *Breach {
	for i := range drops {
		if bad := l.judgePolicy(d, drops, i); bad != nil {
			return bad
		}
		o, ok := l.owner(d, &drops[i])
		if !ok || slices.Contains(l.shared, o.UID) && (drops[i].Unresolved || l.orphansElsewhere(o)) { // the reference may mean another object
			continue
		}
		p := l.past(d.Key, o.Key)
		policy := policyOf(d, &drops[i])
		if waited := p.waited && policy != graph.OnDeleteCascade; !waited && !p.orphaned && !p.unborn {
			return l.withheld(&Breach{Rule: "S4", Object: d.Key, Other: o.Key, text: "the engine drops the reference of %[1]s to %[2]s, which neither waited nor orphaned since"}, o)
		}
		if p.blocked && !p.orphaned && !p.beside && policy == graph.OnDeleteUnset {
			return &Breach{Rule: "S3t", Object: d.Key, Other: o.Key, text: "the engine trims the reference of %[1]s to %[2]s, and no other owner was solid"}
		}
	}
	return nil
}

// orphansElsewhere reports whether another object with the UID of the owner orphans its dependents. It
// does so by the UID, for an engine that has not observed the owner.
func (l *Ledger) orphansElsewhere(owner *graph.Object) bool {
	return slices.ContainsFunc(l.objects, func(x graph.Object) bool { return x.UID == owner.UID && x.Key != owner.Key && l.orphans(&x) })
}

func (l *Ledger) judgeRelease(o *graph.Object, finalizer string) *Breach {
	if finalizer == "" {
		return nil
	}
	for i := range l.pasts {
		p := &l.pasts[i]
		if p.owner != o.Key {
			continue
		}
		if (finalizer == graph.FinalizerForeground || finalizer == graph.FinalizerOrphan) && p.restricts {
			return &Breach{Rule: "E4", Object: o.Key, Other: p.dep, Ends: true, text: "%[1]s ends, %[2]s restricts it"}
		}
		if finalizer == graph.FinalizerForeground && p.blocked {
			return &Breach{Rule: "S3", Object: o.Key, Other: p.dep, Ends: true, text: "%[1]s ends, %[2]s still blocks it"}
		}
		if finalizer == graph.FinalizerOrphan && p.elsewhere {
			return &Breach{Rule: "S2", Object: o.Key, Other: p.dep, Ends: true, text: "%[1]s ends, %[2]s still refers to its UID at other coordinates"}
		}
		if finalizer == graph.FinalizerOrphan && p.kept {
			return &Breach{Rule: "S2", Object: o.Key, Other: p.dep, Ends: true, text: "%[1]s ends, %[2]s still refers to it"}
		}
	}
	if l.Strict {
		return l.judgeLeft(o, finalizer)
	}
	return nil
}

// judgeLeft finds an object that still refers to o at its end. A store of level 3 refused
// the reference after the mark, so it does not matter when it was committed.
func (l *Ledger) judgeLeft(o *graph.Object, finalizer string) *Breach {
	for i := range l.objects {
		d := &l.objects[i]
		for j := range d.Owners {
			r := &d.Owners[j]
			switch {
			case r.Unresolved || r.Key != o.Key || d.Key == o.Key:
			case finalizer == graph.FinalizerForeground && r.Block:
				return &Breach{Rule: "S3", Object: o.Key, Other: d.Key, Ends: true, text: "%[1]s ends, %[2]s blocks it, and the store has level 3"}
			case finalizer == graph.FinalizerOrphan:
				return &Breach{Rule: "S2", Object: o.Key, Other: d.Key, Ends: true, text: "%[1]s ends, %[2]s refers to it, and the store has level 3"}
			}
		}
	}
	return nil
}

// Words yields the content of a ledger for a fingerprint, in a fixed order. Two
// ledgers with the same content yield the same words.
func (l *Ledger) Words(yield func(text string, flags uint64)) {
	type word struct {
		text  string
		flags uint64
	}
	var words []word
	for _, p := range l.pasts {
		flags := uint64(0)
		for _, f := range [...]bool{p.restricts, p.waited, p.orphaned, p.beside, p.ringed, p.kept, p.elsewhere, p.blocked, p.below} {
			flags <<= 1
			if f {
				flags |= 1
			}
		}
		if flags != 0 {
			words = append(words, word{string(p.dep.UID) + ">" + string(p.owner.UID), flags})
		}
	}
	for _, k := range l.free {
		words = append(words, word{string(k.UID), 1})
	}
	for _, u := range l.shared {
		words = append(words, word{string(u), 2})
	}
	for _, u := range l.spared {
		if l.policies {
			words = append(words, word{string(u), 3})
		}
	}
	slices.SortFunc(words, func(a, b word) int { return strings.Compare(a.text, b.text) })
	for _, w := range words {
		yield(w.text, w.flags)
	}
}
