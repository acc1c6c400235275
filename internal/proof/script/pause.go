package script

import (
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

// extent returns what "everything", "kind K", "scope S" or "scope" names.
func extent(arg string) (engine.Extent, error) {
	switch words := strings.Fields(arg); {
	case arg == "everything":
		return engine.Extent{All: true}, nil
	case len(words) == 2 && words[0] == "kind":
		return engine.Extent{Kind: graph.Kind(words[1])}, nil
	case len(words) == 2 && words[0] == "scope":
		return engine.Extent{InScope: true, Scope: words[1]}, nil
	case arg == "scope":
		return engine.Extent{InScope: true}, nil
	}
	return engine.Extent{}, errUsage
}

func (r *runner) pause(arg string) error {
	what, err := extent(arg)
	if err != nil {
		return err
	}
	x, err := r.w.Sides[r.side].Engine.Pause(r.w.Now, what)
	r.printPause(x)
	return err
}

func (r *runner) resume(arg string) error {
	what, err := extent(arg)
	if err != nil {
		return err
	}
	return r.w.Sides[r.side].Engine.Resume(r.w.Now, what)
}

func (r *runner) paused(string) error {
	all := r.w.Sides[r.side].Engine.Paused()
	if len(all) == 0 {
		r.printf("nothing is paused")
	}
	for _, x := range all {
		r.printPause(x)
	}
	return nil
}

// printPause prints a pause, and the calls that it waits for.
func (r *runner) printPause(x engine.PauseReport) {
	text := "paused: " + x.What.String()
	for _, name := range x.UnderWay {
		text += "; under way: " + name
	}
	for _, u := range x.Unknown {
		text += fmt.Sprintf("; unknown: %s %s#%s", u.Type, u.Key, u.Version)
	}
	r.printf("%s", text)
}
