package mutants

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Method is a kind of suite that may find a fault.
type Method uint8

const (
	// MethodUnset is no method.
	MethodUnset Method = iota
	// Unit: the tests of the package that the fault is in.
	Unit
	// Root: the tests of the root package.
	Root
	// Engine: the tests of package engine.
	Engine
	// Scripts: the text scenarios.
	Scripts
	// Exhaustive: every history of the small scopes.
	Exhaustive
	// Properties: random histories, costs and fates.
	Properties
	// Simulator: many engines, users and faults, from fixed seeds.
	Simulator
	// Shares: the simulator with engines that have shares, from fixed seeds.
	Shares
)

var methodNames = [...]string{"unset", "unit", "root", "engine", "scripts", "exhaustive", "properties", "simulator", "shares"}

// String returns the method's name.
func (m Method) String() string {
	if int(m) < len(methodNames) {
		return methodNames[m]
	}
	return fmt.Sprintf("method(%d)", uint8(m))
}

// Methods returns all methods, the cheapest first.
func Methods() []Method {
	return []Method{Scripts, Root, Engine, Unit, Simulator, Shares, Exhaustive, Properties}
}

// ParseMethods reads names with commas between them. An error has the first unknown
// name.
func ParseMethods(text string) ([]Method, error) {
	var out []Method
	for name := range strings.SplitSeq(text, ",") {
		i := slices.Index(methodNames[1:], strings.TrimSpace(name))
		if i < 0 {
			return nil, fmt.Errorf("parse methods: %q: want one of %s", name, strings.Join(methodNames[1:], ", "))
		}
		out = append(out, Method(i+1))
	}
	return out, nil
}

// smallScopes are bounds of states, and not of time. So the search is the same on any
// machine. Without a fault it takes about a minute of one core.
const smallScopes = "-n 3 -actions 2 -crashes 0 -listings 1 -small=false -states 2000 -workers 1"

// worlds are the simulator's: a million steps, from the same seeds each time.
const worlds = "-seeds 2000 -steps 500 -seed 1 -workers 1 -traces 1 -most 1"

// sharedWorlds are those of engines with shares.
const sharedWorlds = "-seeds 1200 -steps 400 -seed 1 -workers 1 -traces 0 -most 1 -with shares"

// suite is a program to build, with its arguments. A bench adds -whole for tests that know it.
type suite struct {
	pkg  string
	test bool // the program runs a package's tests
	args []string
}

// suite returns the suite of the method for a bug, with the tests that the bug names.
func (m Method) suite(b Bug) suite {
	s := m.whole(b)
	if s.test && b.Tests != "" {
		s.args = append(s.args, "-test.run="+b.Tests)
	}
	return s
}

// whole returns the suite of the method for a bug, with all tests.
func (m Method) whole(b Bug) suite {
	switch m {
	case Unit:
		if dir := b.Decl.Dir; dir != "." {
			return testsOf("./" + dir)
		}
		return testsOf(".")
	case Root:
		return testsOf(".")
	case Engine:
		return testsOf("./engine")
	case Scripts:
		return testsOf("./internal/proof/script")
	case Properties:
		return testsOf("./internal/proof/properties", "-properties.large=2000")
	case Simulator:
		return suite{pkg: "./internal/proof/sim/cmd/sim", args: strings.Fields(worlds)}
	case Shares:
		return suite{pkg: "./internal/proof/sim/cmd/sim", args: strings.Fields(sharedWorlds)}
	}
	args := strings.Fields(smallScopes)
	if w := b.Where; w.Row != "" {
		graph := strconv.Itoa(w.Graph)
		args = []string{"-row", w.Row, "-from", graph, "-to", graph, "-workers", "1", "-shorten=false"}
	}
	return suite{pkg: "./internal/proof/exhaustive/cmd/exhaustive", args: args}
}

func testsOf(pkg string, args ...string) suite {
	return suite{pkg: pkg, test: true, args: append([]string{"-test.failfast"}, args...)}
}
