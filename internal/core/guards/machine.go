package guards

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/fence"
	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
	"github.com/ownergraph/ownergraph/internal/core/grace"
	"github.com/ownergraph/ownergraph/internal/core/kinds"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
)

// Machine follows the guarded roots of one engine. New makes it. A Machine is not safe for
// concurrent use.
//
// Its invariants, which Check verifies:
//
//  1. a root is kept only for a node in use
//  2. at most one judgement is under way, for a root that is kept
//  3. a root is asked for if its judgement is due or under way
type Machine struct {
	guards  []guard.Guard
	periods grace.Periods
	roots   map[graph.NodeID]root // marked, with the guard's hold
	bare    map[graph.NodeID]bool // unmarked roots that lack a finalizer; true: one without hold
	over    map[graph.NodeID]bool // marked roots without hold, which are reported
	due     []graph.NodeID        // to be judged, in order
	under   graph.NodeID          // the root of the judgement under way, 0 without one
	call    uint64
	counts  Counts
}

// root is the knowledge of one marked root with the guard's hold.
type root struct {
	object   graph.Object // as it was when since was set
	since    seq.Stamp    // its mark was observed, with this content
	marked   seq.Stamp    // its mark was observed, with any content
	asked    bool         // it is due or under way
	members  bool         // its plan asks for the members of a sweep by labels
	next     time.Time    // no judgement begins before, after a failed one
	tries    int
	err      string
	judged   bool
	until    time.Time // after it a verdict that passes no longer counts
	verdict  Verdict   // if it is judged
	passing  bool      // this engine has decided to take hold off
	asking   int       // the approvals of this engine's users that are under way
	approved bool      // one of them has taken hold off
}

// Verdict is the result of a judgement. It is a value.
type Verdict struct {
	Refused bool
	Causes  []string // of a refusal, for reports
}

// The errors of a judgement after which another one follows, once the labels are selected.
var (
	// ErrUnlabelled says that the protection of an object by its labels is not known.
	ErrUnlabelled = errors.New("the labels of an object are not known")
	// ErrUnselected says that the members of a sweep by their labels are not known.
	ErrUnselected = errors.New("the members of a sweep are not selected")
)

// Counts has the numbers of verdicts so far. It is a value.
type Counts struct{ Passed, Refused, Unguarded, HoldRemoved, Approved uint64 }

// View has the machines that the guards read. The caller makes one for each call.
type View struct {
	record.Nodes
	Kinds  *kinds.Table
	Fence  *fence.Machine
	Stamps *seq.Counter
	Out    *effect.List
	Now    time.Time
}

// Any reports whether the settings have a guard.
func (m *Machine) Any() bool { return len(m.guards) > 0 }

// Counts returns the numbers of verdicts so far.
func (m *Machine) Counts() Counts { return m.counts }

// MaySelect reports whether a guard may select a node, by its kind, scope and name. It makes no
// copy of the object, and runs no function of a guard.
func (m *Machine) MaySelect(n graph.Node) bool {
	for i := range m.guards {
		if g := &m.guards[i]; mayTake(g.Kinds, g.Scopes, g.Names, n) {
			return true
		}
	}
	return false
}

// Of returns the first guard that selects an object as its root, with its name, or nil.
func (m *Machine) Of(o *graph.Object) (*guard.Guard, string) {
	for i := range m.guards {
		if g := &m.guards[i]; selects(g.Kinds, g.Scopes, g.Names, g.Where, o) {
			return g, ruleName(g.Name, "Guards", i)
		}
	}
	return nil, ""
}

// Lacks returns the guard that selects an unmarked object, with the first finalizer of guards that the
// object lacks. Both are "" if it has both, or may have neither.
func (m *Machine) Lacks(g *graph.Graph, o *graph.Object) (guard, missing string) {
	x, name := m.Of(o)
	if k, known := g.Kind(o.Kind); x == nil || o.Deleting || known && k.NoOwner { // policy.GuardUnfit
		return "", ""
	}
	for _, f := range []string{graph.FinalizerHold, graph.FinalizerNew} {
		if !o.HasFinalizer(f) {
			return name, f
		}
	}
	return "", ""
}

// Carriers returns the observed objects of the nodes from one to an end that carry one of the
// finalizers, and that no guard selects. It returns the next node, and whether there is none.
func (m *Machine) Carriers(g *graph.Graph, names []string, from, end graph.NodeID) (found []graph.Object, next graph.NodeID, done bool) {
	nodes := g.Inside(inside.Key{})
	for end = min(end, graph.NodeID(nodes.Cap())); from < end; from++ {
		if !nodes.InUse(from) {
			continue
		}
		n := g.Node(from)
		if n.State() != graph.Observed || !n.Inside(inside.Key{}).HasFinalizers() {
			continue
		}
		o := n.Object()
		if x, _ := m.Of(&o); x == nil && slices.ContainsFunc(names, o.HasFinalizer) {
			found = append(found, o)
		}
	}
	return found, from, int(end) == nodes.Cap()
}

// Since returns the moment at which the mark of a root was observed, 0 for no root.
func (m *Machine) Since(id graph.NodeID) seq.Stamp { return m.roots[id].since }

// Marked returns the moment at which the mark of a held root was observed, also before a verdict.
// It is 0 for no root.
func (m *Machine) Marked(id graph.NodeID) seq.Stamp { return m.roots[id].marked }

// HasRoots reports whether there is a marked root with hold.
func (m *Machine) HasRoots() bool { return len(m.roots) > 0 }

// Err returns the error of the last judgement of a root, or "".
func (m *Machine) Err(id graph.NodeID) string { return m.roots[id].err }

// RetryAt returns the time of the next judgement of a root after a failed one.
func (m *Machine) RetryAt(id graph.NodeID) time.Time { return m.roots[id].next }

// Next returns the root whose judgement is due. SetCall follows.
func (m *Machine) Next(v View) (id graph.NodeID, ok bool) {
	if m.under != 0 {
		return 0, false
	}
	for _, id := range m.due {
		if !v.Now.Before(m.roots[id].next) {
			return id, true
		}
	}
	return 0, false
}

// At returns the time of the next judgement, false for none.
func (m *Machine) At() (at time.Time, ok bool) {
	if m.under != 0 {
		return at, false
	}
	for _, id := range m.due {
		if t := m.roots[id].next; !ok || t.Before(at) {
			at, ok = t, true
		}
	}
	return at, ok
}

// Busy reports whether a judgement is under way, or due for the first time. After a failed one
// the root waits for the outside.
func (m *Machine) Busy() bool {
	return m.under != 0 || slices.ContainsFunc(m.due, func(id graph.NodeID) bool { return m.roots[id].tries == 0 })
}

// Pending returns the roots whose judgement is under way or due.
func (m *Machine) Pending() []graph.NodeID {
	if m.under == 0 {
		return slices.Clone(m.due)
	}
	return append([]graph.NodeID{m.under}, m.due...)
}

// SetCall notes the call that Next led to.
func (m *Machine) SetCall(id graph.NodeID, call uint64) {
	m.under, m.call = id, call
	m.due = slices.DeleteFunc(m.due, func(x graph.NodeID) bool { return x == id })
}

// Return takes back a judgement that no caller has begun.
func (m *Machine) Return(call uint64) {
	if m.call == call && m.under != 0 {
		m.due = append([]graph.NodeID{m.under}, m.due...)
		m.under, m.call = 0, 0
	}
}

// Done takes the verdict of a judgement, or its error.
func (m *Machine) Done(v View, call uint64, verdict Verdict, err error) {
	if m.call != call || m.under == 0 {
		return
	}
	id := m.under
	m.under, m.call = 0, 0
	r, ok := m.roots[id]
	if !ok || !r.asked {
		return
	}
	r.asked = false
	if err != nil {
		r.tries = min(r.tries+1, 9)
		r.err, r.next = record.ErrorText(err), v.Now.Add(time.Second<<(r.tries-1))
		v.Out.Warn("judgement failed", "root", r.object.Key.String(), "err", err)
	} else {
		r.tries, r.err, r.judged, r.verdict, r.until = 0, "", true, verdict, v.Now.Add(verdictFor)
		if verdict.Refused {
			m.counts.Refused++
		}
	}
	m.roots[id] = r
	v.Out.Look(id, effect.Priority(v.Node(id)))
}

// NeedsMembers reports whether the last plan of a root lacked members of a sweep by labels.
func (m *Machine) NeedsMembers(id graph.NodeID) bool { return m.roots[id].members }

// Defer takes back a judgement whose plan lacks members of a sweep by labels. The root is judged
// again once they are selected.
func (m *Machine) Defer(v View, call uint64) {
	if m.call != call || m.under == 0 {
		return
	}
	id := m.under
	m.under, m.call = 0, 0
	if r, ok := m.roots[id]; ok {
		r.asked, r.members = false, true
		m.roots[id] = r
		v.Out.Look(id, effect.Priority(v.Node(id)))
	}
}

// BeginApproval notes that a user of this engine is about to take hold off a root.
func (m *Machine) BeginApproval(id graph.NodeID) {
	if r, ok := m.roots[id]; ok {
		r.asking++
		m.roots[id] = r
	}
}

// EndApproval ends an approval. Done says that it has taken hold off.
func (m *Machine) EndApproval(id graph.NodeID, done bool) {
	if r, ok := m.roots[id]; ok {
		r.asking, r.approved = max(r.asking-1, 0), r.approved || done
		m.roots[id] = r
	}
}

// Causes returns the causes of the refusal of a root, as far as this engine knows them.
func (m *Machine) Causes(id graph.NodeID) []string { return m.roots[id].verdict.Causes }

// Leave forgets a node that is gone. A root that was never guarded is reported, with its last
// key and version. A root that was held went because its hold is off.
func (m *Machine) Leave(v View, id graph.NodeID, k graph.Key, version graph.Version) {
	if m.bare[id] {
		m.reportUnguarded(v, k, version)
	}
	delete(m.bare, id)
	r := m.roots[id]
	m.noteReleased(v, id, k, cmp.Or(version, r.object.Version)) // the end of its last finalizer
	delete(m.over, id)
}

func (m *Machine) reportUnguarded(v View, k graph.Key, version graph.Version) {
	m.counts.Unguarded++
	v.Out.Warn("root deleted before its guard could hold it", "reason", policy.RootUnguarded.Code(), "key", k.String())
	v.Out.Report(k, version, policy.Decision{Action: policy.Keep, Reason: policy.RootUnguarded})
}

func (m *Machine) forget(id graph.NodeID) {
	if m.roots[id].asked { // a walk over all due roots for each new one would take the square of their number
		m.due = slices.DeleteFunc(m.due, func(x graph.NodeID) bool { return x == id })
	}
	delete(m.roots, id)
	if m.under == id {
		m.under, m.call = 0, 0
	}
}

// Check verifies the invariants of Machine.
func (m *Machine) Check(v View) error {
	for id, r := range m.roots {
		if !v.InUse(id) {
			return fmt.Errorf("guard: root %d is not in the graph", id)
		}
		if r.asked != (m.under == id || slices.Contains(m.due, id)) {
			return fmt.Errorf("guard: the judgement of %s is asked for: %t, and neither due nor under way agree", r.object.Key, r.asked)
		}
	}
	if _, ok := m.roots[m.under]; m.under != 0 && !ok {
		return fmt.Errorf("guard: a judgement of node %d is under way, which is no root", m.under)
	}
	return nil
}

// Clone returns a machine that shares nothing with m that either may change.
func (m *Machine) Clone() Machine {
	c := *m
	c.roots, c.due = maps.Clone(m.roots), slices.Clone(m.due)
	c.bare, c.over = maps.Clone(m.bare), maps.Clone(m.over)
	return c
}

// Hash writes the state to the printer.
func (m *Machine) Hash(p *fingerprint.Printer, after func(seq.Stamp)) {
	for _, id := range p.Nodes() {
		bare, had := m.bare[id]
		p.Flags(had, bare)
		r, ok := m.roots[id]
		if !ok {
			continue
		}
		p.Node(id)
		after(r.since)
		after(r.marked)
		p.Flags(r.asked, r.members, m.under == id, r.judged, r.verdict.Refused)
		if r.judged {
			p.Until(r.until)
		}
		if r.tries > 0 {
			p.Until(r.next)
		}
	}
	p.List(m.due)
}

// Follows reports whether the machine knows a node.
func (m *Machine) Follows(id graph.NodeID) bool {
	_, bare := m.bare[id]
	_, held := m.roots[id]
	return bare || held || m.over[id]
}
