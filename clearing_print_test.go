package ownergraph

import (
	"time"

	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// fillClearings has b swept, of which c is a member.
func (e *Engine) fillClearings() {
	b, c := e.idOf("b"), e.idOf("c")
	r := e.beginClearing(0, b, e.graph.Node(b).Object())
	id := e.clear.last
	e.clear.members[c] = []membership{{run: id, kind: "c", since: e.seq.Stamp()}}
	r.need, r.sought, r.proved, r.seen, r.asked = e.seq.Stamp(), e.seq.Stamp(), e.seq.Stamp(), 1, e.seq.Stamp()
	r.left[0], r.members, r.kinds["c"] = 1, 1, 1
	r.next = e.now.Add(time.Second)
	e.clear.walk, e.clear.again, e.clear.began, e.clear.walked = 1, false, e.seq.Stamp(), 1
	e.clear.due = e.now.Add(time.Minute)
	h := e.graph.Node(b).Key()
	e.clear.dying[b], e.clear.lapsed, e.clear.latest, e.clear.yielded[holderName{0, h.Scope, h.Name}] = 1, 1, 1, 1
	f := e.flights[2]
	f.run = 0
	e.flights[2] = f
	e.fillLabels()
}

func clearingChange(field string, change func(r *clearing)) fieldChange {
	return fieldChange{"clearing." + field, func(e *Engine) { change(e.clear.runs[e.clear.last]) }}
}

func clearingChanges() []fieldChange {
	const late = seq.Stamp(1 << 40)
	member := func(field string, change func(m *membership)) fieldChange {
		return fieldChange{"membership." + field, func(e *Engine) {
			m := e.clear.members[e.idOf("c")][0]
			change(&m)
			e.clear.members[e.idOf("c")] = []membership{m}
		}}
	}
	return []fieldChange{
		flightChange("run", 2, func(f *flight) { f.run = 1 }),
		{"clearings.runs", func(e *Engine) { clear(e.clear.runs) }},
		{"clearings.members", func(e *Engine) { clear(e.clear.members) }},
		{"clearings.walk", func(e *Engine) { e.clear.walk = 0 }},
		{"clearings.again", func(e *Engine) { flip(&e.clear.again) }},
		{"clearings.began", func(e *Engine) { e.clear.began = 1 }},
		{"clearings.walked", func(e *Engine) { e.clear.walked = late }},
		{"clearings.stir", func(e *Engine) { flip(&e.clear.stir) }},
		{"clearings.due", func(e *Engine) { e.clear.due = time.Time{} }},
		{"clearings.dying", func(e *Engine) { e.clear.dying[e.idOf("b")] = late }},
		{"clearings.yielded", func(e *Engine) {
			for name := range e.clear.yielded {
				e.clear.yielded[name] = late
			}
		}},
		{"clearings.latest", func(e *Engine) { e.clear.latest = late }},
		{"clearings.lapsed", func(e *Engine) { e.clear.lapsed = late }},
		{"clearings.proofs", func(e *Engine) { e.clear.proofs = e.now.Add(time.Second) }},
		{"clearings.ends", func(e *Engine) { e.clear.ends = e.now.Add(time.Second) }},
		clearingChange("paced", func(r *clearing) { flip(&r.paced) }),
		clearingChange("plan", func(r *clearing) { r.plan = 1 }),
		clearingChange("node", func(r *clearing) { r.node = 0 }),
		clearingChange("holder", func(r *clearing) { r.holder.Version = "9" }),
		clearingChange("turned", func(r *clearing) { r.turned = 1 }),
		clearingChange("seen", func(r *clearing) { r.seen = late }),
		clearingChange("need", func(r *clearing) { r.need = 0 }),
		clearingChange("sought", func(r *clearing) { r.sought = 0 }),
		clearingChange("proved", func(r *clearing) { r.proved = 0 }),
		clearingChange("asked", func(r *clearing) { r.asked = 1 }),
		clearingChange("read", func(r *clearing) { flip(&r.read) }),
		clearingChange("halted", func(r *clearing) { flip(&r.halted) }),
		clearingChange("over", func(r *clearing) { flip(&r.over) }),
		clearingChange("bare", func(r *clearing) { flip(&r.bare) }),
		clearingChange("done", func(r *clearing) { flip(&r.done) }),
		clearingChange("waves", func(r *clearing) { r.waves++ }),
		clearingChange("next", func(r *clearing) { r.next = time.Time{} }),
		member("run", func(m *membership) { m.run = 0 }),
		member("phase", func(m *membership) { m.phase = 1 }),
		member("since", func(m *membership) { m.since = late }),
		member("owned", func(m *membership) { flip(&m.owned) }),
		member("fixed", func(m *membership) { flip(&m.fixed) }),
	}
}
