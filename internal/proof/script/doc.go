// Package script runs text scenarios. A scenario moves a world of package world step
// by step, and has the output of each step below it. The scenarios are the project's
// rules as examples, in the style of etcd raft's interaction tests.
//
// A file begins with "# why:" and its reason: the rule or story that it checks, and
// the failure of a weaker rule. Then come blocks. A block has commands, one on a line,
// then "----" and their output, up to a blank line. A block without output ends
// without "----". Comments may stand between blocks and before commands.
//
//	# why: R2, absence: a dependent goes after the watch saw its owner go.
//
//	objects a; b -> a
//
//	bg a
//	run
//	----
//	store: (empty)
//	requests: delete 1
//
// # Commands
//
// A key is in the notation of package graph. A command may carry the number of an
// engine, as in "issue@2". Without a number it is for the first engine.
//
//	world OPTION...          settings, as the first command; see below. A later one ends the
//	                         world and begins another
//	objects NOTATION         the objects of the store at the beginning
//	fg a, addref b->a!, ...  an action of a user, in the notation of package oracle;
//	                         prints "unchanged" if the store refuses it
//	label a x=1,y=           a user replaces the labels of a by these
//	remove a F               another client takes the finalizer F off a; "hold" is that of guards
//	ack a                    the controller of a acknowledges its generation
//	list KIND                begins a listing of a kind; "list" of every kind without one
//	see [KIND [N]]           delivers events of the watch: all, those of one kind, or N of them
//	issue [LANE] [N]         the engine hands out its calls: all, or those of the lane store,
//	                         control or handler, or at most N
//	complete [KEY|N] [FAULT] completes calls under way: all, the one on a key, or the N-th; see below
//	renew N                  gives the N-th call under way, a selection or a judgement, an answer
//	                         of now; it is otherwise of the time of the first page, or of "issue"
//	commit KEY|N             commits a write and delays its answer
//	crash                    ends the engine and begins a new one
//	late                     completes the writes of crashed engines
//	advance DURATION         moves time
//	run                      runs the world until it is at rest; prints the store, the held objects
//	                         with their reasons, and the requests since the last time
//	held                     prints the held objects with their reasons
//	graph                    prints the observed objects, with "<-" and their dependents
//	decide KEY               prints the last decision about an object
//	braked                   prints the cascades that the brake holds
//	approve-cascade KEY N DURATION  a user approves N deletes of a cascade, for a time
//	refuse-cascade KEY keep|orphan  a user refuses a cascade
//	orders                   prints the cascades in phases: the open phases, and the objects left
//	stats                    prints whether the engine is idle, and counts that are not zero
//	pause WHAT               the engine pauses everything, "kind K", "scope S" or the global
//	                         objects ("scope"); prints the calls that the pause waits for
//	resume WHAT, paused      the engine ends that pause; prints the pauses
//	sick KIND WHY, recover KIND      the watch of a kind ends for now; it goes on with a listing
//	vanish KIND, serve KIND[:FLAGS]  the kind is no longer served; it is served (again)
//	garble KIND              the watch of a kind delivers an invalid event
//	control FAULT            the fault of the next fence or listing; a lost one is never reported
//	down KIND, up KIND       reads and writes of a kind fail; they work again
//	undo KIND, allow KIND    a policy undoes every write to a kind; it ends
//	backup, restore          keeps the state of the store; goes back to it and announces that
//	restore unseen           goes back without an announcement
//	stale KIND               begins a listing that shows the backup
//	unjudged WHY             leaves the scenario out of the comparison with the oracle
//	unsafe WHY               does that, and permits writes that break package invariant
//
// The options of a world:
//
//	level=0|1|2|3 engines=N scope=hold|absent name=hold|absent kinds=K[:scoped][:noowner][:unwatched],...
//	unserved=K,... ignore=K,... override observe policies acknowledge=K,... grace=K,...
//	fencewait=1s
//	handlers=F,... handlerworkers=N versions cold page=N audit=1s remember=N hand
//	brake=N awaitsick window=N/DURATION
//	sweep=KIND[:name][:scope][:scopes][:owner][:label=L][:of=K+K][:select=SELECTOR]
//	      [:where=[!]FINALIZER][:phase=K+K][:then=K+K][:unguarded]
//	guard=NAME[:engine=N][:always][:protected][:above=N][:phase=K+K]...
//	protect=NAME[:engine=N]
//
// The option grace names the kinds whose objects have grace periods, as in "fg a~30". The
// option versions makes versions comparable. Page sets the length of a page of a
// selection. Audit is the time between two audits, and remember the number of remembered
// owners that are gone. Brake is the limit of a cascade, whose count waits for sick kinds with
// awaitsick, and window that of all deletes in a
// time.
//
// A guard has the objects of a name as its roots, and a rule of protection protects them.
// Both apply to all engines, or to one of them. The objects of a guard with phases go
// in phases. After "run", the reports of guards stand behind the word "reported".
//
// In a sweep, scopes are the scopes that begin with the holder's name and "-". The words
// of, select and where belong to the members before them: their kinds, their selector,
// and a finalizer that their holder carries. A phase with then waits for the phases
// before it. A guard has the kind of its roots and the conditions that refuse. A world begins
// with engines that have observed the whole store, which has to be quiet. A cold world
// begins with engines that know the kinds alone. The store serves all kinds of objects
// and references, without the unserved ones.
//
// The faults of a call:
//
//	lost       the store does nothing, and the outcome is unknown
//	lost-done  the store commits the call, and the outcome is unknown
//	later      the store does nothing and asks for a retry after a second
//	conflict   the store does nothing and answers with a conflict
//	refused    the store does nothing and refuses the call
//	error      a handler fails
//	lie        the store answers NotFound, against its contract
//	undone     the store commits the call and undoes it in the same step
//
// # By hand
//
// The option hand makes a world without a store and users. The scenario is the watch and
// gives the answers, which a store may give only in rare orders. A fence and a listing
// begin at once, and fail after "control lost". The kinds are listed as empty, except in
// a cold world. A world by hand has these commands, and issue, advance, control, held,
// graph, decide, orders and stats.
//
//	watch EVENT; ...         the watch delivers events; prints those that the engine refuses
//	pass [N] [KIND...]       every kind passes the newest fence or fence N, or these kinds do;
//	                         "*" is the set of kinds
//	answer KEY|N ANSWER      completes the call on a key or the N-th call under way
//
// An event is an object in the notation, "gone KEY", "begin KIND", "end KIND [VERSION]",
// "empty KIND" (both), "kinds K,...", "vanished KIND", "sick KIND WHY", "recovered KIND",
// "rewound [EPOCH]", or "garbled KEY", an object without a version. "broke" is the end of
// the watch by a failure, and "ended" its end in order.
//
// An answer is an object, or ok, not-found, conflict, refused, unknown (the kind is not
// served) or lost. The answer of a selection is a value and the objects that carry it,
// and "..." if there are more.
//
// # Judgement
//
// After every command the invariants of the engines have to be true. A world by hand has no
// other judge than its output. In each other world package invariant judges every write.
// In an "unsafe" scenario it judges only the writes of a sweep, which rest on no owner.
// A scenario ends at rest. Then package oracle has to permit the state of the store after
// the actions. If every action came at rest, and oracle.EndsQuiet permits one state only,
// the store has to be in that state.
package script
