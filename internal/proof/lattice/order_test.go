package lattice

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// layers is the import order. "a < b" says that b may import a, and all that a
// may import. "x/..." stands for x and all packages below it, which may import
// each other. A longer name wins over a shorter one. A name stands alone or on
// a right side before it stands on a left side. TESTS is every _test.go file.
// It may import the imports of its package, and the layers before TESTS.
//
// Do not edit the order to make a build pass, because the order is the design.
const layers = `
	# The vocabulary, the graph of the observed objects, and the words of decisions.
	internal/core/swar;
	internal/core/jsonread;
	internal/inside; # the rights that users do not have
	internal/core/fate, internal/core/flags; # words that the graph shares with the machines alone
	internal/core/swar, internal/core/jsonread, internal/core/fate, internal/core/flags, internal/inside < graph;
	graph < internal/core/selector;
	graph < policy; # desired state
	graph < internal/spell; # names as people type and read them
	internal/core/jsonread, policy, internal/spell < plan;
	# The words of explanations are values alone.
	policy, internal/spell < explain;
	# Pictures draw the values of the packages before.
	plan, explain < view;
	graph < finalizer;
	graph < archive; # entries of the objects that ended
	archive < internal/restoring < restore; # brings objects back
	archive < adapters/age < cmd/...; # the encryption of payloads, for any store
	archive < .;
	internal/splitmix; # numbers that spread hashes and delays
	graph, internal/splitmix < share; # which collector writes to which object
	graph < feed; # the watch of a store, from a log
	# What may not go, by whose word, in which order, and what goes with an object.
	graph, internal/core/selector < guard;

	# Scheduling. The queue knows no graph.
	internal/core/dense;
	internal/core/dense, internal/splitmix < queue;

	# The machines. A machine uses lower machines, and never the engine.
	policy < internal/core/seq < internal/core/moments;
	graph, internal/core/dense < internal/core/fifo, internal/core/tombstone;
	internal/core/seq, internal/core/fifo, internal/core/tombstone < internal/core/record;
	internal/lines; # of a log
	internal/lines < internal/core/effect;
	internal/lines < logline < adapters/sql, adapters/etcd, adapters/clientgo/...; # the core does not log
	queue, internal/core/record < internal/core/effect, internal/core/fingerprint
	< internal/core/kinds < internal/core/fence
	< internal/core/cycle, internal/core/audit, internal/core/reads, internal/core/inflight;
	internal/core/effect, internal/core/fingerprint < internal/core/fanout;
	internal/core/fanout < internal/core/unfinished < internal/core/held;
	graph < internal/core/garbage < internal/core/brake, internal/core/evidence, internal/core/history, internal/core/follow, internal/core/excerpt; # whether an object goes by its references
	internal/core/kinds, internal/spell < internal/core/brake;
	internal/core/jsonread, internal/core/effect, internal/core/fingerprint < internal/core/pause;
	share, internal/core/effect, internal/core/fingerprint < internal/core/own;
	internal/core/inflight < internal/core/orphaned;
	internal/core/cycle, internal/core/reads, internal/core/orphaned < internal/core/evidence;
	internal/core/inflight < internal/core/history;
	internal/core/fingerprint < internal/core/selecting < internal/core/sweep, internal/core/guards;
	guard < internal/core/sweep/plan;
	internal/core/fence, internal/core/sweep/plan < internal/core/handlers, internal/core/sweep/labels, internal/core/order;
	internal/core/held, internal/core/sweep/labels < internal/core/sweep;
	internal/core/reads < internal/core/grace; # periods that reads have shown
	internal/core/fence, internal/core/grace, guard < internal/core/guards;
	internal/core/sweep, internal/core/guards < internal/core/selections < engine;
	internal/core/held, internal/core/inflight, internal/core/handlers < internal/core/unfinished/recount < engine;
	# Copies and counts of a part of the graph, for reports.
	internal/core/sweep < internal/core/follow;

	# A plan copies a part of the graph, and runs an engine on the rules of a store.
	internal/core/orphaned < internal/core/excerpt;
	internal/core/excerpt, finalizer, plan < internal/draft;
	internal/core/excerpt, internal/core/sweep, internal/core/guards, internal/core/brake, internal/core/pause, plan < internal/core/seed;
	internal/core/history, internal/core/seed < internal/core/search < engine;

	# Findings about objects as data, and the observer of a running store.
	graph, policy, internal/spell < lint;
	lint < lint/live;
	# The display of progress knows no part of the engine. Commands convert to its input.
	internal/terminal;
	# Files of objects, and their text.
	internal/core/jsonread, graph < annotation; # owner references with a policy, on Kubernetes
	annotation, lint, internal/spell < dump;

	# The rules of a store that honours finalizers, without watches.
	internal/core/selector, finalizer, archive < internal/replica;

	# The engine is the only place that sees every machine.
	policy, finalizer, guard, queue, share, internal/core/fifo, internal/core/jsonread < internal/run;
	internal/run, plan, explain < engine;
	internal/core/cycle, internal/core/audit, internal/core/reads, internal/core/inflight,
	internal/core/handlers, internal/core/held, internal/core/sweep, internal/core/order, internal/core/guards, internal/core/fanout, internal/core/evidence, internal/core/history, internal/core/pause, internal/core/own,
	internal/core/brake, internal/core/moments, internal/core/excerpt, internal/core/follow, internal/core/seed < engine;
	# A forecast runs a fork of an engine. The root drives an engine against a store.
	engine, internal/draft < internal/forecast < .;
	. < restore;
	restore < examples/..., cmd/..., TESTS;
	# The proofs open engines and stores with a key that users do not have.
	. < internal/probe;

	# The specification shares no code with the engine that it judges. The judge
	# of the engine's writes sees only the calls.
	graph < internal/proof/oracle;
	. < internal/proof/invariant;


	# Users change the owners of objects in any store. The engine does not.
	. < owners;
	owners < examples/..., internal/proof/e2e/...;

	# Faults stand between an engine and any store.
	. < internal/fault;
	internal/replica < adapters/memory;

	# The members of a group divide the work on a store. Adapters keep their leases.
	., logline < group;
	group < adapters/memory, adapters/clientgo/..., adapters/sql, adapters/etcd, adapters/storetest/...;
	group < adapters/prometheus, adapters/web; # they show the members

	# Adapters for metrics and traces observe the calls of any store.
	. < hook;
	hook < adapters/prometheus, adapters/otel;
	# Pages and pictures of a collector.
	., view < adapters/web;
	adapters/prometheus, adapters/web < adapters/clientgo/...; # package run alone

	# An adapter knows no other adapter. The kit judges a user's store, and the
	# engine on that store.
	. < adapters/memory, adapters/clientgo/..., adapters/etcd, adapters/sql;
	annotation, lint < adapters/clientgo/...; # a listing as data
	., internal/proof/oracle, internal/proof/invariant, internal/fault < adapters/storetest/...;

	# The harness may see everything. Only tests may see the harness.
	adapters/memory, adapters/storetest/..., adapters/clientgo/..., adapters/sql, adapters/etcd, adapters/web, internal/proof/oracle,
	internal/proof/invariant, internal/fault, internal/probe
	< internal/...;

	adapters/memory, adapters/storetest/..., dump, internal/... < TESTS;

	# Examples see the packages of users, and their tests see the kit.
	adapters/memory, adapters/clientgo/..., adapters/sql, adapters/etcd, feed, view < examples/...;

	# Whether a collector has a record, for the commands that change it.
	. < recordcheck;
	recordcheck < adapters/clientgo/..., cmd/...;
	# Commands share the run on a copy in memory. A command of ours may use any adapter.
	graph < internal/lineage;
	., dump, internal/terminal, internal/lineage < internal/live;
	adapters/memory, internal/live < internal/offline;
	internal/terminal, view < internal/printing;
	explain, dump < internal/namespace;
	lint, internal/spell < internal/droppatch;
	adapters/memory, adapters/sql, adapters/etcd, adapters/clientgo/..., lint/live, internal/offline, internal/namespace, internal/droppatch, internal/printing, view < cmd/...;

	# One example is a command that people run, and shows its progress as ours do.
	adapters/memory, internal/live, view < examples/quickstart;

	# The end-to-end tests run the examples on a real server, too.
	examples/... < internal/proof/e2e/...;
	internal/... < internal/proof/e2e/...;
	internal/..., restore < internal/proof/storefaults; # processes that are killed restore, too
`

// order is a parsed import order. It maps each layer to the layers that it may
// import, directly or through others.
type order map[string]map[string]bool

var layerName = regexp.MustCompile(`^(\.|TESTS|[a-z][a-z0-9]*(/[a-z0-9]+)*(/\.\.\.)?)$`)

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
			if !layerName.MatchString(name) {
				return fmt.Errorf("%q is no layer", name)
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

// close makes the order transitive and refuses a cycle.
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

// layer returns the name that stands for a directory, or "".
func (o order) layer(dir string) string {
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
	here, there := o.layer(from), o.layer(to)
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
	o, err := parseOrder(layers)
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
		{"graph", "policy", false, false, "the observed state does not know the desired state"},
		{"queue", "graph", false, false, "the queue is alone"},
		{"view", "explain", false, true, "a picture draws an explanation"},
		{"explain", "view", false, false, "the words know no picture"},
		{".", "view", false, false, "the engine draws nothing"},
		{"policy", "finalizer", false, false, "siblings do not know each other"},
		{"finalizer", "guard", false, false, "the rules of a store know no settings of the engine"},
		{"feed", ".", false, false, "a store needs no engine"},
		{".", "feed", false, false, "the engine reads a watch, and makes none"},
		{"share", "engine", false, false, "a set of UIDs knows no engine"},
		{".", "group", false, false, "a collector works without a group"},
		{"adapters/sql", "group", false, true, "an adapter keeps the leases of members"},
		{".", "graph", false, true, "the order is transitive"},
		{".", "internal/core/kinds", false, true, "the engine owns the machines"},
		{"internal/core/fence", "internal/core/kinds", false, true, "a fence covers the set of kinds"},
		{"internal/core/kinds", "internal/core/fence", false, false, "kinds is the lower machine"},
		{"internal/core/kinds", "internal/proof/oracle", true, true, "a machine's tests see the harness"},
		{"internal/core/reads", "internal/core/handlers", false, false, "siblings do not know each other"},
		{".", "adapters/memory", false, false, "production code imports no adapter"},
		{".", "adapters/memory", true, true, "a test of the engine needs a store"},
		{"adapters/memory", "finalizer", false, true, "the reference store uses the deletion rules"},
		{"adapters/memory", "internal/replica", false, true, "the reference store wraps the rules"},
		{"internal/replica", ".", false, false, "the engine may run on a replica"},
		{"adapters/memory", "adapters/storetest", false, false, "the kit is for tests"},
		{"adapters/memory", "adapters/storetest", true, true, "the kit is for tests"},
		{"adapters/clientgo/informer", "adapters/clientgo", false, true, "one layer of many packages"},
		{"adapters/storetest", "internal/fault", false, true, "the kit runs the engine under faults"},
		{"internal/fault", "adapters/storetest", false, false, "faults do not know the kit"},
		{"internal/proof/oracle", "policy", false, false, "the specification is independent"},
		{"internal/scenario", "internal/proof/oracle", false, true, "the harness uses the specification"},
		{"internal/proof/oracle", "internal/scenario", false, false, "the specification does not know the harness"},
		{"graph", "internal/proof/oracle", false, false, "production does not see the harness"},
		{"graph", "internal/proof/oracle", true, true, "tests do"},
		{"examples/quickstart", "adapters/memory", false, true, "examples are users"},
		{"examples/quickstart", "internal/proof/oracle", false, false, "Go keeps users from importing it"},
		{"graph", "examples/quickstart", true, false, "no package imports an example"},
		{"examples/quickstart", "internal/terminal", false, true, "the example is a command"},
		{"cmd/ownergraph", "adapters/sql", false, true, "a command opens the stores of users"},
		{"dump", "internal/live", false, false, "a reader of files runs nothing"},
		{"examples/operator", "internal/terminal", false, false, "users cannot copy an import of it"},
		{".", "owners", false, false, "the engine makes no owner references"},
		{"owners", ".", false, true, "it works on any store"},
		{".", "internal/terminal", false, false, "the engine has no display"},
		{"internal/terminal", "graph", false, false, "the display shows plain counts"},
		{"internal/terminal", ".", false, false, "commands convert to its input"},
		{"graph", "graph", true, true, "an external test imports its package"},
		{"util", "graph", false, false, "a package without a layer imports nothing"},
	} {
		if got := o.allows(c.from, c.to, c.test); got != c.want {
			t.Errorf("%s imports %s (test %v): allowed %v, want %v: %s", c.from, c.to, c.test, got, c.want, c.reason)
		}
	}
}

func TestOrderRefusesBadText(t *testing.T) {
	for _, c := range []struct{ text, want, reason string }{
		{"graph; graph < policy", "does not end", "a cut text is not a shorter order"},
		{"graph; grpah < policy;", "not introduced", "a typing error on the left side is found"},
		{"Graph;", "is no layer", "names are directories"},
		{"a; a < b; b < a;", "comes before itself", "an order has no cycle"},
		{"a; a < b < c; c < a;", "comes before itself", "a long cycle is one too"},
	} {
		if _, err := parseOrder(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q: %s", c.text, err, c.want, c.reason)
		}
	}
}
