package policy

import "github.com/ownergraph/ownergraph/graph"

// articles documents each reason. Page makes REASONS.md of it.
var articles = [...]Article{
	NoOwners: {
		"The object has no owner reference. Collection never deletes it.",
		"It was created without an owner, or all its references were dropped.",
		"None is needed. Add an owner reference if the object should go with another object.",
	},
	OnlySelf: {
		"Every owner reference of the object leads back to the object itself. A self-reference never counts, so the object is kept.",
		"A writer set the object as its own owner.",
		"Drop the self-reference, or delete the object by hand.",
	},
	OwnerSolid: {
		"At least one owner exists and does not wait for its dependents. The object is kept.",
		"This is the common state of an owned object.",
		"None is needed. The object goes when all its owners go.",
	},
	OwnersGone: {
		"Every owner is proven absent. The engine deletes the object.",
		"The owners were deleted, and no other owner is left.",
		"None is needed. To keep an object, drop its owner references before the last owner goes.",
	},
	OwnersWaiting: {
		"Every owner is absent, or is being deleted in the foreground and waits for its dependents. The engine deletes the object.",
		"A user deleted an owner with foreground propagation.",
		"None is needed.",
	},
	DanglingBesideSolid: {
		"Some owners are proven absent and another one exists. The engine drops the references to the absent ones.",
		"One of several owners was deleted.",
		"None is needed.",
	},
	WaitingBesideSolid: {
		"Some owners wait for their dependents and another one exists. The engine drops the references to the waiting ones.",
		"One of several owners is being deleted in the foreground.",
		"None is needed.",
	},
	OwnerOrphans: {
		"An owner is being deleted and leaves its dependents. The engine drops each reference with its UID.",
		"A user deleted the owner with orphan propagation.",
		"None is needed. The object stays.",
	},
	OwnerOrphaned: {
		"This engine completed the orphaning of an owner. It now drops a reference that came later.",
		"The object got a reference to an owner that had already left its dependents.",
		"None is needed. The object stays.",
	},
	RingConfirmed: {
		"The object waits for itself over a ring of foreground deletions. The engine unblocks the references inside the ring.",
		"Objects own each other with blocking references, and all of them are being deleted in the foreground.",
		"None is needed. Remove the ring from the templates that create the objects.",
	},
	DependentsGone: {
		"No dependent blocks the foreground deletion of the object any more. The engine releases the object.",
		"The last blocking dependent went, or gave up its reference.",
		"None is needed.",
	},
	DependentsFree: {
		"No reference has the UID of the orphaning object any more. The engine releases the object.",
		"The references of all dependents were dropped.",
		"None is needed.",
	},
	AcknowledgementOverdue: {
		"The controller of the orphaning object has not acknowledged the deletion in time. The engine goes on without it.",
		"The controller is down or slow, or does not report the observed generation.",
		"Look at the controller of the object's kind, because it may create dependents again.",
	},
	NeedOwner: {
		"The engine reads an owner before it decides.",
		"The watch alone does not prove the state of the owner for this version of the object.",
		"None is needed. Look at the reads of the owner's kind if this takes long.",
	},
	NeedFence: {
		"The engine waits for a fence. It has then observed every change from before the deletion mark.",
		"A foreground deletion or an orphaning is about to end.",
		"None is needed. Look at the watch of the store if this takes long.",
	},
	NeedListing: {
		"The engine waits for a complete listing of a kind.",
		"The collector has just begun, a watch broke, the store was restored, or the kind may not be listed.",
		"Wait for the end of the listing. If that takes long, mend the kind, or grant the right to list it.",
	},
	NeedWatch: {
		"A read shows another state than the watch. The engine waits until the watch shows the change.",
		"The watch lags behind the store, or has lost an event.",
		"None is needed at first. The engine asks for a new listing after a while.",
	},
	NeedDependents: {
		"The object is being deleted and waits for its dependents.",
		"Dependents block its foreground deletion, or still name the UID of the orphaning object.",
		"Explain the dependents. Each of them has a reason of its own.",
	},
	NeedFinalizers: {
		"The object is being deleted, and finalizers hold it. This engine does not handle them.",
		"The controller of each finalizer has not finished its work, or does not run.",
		"Look at the controller of the finalizer. If that is gone for good, take the finalizer off.",
	},
	NeedGrace: {
		"The object is being deleted, and its grace period has to end. Afterwards the store removes the object.",
		"The deletion gave the object time to stop.",
		"Wait for the end of the period. If it is over, look at the actor that stops the object, such as the node of a pod.",
	},
	NeedAcknowledgement: {
		"An orphaning waits until the controller of the object has observed the deletion.",
		"The setting Acknowledge names the object's kind.",
		"None is needed. The engine goes on after the time of the setting.",
	},
	FenceHeld: {
		"A sick kind holds the fence. A deletion cannot end before, because an unobserved dependent may be of that kind.",
		"The store cannot list or watch the kind, for example because an API service is down.",
		"Mend the kind, or remove it from the store. The setting FenceWait lets deletions end as best effort.",
	},
	OwnerUnknown: {
		"An owner is proven neither present nor absent. Unknown never deletes anything, so the object stays.",
		"The doubt says more. The doubts stand at the end of this page.",
		"Follow the action of the doubt.",
	},
	ObjectFlawed: {
		"The object breaks a rule of the model. The engine does not judge it.",
		"A reference has an empty field, one UID stands at two coordinates, the object has two controllers, or the store cannot read it.",
		"Correct the field that the explanation names.",
	},
	OwnedInRing: {
		"The object and its owners own each other, and no other object owns them. All of them are kept.",
		"A writer made a ring of owner references.",
		"Drop one reference of the ring, or delete one of the objects by hand.",
	},
	KindUnserved: {
		"The store does not serve the kind of the object now. No write can reach the object.",
		"The type was removed, or its API is switched off.",
		"Restore the type, or accept that its objects are gone.",
	},
	KindSick: {
		"The kind of the object cannot be watched, and a write to the object failed.",
		"The API of the kind is down, or this collector may not watch the kind.",
		"Mend the API or the permissions. The engine goes on by itself.",
	},
	StoreRefused: {
		"The store refused the write. The engine tries it again slowly.",
		"An admission webhook is dead or denies the write, a permission is missing, a foreign key or a trigger of a database refuses it, or the store finds the object invalid.",
		"Read the words of the store. Mend the webhook, or grant the permission. On a SQL store, lint --store names the foreign keys that refuse.",
	},
	HandlerFailed: {
		"The handler of a finalizer failed. The engine runs it again after a growing delay.",
		"The error of the handler says more.",
		"Mend the cause that the error names. The engine tries again by itself.",
	},
	HandlerDone: {
		"The handler of a finalizer has succeeded. The engine removes the finalizer.",
		"The work before the removal is complete.",
		"None is needed.",
	},
	HandlerRuns: {
		"The handler of a finalizer is at work, or waits for its turn.",
		"The object is being deleted, and this engine handles its finalizer.",
		"None is needed. Look at the handler if this takes long.",
	},
	Disturbed: {
		"Other writers change the object faster than the engine can write. The engine backs off.",
		"A controller updates the object all the time.",
		"Find the other writer, for example in the object's managed fields.",
	},
	WriteUndone: {
		"The engine's write succeeded, and another writer undid it again and again. The engine backs off.",
		"A controller or a policy restores the reference or the finalizer.",
		"Find the writer that restores the field, and change its template.",
	},
	ObserveOnly: {
		"The engine would write, and only observes.",
		"The setting ObserveOnly is on.",
		"None is needed. Another collector may do the work, or switch the setting off.",
	},
	LevelTooLow: {
		"The engine would write, and the guarantees of the store are too weak.",
		"The store declares level 0.",
		"Use a store of level 1 or higher.",
	},
	UIDShared: {
		"Another live object has the object's UID. No write goes to either of them.",
		"A backup was restored with the UIDs of live objects, or the store makes UIDs that repeat.",
		"Delete one of the two objects by hand.",
	},
	NeedAnswer: {
		"A write got no answer, or the watch broke. The store has to answer a call before the next write.",
		"The connection to the store was lost for a moment.",
		"None is needed. Look at the store if this takes long.",
	},
	HolderSeen: {
		"The object is a holder of a sweep. The engine adds the finalizer of the sweep.",
		"The settings name the object's kind as a holder.",
		"None is needed.",
	},
	HolderDeleted: {
		"The holder of the object is being deleted. The engine deletes the object as its member.",
		"A user deleted the holder.",
		"None is needed.",
	},
	MembersGone: {
		"All members of the holder are gone. The engine releases the holder.",
		"The sweep is complete.",
		"None is needed.",
	},
	NeedMembers: {
		"The holder is being deleted and waits for its members.",
		"Members are still there: the sweep is under way, or something holds a member.",
		"Explain the members. Each of them has a reason of its own.",
	},
	NeedSweep: {
		"The sweep of the holder has not reached the object yet.",
		"A former phase of the sweep is not complete, or a proof about the holder is under way.",
		"None is needed.",
	},
	HolderUnguarded: {
		"The holder was deleted before it carried the finalizer of its sweep. The engine does not sweep its members.",
		"The deletion was faster than the engine, or came while no collector ran.",
		"Delete the members by hand, or set Unguarded of the sweep.",
	},
	HolderUnfit: {
		"The members of the holder cannot be told from the members of others. The engine does not sweep them.",
		"The holder's name or labels do not identify its members.",
		"Correct the name or the label that the explanation names.",
	},
	SweepUnserved: {
		"The sweep names a kind that the store does not serve. The engine does not sweep, because members may be hidden.",
		"A type was removed, or the settings have a typing mistake.",
		"Restore the type, or remove the kind from the sweep.",
	},
	Contested: {
		"Another live owner or holder has a claim on the object, too. The sweep leaves the object.",
		"The object belongs to two holders, or has an owner beside its holder.",
		"Remove one of the claims.",
	},
	NeedSelect: {
		"The members of the holder by label have to be selected.",
		"The store has not answered the selection yet, or refuses it.",
		"None is needed at first. Look at the permission to list the kind if this takes long.",
	},
	FenceLost: {
		"A healthy kind has not passed the fence in time. The engine tries another fence.",
		"The watch of the kind lags, or has silently stopped.",
		"Look at the watch of the kind, or restart the collector's connection.",
	},
	WriteFails: {
		"Writes to the object fail again and again, or one took too long. The store does not say that it refuses them.",
		"The store or the network has a fault. Or a transaction of a user holds a lock, or a foreign key has no index.",
		"Read the last error, and mend the store. End the transaction that holds the lock.",
	},
	Protected: {
		"The object is protected, so the engine does not delete it. Its dependents stay, because it lives.",
		"A rule of Config.Protect selects the object, or it carries the finalizer of protection.",
		"None is needed if the object has to stay. Otherwise change the rule, or remove the finalizer.",
	},
	ProtectionUnknown: {
		"A rule protects objects by a label, and the labels of this version are not known yet. The engine does not delete the object.",
		"The selection by label is under way, or the store refuses it.",
		"None is needed at first. Look at the permission to list the kind if this takes long.",
	},
	RootSeen: {
		"A guard selects the object, so the engine puts the two finalizers of guards on it.",
		"The object is new, or the guard is.",
		"None is needed.",
	},
	NeedVerdict: {
		"The object is being deleted, and its guard has to judge the whole cascade first. No object below it is deleted before.",
		"The verdict waits for a fence, or for the plan of the deletion. A sick kind holds the fence, and a store without fences never gets a verdict.",
		"Mend the sick kinds. On a store without fences, approve the deletion.",
	},
	VerdictPassed: {
		"The guard lets the deletion pass. The engine removes the finalizer that held the cascade.",
		"No condition of the guard applies to the plan of the deletion.",
		"None is needed.",
	},
	VerdictRefused: {
		"The guard refuses the deletion. The engine records that by removing the finalizer of unjudged roots.",
		"The plan has a protected object, or more objects than the guard allows, or the guard refuses every deletion.",
		"Read the plan of the deletion. Approve it, or leave the object as it is.",
	},
	DeletionRefused: {
		"The deletion was refused, and nothing below the object is deleted. The mark of the object stays.",
		"A guard refused the deletion, or the deletion came before the object carried both finalizers of its guard.",
		"Approve the deletion after a look at its plan. Or delete the object again with orphan, and approve that. Or leave it.",
	},
	DeletionApproved: {
		"A user approved the deletion, and its cascade begins.",
		"The plan of the deletion was compared with the approval.",
		"None is needed.",
	},
	HoldRemoved: {
		"Another writer has removed the finalizer that held the cascade, so the cascade begins.",
		"A user, another collector or a script removed the finalizer.",
		"None is needed if that was meant. Otherwise look for the writer in the audit log of the store.",
	},
	HoldGone: {
		"The object is being deleted, and nothing holds its cascade any more. The engine removes the other finalizer of its guard.",
		"The deletion has passed, or was approved.",
		"None is needed.",
	},
	RootUnguarded: {
		"The object is being deleted, and its guard does not hold it. Its cascade is an ordinary one.",
		"The object was marked before it carried the guard's finalizer, or its deletion passed before this collector began.",
		"None is possible for this object. The brake limits such cascades.",
	},
	GuardMissing: {
		"The object carries the finalizers of a guard, and no guard of this collector selects it. Its deletion waits for a verdict.",
		"The guard was taken out of the settings, or another collector has it.",
		"Approve the deletion, or put the guard back. Retire the guard's finalizers on the objects that live.",
	},
	GuardUnfit: {
		"A guard selects the object, and objects of its kind may not own others. The engine puts no finalizer on it.",
		"The store declares that the kind may not own.",
		"Take the kind out of the guard.",
	},
	OrderNeedsForeground: {
		"The guard has phases, so the engine repeats the deletion in the foreground before the cascade begins.",
		"The object was deleted in the background.",
		"None is needed.",
	},
	GraceNeedsForeground: {
		"The root has a grace period that its dependents get, so the engine repeats the deletion in the foreground before the cascade begins. The repeated period is shorter by one second.",
		"The object was deleted in the background with a grace period, and Config.PropagateGrace names its kind.",
		"None is needed.",
	},
	NeedPhase: {
		"Objects of an earlier phase have to go first.",
		"The guard of the root has phases, and an earlier one is not over.",
		"None is needed at first. Explain the objects of the earlier phase if this takes long.",
	},
	Braked: {
		"The cascade has more objects than the brake allows, so the engine deletes none of them.",
		"Many objects lost their owner at once: by a large deletion, a removed type, a restore, or a fault of the store.",
		"Approve the cascade if it is meant. Otherwise restore the owner, or refuse the cascade.",
	},
	BrakeWindow: {
		"The brake allows a number of deletes in a time, and this number is used up. The engine goes on later.",
		"Many objects are being deleted.",
		"None is needed.",
	},
	CascadeRefused: {
		"A user refused the cascade that the brake held. The object stays, or loses its references to the absent owners.",
		"Refuse was called for the cascade.",
		"None is needed. Approve the cascade to delete the object all the same.",
	},
	BrakeListing: {
		"The brake waits for complete listings of kinds before it counts the cascade.",
		"A kind is being listed. With Brake.AwaitSick (-brake-await-sick) the brake waits for sick kinds, too.",
		"None is needed at first. Mend the sick kinds, or end the setting.",
	},
	StoreDelays: {
		"The store has put a call for the object off, and has done nothing. The engine repeats the call after the time that the store named, at most Config.MaxRetryAfter.",
		"The store is busy: a server's 429 or 503 with Retry-After, or a database without room.",
		"None is needed at first. If this takes long, read the last error and look at the load of the store.",
	},
	FenceFails: {
		"The store's call for a fence fails, or the store has put it off. No deletion that needs a fence ends meanwhile. The engine repeats the call.",
		"The store or the network has a fault, or the store is busy.",
		"Read the last error, and mend the store.",
	},
	JudgementFails: {
		"The object is being deleted, and the plan by which its guard judges the deletion fails. No object below it is deleted. The engine judges again, later each time.",
		"The plan reaches its bound of objects and references, or a function of the settings panics. The last error has the cause.",
		"Read the last error. Mend the function, or approve the deletion. Beyond the bound, delete a part of the objects below it first.",
	},
	Paused: {
		"The engine is paused for this object. It observes and explains, and writes nothing.",
		"Pause was called for everything, or for the scope or the kind of the object.",
		"Resume the engine when the cause of the pause is over.",
	},
	OtherShare: {
		"The UID of the object is in the share of another collector, which does this work. The detail has the decision that this collector would make.",
		"Several collectors divide the store, and each of them writes to its own share alone.",
		"None is needed. If the object stays, ask the collector of its share. The status of the group names it. Without such a collector, a member with a lease does not work, or SetShare leaves a gap.",
	},
	CascadeOwnerGone: {
		"The owner of a cascade reference is proven absent. The engine deletes the object, also beside other owners.",
		"The owner was deleted. One cascade reference is enough.",
		"None is needed. To keep such an object, drop the reference or change its policy before the owner goes, or protect the object.",
	},
	CascadeOwnerWaits: {
		"The owner of a cascade reference is being deleted in the foreground and waits for its dependents. The engine deletes the object, also beside other owners.",
		"A user deleted the owner with foreground propagation.",
		"None is needed. To keep such an object, drop the reference or change its policy before the owner goes, or protect the object.",
	},
	OwnerReleases: {
		"The owners of release references are absent, or wait for their dependents. The engine drops these references.",
		"The owner was deleted, and the policy of the reference says that the object stays.",
		"None is needed. The object stays as long as its other references let it.",
	},
	NoOwnerDeletes: {
		"The object has only release and restrict references to other objects. The end of an owner never deletes it.",
		"The writers of the references chose these policies.",
		"None is needed. Delete the object by hand, or give it a reference that deletes.",
	},
	Restricted: {
		"An unmarked object refers to the object with restrict. The engine does not delete the object, and its deletion mark, if it has one, counts for no dependent.",
		"The owners of the object are gone or it was deleted, and the restricting object still exists.",
		"Delete the restricting object, or drop its reference. The explanation names it.",
	},
}

// doubtArticles documents each doubt about an owner.
var doubtArticles = [...]Article{
	graph.Unobserved: {
		"The watch has not shown the owner. A read has to find it, or prove that it is absent.",
		"The owner is new, was never there, or went before the collector began.",
		"None is needed. The engine reads the owner.",
	},
	graph.Unlisted: {
		"The first listing of the owner's kind is not complete.",
		"The collector has just begun, or the kind cannot be listed.",
		"Look at the health of the owner's kind.",
	},
	graph.UnresolvedScope: {
		"The store could not find out the scope of the owner.",
		"The owner's kind was unknown to the store when it read the object.",
		"Restore the owner's kind, or drop the reference.",
	},
	graph.UnservedKind: {
		"The store does not serve the owner's kind.",
		"The type of the owner was removed, or the reference names an old version of its API.",
		"Restore the type, correct the reference, or drop it.",
	},
	graph.IgnoredKind: {
		"A setting leaves the owner's kind out, so the engine cannot see the owner.",
		"Config.Ignore names the kind.",
		"Remove the kind from the setting, or drop the reference.",
	},
	graph.BannedOwner: {
		"Objects of the owner's kind may not own other objects.",
		"The store declares that the kind may not own.",
		"Drop the reference.",
	},
	graph.ForeignScope: {
		"The reference names a scope that is neither global nor the object's own.",
		"The store resolves an owner to another scope, which the model does not allow.",
		"Drop the reference, or move one of the two objects. An orphan deletion of the owner drops the reference, too.",
	},
	graph.ScopedOwner: {
		"The object is global and names an owner that has a scope. The engine cannot know which scope is meant.",
		"A writer set a namespaced object as the owner of a cluster-scoped one.",
		"Drop the reference. A finalizer on the owner can do the work instead.",
	},
	graph.Misplaced: {
		"The owner's UID is alive under the same kind and name in another scope.",
		"A writer set an owner of another namespace.",
		"Drop the reference, or move one of the two objects.",
	},
	graph.Unreadable: {
		"Reads of the owner fail, although the store serves its kind.",
		"A permission is missing, or the API of the kind is down.",
		"Read the last error. Grant the permission, or mend the API.",
	},
	graph.SharedUID: {
		"Two live objects have the owner's UID. No store may have that.",
		"A backup was restored with the UIDs of live objects, or the store makes UIDs that repeat.",
		"Delete one of the two objects by hand.",
	},
	graph.Renamed: {
		"The owner's UID is alive under the same kind and another name.",
		"A writer changed the name in the reference, or kept the UID of another owner.",
		"Correct the name in the reference, or drop the reference. An orphan deletion of the owner drops it, too.",
	},
}
