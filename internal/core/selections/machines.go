// Package selections routes the pages of selections by labels between a store and the machines that
// want them. These are the protections, the members for verdicts, and the sweeps.
package selections

import (
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/guards"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/core/sweep"
)

// Machines are the machines that want selections, with the lower machines that these read. Each
// machine knows the call of its own page, and ignores all other calls. The engine makes a value for
// each step. It is not safe for concurrent use.
type Machines struct {
	sweep.View
	Sweeps *sweep.Sweeps
	Guards *guards.Guards
}

// Requester is a machine whose page a call requests.
type Requester interface {
	// SetSelectCall notes the call, and its moment.
	SetSelectCall(id uint64, began seq.Stamp)
}

// labels returns the labels of guards: protections first.
func (m *Machines) labels() [2]*guards.Labels {
	return [2]*guards.Labels{&m.Guards.Labels, &m.Guards.Members}
}

func (m *Machines) guardView() guards.View {
	return guards.View{Nodes: m.Nodes, Kinds: m.Kinds, Fence: m.Fence, Stamps: m.Stamps, Out: m.Out, Now: m.Now}
}

// Next returns the request for the next page, if one is due, and the machine that takes the call. The
// protections go first, and the sweeps last.
func (m Machines) Next() (req graph.SelectRequest, from Requester, ok bool) {
	for _, l := range m.labels() {
		if req, ok = l.NextSelect(m.guardView()); ok {
			return req, l, true
		}
	}
	req, ok = m.Sweeps.NextSelect(m.View)
	return req, m.Sweeps, ok
}

// Done takes the page that a call returned, or its error. Wait is the store's own delay after the
// error.
func (m Machines) Done(id uint64, page graph.SelectPage, err error, wait time.Duration) {
	for _, l := range m.labels() {
		l.SelectDone(m.guardView(), id, page, err, wait)
	}
	m.Sweeps.SelectDone(m.View, id, page, err, wait)
}

// Return takes back the page of a call that no worker has begun.
func (m Machines) Return(id uint64) {
	for _, l := range m.labels() {
		l.ReturnSelect(id)
	}
	m.Sweeps.ReturnSelect(id)
}

// Drop forgets the selections of the kinds that no longer take part.
func (m Machines) Drop() {
	for _, l := range m.labels() {
		l.DropSelects(m.guardView())
	}
	m.Sweeps.DropSelects(m.View)
}

// Resume retries at once the selections of a kind that failed while it was sick.
func (m Machines) Resume(kind graph.Kind) {
	for _, l := range m.labels() {
		l.ResumeSelects(m.guardView(), kind)
	}
	m.Sweeps.ResumeSelects(m.View, kind)
}

// At returns the time of the next request for a page, false for none.
func (m Machines) At() (at time.Time, ok bool) {
	at, ok = m.Sweeps.SelectAt(m.View)
	for _, l := range m.labels() {
		if t, due := l.SelectAt(m.guardView()); due && (!ok || t.Before(at)) {
			at, ok = t, true
		}
	}
	return at, ok
}
