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
)

// bugInfo describes a bug.
type bugInfo struct {
	bug    Bug
	name   string
	what   string
	reason string // the usual cause
	first  bool   // one of the nine that the kit once missed
}

// bugs lists all planted bugs, in the order of their numbers.
func bugs() []bugInfo {
	return []bugInfo{
		{NoticesOutOfOrder, "NoticesOutOfOrder", "events are lost while two writers commit together", "each writer announces its number after its commit, and a watch ignores a lower number that follows a higher one", true},
		{NumbersBeforeCommit, "NumbersBeforeCommit", "change numbers are drawn before the commit", "the sequence has its own transaction, so the lower number may commit last", true},
		{ListingCut, "ListingCut", "a listing ends after 1,000 objects", "a LIMIT, and no second page", true},
		{FoldedNames, "FoldedNames", "names that differ only in case are equal", "a collation of the column (NOCASE)", true},
		{CommitSwallowed, "CommitSwallowed", "an error of COMMIT is swallowed", "defer tx.Commit()", true},
		{BusyIsNotFound, "BusyIsNotFound", `"database is busy" becomes ErrNotFound`, "every error of a read counts as sql.ErrNoRows", true},
		{OthersUnobserved, "OthersUnobserved", "writes of another process are never observed", "the watch waits for the signal of its own process", true},
		{OpenTransaction, "OpenTransaction", "a cancelled call leaves its transaction open", "the store sends ROLLBACK with the context that has ended", true},
		{FencesAfterRead, "FencesAfterRead", "the fence is taken after the read", "fences are looked up in a transaction behind that of the changes", true},
		{PositionReadLater, "PositionReadLater", "a watch misses the commits during its read", "it reads the changes, and then reads its position in another query", false},
		{TrimmedNames, "TrimmedNames", "names that differ only in trailing space are equal", "a collation of the column (RTRIM, or CHAR of fixed width)", false},
		{NormalisedNames, "NormalisedNames", "names that differ only in Unicode normal form are equal", "names are normalised on the way in", false},
		{FoldedScopes, "FoldedScopes", "scopes that differ only in case are equal", "a collation of the column", false},
		{NumericNames, "NumericNames", "the name 007 is the name 7", "the column has numeric affinity", false},
		{JoinedKeys, "JoinedKeys", "a/b in c is b in c/a", "the key is its parts with a separator between them", false},
		{PatternNames, "PatternNames", "the name a_b is found as axb", "LIKE instead of =", false},
		{NamesCutAtNUL, "NamesCutAtNUL", "a name ends at a NUL byte", "the text is handed to a C function", false},
		{ShortNames, "ShortNames", "names are cut at 63 bytes", "a column of fixed width, and no error", false},
		{EmptyIsNull, "EmptyIsNull", "two objects take one global place", "the empty scope is NULL, and NULLs are distinct to UNIQUE", false},
		{StaleReads, "StaleReads", "reads are up to 3 ms old", "a cache with a time to live", false},
		{AliasedGet, "AliasedGet", "a read returns the slices of the cache", "the cache returns the object without Clone", false},
		{AliasedEvents, "AliasedEvents", "an event shares its slices with another watch", "the cache returns the decoded change without Clone", false},
		{CancelledIsNotFound, "CancelledIsNotFound", "a cancelled read answers ErrNotFound", "the query returned no rows", false},
		{AbsentScopeIsError, "AbsentScopeIsError", "a read in an empty scope answers an error of its own", "scopes are looked up first, as folders", false},
		{UnservedIsNotFound, "UnservedIsNotFound", "a kind that is not served answers ErrNotFound", "there is no row in its table", false},
		{RowsErrorIgnored, "RowsErrorIgnored", "a listing that breaks off counts as complete", "the store ignores rows.Err", false},
		{UnansweredIsConflict, "UnansweredIsConflict", "a commit without an answer becomes ErrConflict", "every failed commit counts as not done", false},
		{RetriedWrites, "RetriedWrites", "a write without an answer is repeated, and meets its own result", "a retry in the store", false},
		{SignedFences, "SignedFences", "tokens of fences lose their highest bit on their way to the watch", "uint64 through int64", false},
		{TokensPerProcess, "TokensPerProcess", "each process counts its own tokens of fences", "a counter in memory, which begins again with the process", false},
		{TextVersions, "TextVersions", "versions are ordered as text", "strings.Compare", false},
		{ClockVersions, "ClockVersions", "versions are the time in milliseconds", "two writes fall into one", false},
		{NumbersPerProcess, "NumbersPerProcess", "each process counts its own change numbers", "the counter is read once, at the start", false},
		{CutOwners, "CutOwners", "owner references beyond 100 are cut", "a column of fixed size, and no error", false},
		{OwnersByName, "OwnersByName", "references to two incarnations of a name become one", "the primary key of the references lacks the UID", false},
		{FloatNumbers, "FloatNumbers", "large numbers lose their low digits", "JSON numbers decoded as float64", false},
		{CountedUIDs, "CountedUIDs", "UIDs count up", "a counter behind a prefix that looks random", false},
		{TimedUIDs, "TimedUIDs", "UIDs are the time", "nanoseconds in base 36", false},
		{UIDsOfNames, "UIDsOfNames", "the next object of a name has the UID of the former object", "a hash of the name", false},
		{PatchIgnoresUID, "PatchIgnoresUID", "a patch ignores the UID of its precondition", "UPDATE ... WHERE version = ?", false},
		{PatchInTwoSteps, "PatchInTwoSteps", "a patch checks in one transaction and writes in the next", "read, check, write", false},
		{DeleteIgnoresVersion, "DeleteIgnoresVersion", "a delete ignores the version of its precondition", "DELETE ... WHERE uid = ?", false},
		{SecondDeleteIgnored, "SecondDeleteIgnored", "the deletion of a marked object does nothing", "the object is being deleted already", false},
		{UpdateClearsMark, "UpdateClearsMark", "a user's update removes the mark", "the user's object replaces the row", false},
		{LastFinalizerStays, "LastFinalizerStays", "an object stays after the removal of its last finalizer", "only deletions remove", false},
		{TombstoneMissing, "TombstoneMissing", "the end by a last finalizer is not logged", "only Delete writes a tombstone", false},
		{UserWritesUnlogged, "UserWritesUnlogged", "updates by users are not logged", "the log belongs to the engine's methods", false},
		{ChangesFolded, "ChangesFolded", "the log keeps the last change of each name", "a recreation swallows the end before it", false},
		{ShortLog, "ShortLog", "a watch far behind does not notice that the log was cut", "old changes are pruned without a mark", false},
		{GoneWithoutUID, "GoneWithoutUID", "an end is reported without its UID", "the row is gone when the event is made", false},
		{ListEndedEarly, "ListEndedEarly", "a listing ends before its second page", "ListEnded behind the first page", false},
		{ListedBeforePosition, "ListedBeforePosition", "a commit between a listing and the start of the changes is lost", "two transactions", false},
		{ProgressAhead, "ProgressAhead", "progress is reported ahead of a page of changes", "the newest number in place of the last one read", false},
		{KindsAtStart, "KindsAtStart", "the set of kinds is that of the start", "read once, in Open", false},
		{SickIsEmpty, "SickIsEmpty", "a kind that is out of reach looks empty", "its error counts as no rows", false},
		{FencesSkipSick, "FencesSkipSick", "a fence passes a kind that is out of reach", "the kind has no changes to report", false},
		{CompactionLosesFences, "CompactionLosesFences", "a compaction forgets fences that have not been passed", "the fences are in the deleted log", false},
		{WakeLost, "WakeLost", "a write just before a watch begins to wait wakes no watch", "the watch takes the signal after the read, and does not poll", false},
		{BreakIsNil, "BreakIsNil", "a broken watch returns nil", "the error is logged and dropped", false},
		{RewindUntold, "RewindUntold", "no watch reports a restore", "only the objects are replaced", false},
		{RewindUntoldNow, "RewindUntoldNow", "running watches do not report a restore", "they only list again", false},
		{RewindUntoldLater, "RewindUntoldLater", "later watches do not report a restore", "only the running watches do", false},
		{NoEpoch, "NoEpoch", "a rewind has no epoch", "the field is new", false},
		{FreshEpoch, "FreshEpoch", "a rewind has another epoch in each watch", "each watch draws it at the announcement", false},
		{SameEpoch, "SameEpoch", "two restores have the same epoch", "a constant", false},
		{VersionsGoBack, "VersionsGoBack", "versions repeat after a restore", "the counter is in the backup", false},
		{VersionsNotRaised, "VersionsNotRaised", "restored objects have their former versions", "the restore copies the rows as they were", false},
		{EndedIsNotFound, "EndedIsNotFound", "a write that was done answers ErrNotFound if its context ends before the answer", "the number of rows is 0 after an error", false},
		{EndedIsConflict, "EndedIsConflict", "a write that was done answers ErrConflict if its context ends before the answer", "a transaction without an answer counts as rolled back", false},
		{EndedReadIsNotFound, "EndedReadIsNotFound", "a read whose context ends in its middle answers ErrNotFound", "the store looks at its context, and not at the error of the query", false},
		{EpochOfBackup, "EpochOfBackup", "two restores of one backup have one epoch", "the epoch is computed from the backup", false},
		{KindsCompared, "KindsCompared", "a watch compares with the list of kinds that it gave to the sink", "the list is kept without Clone", false},
		{KindsRewritten, "KindsRewritten", "a watch writes a new set of kinds into the list that it gave to the sink", "a buffer that is used again", false},
		{PositionBeforeListing, "PositionBeforeListing", "older states follow a listing", "the position is read first, and the listing in another transaction", false},
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
