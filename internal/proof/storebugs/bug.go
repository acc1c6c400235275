package main

import "fmt"

// Bug is one planted bug. None leaves the store correct.
type Bug uint8

// The planted bugs. The function bugs describes each one.
const (
	None Bug = iota
	NoticesOutOfOrder
	NumbersBeforeCommit
	ListingCut
	FoldedNames
	CommitSwallowed
	BusyIsNotFound
	OthersUnobserved
	OpenTransaction
	FencesAfterRead
	PositionReadLater
	TrimmedNames
	NormalisedNames
	FoldedScopes
	NumericNames
	JoinedKeys
	PatternNames
	NamesCutAtNUL
	ShortNames
	EmptyIsNull
	StaleReads
	AliasedGet
	AliasedEvents
	CancelledIsNotFound
	AbsentScopeIsError
	UnservedIsNotFound
	RowsErrorIgnored
	UnansweredIsConflict
	RetriedWrites
	SignedFences
	TokensPerProcess
	TextVersions
	ClockVersions
	NumbersPerProcess
	CutOwners
	OwnersByName
	FloatNumbers
	CountedUIDs
	TimedUIDs
	UIDsOfNames
	PatchIgnoresUID
	PatchInTwoSteps
	DeleteIgnoresVersion
	SecondDeleteIgnored
	UpdateClearsMark
	LastFinalizerStays
	TombstoneMissing
	UserWritesUnlogged
	ChangesFolded
	ShortLog
	GoneWithoutUID
	ListEndedEarly
	ListedBeforePosition
	ProgressAhead
	KindsAtStart
	SickIsEmpty
	FencesSkipSick
	CompactionLosesFences
	WakeLost
	BreakIsNil
	RewindUntold
	RewindUntoldNow
	RewindUntoldLater
	NoEpoch
	FreshEpoch
	SameEpoch
	VersionsGoBack
	VersionsNotRaised
	EndedIsNotFound
	EndedIsConflict
	EndedReadIsNotFound
	EpochOfBackup
	KindsCompared
	KindsRewritten
	PositionBeforeListing
	FilledInPlace
	PatchResolvesUnserved
	EventsLost
)

// bugInfo describes a bug.
type bugInfo struct {
	bug    Bug
	name   string
	what   string
	reason string // the usual cause
	first  bool   // one of the nine that the kit once missed
	law    string // the law that names it, and comes first
}

// bugs lists all planted bugs, in the order of their numbers.
func bugs() []bugInfo {
	return []bugInfo{
		{NoticesOutOfOrder, "NoticesOutOfOrder", "events are lost while two writers commit together", "each writer announces its number after its commit, and a watch ignores a lower number that follows a higher one", true, "search/every-write"},
		{NumbersBeforeCommit, "NumbersBeforeCommit", "change numbers are drawn before the commit", "the sequence has its own transaction, so the lower number may commit last", true, "search/every-write"},
		{ListingCut, "ListingCut", "a listing ends after 1,000 objects", "a LIMIT, and no second page", true, "large/listing"},
		{FoldedNames, "FoldedNames", "names that differ only in case are equal", "a collation of the column (NOCASE)", true, "text/names"},
		{CommitSwallowed, "CommitSwallowed", "an error of COMMIT is swallowed", "defer tx.Commit()", true, "commit/failed"},
		{BusyIsNotFound, "BusyIsNotFound", `"database is busy" becomes ErrNotFound`, "every error of a read counts as sql.ErrNoRows", true, "outage/reads"},
		{OthersUnobserved, "OthersUnobserved", "writes of another process are never observed", "the watch waits for the signal of its own process", true, "second/observed"},
		{OpenTransaction, "OpenTransaction", "a cancelled call leaves its transaction open", "the store sends ROLLBACK with the context that has ended", true, "watch/reconnect"},
		{FencesAfterRead, "FencesAfterRead", "the fence is taken after the read", "fences are looked up in a transaction behind that of the changes", true, "search/fence"},
		{PositionReadLater, "PositionReadLater", "a watch misses the commits during its read", "it reads the changes, and then reads its position in another query", false, "watch/every-change"},
		{TrimmedNames, "TrimmedNames", "names that differ only in trailing space are equal", "a collation of the column (RTRIM, or CHAR of fixed width)", false, "text/names"},
		{NormalisedNames, "NormalisedNames", "names that differ only in Unicode normal form are equal", "names are normalised on the way in", false, "text/names"},
		{FoldedScopes, "FoldedScopes", "scopes that differ only in case are equal", "a collation of the column", false, "text/scopes"},
		{NumericNames, "NumericNames", "the name 007 is the name 7", "the column has numeric affinity", false, "text/names"},
		{JoinedKeys, "JoinedKeys", "a/b in c is b in c/a", "the key is its parts with a separator between them", false, "text/names"},
		{PatternNames, "PatternNames", "the name a_b is found as axb", "LIKE instead of =", false, "text/names"},
		{NamesCutAtNUL, "NamesCutAtNUL", "a name ends at a NUL byte", "the text is handed to a C function", false, "text/names"},
		{ShortNames, "ShortNames", "names are cut at 63 bytes", "a column of fixed width, and no error", false, "text/names"},
		{EmptyIsNull, "EmptyIsNull", "two objects take one global place", "the empty scope is NULL, and NULLs are distinct to UNIQUE", false, "text/places"},
		{StaleReads, "StaleReads", "reads are up to 3 ms old", "a cache with a time to live", false, "read/fresh"},
		{AliasedGet, "AliasedGet", "a read returns the slices of the cache", "the cache returns the object without Clone", false, "alias/get"},
		{AliasedEvents, "AliasedEvents", "an event shares its slices with another watch", "the cache returns the decoded change without Clone", false, "alias/event"},
		{CancelledIsNotFound, "CancelledIsNotFound", "a cancelled read answers ErrNotFound", "the query returned no rows", false, "cancel/ended"},
		{AbsentScopeIsError, "AbsentScopeIsError", "a read in an empty scope answers an error of its own", "scopes are looked up first, as folders", false, "error/not-found"},
		{UnservedIsNotFound, "UnservedIsNotFound", "a kind that is not served answers ErrNotFound", "there is no row in its table", false, "kinds/unserved"},
		{RowsErrorIgnored, "RowsErrorIgnored", "a listing that breaks off counts as complete", "the store ignores rows.Err", false, "outage/watch"},
		{UnansweredIsConflict, "UnansweredIsConflict", "a commit without an answer becomes ErrConflict", "every failed commit counts as not done", false, "commit/unanswered"},
		{RetriedWrites, "RetriedWrites", "a write without an answer is repeated, and meets its own result", "a retry in the store", false, "commit/unanswered"},
		{SignedFences, "SignedFences", "tokens of fences lose their highest bit on their way to the watch", "uint64 through int64", false, "fence/passes"},
		{TokensPerProcess, "TokensPerProcess", "each process counts its own tokens of fences", "a counter in memory, which begins again with the process", false, "restart/tokens"},
		{TextVersions, "TextVersions", "versions are ordered as text", "strings.Compare", false, "version/ordered"},
		{ClockVersions, "ClockVersions", "versions are the time in milliseconds", "two writes fall into one", false, "client/update"},
		{NumbersPerProcess, "NumbersPerProcess", "each process counts its own change numbers", "the counter is read once, at the start", false, "second/fresh"},
		{CutOwners, "CutOwners", "owner references beyond 100 are cut", "a column of fixed size, and no error", false, "text/sizes"},
		{OwnersByName, "OwnersByName", "references to two incarnations of a name become one", "the primary key of the references lacks the UID", false, "text/references"},
		{FloatNumbers, "FloatNumbers", "large numbers lose their low digits", "JSON numbers decoded as float64", false, "text/grace"},
		{CountedUIDs, "CountedUIDs", "UIDs count up", "a counter behind a prefix that looks random", false, "uid/unforeseeable"},
		{TimedUIDs, "TimedUIDs", "UIDs are the time", "nanoseconds in base 36", false, "uid/unforeseeable"},
		{UIDsOfNames, "UIDsOfNames", "the next object of a name has the UID of the former object", "a hash of the name", false, "patch/uid-precondition"},
		{PatchIgnoresUID, "PatchIgnoresUID", "a patch ignores the UID of its precondition", "UPDATE ... WHERE version = ?", false, "patch/uid-precondition"},
		{PatchInTwoSteps, "PatchInTwoSteps", "a patch checks in one transaction and writes in the next", "read, check, write", false, "concurrency/one-wins"},
		{DeleteIgnoresVersion, "DeleteIgnoresVersion", "a delete ignores the version of its precondition", "DELETE ... WHERE uid = ?", false, "delete/version-precondition"},
		{SecondDeleteIgnored, "SecondDeleteIgnored", "the deletion of a marked object does nothing", "the object is being deleted already", false, "delete/foreground"},
		{UpdateClearsMark, "UpdateClearsMark", "a user's update removes the mark", "the user's object replaces the row", false, "delete/mark-stays"},
		{LastFinalizerStays, "LastFinalizerStays", "an object stays after the removal of its last finalizer", "only deletions remove", false, "delete/last-finalizer"},
		{TombstoneMissing, "TombstoneMissing", "the end by a last finalizer is not logged", "only Delete writes a tombstone", false, "watch/gone"},
		{UserWritesUnlogged, "UserWritesUnlogged", "updates by users are not logged", "the log belongs to the engine's methods", false, "watch/every-change"},
		{ChangesFolded, "ChangesFolded", "the log keeps the last change of each name", "a recreation swallows the end before it", false, "watch/recreated"},
		{ShortLog, "ShortLog", "a watch far behind does not notice that the log was cut", "old changes are pruned without a mark", false, "large/behind"},
		{GoneWithoutUID, "GoneWithoutUID", "an end is reported without its UID", "the row is gone when the event is made", false, "watch/gone"},
		{ListEndedEarly, "ListEndedEarly", "a listing ends before its second page", "ListEnded behind the first page", false, "large/listing"},
		{ListedBeforePosition, "ListedBeforePosition", "a commit between a listing and the start of the changes is lost", "two transactions", false, "search/beginning"},
		{ProgressAhead, "ProgressAhead", "progress is reported ahead of a page of changes", "the newest number in place of the last one read", false, "large/progress"},
		{KindsAtStart, "KindsAtStart", "the set of kinds is that of the start", "read once, in Open", false, "kinds/sick-told"},
		{SickIsEmpty, "SickIsEmpty", "a kind that is out of reach looks empty", "its error counts as no rows", false, "kinds/sick-read"},
		{FencesSkipSick, "FencesSkipSick", "a fence passes a kind that is out of reach", "the kind has no changes to report", false, "fence/sick"},
		{CompactionLosesFences, "CompactionLosesFences", "a compaction forgets fences that have not been passed", "the fences are in the deleted log", false, "fence/compacted"},
		{WakeLost, "WakeLost", "a write just before a watch begins to wait wakes no watch", "the watch takes the signal after the read, and does not poll", false, "watch/every-change"},
		{BreakIsNil, "BreakIsNil", "a broken watch returns nil", "the error is logged and dropped", false, "watch/break"},
		{RewindUntold, "RewindUntold", "no watch reports a restore", "only the objects are replaced", false, "rewind/told"},
		{RewindUntoldNow, "RewindUntoldNow", "running watches do not report a restore", "they only list again", false, "rewind/told"},
		{RewindUntoldLater, "RewindUntoldLater", "later watches do not report a restore", "only the running watches do", false, "rewind/late-watch"},
		{NoEpoch, "NoEpoch", "a rewind has no epoch", "the field is new", false, "rewind/epoch"},
		{FreshEpoch, "FreshEpoch", "a rewind has another epoch in each watch", "each watch draws it at the announcement", false, "rewind/epoch"},
		{SameEpoch, "SameEpoch", "two restores have the same epoch", "a constant", false, "rewind/another-epoch"},
		{VersionsGoBack, "VersionsGoBack", "versions repeat after a restore", "the counter is in the backup", false, "rewind/versions"},
		{VersionsNotRaised, "VersionsNotRaised", "restored objects have their former versions", "the restore copies the rows as they were", false, "rewind/raised"},
		{EndedIsNotFound, "EndedIsNotFound", "a write that was done answers ErrNotFound if its context ends before the answer", "the number of rows is 0 after an error", false, "cancel/answer"},
		{EndedIsConflict, "EndedIsConflict", "a write that was done answers ErrConflict if its context ends before the answer", "a transaction without an answer counts as rolled back", false, "cancel/answer"},
		{EndedReadIsNotFound, "EndedReadIsNotFound", "a read whose context ends in its middle answers ErrNotFound", "the store looks at its context, and not at the error of the query", false, "cancel/read"},
		{EpochOfBackup, "EpochOfBackup", "two restores of one backup have one epoch", "the epoch is computed from the backup", false, "rewind/again"},
		{KindsCompared, "KindsCompared", "a watch compares with the list of kinds that it gave to the sink", "the list is kept without Clone", false, "alias/watch"},
		{KindsRewritten, "KindsRewritten", "a watch writes a new set of kinds into the list that it gave to the sink", "a buffer that is used again", false, "alias/kinds"},
		{PositionBeforeListing, "PositionBeforeListing", "older states follow a listing", "the position is read first, and the listing in another transaction", false, "search/not-back"},
		{FilledInPlace, "FilledInPlace", "a user's list of owners gets the scopes of one object", "a loop over the caller's slice", false, "argument/create"},
		{PatchResolvesUnserved, "PatchResolvesUnserved", "a patch keeps an owner of an unserved kind as resolved", "only creations and updates resolve", false, "reference/unserved"},
		{EventsLost, "EventsLost", "one change in 53 is not reported", "a page that ends one row too early", false, "watch/every-change"},
	}
}

// String returns the bug's name.
func (b Bug) String() string {
	for _, a := range bugs() {
		if a.bug == b {
			return a.name
		}
	}
	if b == None {
		return "None"
	}
	return fmt.Sprintf("bug(%d)", uint8(b))
}
