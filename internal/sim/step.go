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
	opList    op = iota // begins a listing of a kind
	opSee               // delivers the next event of a kind
	opAll               // all that there are
	opTwice             // the next one twice
	opBreak             // ends the watch of a kind, so that another listing is due
	opIssue             // hands a call of a lane out
	opLand              // lands a call, with a fault or not
	opLimbo             // nobody hears of a call any more, and its write may still land
	opCarry             // carries a write out that is answered later
	opLate              // lands the write of an engine that crashed
	opCrash             // ends an engine, another one begins
	opWait              // moves time to the next thing that an engine waits for
	opPass              // moves it further, or back
	opBackup            // notes what the store holds
	opRestore           // goes back to it, as the store announces
	opSick
	opRecover
	opVanish
	opServe
	opDown // reads and writes of a kind fail
	opUp
	opUser     // a user does something
	opAck      // a controller acknowledges
	opGarble   // the watch says something that no watch may say
	opControl  // the next fence or listing goes wrong
	opSet      // the set of kinds has passed a fence
	opProgress // the watch of a kind says how far it has come
	opConfirm  // somebody confirms that a holder may go
	opTwin     // the store makes an object whose UID another one has
	opLabel    // a user replaces the labels of an object
	opRenew    // a selection is answered by what the store holds now
	opOdd      // a watch says something odd
	opCall     // somebody waits for an engine to be idle
	opJoin     // the store serves a kind that it did not have
	numOps
)

var opNames = [...]string{"list", "see", "all", "twice", "break", "issue", "land", "limbo", "carry", "late", "crash", "wait", "pass",
	"backup", "restore", "sick", "recover", "vanish", "serve", "down", "up", "user", "ack", "garble", "control", "set", "progress", "confirm", "twin", "label", "renew", "odd", "call", "join"}

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
	action *oracle.Action // opUser, opAck, opConfirm, opTwin and opLabel: whom
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
	case opList, opSee, opAll, opTwice, opBreak, opGarble, opProgress:
		return line + side + " " + kind()
	case opIssue:
		return line + side + " " + s.lane.String()
	case opLand, opControl:
		if s.op == opControl {
			side, number = "", ""
		}
		if s.fault != world.NoFault {
			number += " " + s.fault.String()
		}
		return line + side + number
	case opOdd:
		return line + side + number + " " + kind()
	case opLimbo, opCarry, opRenew:
		return line + side + number
	case opLabel:
		return line + " " + s.action.Object.Key.String() + " " + s.labels.String()
	case opLate:
		return line + number
	case opCrash, opSet, opCall:
		return line + side
	case opPass:
		return line + " " + s.pass.String()
	case opSick, opRecover, opVanish, opServe, opDown, opUp:
		return line + " " + kind()
	case opUser:
		return s.action.String()
	case opAck, opConfirm, opTwin:
		return line + " " + s.action.Object.Key.String()
	}
	return line
}
