package run

import (
	"maps"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

const (
	// healthPause is the time from a change of the health of a kind to the line of the
	// log, so that the changes of one moment share a line.
	healthPause = time.Second
	// relistPause is the time that a new watch has for the listing of a kind before the log
	// reports the kind.
	relistPause = 10 * time.Second
)

// Health finds the changes in the health of kinds that the log reports. The driver notes
// that something may have changed, and looks when the time has come. The driver's lock
// guards a Health. The zero value knows no sick kind.
type Health struct {
	due  time.Time             // of the next look, zero if nothing has changed
	down time.Time             // of the end of the last watch
	sick map[graph.Kind]string // by the log, with the reasons
}

// KindHealth is the health of one kind now.
type KindHealth struct {
	Kind graph.Kind
	Sick string // the reason, "" for a well kind
	// Doubtful says that the kind is sick by the end of a watch, and not by the store's
	// own word. As a rule the next watch lists it.
	Doubtful bool
}

// HealthChanges are the kinds that have become sick, with the reason, that are well again, and that
// are no longer served. Each list is in the order of the names.
type HealthChanges struct{ Sick, Well, Gone []string }

// Note makes the next look come soon.
func (h *Health) Note(now time.Time) {
	if at := now.Add(healthPause); h.due.IsZero() || at.Before(h.due) {
		h.due = at
	}
}

// Down notes the end of a watch.
func (h *Health) Down(now time.Time) {
	h.down = now
	h.Note(now)
}

// Due returns the time of the next look, zero for none, and whether it has come.
func (h *Health) Due(now time.Time) (at time.Time, due bool) {
	return h.due, !h.due.IsZero() && !now.Before(h.due)
}

// Look takes the health of all kinds that take part, by name, and returns the changes
// since the last look. A kind that a watch of a moment ago has still to list is left for
// the next look.
func (h *Health) Look(now time.Time, kinds []KindHealth) (changes HealthChanges) {
	h.due = time.Time{}
	sick, served := map[graph.Kind]string{}, map[graph.Kind]bool{}
	for _, k := range kinds {
		served[k.Kind] = true
		was, why := h.sick[k.Kind], k.Sick
		if later := h.down.Add(relistPause); why != "" && k.Doubtful && now.Before(later) {
			h.due, why = later, was
		}
		if why != "" {
			sick[k.Kind] = why
		}
		if why != "" && why != was {
			changes.Sick = append(changes.Sick, string(k.Kind)+": "+why)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(h.sick)) {
		switch {
		case sick[name] != "":
		case served[name]:
			changes.Well = append(changes.Well, string(name))
		default:
			changes.Gone = append(changes.Gone, string(name))
		}
	}
	h.sick = sick
	return changes
}
