package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/graph"
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
	call     uint64 // the page under way, 0 without one
	unmet    bool
}

// passKey names the selections of an ask among the objects of a kind.
type passKey struct {
	ask  int
	kind graph.Kind
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

// selectWant is a selection that is missing: one of the key that begins after the moment.
type selectWant struct {
	key   passKey
	after seq.Stamp
}

// wantSelects wants the missing selections.
func (sw *Sweeps) wantSelects(v View, missing []selectWant) {
	for _, m := range missing {
		sw.wantSelect(v, m.key, m.after)
	}
}

// wantSelect asks for a selection that begins after the moment.
func (sw *Sweeps) wantSelect(v View, k passKey, after seq.Stamp) {
	s := &sw.labels.selects
	if !v.Kinds.Part(k.kind) || s.passes[k].began > after || s.under && s.at == k && s.began > after {
		return
	}
	if i, in := slices.BinarySearchFunc(s.wanted, k, passKey.compare); !in {
		s.wanted = slices.Insert(s.wanted, i, k)
	}
}

// unwantSelects forgets what was wanted of kinds, or known, that take no part
// any more.
func (sw *Sweeps) DropSelects(v View) {
	s := &sw.labels.selects
	out := func(k passKey) bool { return !v.Kinds.Part(k.kind) }
	s.wanted = slices.DeleteFunc(s.wanted, out)
	maps.DeleteFunc(s.passes, func(k passKey, _ pass) bool { return out(k) })
	if s.under && out(s.at) {
		s.end()
	}
}

// resumeSelects tries again at once what failed while a kind was sick.
func (sw *Sweeps) ResumeSelects(v View, kind graph.Kind) {
	s := &sw.labels.selects
	for _, k := range s.wanted {
		if p := s.passes[k]; k.kind == kind && p.err != "" {
			p.next, p.outside = v.Now, false
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
func (sw *Sweeps) dueSelect(v View) (k passKey, at time.Time, ok bool) {
	s := &sw.labels.selects
	for _, x := range s.wanted {
		if t := s.passes[x].next; v.Kinds.Sick(x.kind) == "" && (!ok || t.Before(at)) {
			k, at, ok = x, t, true
		}
	}
	return k, at, ok
}

// selectsAt returns when there is a page to be asked for.
func (sw *Sweeps) SelectAt(v View) (time.Time, bool) {
	s := &sw.labels.selects
	if s.under || len(sw.runs) == 0 {
		return v.Now, s.under && s.call == 0
	}
	_, at, ok := sw.dueSelect(v)
	return at, ok
}

// selecting reports whether selections are wanted that need nobody's help.
func (sw *Sweeps) Selecting(v View) bool {
	s := &sw.labels.selects
	return s.under || len(sw.runs) > 0 && slices.ContainsFunc(s.wanted, func(k passKey) bool {
		return v.Kinds.Sick(k.kind) == "" && !s.passes[k].outside
	})
}

// NextSelect returns the request for the next page of a selection, if one is due.
// SetSelectCall follows.
func (sw *Sweeps) NextSelect(v View) (req graph.SelectRequest, ok bool) {
	s := &sw.labels.selects
	if s.call != 0 || !s.under && len(s.wanted) == 0 {
		return req, false
	}
	if len(sw.runs) == 0 {
		sw.labels.forget()
		return req, false
	}
	if !s.under && !sw.beginSelect(v) {
		return req, false
	}
	return graph.SelectRequest{Kind: s.at.kind, Selector: s.selector, Label: s.label, Limit: sw.page, After: s.after}, true
}

// SetSelectCall notes the call that NextSelect led to, and its moment.
func (sw *Sweeps) SetSelectCall(id uint64, began seq.Stamp) {
	s := &sw.labels.selects
	s.call = id
	if s.began == 0 {
		s.began = began
		s.wanted = slices.DeleteFunc(s.wanted, func(k passKey) bool { return k == s.at })
	}
}

// ReturnSelect takes back a page that no worker has asked for.
func (sw *Sweeps) ReturnSelect(id uint64) {
	if s := &sw.labels.selects; s.call == id { // the same page is asked for again
		s.call = 0
	}
}

// beginSelect begins the selection that is due, if one is. One after another they
// become rare: those that change labels all the time must not keep a server busy.
func (sw *Sweeps) beginSelect(v View) bool {
	s := &sw.labels.selects
	k, at, ok := sw.dueSelect(v)
	if !ok || v.Now.Before(at) {
		return false
	}
	p := s.passes[k]
	if v.Now.After(p.next.Add(2 * selectPause)) {
		p.begun = 0
	}
	p.begun = min(p.begun+1, 6)
	p.next = v.Now.Add(min(pause(p.begun), selectPause))
	s.passes[k] = p
	s.at, s.under = k, true
	a := sw.labels.asks[k.ask]
	s.selector, s.label = sw.plans[a.plan].Select(a.members, sw.soughtNames(v, k))
	return true
}

// sought returns the names of the holders that a selection is about: those that
// are being swept, or none for all, where somebody else may have a claim on the
// same objects, which contests them.
func (sw *Sweeps) soughtNames(v View, k passKey) (names []string) {
	a := sw.labels.asks[k.ask]
	if slices.Contains(sw.sweeps(), k.kind) { // who holds whom is asked of all holders
		return nil
	}
	for i, p := range sw.plans {
		for m := range p.Sweep().Members {
			if (ask{i, m}) != a && p.Takes(m, k.kind) {
				return nil
			}
		}
	}
	for _, id := range sw.sorted() {
		if r := sw.runs[id]; r.plan == a.plan && !r.over {
			names = append(names, r.holder.Key.Name)
		}
	}
	return names
}

// SelectDone takes the page that a call returned, or its error. Wait is the store's own
// delay after the error.
func (sw *Sweeps) SelectDone(v View, id uint64, page graph.SelectPage, err error, wait time.Duration) {
	s := &sw.labels.selects
	if s.call != id { // it was given up
		return
	}
	if s.call = 0; len(sw.runs) == 0 {
		sw.labels.forget()
		return
	}
	if err = cmp.Or(err, s.unsound(page)); err != nil {
		sw.selectFailed(v, err, wait)
		return
	}
	swept := sw.sweptNames(v, sw.labels.asks[s.at.ask].plan)
	for _, o := range page.Objects {
		if !sw.recordMatch(v, s.at.ask, o, s.began) && sw.matters(v, s.at.ask, o, swept) {
			s.unmet = true
		}
	}
	if s.after = page.More; s.after != "" {
		return
	}
	p := s.passes[s.at]
	p.began, p.unmet, p.err, p.outside = s.began, s.unmet, "", false
	s.passes[s.at] = p
	at := s.at
	s.end()
	if p.unmet { // the next one will show it, once the watch has
		sw.wantSelect(v, at, p.began)
	}
	if _, at, ok := sw.dueSelect(v); !ok || v.Now.Before(at) {
		sw.WalkAgain() // whoever waits has not been told
	}
}

// unsound returns what is wrong with a page: what a store answers by mistake
// proves nothing.
func (s *selects) unsound(page graph.SelectPage) error {
	bad := func(cause string) error {
		return fmt.Errorf("select %s by %q: %s: %w", s.at.kind, s.selector, cause, graph.ErrInvalid)
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
func (sw *Sweeps) selectFailed(v View, err error, wait time.Duration) {
	s := &sw.labels.selects
	v.Out.Warn("selection failed", "kind", string(s.at.kind), "selector", s.selector, "err", err)
	k := s.at
	s.end()
	sw.wantSelect(v, k, v.Stamps.Last())
	p := s.passes[k]
	p.outside = errors.Is(err, graph.ErrRefused) || errors.Is(err, graph.ErrInvalid)
	p.err, p.next = err.Error(), v.Now.Add(max(wait, time.Second<<p.begun))
	s.passes[k] = p
	for _, id := range sw.sorted() {
		sw.lookAt(v, sw.runs[id])
	}
}

// unselected names the kinds of which nobody can say who belongs to a holder by
// labels, and why.
func (sw *Sweeps) unselected(v View, r *run) (out []string) {
	s := &sw.labels.selects
	for _, k := range s.wanted {
		why := cmp.Or(v.Kinds.Sick(k.kind), s.passes[k].err)
		if sw.labels.asks[k.ask].plan == r.plan && why != "" && len(out) < maxNames {
			out = append(out, string(k.kind)+": "+why)
		}
	}
	for _, a := range sw.labels.asks {
		for name, k := range v.Kinds.All() {
			if a.plan == r.plan && !k.Part && sw.plans[a.plan].Takes(a.members, name) && sw.hidesMembers(v, r, a, name) {
				out = append(out, string(name)+": not served")
			}
		}
	}
	slices.Sort(out)
	return out[:min(len(out), maxNames)]
}
