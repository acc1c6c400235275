package guards

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/selecting"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// NextSelect returns the request for the next page of a selection, if one is due. SetSelectCall
// follows. The selection of a sick kind waits until the kind has recovered.
func (l *Labels) NextSelect(v View) (req graph.SelectRequest, ok bool) {
	if l.call != 0 || !l.under && len(l.wanted) == 0 {
		return req, false
	}
	if !l.under {
		k, at, ok := l.dueSelect(v)
		if !ok || v.Now.Before(at) {
			return req, false
		}
		l.begin(v, k)
	}
	return l.request(), true
}

// request returns the request for the next page of the selection under way.
func (l *Labels) request() graph.SelectRequest {
	r := &l.rules[l.at.Rule]
	return graph.SelectRequest{Kind: l.at.Kind, Selector: r.selector, Label: r.label, Limit: l.page, After: l.after}
}

// begin begins a selection.
func (l *Labels) begin(v View, k selecting.Key) {
	s := l.done[k]
	s.pace = s.pace.Begin(v.Now)
	l.done[k] = s
	l.at, l.under = k, true
}

// dueSelect returns the next selection that may begin, and its time.
func (l *Labels) dueSelect(v View) (k selecting.Key, at time.Time, ok bool) {
	for _, x := range l.wanted {
		if t := l.done[x].pace.Next; v.Kinds.Sick(x.Kind) == "" && v.Kinds.Of(x.Kind).Part && (!ok || t.Before(at)) {
			k, at, ok = x, t, true
		}
	}
	return k, at, ok
}

// SelectAt returns the time of the next request for a page, false for none.
func (l *Labels) SelectAt(v View) (time.Time, bool) {
	if l.under {
		return v.Now, l.call == 0
	}
	_, at, ok := l.dueSelect(v)
	return at, ok
}

// Busy reports whether a selection is under way or wanted that the store can answer now.
func (l *Labels) Busy(v View) bool {
	return l.under || slices.ContainsFunc(l.wanted, func(k selecting.Key) bool {
		return v.Kinds.Sick(k.Kind) == "" && l.done[k].err == ""
	})
}

// SetSelectCall notes the call that NextSelect led to, and its moment.
func (l *Labels) SetSelectCall(id uint64, began seq.Stamp) {
	l.call = id
	if l.began == 0 {
		l.began = began
		l.wanted = slices.DeleteFunc(l.wanted, func(k selecting.Key) bool { return k == l.at })
	}
}

// ReturnSelect takes back a page that no worker has requested.
func (l *Labels) ReturnSelect(id uint64) {
	if l.call == id { // the same page is requested again
		l.call = 0
	}
}

// Forgo takes back the selections that objects and roots wait for. They ask again when they are decided.
func (l *Labels) Forgo() {
	l.wanted = nil
	l.end()
	clear(l.waiting)
}

// SelectDone takes the page that a call returned, or its error. Wait is the store's own delay after
// the error.
func (l *Labels) SelectDone(v View, id uint64, page graph.SelectPage, err error, wait time.Duration) {
	if l.call != id { // it was given up, or is of others
		return
	}
	l.call = 0
	if err == nil {
		err = selecting.CheckPage(l.request(), &page)
	}
	if err != nil {
		l.failed(v, err, wait)
		return
	}
	for _, o := range page.Objects {
		l.matches[matchKey{l.at.Rule, o.Key}] = match{o.Version, o.Value, l.began}
	}
	if l.after = page.More; l.after != "" {
		return
	}
	at, s := l.at, l.done[l.at]
	s.began, s.err = l.began, ""
	l.done[at] = s
	l.end()
	maps.DeleteFunc(l.matches, func(k matchKey, m match) bool { // this one did not bring them
		return k.rule == at.Rule && k.key.Kind == at.Kind && m.began < s.began
	})
	for _, id := range slices.Sorted(maps.Keys(l.waiting)) {
		v.Out.Wake(id)
	}
	clear(l.waiting)
}

// end gives up the selection under way, or ends it.
func (l *Labels) end() { l.at, l.under, l.began, l.after, l.call = selecting.Key{}, false, 0, "", 0 }

// failed ends a selection, which begins anew after a pause.
func (l *Labels) failed(v View, err error, wait time.Duration) {
	k := l.at
	l.end()
	s, cause := l.done[k], record.ErrorText(err)
	if s.err != cause {
		v.Out.Warn("selection failed", "kind", string(k.Kind), "selector", l.rules[k.Rule].selector, "err", err)
	}
	s.err, s.pace = cause, s.pace.Fail(v.Now, wait)
	l.done[k] = s
	l.want(v, k, v.Stamps.Last())
}

// ResumeSelects retries at once the selections that failed while the kind was sick.
//
//test:by TestResumeSelects
func (l *Labels) ResumeSelects(v View, kind graph.Kind) {
	for _, k := range l.wanted {
		if s := l.done[k]; k.Kind == kind && s.err != "" {
			s.pace.Next = v.Now
			l.done[k] = s
		}
	}
}

// DropSelects forgets the selections of the kinds that no longer take part.
func (l *Labels) DropSelects(v View) {
	out := func(k selecting.Key) bool { return !v.Kinds.Of(k.Kind).Part }
	l.wanted = slices.DeleteFunc(l.wanted, out)
	maps.DeleteFunc(l.done, func(k selecting.Key, _ selection) bool { return out(k) })
	if l.under && out(l.at) {
		l.end()
	}
}

// Unselected names the kinds whose selection failed, or that are sick, each with the reason.
func (l *Labels) Unselected(v View, kind graph.Kind) (out []string) {
	for _, k := range l.wanted {
		why := v.Kinds.Sick(k.Kind)
		if why == "" {
			why = l.done[k].err
		}
		if k.Kind == kind && why != "" {
			out = append(out, string(kind)+": "+why)
		}
	}
	return slices.Compact(out)
}

// Failing names the kinds of which a wanted selection has failed, each with the reason.
func (l *Labels) Failing() (out []string) {
	for _, k := range l.wanted {
		if why := l.done[k].err; why != "" {
			out = append(out, string(k.Kind)+": "+why)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Check verifies the invariants of Labels.
func (l *Labels) Check() error {
	switch {
	case l.under && l.at.Rule >= len(l.rules):
		return fmt.Errorf("guard: a selection of rule %d is under way, which has no selector", l.at.Rule)
	case !slices.IsSortedFunc(l.wanted, selecting.Key.Compare):
		return fmt.Errorf("guard: the wanted selections are not sorted")
	}
	return nil
}

// Hash writes the state to the printer.
func (l *Labels) Hash(p *fingerprint.Printer, after func(seq.Stamp)) {
	if len(l.rules) == 0 {
		return
	}
	for _, k := range slices.SortedFunc(maps.Keys(l.done), selecting.Key.Compare) {
		s := l.done[k]
		k.Hash(p)
		after(s.began)
		s.pace.Hash(p)
	}
	for _, k := range l.wanted {
		k.Hash(p)
	}
	l.hashMatches(p, after)
	p.Flags(l.under, l.call != 0)
	p.Text(l.after)
	p.Set(slices.Sorted(maps.Keys(l.waiting)))
}

// hashMatches writes the objects that selections have shown.
func (l *Labels) hashMatches(p *fingerprint.Printer, after func(seq.Stamp)) {
	keys := slices.SortedFunc(maps.Keys(l.matches), func(a, b matchKey) int {
		return cmp.Or(cmp.Compare(a.rule, b.rule), a.key.Compare(b.key))
	})
	for _, k := range keys {
		m := l.matches[k]
		p.Word(uint64(k.rule))
		p.Key(k.key)
		p.Version(k.key, m.version)
		p.Text(m.value)
		after(m.began)
	}
	p.Word(uint64(len(keys)))
}
