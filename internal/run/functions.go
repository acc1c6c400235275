package run

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// FunctionPanic is the panic of a function of the settings, with the function's name. It wraps
// ErrPanic, and the value of the panic if that is an error.
type FunctionPanic struct {
	Function string // such as Guards[0].Phases[1].Where
	About    string // the object or the kind
	Value    any
}

// Error names the function, its argument and the value.
func (p *FunctionPanic) Error() string {
	return fmt.Sprintf("%s of %s: panic: %v", p.Function, p.About, p.Value)
}

// Unwrap returns ErrPanic, and the value of the panic if that is an error.
func (p *FunctionPanic) Unwrap() []error {
	if err, ok := p.Value.(error); ok {
		return []error{ErrPanic, err}
	}
	return []error{ErrPanic}
}

// CatchFunction sets the error of a call that a function of the settings has ended by a panic.
// The call is only a question, so it leaves nothing half done. Every other panic goes on. A
// deferred call of CatchFunction alone works.
//
//test:by TestFunctions
func CatchFunction(err *error, verb string) {
	switch v := recover().(type) {
	case nil:
	case *FunctionPanic:
		*err = fmt.Errorf("%s: %w", verb, v)
	default:
		panic(v)
	}
}

// name names the panic of a function. A deferred call of it alone works.
func name(function string, about fmt.Stringer) {
	switch v := recover().(type) {
	case nil:
	case *FunctionPanic: // of a function that this one calls
		panic(v)
	default:
		panic(&FunctionPanic{Function: function, About: about.String(), Value: v})
	}
}

// kindText is a kind that prints itself.
type kindText graph.Kind

func (k kindText) String() string { return "kind " + string(k) }

// ofObject returns a function that names its panic, nil for nil.
func ofObject[T any](function string, do func(graph.Object) T) func(graph.Object) T {
	if do == nil {
		return nil
	}
	return func(o graph.Object) T {
		defer name(function, o.Key)
		return do(o)
	}
}

func ofKind(function string, do func(graph.Kind) bool) func(graph.Kind) bool {
	if do == nil {
		return nil
	}
	return func(k graph.Kind) bool {
		defer name(function, kindText(k))
		return do(k)
	}
}

func ofBoth(function string, do func(holder, o graph.Object) bool) func(holder, o graph.Object) bool {
	if do == nil {
		return nil
	}
	return func(holder, o graph.Object) bool {
		defer name(function, o.Key)
		return do(holder, o)
	}
}

// NamedSweeps returns sweeps whose functions name their panics.
func NamedSweeps(all []guard.Sweep) []guard.Sweep {
	all = slices.Clone(all)
	for i := range all {
		s, at := &all[i], fmt.Sprintf("Sweeps[%d]", i)
		s.Holders, s.Except = ofObject(at+".Holders", s.Holders), ofObject(at+".Except", s.Except)
		s.Members, s.Phases = slices.Clone(s.Members), namedPhases(at, s.Phases)
		for k := range s.Members {
			m, at := &s.Members[k], fmt.Sprintf("%s.Members[%d]", at, k)
			m.Named, m.KindIs, m.Where = ofObject(at+".Named", m.Named), ofKind(at+".KindIs", m.KindIs), ofBoth(at+".Where", m.Where)
		}
	}
	return all
}

// NamedGuards returns guards whose functions name their panics.
func NamedGuards(all []guard.Guard) []guard.Guard {
	all = slices.Clone(all)
	for i := range all {
		g, at := &all[i], fmt.Sprintf("Guards[%d]", i)
		g.Where, g.Phases = ofObject(at+".Where", g.Where), namedPhases(at, g.Phases)
	}
	return all
}

// NamedProtections returns rules of protection whose functions name their panics.
func NamedProtections(all []guard.Protection) []guard.Protection {
	all = slices.Clone(all)
	for i := range all {
		all[i].Where = ofObject(fmt.Sprintf("Protect[%d].Where", i), all[i].Where)
	}
	return all
}

func namedPhases(at string, all []guard.Phase) []guard.Phase {
	all = slices.Clone(all)
	for i := range all {
		p, at := &all[i], fmt.Sprintf("%s.Phases[%d]", at, i)
		p.KindIs, p.Where = ofKind(at+".KindIs", p.KindIs), ofObject(at+".Where", p.Where)
	}
	return all
}
