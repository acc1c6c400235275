package invariant

import (
	"slices"

	"github.com/ownergraph/ownergraph/engine"
)

// JudgeRefused judges a write as Judge does, for an engine whose brake a user has answered with orphan
// (RULES, G5). The engine takes the references off by which it otherwise deletes the object. So the
// deletion has to be right, and the owners of these references are absent.
//
//test:by TestJudgeRefused
func (l *Ledger) JudgeRefused(c engine.Call) error {
	if bad := l.judgeRefused(c); bad != nil {
		return bad
	}
	return nil
}

func (l *Ledger) judgeRefused(c engine.Call) *Breach {
	d, bad := l.target(c)
	if d == nil || bad != nil {
		return bad
	}
	more := c.Change
	more.DropOwners = nil
	if c.Type != engine.CallPatch || !more.IsZero() {
		return &Breach{Rule: "G5", Object: d.Key, text: "the cascade of %[1]s is refused, and the engine does more than to drop references"}
	}
	for i := range c.Change.DropOwners {
		at := slices.IndexFunc(d.Owners, c.Change.DropOwners[i].Same)
		if at < 0 {
			continue
		}
		r := &d.Owners[at]
		o, lives := l.owner(d, r)
		switch {
		case !ends(r):
			return &Breach{Rule: "G5", Object: d.Key, Other: r.Key, text: "the cascade of %[1]s is refused, and the reference to %[2]s, which the engine drops, deletes nothing"}
		case lives && !l.past(d.Key, o.Key).unborn:
			return l.withheld(&Breach{Rule: "S4", Object: d.Key, Other: o.Key, text: "the cascade of %[1]s is refused, and the engine drops the reference to %[2]s, which lives"}, o)
		}
	}
	_, bad = l.judgeOwners(d)
	return bad
}
