package group

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/engine"
)

// errLook makes Synced answer at once.
var errLook = errors.New("now")

// look asks the collector whether it can work on a share. It makes no request.
func (m *Membership) look() sighting {
	if why := m.paused(); why != "" {
		return sighting{fitNone, why}
	}
	ctx, stop := context.WithCancelCause(context.Background())
	stop(errLook)
	err := m.collector.Synced(ctx)
	if err == nil {
		return sighting{fit: fitAll}
	}
	why := strings.TrimSuffix(strings.TrimPrefix(err.Error(), "wait until synced: "), ": "+errLook.Error())
	return sighting{fitOf(m.collector.Kinds()), why}
}

// paused returns the reason for which the collector writes nothing at all, "" without one.
func (m *Membership) paused() string {
	if m.collector.Stats().Pauses == 0 {
		return ""
	}
	for _, p := range m.collector.Paused() {
		switch {
		case p.Unread != "":
			return "the record is unknown: " + p.Unread
		case p.What.All:
			return "everything is paused"
		}
	}
	return ""
}

// fitOf judges the kinds of a collector that is not synced. A watch that is down makes all kinds
// sick.
func fitOf(kinds []engine.KindStatus) fitness {
	well := func(k engine.KindStatus) bool { return k.Listed && k.Sick == "" }
	listing := func(k engine.KindStatus) bool { return !k.Listed && k.Sick == "" }
	switch {
	case !slices.ContainsFunc(kinds, well):
		return fitNone
	case slices.ContainsFunc(kinds, listing):
		return fitSome
	}
	return fitSick
}
