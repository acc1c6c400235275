package guard

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
	"github.com/ownergraph/ownergraph/internal/core/record"
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
	r := &l.rules[l.at.rule]
	return graph.SelectRequest{Kind: l.at.kind, Selector: r.selector, Label: r.label, Limit: l.page, After: l.after}, true
}

// begin begins a selection. The pause between selections of one key grows: clients that change
// objects all the time must not keep a server busy.
func (l *Labels) begin(v View, k selectKey) {
	s := l.done[k]
	if v.Now.After(s.next.Add(2 * longestPause)) {
		s.begun = 0
	}
	s.begun = min(s.begun+1, 6)
	s.next = v.Now.Add(min(125*time.Millisecond<<s.begun, longestPause))
	l.done[k] = s
	l.at, l.under = k, true
}

// longestPause bounds the time between two selections of one key.
const longestPause = 8 * time.Second

// dueSelect returns the next selection that may begin, and its time.
func (l *Labels) dueSelect(v View) (k selectKey, at time.Time, ok bool) {
	for _, x := range l.wanted {
		if t := l.done[x].next; v.Kinds.Sick(x.kind) == "" && v.Kinds.Of(x.kind).Part && (!ok || t.Before(at)) {
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
	return l.under || slices.ContainsFunc(l.wanted, func(k selectKey) bool {
		return v.Kinds.Sick(k.kind) == "" && l.done[k].err == ""
	})
}

// SetSelectCall notes the call that NextSelect led to, and its moment.
func (l *Labels) SetSelectCall(id uint64, began seq.Stamp) {
	l.call = id
	if l.began == 0 {
		l.began = began
		l.wanted = slices.DeleteFunc(l.wanted, func(k selectKey) bool { return k == l.at })
	}
}

// Requested reports whether the page of a call under way is of these selections.
func (l *Labels) Requested(id uint64) bool { return l.call == id && id != 0 }

// ReturnSelect takes back the page under way, which no worker has requested.
func (l *Labels) ReturnSelect() { l.call = 0 }

// SelectDone takes the page under way that the call returned, or its error. Wait is the store's
// own delay after the error.
func (l *Labels) SelectDone(v View, page graph.SelectPage, err error, wait time.Duration) {
	l.call = 0
	if err == nil {
		err = l.unsound(&page)
	}
	if err != nil {
		l.failed(v, err, wait)
		return
	}
	for _, o := range page.Objects {
		l.matches[matchKey{l.at.rule, o.Key}] = match{o.Version, o.Value, l.began}
	}
	if l.after = page.More; l.after != "" {
		return
	}
	at, s := l.at, l.done[l.at]
	s.began, s.err = l.began, ""
	l.done[at] = s
	l.end()
	maps.DeleteFunc(l.matches, func(k matchKey, m match) bool { // this one did not bring them
		return k.rule == at.rule && k.key.Kind == at.kind && m.began < s.began
	})
	for _, id := range slices.Sorted(maps.Keys(l.waiting)) {
		v.Out.Wake(id)
	}
	clear(l.waiting)
}

// end gives up the selection under way, or ends it.
func (l *Labels) end() { l.at, l.under, l.began, l.after, l.call = selectKey{}, false, 0, "", 0 }

// unsound returns the fault of a page. A store's mistaken answer proves nothing.
func (l *Labels) unsound(page *graph.SelectPage) error {
	bad := func(cause string) error {
		return fmt.Errorf("select %s by %q: %s: %w", l.at.kind, l.rules[l.at.rule].selector, cause, graph.ErrInvalid)
	}
	if page.More != "" && page.More == l.after {
		return bad("the next page is this one")
	}
	for _, o := range page.Objects {
		if o.Key.Kind != l.at.kind || o.Key.UID == "" || o.Version == "" {
			return bad(fmt.Sprintf("answered with %s at version %q", o.Key, o.Version))
		}
	}
	return nil
}

// failed has a selection begun anew, after a pause.
func (l *Labels) failed(v View, err error, wait time.Duration) {
	k := l.at
	v.Out.Warn("selection failed", "kind", string(k.kind), "selector", l.rules[k.rule].selector, "err", err)
	l.end()
	s := l.done[k]
	s.err, s.next = record.ErrorText(err), v.Now.Add(max(wait, time.Second<<s.begun))
	l.done[k] = s
	l.want(v, k, v.Stamps.Last())
}

// DropSelects forgets the selections of the kinds that take no part any more.
func (l *Labels) DropSelects(v View) {
	out := func(k selectKey) bool { return !v.Kinds.Of(k.kind).Part }
	l.wanted = slices.DeleteFunc(l.wanted, out)
	maps.DeleteFunc(l.done, func(k selectKey, _ selection) bool { return out(k) })
	if l.under && out(l.at) {
		l.end()
	}
}

// Unselected names the kinds whose selection failed, or that are sick, each with the reason.
func (l *Labels) Unselected(v View, kind graph.Kind) (out []string) {
	for _, k := range l.wanted {
		why := v.Kinds.Sick(k.kind)
		if why == "" {
			why = l.done[k].err
		}
		if k.kind == kind && why != "" {
			out = append(out, string(kind)+": "+why)
		}
	}
	return slices.Compact(out)
}

// Failing names the kinds of which a wanted selection has failed, each with the reason.
func (l *Labels) Failing() (out []string) {
	for _, k := range l.wanted {
		if why := l.done[k].err; why != "" {
			out = append(out, string(k.kind)+": "+why)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// CheckLabels verifies the invariants of Labels.
func (l *Labels) CheckLabels() error {
	switch {
	case l.under && l.at.rule >= len(l.rules):
		return fmt.Errorf("guard: a selection of rule %d is under way, which has no selector", l.at.rule)
	case !slices.IsSortedFunc(l.wanted, selectKey.compare):
		return fmt.Errorf("guard: the wanted selections are not sorted")
	}
	return nil
}

// HashLabels writes the state to the printer.
func (l *Labels) HashLabels(p *fingerprint.Printer, after func(seq.Stamp)) {
	if len(l.rules) == 0 {
		return
	}
	for _, k := range slices.SortedFunc(maps.Keys(l.done), selectKey.compare) {
		s := l.done[k]
		p.Word(uint64(k.rule))
		p.Text(string(k.kind))
		after(s.began)
		p.Until(s.next)
	}
	for _, k := range l.wanted {
		p.Word(uint64(k.rule))
		p.Text(string(k.kind))
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
