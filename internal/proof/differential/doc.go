// Command differential gives random histories to our collector and to the garbage
// collector of Kubernetes 1.36.3, side by side. Then it compares the end states.
//
//	GOWORK=off go -C internal/proof/differential run . -histories 1000 -seed 1
//
// The output has the number of equal ends, and the number of documented deviations by
// class. It has each unexplained difference, shrunk, in one line. The command fails if
// there is one. With -history it runs such a line again.
//
// # Method
//
// A history has the objects of a store before the collectors begin, and the actions of
// a user. There are two to four objects of three kinds in two namespaces and none.
// There are one to three actions: deletions, references added, dropped and turned,
// finalizers removed, and objects created. References cross namespaces. One object of
// four has an odd reference too. It names another object than its UID, an absent
// object, the object itself, or a kind that is not served.
//
// Each side has an adapters/memory store of its own, with the same objects, UIDs and
// server rules. Ours is an ownergraph.Collector with graph.ScopeAbsent and
// graph.NameAbsent. Theirs is the garbagecollector package by its exported constructor.
// It has the workers, informers and discovery of kube-controller-manager, over the
// metadata API of its store. The store applies patches as an API server does. One kind
// takes no strategic merge patch, as custom resources do.
//
// Both run in a bubble of testing/synctest. They are quiet when the stores have not
// changed for 1,100 s of its time, which is longer than either side backs off.
//
// The actions come one by one, each when both are quiet, and the states are compared
// every time. Our state also has to be permitted by internal/proof/oracle. Then the same
// history is run with all actions at once, where many ends are right. Our end has to be
// permitted. The ends of theirs that are not permitted are counted, since the
// documentation of Kubernetes promises only best effort there.
//
// # Deviations
//
// Each deviation of ours is on purpose. A difference is explained only if the smallest
// history that shows it is of a class. The history without the subject of that class is
// then run again. It has to end alike, or be explained in turn. TestDeviations has an
// example of each class. TestJudgeCanFail shows that the judge finds wrong sides.
//
//   - permitted: internal/proof/oracle permits both ends. An owner's orphaning has ended, and
//     a dependent comes before the owner is gone. We remember and keep it (RULES, Decisions),
//     and theirs deletes it (kubernetes#26120, the first of the known issues). Or an object has
//     absent references beside one that orphaning drops. These may go along, or stay and
//     be its end.
//   - unknown: an object has an unresolved reference. We drop its other references that
//     are absent or waiting while another owner is solid. Theirs gives the whole object
//     up at the first unresolved reference (kubernetes#102641, kubernetes#98040). That
//     also keeps a foreground deletion of the other owner waiting. Neither deletes such
//     an object.
//   - late: a dependent is observed after its owner was seen waiting, because it comes
//     later or at a start. Theirs looks at it with the owner's next event, which may be
//     its end (kubernetes/website#48077 documents best effort). In ours it goes with the
//     others.
//   - coordinates: theirs finds dependents only by the UID of their reference. So a
//     reference with a wrong scope, kind or name blocks the living object of that UID. It
//     is dropped when that object orphans, which can save its dependent. With these
//     settings it names an absent object for us, also where that object orphans. Only a
//     reference with unresolved coordinates counts by UID (RULES, Decisions;
//     kubernetes#65200, kubernetes#72192).
//   - forgotten: theirs looks once at a global object with a reference to a scoped
//     kind, and then never again (without retries since kubernetes#98040). That is true
//     also when the reference has gone and only absent ones are left. We decide by the
//     present state, without regard to the change.
//   - override: an object carries the orphan or foreground finalizer before its
//     deletion, and its owner is deleted in the foreground. Ours keeps the finalizer and
//     follows it. Theirs does so only if the object has no dependents. Otherwise it
//     deletes in the foreground (kubernetes#44058 discusses which should win).
//     Config.Override is the other reading.
//   - ring: an object's owner waits, and a direct dependent of the object, by UID,
//     waits too. Theirs takes this for a ring, and unblocks every reference of the
//     object. But the dependent may wait for another object, or name the object wrongly.
//     Then an owner's foreground deletion ends before its blocking dependents. The
//     deletion that follows asks for the version before the patch (since
//     kubernetes#132632) and fails. So the object lives on if its owner has other
//     finalizers. The proposal calls the heuristic not rigorous (kubernetes#32628).
//     Theirs never breaks a ring that is marked all around already. Ours unblocks only
//     references inside of a ring of waiting objects.
//   - self: for us a reference to the object itself never counts. For theirs it is a
//     solid owner, and blocks, so that the object stays for ever. One to the own UID at
//     other coordinates is an absent owner for theirs, which deletes the object. We keep
//     it, since the UID names the object, and the object lives.
//   - twice: an object with two different references of one UID is flawed. We leave it
//     alone and report it. The patches of theirs name references by UID, so it drops both
//     because of the wrong one. It leaves an object without its living owner
//     (kubernetes#96065 is about the missing validation).
//   - unsteady: the difference is of no other class, and Kubernetes ends the smallest
//     history in several ways, one of which is ours. Its workers race. Ten runs decide.
package main
