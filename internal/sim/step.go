package sim

import (
	"strconv"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/internal/oracle"
	"github.com/ownergraph/ownergraph/internal/world"
)

// op is what a step does.
type op uint8

const (
	opList      op = iota // begins a listing of a kind
	opDeliver             // delivers the next event of a kind
	opAll                 // all that there are
	opTwice               // the next one twice
	opBreak               // ends the watch of a kind, so that another listing is due
	opIssue               // hands a call of a lane out
	opComplete            // lands a call, with a fault or not
	opAbandon             // nobody hears of a call any more, and its write may still land
	opExecute             // carries a write out that is answered later
	opLateWrite           // lands the write of an engine that crashed
	opCrash               // ends an engine, another one begins
	opWait                // moves time to the next thing that an engine waits for
	opPass                // moves it further, or back
	opBackup              // notes what the store holds
	opRestore             // goes back to it, as the store announces
	opSick
	opRecover
	opVanish
	opServe
	opDown // reads and writes of a kind fail
	opUp
	opUser      // a user does something
	opAck       // a controller acknowledges
	opGarble    // the watch says something that no watch may say
	opControl   // the next fence or listing goes wrong
	opSet       // the set of kinds has passed a fence
	opProgress  // the watch of a kind says how far it has come
	opConfirm   // somebody confirms that a holder may go
	opDuplicate // the store makes an object whose UID another one has
	opLabel     // a user replaces the labels of an object
	opRenew     // a selection is answered by what the store holds now
	opOdd       // a watch says something odd
	opWaitIdle  // somebody waits for an engine to be idle
	opJoin      // the store serves a kind that it did not have
	numOps
)

var opNames = [...]string{"list", "deliver", "all", "twice", "break", "issue", "complete", "abandon", "execute", "late-write", "crash", "wait", "pass",
	"backup", "restore", "sick", "recover", "vanish", "serve", "down", "up", "user", "ack", "garble", "control", "set", "progress", "confirm", "duplicate", "label", "renew", "odd", "wait-idle", "join"}

var lanes = [...]ownergraph.Lane{ownergraph.LaneStore, ownergraph.LaneControl, ownergraph.LaneHandler}

// step is one step of a history. One that cannot be made changes nothing, so
// that any part of a history is one.
type step struct {
	op     op
	side   int8
	kind   int8 // index of the kind
	number int16
	fault  world.Fault
	lane   ownergraph.Lane
	pass   time.Duration
	action *oracle.Action // opUser, opAck, opConfirm, opDuplicate and opLabel: whom
	labels tags           // opLabel
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
	case opComplete, opControl:
		if s.op == opControl {
			side, number = "", ""
		}
		if s.fault != world.NoFault {
			number += " " + s.fault.String()
		}
		return line + side + number
	case opOdd:
		return line + side + number + " " + kind()
	case opAbandon, opExecute, opRenew:
		return line + side + number
	case opLabel:
		return line + " " + s.action.Object.Key.String() + " " + s.labels.String()
	case opLateWrite:
		return line + number
	case opCrash, opSet, opWaitIdle:
		return line + side
	case opPass:
		return line + " " + s.pass.String()
	case opSick, opRecover, opVanish, opServe, opDown, opUp:
		return line + " " + kind()
	case opUser:
		return s.action.String()
	case opAck, opConfirm, opDuplicate:
		return line + " " + s.action.Object.Key.String()
	}
	return line
}
