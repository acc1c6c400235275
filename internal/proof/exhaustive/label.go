package exhaustive

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/internal/proof/world"
)

// label names a possible move of a state. No two moves of one state share a name.
func (x *state) label(m move) string {
	text := x.bare(m)
	if len(x.w.Sides) > 1 && (m.op.engine() || slices.Contains([]op{opCrash, opList, opPause, opResume, opShare, opCover}, m.op)) {
		return fmt.Sprintf("engine %d: %s", m.side+1, text)
	}
	return text
}

func (x *state) bare(m move) string {
	side := x.w.Sides[m.side]
	switch m.op {
	case opDeliver:
		return fmt.Sprintf("see %s: %s", x.w.Kinds[m.at].Kind, eventsText(side, m.at))
	case opSet:
		return "see the fence passed"
	case opToken:
		return "the fence has its token"
	case opVerdict:
		return "the guard judges: " + x.judging[m.side].Answer.Verdict.String()
	case opJudge:
		return "the guard judges now"
	case opPump:
		return "go on"
	case opRenew:
		if m.at < 0 {
			return fmt.Sprintf("list %s later", x.w.Kinds[-1-m.at].Kind)
		}
		return fmt.Sprintf("answer later %d %s", m.at, callText(side.Calls[m.at].Call))
	case opExecute:
		return fmt.Sprintf("carry out %d %s", m.at, callText(side.Calls[m.at].Call))
	case opComplete:
		f := side.Calls[m.at]
		return fmt.Sprintf("complete %d %s%s", m.at, callText(f.Call), answerText(f.Call, f.Answer))
	case opLateWrite:
		return fmt.Sprintf("late write %d %s", m.at, callText(x.w.Zombies[m.at]))
	case opWait, opEarlyTimeout:
		return "time passes"
	case opUser:
		return "user " + m.action.String()
	case opCrash:
		return "crash"
	case opRewind:
		return "the store is restored"
	case opSick:
		return fmt.Sprintf("%s is sick", x.w.Kinds[m.at].Kind)
	case opRecover:
		return fmt.Sprintf("%s is well again", x.w.Kinds[m.at].Kind)
	case opPause:
		return "pause"
	case opResume:
		return "resume"
	case opShare:
		return fmt.Sprintf("%s joins or leaves the share", x.start[m.at].Name)
	case opCover:
		return "all that are in no share join"
	case opList:
		return fmt.Sprintf("list %s anew", x.w.Kinds[m.at].Kind)
	}
	return fmt.Sprintf("op %d", m.op)
}

// eventsText returns the events of a kind that one delivery brings.
func eventsText(s *world.Side, kind int) string {
	events := s.Streams[kind].Events
	text := eventText(events[0])
	if events[0].Type == graph.ListBegun && !probe.Busy(s.Engine) {
		text += ", " + eventText(events[1])
	}
	return text
}

func eventText(e graph.Event) string {
	switch e.Type {
	case graph.Put:
		return e.Object.String()
	case graph.Gone:
		return e.Key.String() + " is gone"
	}
	return e.Type.String()
}

func callText(c engine.Call) string {
	text := c.Type.String() + " " + c.Key.String()
	switch c.Type {
	case engine.CallPatch:
		return text + "#" + string(c.Precondition.Version) + changeText(c.Change)
	case engine.CallDelete:
		return text + "#" + string(c.Options.Precondition.Version) + " " + c.Options.Propagation.String()
	}
	return text
}

func changeText(c graph.Change) string {
	var b strings.Builder
	for _, r := range c.DropOwners {
		b.WriteString(" drop " + r.String())
	}
	for _, r := range c.Unblock {
		b.WriteString(" unblock " + r.String())
	}
	if c.DropFinalizer != "" {
		b.WriteString(" drop " + c.DropFinalizer)
	}
	if c.AddFinalizer != "" {
		b.WriteString(" add " + c.AddFinalizer)
	}
	return b.String()
}

func answerText(c engine.Call, r engine.Result) string {
	switch {
	case c.Type != engine.CallRead:
		return ""
	case r.Err != nil:
		return ": nothing"
	}
	return ": " + r.Object.String()
}
