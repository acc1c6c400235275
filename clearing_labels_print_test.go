package ownergraph

import "time"

// fillLabels has c shown with a label, and another page under way.
func (e *Engine) fillLabels() {
	l := &e.clear.labels
	c := e.idOf("c")
	k := passKey{0, "c"}
	l.marks[markKey{c, 0}] = mark{version: "5", value: "x", began: e.seq.Stamp()}
	l.passes[k] = pass{began: e.seq.Last(), next: e.now.Add(time.Second), begun: 1}
	l.wanted = []passKey{k}
	l.at, l.under, l.began, l.selector, l.label, l.after, l.call = k, true, e.seq.Stamp(), "l in (b)", "l", "1", 9
}

func labelChanges() []fieldChange {
	k := passKey{0, "c"}
	passChange := func(field string, change func(p *pass)) fieldChange {
		return fieldChange{"pass." + field, func(e *Engine) { entryChange(e.clear.labels.passes, k, change) }}
	}
	markChange := func(field string, change func(m *mark)) fieldChange {
		return fieldChange{"mark." + field, func(e *Engine) { entryChange(e.clear.labels.marks, markKey{e.idOf("c"), 0}, change) }}
	}
	selectChange := func(field string, change func(l *labels)) fieldChange {
		return fieldChange{"selects." + field, func(e *Engine) { change(&e.clear.labels) }}
	}
	return []fieldChange{
		{"clearing.fenced", func(e *Engine) { e.clear.runs[e.clear.last].fenced = e.seq.Stamp() }},
		{"clearing.hinted", func(e *Engine) { e.clear.runs[e.clear.last].hinted = e.seq.Stamp() }},
		{"clearings.labels", func(e *Engine) { e.clear.labels.forget() }},
		{"labels.marks", func(e *Engine) { clear(e.clear.labels.marks) }},
		{"labels.selects", func(e *Engine) { e.clear.labels.end() }},
		selectChange("passes", func(l *labels) { clear(l.passes) }),
		selectChange("wanted", func(l *labels) { l.wanted = nil }),
		selectChange("at", func(l *labels) { l.at.kind = "b" }),
		selectChange("under", func(l *labels) { l.under = false }),
		selectChange("began", func(l *labels) { l.began = 1 }),
		selectChange("selector", func(l *labels) { l.selector = "l" }),
		selectChange("label", func(l *labels) { l.label = "" }),
		selectChange("after", func(l *labels) { l.after = "2" }),
		selectChange("call", func(l *labels) { l.call = 0 }),
		selectChange("unmet", func(l *labels) { l.unmet = true }),
		passChange("began", func(p *pass) { p.began = 1 }),
		passChange("unmet", func(p *pass) { p.unmet = true }),
		passChange("next", func(p *pass) { p.next = p.next.Add(1) }),
		passChange("begun", func(p *pass) { p.begun = 2 }),
		passChange("outside", func(p *pass) { p.outside = true }),
		passChange("err", func(p *pass) { p.err = "x" }),
		markChange("version", func(m *mark) { m.version = "4" }),
		markChange("value", func(m *mark) { m.value = "y" }),
		markChange("began", func(m *mark) { m.began = 1 }),
	}
}
