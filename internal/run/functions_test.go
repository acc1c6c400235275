package run_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/run"
)

// TestFunctions: each function of the settings names itself and its argument in a panic, and
// CatchFunction makes that an error. A new function has to be named, too.
func TestFunctions(t *testing.T) {
	errValue := errors.New("no such field")
	fill := func(v reflect.Value) {
		for i := range v.NumField() {
			if f := v.Field(i); f.Kind() == reflect.Func {
				f.Set(reflect.MakeFunc(f.Type(), func([]reflect.Value) []reflect.Value { panic(errValue) }))
			}
		}
	}
	phases, sweeps, guards, rules := make([]guard.Phase, 2), make([]guard.Sweep, 2), make([]guard.Guard, 2), make([]guard.Protection, 2)
	sweeps[1].Members = make([]guard.Members, 2)
	for _, v := range []any{&phases[1], &sweeps[1], &sweeps[1].Members[1], &guards[1], &rules[1]} {
		fill(reflect.ValueOf(v).Elem())
	}
	sweeps[1].Phases, guards[1].Phases = phases, phases
	named, guarded, protected := run.NamedSweeps(sweeps), run.NamedGuards(guards), run.NamedProtections(rules)
	o, n := graph.Object{Key: graph.Key{Kind: "pod", Name: "x"}}, 0
	for at, v := range map[string]any{
		"Sweeps[1]": named[1], "Sweeps[1].Members[1]": named[1].Members[1], "Sweeps[1].Phases[1]": named[1].Phases[1],
		"Guards[1]": guarded[1], "Guards[1].Phases[1]": guarded[1].Phases[1], "Protect[1]": protected[1],
	} {
		v := reflect.ValueOf(v)
		for i := range v.NumField() {
			f := v.Field(i)
			if f.Kind() != reflect.Func {
				continue
			}
			n++
			var args []reflect.Value
			for k := range f.Type().NumIn() {
				if f.Type().In(k) == reflect.TypeFor[graph.Kind]() {
					args = append(args, reflect.ValueOf(graph.Kind("pod")))
				} else {
					args = append(args, reflect.ValueOf(o))
				}
			}
			err := func() (err error) {
				defer run.CatchFunction(&err, "plan")
				f.Call(args)
				return nil
			}()
			want := "plan: " + at + "." + v.Type().Field(i).Name + " of "
			if !errors.Is(err, run.ErrPanic) || !errors.Is(err, errValue) || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), "pod") {
				t.Errorf("%s.%s: error %v, want %q", at, v.Type().Field(i).Name, err, want)
			}
		}
	}
	if n != 11 || named[0].Holders != nil || guarded[0].Where != nil || protected[0].Where != nil || sweeps[1].Phases[1].Where == nil {
		t.Errorf("%d functions, and a function that was not set may be set", n)
	}
}

// TestCatchFunction: another panic is a fault of this module, and goes on.
func TestCatchFunction(t *testing.T) {
	defer func() {
		if v := recover(); v != "a fault" {
			t.Errorf("recovered %v", v)
		}
	}()
	var err error
	func() {
		defer run.CatchFunction(&err, "plan")
		panic("a fault")
	}()
}
