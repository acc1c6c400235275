package mutants

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Method is a way to find a fault.
type Method uint8

const (
	// MethodUnset is no method.
	MethodUnset Method = iota
	// Unit: the tests of the package that the fault is in.
	Unit
	// Root: the tests of the root package.
	Root
	// Scripts: the text scenarios.
	Scripts
	// Exhaustive: every history of the small scopes.
	Exhaustive
	// Properties: random histories, costs and fates.
	Properties
	// Simulator: many engines, users and faults, from fixed seeds.
	Simulator
)

var methodNames = [...]string{"unset", "unit", "root", "scripts", "exhaustive", "properties", "simulator"}

// String returns the method's name.
func (m Method) String() string {
	if int(m) < len(methodNames) {
		return methodNames[m]
	}
	return fmt.Sprintf("method(%d)", uint8(m))
}

// Methods returns all methods, the cheapest first.
func Methods() []Method { return []Method{Scripts, Root, Unit, Simulator, Exhaustive, Properties} }

// ParseMethods reads names that are parted by commas. An error names the first
// that is none.
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

// smallScopes are searched alike on any machine: bounds of states, and not of
// time. Where nothing is broken that takes about a minute of one core.
const smallScopes = "-n 3 -actions 2 -crashes 0 -listings 1 -small=false -states 2000 -workers 1"

// worlds are the simulator's: a million steps, of the same seeds every time.
const worlds = "-seeds 2000 -steps 500 -seed 1 -workers 1 -traces 1"

// suite is a program to build and how to run it.
type suite struct {
	pkg  string
	test bool // it is a package's tests
	args []string
}

// suite returns what the method runs on a bug.
func (m Method) suite(b Bug) suite {
	switch m {
	case Unit:
		if dir := b.Decl.Dir; dir != "." {
			return testsOf("./" + dir)
		}
		return testsOf(".")
	case Root:
		return testsOf(".")
	case Scripts:
		return testsOf("./internal/script")
	case Properties:
		return testsOf("./internal/properties", "-properties.large=2000")
	case Simulator:
		return suite{pkg: "./internal/sim/cmd/sim", args: strings.Fields(worlds)}
	}
	args := strings.Fields(smallScopes)
	if w := b.Where; w.Row != "" {
		graph := strconv.Itoa(w.Graph)
		args = []string{"-row", w.Row, "-from", graph, "-to", graph, "-workers", "1", "-shorten=false"}
	}
	return suite{pkg: "./internal/exhaustive/cmd/exhaustive", args: args}
}

func testsOf(pkg string, args ...string) suite {
	return suite{pkg: pkg, test: true, args: append([]string{"-test.failfast"}, args...)}
}
