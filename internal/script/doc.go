// Package script runs text scenarios: a world of package world, moved step by
// step, with what it shows written below each step. They are the project's
// rules as examples, in the style of etcd raft's interaction tests.
//
// A file begins with "# why:", which rule or story it holds and what breaks with
// a weaker one. Then come blocks: commands, one on a line, "----", and what they
// print, up to a blank line. A block that prints nothing ends without "----".
// Other comments may stand between blocks and before commands.
//
//	# why: R2, absence: an owner that was seen gone is gone.
//
//	objects a; b -> a
//
//	bg a
//	settle
//	----
//	store: (empty)
//	requests: delete 1
//
// # Commands
//
// A key is in the notation of package graph. A verb may carry the number of an
// engine, as in "issue@2"; the first is meant without one.
//
//	world OPTION...          settings, first of all; see below
//	objects NOTATION         what the store holds at the beginning
//	fg a, addref b->a!, ...  what users do, as package oracle spells it; "unchanged" if it cannot be done
//	label a x=1,y=           a user gives it these labels, and no others; without any it has none
//	ack a                    the controller of a acknowledges its generation
//	list KIND                begins a listing of a kind; "list" of every kind that has none yet
//	see [KIND [N]]           delivers what the watch holds: of all kinds, of one, or N events of one
//	issue [N]                has the engine hand out its calls: all, or at most N
//	land [KEY|N] [FAULT]     lands calls under way: all, that on a key, or the N-th; see below
//	renew N                  the N-th call under way, a selection, is answered by what the store holds now, and
//	                         not by what it held when the first page was asked for
//	carry KEY|N              carries a write out and keeps its answer back
//	crash                    ends the engine; a new one begins from nothing
//	late                     lands the writes of crashed engines
//	advance DURATION         moves time
//	settle                   lets everything happen; prints the store, what is held and why, and the
//	                         requests since the last time
//	held                     what is held, and why
//	graph                    what the engine has observed: objects, and "<-" who refers to them
//	decide KEY               the last decision about an object
//	sick KIND WHY, recover KIND      its watch ends for now, goes on with a listing
//	vanish KIND, serve KIND[:FLAGS]  it is no longer served, is served (again)
//	garble KIND              its watch says something that no watch may say
//	control FAULT            what goes wrong with the next fence or listing; a lost one is never reported
//	down KIND, up KIND       reads and writes of it fail, or no longer
//	undo KIND, allow KIND    a policy undoes every write to it, or no longer
//	backup, restore          notes what the store holds; goes back to it, as the store announces
//	restore unseen           the same without a word
//	stale KIND               begins a listing that shows the backup
//	unjudged WHY             takes the scenario out of the comparison with the oracle
//	unsafe WHY               that, and lets writes break what package invariant holds
//
// Options: level=0|1|2 engines=N scope=hold|absent name=hold|absent kinds=K[:scoped][:noowner],...
// unserved=K,... ignore=K,... override observe acknowledge=K,... fencewait=1s
// handlers=F,... versions (they can be compared) cold page=N (of selections)
// sweep=KIND[:name][:scope][:owner][:label=L][:select=SELECTOR][:confirm][:unguarded], where a
// selector is that of the members before it. A world begins with engines
// that have seen all of it, if that is quiet; a cold one with engines that know
// the kinds and nothing else. Kinds that an object or a
// reference names are served unless they are told to be unserved.
//
// Faults: lost (not carried out, nobody can tell), lost-done (carried out, nobody
// can tell), later (the store asks to be left alone for a second), conflict,
// refused, error (of a handler), lie (nothing there, against the contract), undone (carried out, and undone
// in the same step).
//
// # Judgement
//
// After every command the engines' own invariants have to hold, and every write
// of an engine has to keep what package invariant says; what it does for a sweep
// also where that is left out ("unsafe"), for nobody owns what a sweep deletes. A
// scenario ends settled: then the store has to be in a state that package oracle
// permits for the actions done; in the only one where each was done in quiet and
// there is one.
package script
