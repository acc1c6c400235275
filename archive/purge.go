package archive

import (
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// Ended returns the entries that may be purged at this time, sorted (RULES, A6). The entries are all of a store, or
// those that hang together. Ends reports whether the object with the UID is marked, and has not ended, as World.Ends does.
//
//   - An explicit entry stays until its time is over and no hold is left.
//   - A cascade entry stays as long as its references lead to an explicit one, or a hold is on it. A release reference
//     leads nowhere.
//   - A cascade entry stays, too, as long as its references lead to a marked object. The entry of that one comes later: a
//     foreground owner ends after its dependents, and the holder of a sweep after its members.
//   - A restored entry stays, too, as long as one that stays and was not restored names it. Otherwise that one would
//     not find the new object.
//
//test:by TestEnded
func Ended(entries []Entry, now time.Time, ends func(graph.UID) bool) []graph.UID {
	p := purge{entries: entries, at: make(map[graph.UID]int, len(entries)), stays: make([]bool, len(entries))}
	below := map[graph.UID][]int{}
	var todo []int
	for i := range entries {
		e := &entries[i]
		p.at[e.Object.UID] = i
		stays := e.Explicit && (e.Until.IsZero() || now.Before(e.Until) || e.IsHeld(now))
		for _, r := range e.references() {
			if leads(r.OnDelete) {
				below[r.UID] = append(below[r.UID], i)
				stays = stays || !e.Explicit && ends != nil && ends(r.UID)
			}
		}
		if stays {
			todo = append(todo, i)
		}
	}
	for at := 0; at < len(todo); at++ {
		if i := todo[at]; !p.stays[i] {
			p.stays[i] = true
			todo = append(todo, slices.DeleteFunc(slices.Clone(below[entries[i].Object.UID]), func(d int) bool { return entries[d].Explicit })...)
		}
	}
	return p.result(now)
}

// purge is one computation of Ended.
type purge struct {
	entries []Entry
	at      map[graph.UID]int
	stays   []bool
}

func (p *purge) result(now time.Time) (out []graph.UID) {
	for i := range p.entries {
		p.stays[i] = p.stays[i] || p.entries[i].IsHeld(now)
	}
	named := make([]bool, len(p.entries))
	for i := range p.entries {
		if e := &p.entries[i]; p.stays[i] && !e.IsRestored() {
			for _, r := range e.references() {
				if o, ok := p.at[r.UID]; ok {
					named[o] = true
				}
			}
		}
	}
	for i := range p.entries {
		if e := &p.entries[i]; !p.stays[i] && !(named[i] && e.IsRestored()) {
			out = append(out, e.Object.UID)
		}
	}
	slices.Sort(out)
	return out
}
