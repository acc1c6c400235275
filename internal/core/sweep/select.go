package sweep

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/selecting"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// selects follows the one selection that is under way, page by page. It serves all waiters
// that wanted it before it began.
type selects struct {
	selections map[selecting.Key]selection
	wanted     []selecting.Key // sorted

	at       selecting.Key // the one under way
	under    bool
	began    seq.Stamp // its first page was requested, 0 before that
	selector string
	label    string
	after    string // the cursor More of the last page
	call     uint64 // the page under way, 0 without one
	unmet    bool
}

// selection is the state of the selections of one key.
type selection struct {
	began seq.Stamp // the newest one that is complete
	unmet bool      // that one showed a version that the graph did not have
	pace  selecting.Pace
	err   string // the error of the last one, "" for none
	// externallyBlocked says that the store refused the selection: only a user can help.
	externallyBlocked bool
}

// selectWant is a selection that is missing: one of the key that begins after the moment.
type selectWant struct {
	key   selecting.Key
	after seq.Stamp
}

// wantSelects wants the missing selections.
func (sw *Sweeps) wantSelects(v View, missing []selectWant) {
	for _, m := range missing {
		sw.wantSelect(v, m.key, m.after)
	}
}

// wantSelect asks for a selection that begins after the moment.
func (sw *Sweeps) wantSelect(v View, k selecting.Key, after seq.Stamp) {
	s := &sw.labels.selects
	if v.Standby || !v.Kinds.Part(k.Kind) || s.selections[k].began > after || s.under && s.at == k && s.began > after {
		return
	}
	if i, in := slices.BinarySearchFunc(s.wanted, k, selecting.Key.Compare); !in {
		s.wanted = slices.Insert(s.wanted, i, k)
	}
}

// DropSelects forgets the selections of the kinds that no longer take part.
func (sw *Sweeps) DropSelects(v View) {
	s := &sw.labels.selects
	out := func(k selecting.Key) bool { return !v.Kinds.Part(k.Kind) }
	s.wanted = slices.DeleteFunc(s.wanted, out)
	maps.DeleteFunc(s.selections, func(k selecting.Key, _ selection) bool { return out(k) })
	if s.under && out(s.at) {
		s.end()
	}
}

// ResumeSelects retries at once the selections that failed while the kind was sick.
func (sw *Sweeps) ResumeSelects(v View, kind graph.Kind) {
	s := &sw.labels.selects
	for _, k := range s.wanted {
		if p := s.selections[k]; k.Kind == kind && p.err != "" {
			p.pace.Next, p.externallyBlocked = v.Now, false
			s.selections[k] = p
		}
	}
}

// end gives up the selection under way, or ends it.
func (s *selects) end() {
	s.at, s.under, s.began, s.call = selecting.Key{}, false, 0, 0
	s.selector, s.label, s.after, s.unmet = "", "", "", false
}

// dueSelect returns the next selection that may begin, and its time. The selection of a sick
// kind waits until the kind has recovered.
func (sw *Sweeps) dueSelect(v View) (k selecting.Key, at time.Time, ok bool) {
	s := &sw.labels.selects
	for _, x := range s.wanted {
		if t := s.selections[x].pace.Next; v.Kinds.Sick(x.Kind) == "" && (!ok || t.Before(at)) {
			k, at, ok = x, t, true
		}
	}
	return k, at, ok
}

// SelectAt returns the time of the next request for a page, false for none.
func (sw *Sweeps) SelectAt(v View) (time.Time, bool) {
	s := &sw.labels.selects
	if s.under || len(sw.runs) == 0 {
		return v.Now, s.under && s.call == 0
	}
	_, at, ok := sw.dueSelect(v)
	return at, ok
}

// Selecting reports whether a selection is under way or wanted that the store can answer now.
func (sw *Sweeps) Selecting(v View) bool {
	s := &sw.labels.selects
	return s.under || len(sw.runs) > 0 && slices.ContainsFunc(s.wanted, func(k selecting.Key) bool {
		return v.Kinds.Sick(k.Kind) == "" && !s.selections[k].externallyBlocked
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
	return s.request(sw.page), true
}

// SetSelectCall notes the call that NextSelect led to, and its moment.
func (sw *Sweeps) SetSelectCall(id uint64, began seq.Stamp) {
	s := &sw.labels.selects
	s.call = id
	if s.began == 0 {
		s.began = began
		s.wanted = slices.DeleteFunc(s.wanted, func(k selecting.Key) bool { return k == s.at })
	}
}

// ReturnSelect takes back a page that no worker has requested.
func (sw *Sweeps) ReturnSelect(id uint64) {
	if s := &sw.labels.selects; s.call == id { // the same page is requested again
		s.call = 0
	}
}

// beginSelect begins the selection that is due, if one is.
func (sw *Sweeps) beginSelect(v View) bool {
	s := &sw.labels.selects
	k, at, ok := sw.dueSelect(v)
	if !ok || v.Now.Before(at) {
		return false
	}
	p := s.selections[k]
	p.pace = p.pace.Begin(v.Now)
	s.selections[k] = p
	s.at, s.under = k, true
	a := sw.labels.rules[k.Rule]
	s.selector, s.label = sw.plans[a.plan].Select(a.members, sw.selectedNames(v, k))
	return true
}

// selectedNames returns the names of the holders that a selection is for. These are the
// holders with a run. No names stand for all holders: another rule or plan may have a claim on
// the same objects, which contests them.
func (sw *Sweeps) selectedNames(v View, k selecting.Key) (names []string) {
	a := sw.labels.rules[k.Rule]
	if slices.Contains(sw.Holders(), k.Kind) { // any holder may have another one
		return nil
	}
	for i, p := range sw.plans {
		for m := range p.Sweep().Members {
			if (labelRule{i, m}) != a && p.Takes(m, k.Kind) {
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
	if err = cmp.Or(err, selecting.CheckPage(s.request(sw.page), &page)); err != nil {
		sw.selectFailed(v, err, wait)
		return
	}
	names := sw.holderNames(v, sw.labels.rules[s.at.Rule].plan)
	for _, o := range page.Objects {
		if !sw.recordMatch(v, s.at.Rule, o, s.began) && sw.mayBeMember(v, s.at.Rule, o, names) {
			s.unmet = true
		}
	}
	if s.after = page.More; s.after != "" {
		return
	}
	p := s.selections[s.at]
	p.began, p.unmet, p.err, p.externallyBlocked = s.began, s.unmet, "", false
	s.selections[s.at] = p
	at := s.at
	s.end()
	if p.unmet { // the next one will show it, once the watch has
		sw.wantSelect(v, at, p.began)
	}
	if _, at, ok := sw.dueSelect(v); !ok || v.Now.Before(at) {
		sw.WalkAgain() // the waiting members are decided again
	}
}

// request returns the request for the next page of the selection under way.
func (s *selects) request(limit int) graph.SelectRequest {
	return graph.SelectRequest{Kind: s.at.Kind, Selector: s.selector, Label: s.label, Limit: limit, After: s.after}
}

// selectFailed ends a selection, which begins anew after a pause.
func (sw *Sweeps) selectFailed(v View, err error, wait time.Duration) {
	s := &sw.labels.selects
	k, selector := s.at, s.selector
	s.end()
	sw.wantSelect(v, k, v.Stamps.Last())
	p := s.selections[k]
	p.externallyBlocked = errors.Is(err, graph.ErrRefused) || errors.Is(err, graph.ErrInvalid)
	if p.err != err.Error() {
		v.Out.Warn("selection failed", "kind", string(k.Kind), "selector", selector, "err", err)
	}
	p.err, p.pace = err.Error(), p.pace.Fail(v.Now, wait)
	s.selections[k] = p
	for _, id := range sw.sorted() {
		sw.advanceSoon(v, sw.runs[id])
	}
}

// Failing names the kinds of which a wanted selection has failed, each with the reason.
func (sw *Sweeps) Failing() (out []string) {
	s := &sw.labels.selects
	for _, k := range s.wanted {
		if why := s.selections[k].err; why != "" && len(out) < maxNames {
			out = append(out, string(k.Kind)+": "+why)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// unselected names the kinds whose members by labels are unknown, each with the reason.
func (sw *Sweeps) unselected(v View, r *run) (out []string) {
	s := &sw.labels.selects
	for _, k := range s.wanted {
		why := cmp.Or(v.Kinds.Sick(k.Kind), s.selections[k].err)
		if sw.labels.rules[k.Rule].plan == r.plan && why != "" && len(out) < maxNames {
			out = append(out, string(k.Kind)+": "+why)
		}
	}
	for _, a := range sw.labels.rules {
		for name, k := range v.Kinds.All() {
			if a.plan == r.plan && !k.Part && sw.plans[a.plan].Takes(a.members, name) && sw.hidesMembers(v, r, a, name) {
				out = append(out, string(name)+": not served")
			}
		}
	}
	slices.Sort(out)
	return out[:min(len(out), maxNames)]
}
