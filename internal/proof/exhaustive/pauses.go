package exhaustive

import (
	"fmt"

	"github.com/ownergraph/ownergraph/engine"
)

// everything is the extent of each pause.
var everything = engine.Extent{All: true}

// whilePaused returns the breach of G6 by a call that an engine begins while it is paused.
func whilePaused(c engine.Call) error {
	if c.Type == engine.CallPatch || c.Type == engine.CallDelete {
		return fmt.Errorf("G6: the engine begins %s while it is paused", callText(c))
	}
	return nil
}

// pause begins or ends a pause of an engine.
func (l *live) pause(begins bool) error {
	l.paused = begins
	if begins {
		_, err := l.engine.Pause(l.now, everything)
		return err
	}
	return l.engine.Resume(l.now, everything)
}

// pause begins or ends a pause of a side.
func (t *tables) pause(x *node, side uint8, begins bool) error {
	x.paused &^= 1 << side
	in := input{op: inputResume}
	if begins {
		x.pauses--
		x.paused |= 1 << side
		in.op = inputPause
	}
	return t.tell(x, side, in)
}

// pause begins or ends a pause of a side on a world.
func (x *state) pause(side int, begins bool) error {
	x.paused[side] = begins
	e := x.w.Sides[side].Engine
	if !begins {
		return e.Resume(x.w.Now, everything)
	}
	x.pauses--
	_, err := e.Pause(x.w.Now, everything)
	return err
}
