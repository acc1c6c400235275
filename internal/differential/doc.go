// Command differential gives random histories to our collector and to the
// garbage collector of Kubernetes 1.36.3, side by side, and compares what the
// two leave behind.
//
//	GOWORK=off go -C internal/differential run . -histories 1000 -seed 1
//
// prints how many ended alike, how many show a documented deviation and of which
// class, and each difference that none explains, shrunk, in one line. It fails if
// there is one. With -history it runs such a line again.
//
// # How
//
// A history is what a store holds before the collectors begin, two to four
// objects of three kinds in two namespaces and none, and one to three actions of
// a user: deletions, references added, dropped and turned, finalizers taken off,
// objects created. One object of four has an odd reference too: to a name, kind or
// incarnation that does not fit its UID, to nothing, to itself, to a kind that
// nobody serves; and references cross namespaces.
//
// Each side has an adapters/memory store of its own, with the same objects, UIDs
// and server rules. Ours is an ownergraph.Collector with graph.ScopeAbsent
// and graph.NameAbsent.
// Theirs is the garbagecollector package by its exported constructor, with the
// workers, informers and discovery that kube-controller-manager gives it, over
// the metadata API of its store: patches are applied as an API server does it,
// and one kind takes no strategic merge patch, as custom resources do.
//
// Both run in a bubble of testing/synctest: all is quiet when the stores have not
// changed for 1,100 s of its time, longer than either side backs off.
//
// The actions come one by one, each when all is quiet, and the states are
// compared every time. Ours also has to be what internal/oracle permits. Then the
// same history is run with all actions at once, where many ends are right: ours
// has to be permitted; that theirs is not is counted, since the documentation of
// Kubernetes promises no more than best effort there.
//
// # Deviations
//
// Each is ours on purpose. A difference counts as explained only if the smallest
// history that shows it is of a class; and the history without what that class is
// about is run again, and has to end alike, or be explained in turn. TestDeviations
// holds an example of each, TestJudgeCanFail that wrong sides are found out.
//
//   - permitted: internal/oracle permits both ends. An owner's orphaning has ended,
//     and a dependent comes late: we remember and keep it (policy, Decisions), theirs
//     deletes it (kubernetes#26120, the first of the known issues). Or an object has
//     absent references beside one that orphaning drops: these may go along, or stay
//     and be its end.
//   - unknown: of an object with a reference that cannot be resolved, we drop others
//     that are absent or waiting while another owner is solid. Theirs gives the whole
//     object up at the first reference that it cannot resolve (kubernetes#102641,
//     kubernetes#98040), which also keeps a foreground deletion of the other owner
//     waiting. Neither deletes such an object.
//   - late: a dependent is observed after its owner was seen waiting, be it that it
//     comes later or at a start. Theirs looks at it with the owner's next event,
//     which may be its end (kubernetes/website#48077 documents best effort). Ours
//     goes with the others.
//   - coordinates: theirs knows dependents by the UID of their reference alone, so a
//     reference with a wrong scope, kind or name blocks the living object of that
//     UID, and is dropped when that one orphans, which can save its dependent. To us
//     it names an object that is absent, and only a reference whose coordinates
//     cannot be resolved counts by UID (policy, Decisions; kubernetes#65200,
//     kubernetes#72192).
//   - forgotten: theirs looks once at a global object with a reference to a scoped
//     kind, and then never again (without retries since kubernetes#98040), also when
//     that reference has gone and only absent ones are left. We decide by what is,
//     not by what has changed.
//   - override: an object carries the orphan or foreground finalizer before anybody
//     deletes it, and its owner is deleted in the foreground. Ours keeps the
//     finalizer and does what it says. Theirs does so only where the object has no
//     dependents; otherwise it deletes in the foreground (kubernetes#44058 discusses
//     which should win). Config.Override is the other reading.
//   - ring: theirs takes it for a ring that an object's owner waits and a direct
//     dependent of the object, by UID, waits too. It then unblocks every reference of
//     the object, although the dependent may wait for something else, or name the
//     object wrongly: an owner's foreground deletion ends before what blocks it has
//     gone. And the deletion that follows asks for the version before the patch
//     (since kubernetes#132632) and fails, so that the object lives on if its owner
//     has other finalizers. The proposal calls the heuristic not rigorous
//     (kubernetes#32628). A ring that is marked all around already is never broken.
//     We unblock what is inside of a ring of waiting objects, and nothing else.
//   - self: a reference to the object itself never counts for us. To theirs it is a
//     solid owner, and blocks, so that the object stays for ever.
//   - twice: an object with two different references of one UID is flawed; we leave it
//     as it is and report it. Theirs drops both because of the wrong one, as its
//     patches name references by UID, and leaves an object that has lost a living
//     owner (kubernetes#96065 is about the validation that is missing).
//   - unsteady: none of these, and Kubernetes ends the smallest history now in one
//     way and now in another, ours being one of them: its workers race. Ten runs
//     decide.
package main
