package invariant

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// Judge returns what a write of an engine breaks, nil if nothing. It is called
// before the write is committed, and only for one that the store will commit:
// what a conflict turns away does no harm.
func (l *Ledger) Judge(c ownergraph.Call) error {
	d, ok := l.live(c.Key.UID)
	if !ok {
		return nil
	}
	pre := c.Precondition
	if c.Type == ownergraph.CallDelete {
		pre = c.Options.Precondition
	}
	if pre.UID == "" || pre.Version == "" {
		return fmt.Errorf("S5: %s %s: no UID or version", c.Type, c.Key)
	}
	if c.Type == ownergraph.CallDelete {
		return l.judgeDelete(d)
	}
	if err := l.judgeDrops(d, c.Change.DropOwners); err != nil {
		return err
	}
	for _, r := range c.Change.Unblock {
		if p := l.past(d.UID, r.UID); p.blocked && !p.ringed {
			return fmt.Errorf("S3r: %s is unblocked from %s outside of a ring of waiting objects", d.Key, r.Key)
		}
	}
	return l.judgeRelease(d, c.Change.DropFinalizer)
}

func (l *Ledger) judgeDelete(d graph.Object) error {
	refs := 0
	for _, r := range d.Owners {
		if self(d, r) {
			continue
		}
		refs++
		o, ok := l.owner(d, r)
		if !ok {
			continue
		}
		p := l.past(d.UID, o.UID)
		if p.kept && !p.waited {
			return fmt.Errorf("S2: %s is deleted, its owner %s leaves it", d.Key, o.Key)
		}
		if !p.waited {
			return fmt.Errorf("S1: %s is deleted, its owner %s lives and never waited since", d.Key, o.Key)
		}
	}
	if refs == 0 {
		return fmt.Errorf("S1b: %s is deleted and has no owner", d.Key)
	}
	if !slices.Contains(l.free, d.UID) {
		return fmt.Errorf("S1c: %s is deleted, at every instant since an owner of it was solid", d.Key)
	}
	return nil
}

func (l *Ledger) judgeDrops(d graph.Object, drops []graph.Owner) error {
	for _, r := range drops {
		o, ok := l.owner(d, r)
		if !ok {
			continue
		}
		p := l.past(d.UID, o.UID)
		if !p.waited && !p.orphaned {
			return fmt.Errorf("S4: %s loses its reference to %s, which neither waited nor orphaned since", d.Key, o.Key)
		}
		if p.blocked && !p.orphaned && !p.beside {
			return fmt.Errorf("S3t: %s is trimmed of %s, no other owner was solid", d.Key, o.Key)
		}
	}
	return nil
}

func (l *Ledger) judgeRelease(o graph.Object, finalizer string) error {
	for _, p := range l.pasts {
		if p.owner != o.UID {
			continue
		}
		if finalizer == graph.FinalizerForeground && p.blocked {
			return fmt.Errorf("S3: %s ends, %s still blocks it", o.Key, p.dep)
		}
		if finalizer == graph.FinalizerOrphan && p.kept {
			return fmt.Errorf("S2: %s ends, %s still refers to it", o.Key, p.dep)
		}
	}
	return nil
}

// Words yields all that a ledger holds, for a fingerprint.
func (l *Ledger) Words(yield func(text string, flags uint64)) {
	for _, p := range l.pasts {
		flags := uint64(0)
		for _, f := range [...]bool{p.waited, p.orphaned, p.beside, p.ringed, p.kept, p.blocked} {
			flags <<= 1
			if f {
				flags |= 1
			}
		}
		if flags != 0 {
			yield(string(p.dep)+">"+string(p.owner), flags)
		}
	}
	for _, u := range l.free {
		yield(string(u), 1)
	}
}
