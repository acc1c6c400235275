package lattice

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// rooms is the import order. "a < b" says that b may import a, and whatever a
// may import. "x/..." stands for x and all below it, whose packages may import
// each other; a longer name wins over a shorter one. A name stands alone or on
// a right side before it may stand on a left one. TESTS is every _test.go file:
// it may import what its package may, and what stands before TESTS.
//
// Do not edit it to get a build to pass: the order is the design.
const rooms = `
	# What is, and what should be.
	graph;
	graph < policy, finalizer;

	# When to look. The queue knows no graph.
	internal/dense;
	internal/dense < queue;

	# The only place that sees every stage.
	policy, finalizer, queue < .;

	# The specification shares no code with what it judges. What judges the
	# engine's writes sees only its calls.
	graph < internal/oracle;
	. < internal/invariant;

	# Adapters do not know each other. The kit judges other people's stores, and
	# the engine on them.
	. < adapters/memory, adapters/clientgo/...;
	., internal/oracle, internal/invariant < adapters/storetest/...;

	# The harness may see everything; nothing but tests may see the harness.
	adapters/memory, adapters/storetest/..., adapters/clientgo/..., internal/oracle, internal/invariant
	< internal/...;

	adapters/memory, adapters/storetest/..., internal/... < TESTS;

	# Examples see what users see, and their tests the kit.
	adapters/memory, adapters/clientgo/... < examples/...;

	# What an example shows is run on a real server, too.
	examples/... < internal/e2e/...;
	internal/... < internal/e2e/...;
`

// order is a parsed import order: what each room may import, closed over all
// that comes before.
type order map[string]map[string]bool

var roomName = regexp.MustCompile(`^(\.|TESTS|[a-z][a-z0-9]*(/[a-z0-9]+)*(/\.\.\.)?)$`)

func parseOrder(text string) (order, error) {
	o := order{}
	text = regexp.MustCompile(`#.*`).ReplaceAllString(text, "")
	statements := strings.Split(text, ";")
	if rest := strings.TrimSpace(statements[len(statements)-1]); rest != "" {
		return nil, fmt.Errorf("statement %q does not end in ;", rest)
	}
	for _, s := range statements[:len(statements)-1] {
		if err := o.add(s); err != nil {
			return nil, fmt.Errorf("statement %q: %w", strings.Join(strings.Fields(s), " "), err)
		}
	}
	return o, o.close()
}

// add enters one statement: groups of names between "<" signs.
func (o order) add(statement string) error {
	var left []string
	for i, group := range strings.Split(statement, "<") {
		var right []string
		for name := range strings.SplitSeq(group, ",") {
			name = strings.TrimSpace(name)
			if !roomName.MatchString(name) {
				return fmt.Errorf("%q is no room", name)
			}
			right = append(right, name)
		}
		if err := o.enter(left, right, i == 0 && strings.Contains(statement, "<")); err != nil {
			return err
		}
		left = right
	}
	return nil
}

func (o order) enter(left, right []string, mustExist bool) error {
	for _, name := range right {
		if o[name] == nil && mustExist {
			return fmt.Errorf("%s is not introduced before", name)
		}
		if o[name] == nil {
			o[name] = map[string]bool{}
		}
		for _, l := range left {
			o[name][l] = true
		}
	}
	return nil
}

// close makes the order transitive and refuses a ring.
func (o order) close() error {
	for grew := true; grew; {
		grew = false
		for _, before := range o {
			for b := range maps.Clone(before) {
				for c := range o[b] {
					grew = grew || !before[c]
					before[c] = true
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if o[name][name] {
			return fmt.Errorf("%s comes before itself", name)
		}
	}
	return nil
}

// room returns the name that stands for a directory, or "".
func (o order) room(dir string) string {
	if o[dir] != nil {
		return dir
	}
	best := ""
	for name := range o {
		if base, ok := strings.CutSuffix(name, "/..."); ok && within(dir, base) && len(name) > len(best) {
			best = name
		}
	}
	return best
}

// allows reports whether a file in directory from may import directory to.
func (o order) allows(from, to string, test bool) bool {
	here, there := o.room(from), o.room(to)
	switch {
	case here == "" || there == "":
		return false
	case from == to:
		return test // an external test package
	case here == there:
		return strings.HasSuffix(here, "/...")
	}
	return o[here][there] || test && o["TESTS"][there]
}

func TestOrderAllows(t *testing.T) {
	o, err := parseOrder(rooms)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from, to string
		test     bool
		want     bool
		reason   string
	}{
		{"policy", "graph", false, true, "the vocabulary comes first"},
		{"graph", "policy", false, false, "what is does not know what should be"},
		{"queue", "graph", false, false, "the queue is alone"},
		{"policy", "finalizer", false, false, "siblings do not know each other"},
		{".", "graph", false, true, "the order is transitive"},
		{".", "adapters/memory", false, false, "nothing in production imports an adapter"},
		{".", "adapters/memory", true, true, "a test of the engine needs a store"},
		{"adapters/memory", "finalizer", false, true, "the reference store uses the deletion rules"},
		{"adapters/memory", "adapters/storetest", false, false, "the kit is for tests"},
		{"adapters/memory", "adapters/storetest", true, true, "the kit is for tests"},
		{"adapters/clientgo/informer", "adapters/clientgo", false, true, "one room of many packages"},
		{"internal/oracle", "policy", false, false, "the specification is independent"},
		{"internal/scenario", "internal/oracle", false, true, "the harness asks the specification"},
		{"internal/oracle", "internal/scenario", false, false, "not the other way round"},
		{"graph", "internal/oracle", false, false, "production does not see the harness"},
		{"graph", "internal/oracle", true, true, "tests do"},
		{"examples/quickstart", "adapters/memory", false, true, "examples are users"},
		{"examples/quickstart", "internal/oracle", false, false, "users cannot import it either"},
		{"graph", "examples/quickstart", true, false, "nothing imports an example"},
		{"graph", "graph", true, true, "an external test imports its package"},
		{"util", "graph", false, false, "a package without a room imports nothing"},
	} {
		if got := o.allows(c.from, c.to, c.test); got != c.want {
			t.Errorf("%s imports %s (test %v): allowed %v, want %v: %s", c.from, c.to, c.test, got, c.want, c.reason)
		}
	}
}

func TestOrderRefusesBadText(t *testing.T) {
	for _, c := range []struct{ text, want, reason string }{
		{"graph; graph < policy", "does not end", "a cut text must not pass for a shorter order"},
		{"graph; grpah < policy;", "not introduced", "a typing error on the left allows nothing"},
		{"Graph;", "is no room", "names are directories"},
		{"a; a < b; b < a;", "comes before itself", "an order has no ring"},
		{"a; a < b < c; c < a;", "comes before itself", "a long ring is one too"},
	} {
		if _, err := parseOrder(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q: %s", c.text, err, c.want, c.reason)
		}
	}
}
