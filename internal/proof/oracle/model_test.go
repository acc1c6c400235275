package oracle

import (
	"math/bits"
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/portion"
)

// A model is a second program for the laws of policies: three objects as numbers, and the
// reading of section "Edges" of RULES. It shares no code with the oracle.
type model struct {
	lives, marked uint8
	carries       [3]graph.Propagation
	refs          [3][3]modelRef // from the dependent to the owner
	judged        [3]uint16      // the steps that the collector may write late, J1
}

type modelRef struct {
	there, block bool
	policy       graph.OnDelete
}

// The steps of one object are bits: three deletions by propagation, three drops and three unblocks by
// owner, and the end of its propagation.
const (
	modelDelete, modelDrop, modelUnblock = 0, 3, 6
	modelEnd                             = 9
)

var modelPropagations = []graph.Propagation{graph.Background, graph.Foreground, graph.Orphan}

func (m *model) has(x int) bool  { return m.lives>>x&1 != 0 }
func (m *model) mark(x int) bool { return m.marked>>x&1 != 0 }

func (m *model) restricted(x int) bool {
	for d := range 3 {
		if r := m.refs[d][x]; d != x && m.has(d) && !m.mark(d) && r.there && r.policy == graph.OnDeleteRestrict {
			return true
		}
	}
	return false
}

// state returns the propagation of an owner that acts on its dependents, Unset for a solid owner. Gone
// says that the owner does not live.
func (m *model) state(o int) (p graph.Propagation, gone bool) {
	if !m.has(o) {
		return graph.Unset, true
	}
	if !m.mark(o) || m.restricted(o) {
		return graph.Unset, false
	}
	return m.carries[o], false
}

// fate returns whether the object has to go, whether an unset owner is solid, and whether an unset or
// cascade owner waits.
func (m *model) fate(x int) (goes, solid, waits bool) {
	unset, cascade := false, false
	for o := range 3 {
		r := m.refs[x][o]
		if !r.there || r.policy != graph.OnDeleteUnset && r.policy != graph.OnDeleteCascade {
			continue
		}
		p, gone := m.state(o)
		waits = waits || p == graph.Foreground
		switch owned := !gone && p != graph.Foreground; {
		case r.policy == graph.OnDeleteCascade:
			cascade = cascade || !owned
		default:
			unset, solid = true, solid || owned
		}
	}
	return cascade || unset && !solid, solid, waits
}

// referred returns whether another object has a reference to x, and whether one blocks.
func (m *model) referred(x int) (any, block bool) {
	for d := range 3 {
		r := m.refs[d][x]
		any = any || m.has(d) && r.there
		block = block || m.has(d) && r.block
	}
	return any, block
}

// judge returns the steps that the collector has to take for x, and those that it may take.
func (m *model) judge(x int) (must, may uint16) {
	if !m.has(x) {
		return 0, 0
	}
	goes, solid, waits := m.fate(x)
	var ended, absent uint16
	along := false
	for o := range 3 {
		r, bit := m.refs[x][o], uint16(1)<<(modelDrop+o)
		if !r.there {
			continue
		}
		p, gone := m.state(o)
		unset := r.policy == graph.OnDeleteUnset
		switch {
		case r.policy == graph.OnDeleteRelease && (gone || p != graph.Unset):
			must |= bit
		case p == graph.Orphan && (r.policy != graph.OnDeleteRestrict || m.mark(x)):
			must |= bit
			along = along || unset
		case unset && gone:
			absent |= bit
		case unset && p == graph.Foreground:
			ended |= bit
		}
	}
	if along {
		may |= absent
	}
	switch {
	case m.mark(x) || !solid:
	case goes:
		may |= absent | ended
	default:
		must |= absent | ended
	}
	if !m.mark(x) && goes && !m.restricted(x) {
		must |= 1 << (modelDelete + m.propagation(x, waits))
	}
	return must | m.finish(x), may
}

func (m *model) propagation(x int, waits bool) int {
	any, _ := m.referred(x)
	switch {
	case m.carries[x] != graph.Unset:
		return slices.Index(modelPropagations, m.carries[x])
	case waits && any:
		return slices.Index(modelPropagations, graph.Foreground)
	}
	return slices.Index(modelPropagations, graph.Background)
}

// finish returns the steps that end a marked object's propagation, or break its ring.
func (m *model) finish(x int) (must uint16) {
	p, _ := m.state(x)
	any, block := m.referred(x)
	switch {
	case p == graph.Unset || p == graph.Orphan && any:
	case !block || p == graph.Orphan:
		must |= 1 << modelEnd
	default:
		for o := range 3 {
			if m.refs[x][o].block && m.leads(o, x) {
				must |= 1 << (modelUnblock + o)
			}
		}
	}
	return must
}

// leads reports whether blocking references lead from a waiting object to another, over waiting ones.
func (m *model) leads(from, to int) bool {
	reached := uint8(0)
	for next := uint8(1) << from; next != reached; {
		reached = next
		for d := range 3 {
			for o := range 3 {
				if p, _ := m.state(d); reached>>d&1 != 0 && p == graph.Foreground && m.refs[d][o].block {
					next |= 1 << o
				}
			}
		}
	}
	p, _ := m.state(from)
	return p == graph.Foreground && reached>>to&1 != 0
}

// write ends a write of x.
func (m *model) write(x int) {
	m.judged[x] = 0
	if m.mark(x) && m.carries[x] == graph.Unset {
		m.lives &^= 1 << x
		m.marked &^= 1 << x
		m.refs[x] = [3]modelRef{}
	}
}

// remove writes a deletion, unless a store of level 3 refuses it.
func (m model) remove(x int, p graph.Propagation, strict bool) (model, bool) {
	if strict && !m.mark(x) && m.restricted(x) {
		return m, false
	}
	m.marked |= 1 << x
	if m.carries[x] = p; p == graph.Background {
		m.carries[x] = graph.Unset
	}
	m.write(x)
	return m, true
}

func (m model) step(x, step int, strict bool) (model, bool) {
	switch {
	case step < modelDrop:
		return m.remove(x, modelPropagations[step], strict)
	case step < modelUnblock:
		m.refs[x][step-modelDrop] = modelRef{}
	case step < modelEnd:
		m.refs[x][step-modelUnblock].block = false
	default:
		m.carries[x] = graph.Unset
	}
	m.write(x)
	return m, true
}

// ends returns the states in which the collector has no step left, in the form of Line.
func (m model) ends(strict bool) (list []string) {
	seen := map[model]bool{}
	for todo := []model{m}; len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		quiet := true
		for x := range 3 {
			must, may := at.judge(x)
			quiet = quiet && must == 0
			at.judged[x] |= must | may
		}
		if seen[at] {
			continue
		}
		seen[at] = true
		if quiet {
			list = append(list, Line(at.objects()))
		}
		for x := range 3 {
			for left := at.judged[x]; left != 0; left &= left - 1 {
				if next, done := at.step(x, bits.TrailingZeros16(left), strict); done {
					todo = append(todo, next)
				}
			}
		}
	}
	return sorted(list)
}

var modelNames = []string{"r", "a", "b"}

func (m *model) objects() (list []graph.Object) {
	for x, name := range modelNames {
		if !m.has(x) {
			continue
		}
		o := graph.Object{Key: short(name), Deleting: m.mark(x)}
		if f := m.carries[x].Finalizer(); f != "" {
			o.Finalizers = []string{f}
		}
		for owner, r := range m.refs[x] {
			if r.there {
				o.Owners = append(o.Owners, graph.Owner{Key: short(modelNames[owner]), Block: r.block, OnDelete: r.policy})
			}
		}
		list = append(list, o)
	}
	return list
}

// modelGraph returns the graph with a number: each of the six references is away, or has one of the four
// policies.
func modelGraph(number int, block bool) model {
	m := model{lives: 7}
	for d := range 3 {
		for o := range 3 {
			if d == o {
				continue
			}
			if code := number % 5; code > 0 {
				m.refs[d][o] = modelRef{there: true, block: block, policy: graph.OnDelete(code - 1)}
			}
			number /= 5
		}
	}
	return m
}

// TestPoliciesModel compares the oracle's ends with those of the model, for one deletion in every graph of
// three objects with every policy: 62,500 deletions at each of two levels, a share of them by default.
func TestPoliciesModel(t *testing.T) {
	graphs := make([]int, 15625)
	for i := range graphs {
		graphs[i] = i
	}
	for _, number := range portion.Of(37, graphs) {
		for _, p := range modelPropagations {
			checkModel(t, modelGraph(number, false), p)
			if p == graph.Foreground {
				checkModel(t, modelGraph(number, true), p)
			}
		}
	}
}

func checkModel(t *testing.T, m model, p graph.Propagation) {
	t.Helper()
	start := m.objects()
	verb := map[graph.Propagation]Verb{graph.Background: Background, graph.Foreground: Foreground, graph.Orphan: Orphan}[p]
	do := []Action{{Verb: verb, Object: graph.Object{Key: short("r")}}}
	for _, strict := range []bool{false, true} {
		var want []string
		if after, done := m.remove(0, p, strict); done {
			want = after.ends(strict)
		}
		got := Ends(start, do, Config{Policies: true, Strict: strict})
		if !slices.Equal(got, want) {
			t.Errorf("%s of r in %s, strict %t:\n got  %q\n want %q", p, Line(start), strict, got, want)
		}
	}
}
