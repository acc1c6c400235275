package ownergraph

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// selects follows the one selection that is under way, page by page. It serves
// whoever wanted one before it began.
type selects struct {
	passes map[passKey]pass
	wanted []passKey // sorted

	at       passKey // the one under way
	under    bool
	began    seq.Stamp // when its first page was asked for, 0 before that
	selector string
	label    string
	after    string // More of the last page
	call     CallID // the page under way, 0 without one
	unmet    bool
}

// passKey names the selections of an ask among the objects of a kind.
type passKey struct {
	ask  int
	kind Kind
}

func (k passKey) compare(o passKey) int {
	return cmp.Or(cmp.Compare(k.ask, o.ask), strings.Compare(string(k.kind), string(o.kind)))
}

// pass is what is known of such selections.
type pass struct {
	began seq.Stamp // the newest one that is complete
	unmet bool      // that one showed what the graph did not
	next  time.Time // none begins before
	begun int       // how many have begun one after another
	err   string    // what the last one failed with
	// outside says that only somebody outside can help: the store refused it.
	outside bool
}

// wantSelect asks for a selection that begins after the moment.
func (e *Engine) wantSelect(k passKey, after seq.Stamp) {
	s := &e.clear.labels.selects
	if !e.kinds.Part(k.kind) || s.passes[k].began > after || s.under && s.at == k && s.began > after {
		return
	}
	if i, in := slices.BinarySearchFunc(s.wanted, k, passKey.compare); !in {
		s.wanted = slices.Insert(s.wanted, i, k)
	}
}

// unwantSelects forgets what was wanted of kinds, or known, that take no part
// any more.
func (e *Engine) unwantSelects() {
	s := &e.clear.labels.selects
	out := func(k passKey) bool { return !e.kinds.Part(k.kind) }
	s.wanted = slices.DeleteFunc(s.wanted, out)
	maps.DeleteFunc(s.passes, func(k passKey, _ pass) bool { return out(k) })
	if s.under && out(s.at) {
		s.end()
	}
}

// resumeSelects tries again at once what failed while a kind was sick.
func (e *Engine) resumeSelects(kind Kind) {
	s := &e.clear.labels.selects
	for _, k := range s.wanted {
		if p := s.passes[k]; k.kind == kind && p.err != "" {
			p.next, p.outside = e.now, false
			s.passes[k] = p
		}
	}
}

// end gives up the selection under way, or ends it.
func (s *selects) end() {
	s.at, s.under, s.began, s.call = passKey{}, false, 0, 0
	s.selector, s.label, s.after, s.unmet = "", "", "", false
}

// selectPause bounds how far apart the selections of one kind are.
const selectPause = 8 * time.Second

// dueSelect returns the next selection that may begin, and when. One of a sick
// kind waits until that has recovered.
func (e *Engine) dueSelect() (k passKey, at time.Time, ok bool) {
	s := &e.clear.labels.selects
	for _, x := range s.wanted {
		if t := s.passes[x].next; e.kinds.Sick(x.kind) == "" && (!ok || t.Before(at)) {
			k, at, ok = x, t, true
		}
	}
	return k, at, ok
}

// selectsAt returns when there is a page to be asked for.
func (e *Engine) selectsAt() (time.Time, bool) {
	s := &e.clear.labels.selects
	if s.under || len(e.clear.runs) == 0 {
		return e.now, s.under && s.call == 0
	}
	_, at, ok := e.dueSelect()
	return at, ok
}

// selecting reports whether selections are wanted that need nobody's help.
func (e *Engine) selecting() bool {
	s := &e.clear.labels.selects
	return s.under || len(e.clear.runs) > 0 && slices.ContainsFunc(s.wanted, func(k passKey) bool {
		return e.kinds.Sick(k.kind) == "" && !s.passes[k].outside
	})
}

// nextSelect makes c the call for the next page of a selection, if one is due.
func (e *Engine) nextSelect(c *Call) bool {
	s := &e.clear.labels.selects
	if s.call != 0 || !s.under && len(s.wanted) == 0 {
		return false
	}
	if len(e.clear.runs) == 0 {
		e.clear.labels.forget()
		return false
	}
	if !s.under && !e.beginSelect() {
		return false
	}
	*c = Call{Type: CallSelect, Timeout: e.cfg.CallTimeout, Select: SelectRequest{
		Kind: s.at.kind, Selector: s.selector, Label: s.label, Limit: e.cfg.SelectPage, After: s.after,
	}}
	began := e.launch(c, flight{key: Key{Kind: s.at.kind}})
	s.call = c.ID
	if s.began == 0 {
		s.began = began
		s.wanted = slices.DeleteFunc(s.wanted, func(k passKey) bool { return k == s.at })
	}
	return true
}

// beginSelect begins the selection that is due, if one is. One after another they
// become rare: those that change labels all the time must not keep a server busy.
func (e *Engine) beginSelect() bool {
	s := &e.clear.labels.selects
	k, at, ok := e.dueSelect()
	if !ok || e.now.Before(at) {
		return false
	}
	p := s.passes[k]
	if e.now.After(p.next.Add(2 * selectPause)) {
		p.begun = 0
	}
	p.begun = min(p.begun+1, 6)
	p.next = e.now.Add(min(pause(p.begun), selectPause))
	s.passes[k] = p
	s.at, s.under = k, true
	a := e.clear.labels.asks[k.ask]
	s.selector, s.label = e.clear.plans[a.plan].Select(a.members, e.sought(k))
	return true
}

// sought returns the names of the holders that a selection is about: those that
// are being swept, or none for all, where somebody else may have a claim on the
// same objects, which contests them.
func (e *Engine) sought(k passKey) (names []string) {
	a := e.clear.labels.asks[k.ask]
	if slices.Contains(e.clear.sweeps(), k.kind) { // who holds whom is asked of all holders
		return nil
	}
	for i, p := range e.clear.plans {
		for m := range p.Sweep().Members {
			if (ask{i, m}) != a && p.Takes(m, k.kind) {
				return nil
			}
		}
	}
	for _, id := range e.clear.sorted() {
		if r := e.clear.runs[id]; r.plan == a.plan && !r.over {
			names = append(names, r.holder.Key.Name)
		}
	}
	return names
}

// selectDone takes a page.
func (e *Engine) selectDone(id CallID, r Result) {
	s := &e.clear.labels.selects
	if s.call != id { // it was given up
		return
	}
	if s.call = 0; len(e.clear.runs) == 0 {
		e.clear.labels.forget()
		return
	}
	err := cmp.Or(r.Err, s.unsound(r.Selected))
	if err != nil {
		e.selectFailed(err)
		return
	}
	swept := e.sweptNames(e.clear.labels.asks[s.at.ask].plan)
	for _, o := range r.Selected.Objects {
		if !e.show(s.at.ask, o, s.began) && e.matters(s.at.ask, o, swept) {
			s.unmet = true
		}
	}
	if s.after = r.Selected.More; s.after != "" {
		return
	}
	p := s.passes[s.at]
	p.began, p.unmet, p.err, p.outside = s.began, s.unmet, "", false
	s.passes[s.at] = p
	at := s.at
	s.end()
	if p.unmet { // the next one will show it, once the watch has
		e.wantSelect(at, p.began)
	}
	if _, at, ok := e.dueSelect(); !ok || e.now.Before(at) {
		e.walkAgain() // whoever waits has not been told
	}
}

// unsound returns what is wrong with a page: what a store answers by mistake
// proves nothing.
func (s *selects) unsound(page SelectPage) error {
	bad := func(cause string) error {
		return fmt.Errorf("select %s by %q: %s: %w", s.at.kind, s.selector, cause, ErrInvalid)
	}
	if page.More != "" && page.More == s.after {
		return bad("the next page is this one")
	}
	for _, o := range page.Objects {
		if o.Key.Kind != s.at.kind || o.Key.UID == "" || o.Version == "" {
			return bad(fmt.Sprintf("answered with %s at version %q", o.Key, o.Version))
		}
	}
	return nil
}

// selectFailed has a selection begun anew, after a pause.
func (e *Engine) selectFailed(err error) {
	s := &e.clear.labels.selects
	e.cfg.Logger.Warn("selection failed", "kind", string(s.at.kind), "selector", s.selector, "err", err)
	k := s.at
	wait, _ := retryIn(err)
	s.end()
	e.wantSelect(k, e.seq.Last())
	p := s.passes[k]
	p.outside = errors.Is(err, ErrRefused) || errors.Is(err, ErrInvalid)
	p.err, p.next = err.Error(), e.now.Add(max(wait, time.Second<<p.begun))
	s.passes[k] = p
	for _, id := range e.clear.sorted() {
		e.lookAt(e.clear.runs[id])
	}
}

// unselected names the kinds of which nobody can say who belongs to a holder by
// labels, and why.
func (e *Engine) unselected(r *clearing) (out []string) {
	s := &e.clear.labels.selects
	for _, k := range s.wanted {
		why := cmp.Or(e.kinds.Sick(k.kind), s.passes[k].err)
		if e.clear.labels.asks[k.ask].plan == r.plan && why != "" && len(out) < mostDetail {
			out = append(out, string(k.kind)+": "+why)
		}
	}
	for _, a := range e.clear.labels.asks {
		for name, k := range e.kinds.All() {
			if a.plan == r.plan && !k.Part && e.clear.plans[a.plan].Takes(a.members, name) && e.hidesMembers(r, a, name) {
				out = append(out, string(name)+": not served")
			}
		}
	}
	slices.Sort(out)
	return out[:min(len(out), mostDetail)]
}
