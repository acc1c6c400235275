package main

import (
	"strings"

	"github.com/ownergraph/ownergraph/internal/proof/steps/meter"
)

// exception is a function whose loops may exceed the bound in one kind of step. An empty step stands
// for every kind.
type exception struct{ step, function, reason string }

// known are the exceptions. Each function has its own reason, which names the bound.
//
// Steps for all at once: a rewind, a set of kinds and the questions that ask for everything.
var known = []exception{
	{"rewound", "engine Engine.forgetDoubts", "a rewind takes back every doubt: see Engine"},
	{"rewound", "internal/core/brake Machine.Rewind", "at most 4,096 cascades"},
	{"rewound", "internal/core/handlers Runs.Rewind", "the runs of handlers, at most Config.HandlerWorkers"},
	{"rewound", "internal/core/inflight Expectations.Nodes", "a rewind ends the wait of every write"},
	{"rewound", "internal/core/kinds Table.Rewind", "a rewind asks for a new listing of every kind"},
	{"rewound", "internal/core/kinds Table.WantLists", "a rewind asks for a new listing of every kind"},
	{"rewound", "internal/core/order Machine.Rewind", "a rewind ends every order"},
	{"rewound", "internal/core/record Table.ForgetRoots", "a rewind takes back every root"},
	{"", "graph Graph.rewind", "a rewind takes back every absence; the event may be a put with an older version"},
	{"", "graph Graph.ids", "the nodes of a rewind; the event may be a put with an older version"},
	{"kinds-known", "internal/core/kinds Table.SetKinds", "the kinds are the content of the event"},
	{"kinds-known", "internal/core/kinds Table.addAll", "the kinds are the content of the event"},
	{"kinds-known", "internal/core/kinds Table.forget", "the kinds are the content of the event"},
	{"kinds-known", "internal/core/kinds lateness.add", "one entry for each kind of the event; TestLateEntries bounds the sum"},
	{"rewound", "internal/core/kinds lateness.add", "one entry for each kind; TestLateEntries bounds the sum"},
	{"kinds-known", "graph Graph.applyKinds", "the kinds are the content of the event"},
	{"kinds-known", "graph Graph.define", "the kinds are the content of the event"},
	{"kinds-known", "graph Graph.number", "the kinds are the content of the event"},
	{"kinds-known", "graph Graph.describe", "the objects of a kind that is declared a container, or is one no longer"},
	{"kinds-known", "graph Graph.chain", "the objects of a kind that is declared a container, or is one no longer"},
	{"kinds-known", "graph acceptKinds", "the kinds are the content of the event"},
	{"Engine.Kinds", "engine Engine.Kinds", "its result has every kind"},
	{"Engine.Kinds", "internal/core/kinds Table.All", "its result has every kind"},
	{"Engine.Stats", "engine Engine.Stats", "it asks every run of a handler, at most Config.HandlerWorkers"},
	{"Engine.Stats", "internal/core/brake Machine.CountHeld", "at most 4,096 cascades"},
	{"Engine.Explain", "graph inner.CountContent", "the kinds with objects in one scope, or of one definition"},
	{"Engine.Held", "internal/core/held Table.First", "it looks at all held objects; Collector.Held has slices"},
	{"Engine.Held", "internal/core/held first", "it sorts the held objects of its result; Collector.Held has slices"},
	{"Engine.Held", "graph Graph.facts", "the parts of the texts of its result; Collector.Held has slices"},
	{"Engine.Idle", "engine pending.queued", "it asks each run of a handler, at most Config.HandlerWorkers"},
	{"Engine.Idle", "internal/core/kinds Table.Listing", "it asks each kind"},
	{"Engine.Idle", "queue Queue.eachDelayed", "it asks the delayed keys until one is due for more than a time"},
	{"Engine.Idle", "internal/core/sweep Sweeps.Proving", "it asks each run of a sweep: one for each holder in deletion"},
	{"Engine.Sweeps", "internal/core/sweep Sweeps.sorted", "it sorts the runs of sweeps: one for each holder in deletion"},
	{"Engine.Pause", "engine reports.pauseReport", "the writes of unknown outcome, each of which a call has left without an answer"},
	{"Engine.Pause", "engine reports.underWayIn", "the calls under way, at most the workers of a Collector and its batches"},
	{"Engine.Pause", "internal/core/inflight Calls.UnderWay", "the calls under way, at most the workers of a Collector and its batches"},
	{"Engine.Pause", "graph appendWord", "the letters of the names of the calls under way"},

	// Lists of ids that go on together. Each of their objects costs a decision or more in later steps.
	{"", "engine Engine.carryOut", "it enters the ids of one effect in lists; the decisions follow in slices"},
	{"", "internal/core/effect List.Wake", "the waiters of one fence, as a list of ids"},
	{"", "internal/core/fence Machine.Wake", "the waiters of one fence, as a list of ids"},
	{"control", "internal/core/guards Machine.SetCall", "a scan of the ids of roots that await their judgement; each judgement plans a cascade"},
	{"", "internal/core/reads Misplaced.Add", "a scan of at most 1,024 ids in each of a step's decisions"},
	{"", "internal/core/reads Machine.Want", "a search in at most 1,024 ids, and the insertion of one, in each of a step's decisions"},
	{"", "queue Queue.Next", "a call makes at most 256 due keys ready, and a step makes many calls"},
	{"put", "internal/core/sweep Sweeps.anyHeld", "it asks each run of a sweep: one for each holder in deletion"},
	{"", "internal/core/sweep Sweeps.endWalk", "it enters the holder of each run in the queue after a walk over all nodes"},
	{"", "internal/core/sweep Sweeps.sorted", "it sorts the runs of sweeps after a walk over all nodes"},

	// Kinds and orders, which a fence concerns together.
	{"control", "internal/core/kinds Table.OpenFence", "the beginning of a fence opens each kind: see Engine"},
	{"control", "internal/core/kinds Table.LateAt", "each former entry is dropped once, after the end of its kind's listing"},
	{"kind", "internal/core/order Machine.Doubt", "a look at each order, without its objects"},
	{"rewound", "internal/core/order Machine.Doubt", "a look at each order, without its objects"},
	{"", "internal/core/order Machine.TakeBack", "a look at each order, without its objects"},
	{"", "internal/core/order Machine.lookAtFenced", "a look at each order, without its objects"},

	// Work that is spread over the steps before it, or that is a part of larger work.
	{"", "internal/core/history Machine.trim", "each end is forgotten once"},
	{"", "internal/core/history ring.grow", "the memory of ends grows by doubling"},
	{"", "internal/core/record Table.Compact", "the table shrinks to a half, after as many removals"},
	{"", "graph RingSearch.close", "a step ends the ids of one ring together, 8 for the time of one node"},
	{"", "graph merging.add", "a copy of ids, 16 for the time of one node"},
	{"", "graph merging.step", "a copy of ids, 16 for the time of one node"},
	{"", "internal/core/inflight digest", "the letters of the references that a decision names"},
	{"", "graph Graph.facts", "the parts of the texts of the nodes that a step decides"},
	{"", "graph Graph.withHash", "the nodes in one place of the index, for each node that a step decides"},
	{"put", "internal/core/swar IsPlain", "the letters of the event"},
}

func (x exception) covers(f meter.Finding) bool {
	return f.Function() == x.function && strings.Contains(f.Step, x.step)
}
