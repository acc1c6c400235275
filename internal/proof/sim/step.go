package sim

import (
	"strconv"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
	"github.com/ownergraph/ownergraph/internal/proof/world"
)

// op is the sort of a step.
type op uint8

const (
	opList      op = iota // begins a listing of a kind
	opDeliver             // delivers the next event of a kind
	opAll                 // delivers all pending events of a kind
	opTwice               // delivers the next event twice
	opBreak               // ends the watch of a kind, so that another listing is due
	opIssue               // issues a call of a lane
	opComplete            // completes a call, with a fault or without
	opAbandon             // drops the result of a call; its write may still be carried out
	opExecute             // carries out a write whose result comes later
	opLateWrite           // carries out the write of an engine that crashed
	opCrash               // ends an engine and begins another one
	opWait                // moves time to the next wake time of an engine
	opPass                // moves time further, or back
	opBackup              // makes a backup of the store
	opRestore             // restores the backup, announced by the store
	opSick
	opRecover
	opVanish
	opServe
	opDown // reads and writes of a kind fail
	opUp
	opUser      // a user acts
	opAck       // a controller acknowledges
	opGarble    // the watch reports an event that no watch may report
	opControl   // the next fence or listing fails
	opSet       // the set of kinds has passed a fence
	opProgress  // the watch of a kind reports its progress
	opGuard     // a user approves a deletion, or changes the finalizers of guards
	opDuplicate // the store makes an object with the UID of another one
	opLabel     // a user replaces the labels of an object
	opRenew     // a selection is answered by the present state of the store
	opOdd       // a watch makes a rare report
	opWaitIdle  // a caller waits for an engine to be idle
	opJoin      // the store serves a new kind
	opReturn    // a caller gives back a call that it has not begun
	opToken     // the token of a fence comes
	opConverge  // faults end, users rest, and the world at rest is checked
	opPlan      // a user plans deletions and carries them out
	opBatch     // takes calls, and carries out their writes as one batch
	opBrake     // a user answers for a cascade that an engine holds
	opPause     // an engine is paused
	opResume    // a pause ends
	opShare     // an engine gets another share
	opCover     // the sets have every UID together, and stay
	opUndelete  // a user restores an object that ended
	opPurge     // the time of some entries is over, and the store drops what may go
	numOps
)

var opNames = [...]string{"list", "deliver", "all", "twice", "break", "issue", "complete", "abandon", "execute", "late-write", "crash", "wait", "pass",
	"backup", "restore", "sick", "recover", "vanish", "serve", "down", "up", "user", "ack", "garble", "control", "set", "progress", "guard", "duplicate", "label", "renew", "odd", "wait-idle", "join", "return", "token", "converge", "plan", "batch", "brake", "pause", "resume", "share", "cover", "undelete", "purge"}

var lanes = [...]engine.Lane{engine.LaneStore, engine.LaneControl, engine.LaneHandler}

// step is one step of a history. An impossible step changes nothing. So any part of a
// history is a history.
type step struct {
	op     op
	side   int8
	kind   int8 // index of the kind
	number int16
	fault  world.Fault
	item   int8           // opBatch: the write that the outcome singles out
	end    world.BatchEnd // opBatch
	answer answer         // opBrake
	lane   engine.Lane
	pass   time.Duration
	action *oracle.Action // opUser, opAck, opGuard, opDuplicate and opLabel: the object
	labels tags           // opLabel
	wish   *wish          // opPlan
	share  *allotment     // opShare and opCrash; nil for the former one
}

// text returns the step in one line.
func (s step) text(w *world.World) string {
	line := opNames[s.op]
	kind := func() string {
		if int(s.kind) >= len(w.Kinds) { // it has not joined yet
			return string(joined(int(s.kind)).Kind)
		}
		return string(w.Kinds[s.kind].Kind)
	}
	side := "@" + strconv.Itoa(int(s.side))
	number := " " + strconv.Itoa(int(s.number))
	switch s.op {
	case opList, opDeliver, opAll, opTwice, opBreak, opGarble, opProgress:
		return line + side + " " + kind()
	case opIssue:
		return line + side + " " + s.lane.String()
	case opComplete, opControl, opToken:
		if s.op == opControl {
			side, number = "", ""
		}
		if s.fault != world.NoFault {
			number += " " + s.fault.String()
		}
		return line + side + number
	case opOdd:
		return line + side + number + " " + kind()
	case opBatch:
		return line + side + number + " " + s.end.String() + " " + strconv.Itoa(int(s.item))
	case opBrake:
		return line + side + number + " " + answerNames[s.answer]
	case opPause, opAbandon, opExecute, opRenew, opReturn, opResume:
		return line + side + number
	case opLabel:
		return line + " " + s.action.Object.Key.String() + " " + s.labels.String()
	case opLateWrite, opPurge:
		return line + number
	case opShare, opCrash:
		if s.share != nil {
			side += s.share.text(w)
		}
		return line + side
	case opSet, opWaitIdle:
		return line + side
	case opPass:
		return line + " " + s.pass.String()
	case opSick, opRecover, opVanish, opServe, opDown, opUp:
		return line + " " + kind()
	case opUser:
		return s.action.String()
	case opPlan:
		return line + side + " " + s.wish.String()
	case opGuard:
		return "user " + guardVerbNames[s.number] + " " + s.action.Object.Key.String()
	case opAck, opDuplicate, opUndelete:
		return line + " " + s.action.Object.Key.String()
	}
	return line
}
