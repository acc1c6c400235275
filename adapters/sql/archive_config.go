package sqlstore

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// ArchiveConfig has the settings of an archive in a database. The zero value keeps each entry for ever, with the
// labels of its object.
type ArchiveConfig struct {
	archive.Config
	// Tables are the tables of the user whose row is the payload of an object, by kind. Table.UID has the UID of
	// the object, and is unique text. A restore gives the columns of Table.Owners that have a UID the
	// new UIDs of restored owners. All other columns have their former values.
	Tables map[graph.Kind]Table
	// Sealing encrypts the payloads of some kinds. Then all programs on the database have to seal these kinds: see
	// "Sealed payloads" in the package comment.
	Sealing archive.Sealing
	stored  bool // of StoredArchive: Migrate writes no settings
}

// clone returns a copy that shares no map, with the defaults of the tables. The tables have no flaw.
func (a *ArchiveConfig) clone() *ArchiveConfig {
	if a == nil {
		return nil
	}
	own := *a
	own.Sealing.Kinds = slices.Clone(a.Sealing.Kinds)
	own.Kinds, own.Tables = maps.Clone(a.Kinds), make(map[graph.Kind]Table, len(a.Tables))
	for kind, t := range a.Tables {
		own.Tables[kind], _ = t.complete(Config{})
	}
	return &own
}

// flaw returns the first wrong setting with the reason, or "".
func (a *ArchiveConfig) flaw(c Config) string {
	switch {
	case a == nil:
		return ""
	case !c.Policies:
		return "Archive: its step is after that of Policies: want Policies, too"
	}
	if err := a.Check(); err != nil {
		return "Archive: " + err.Error()
	}
	for _, kind := range slices.Sorted(maps.Keys(a.Kinds)) {
		if err := checkKind(graph.KindInfo{Kind: kind}); err != nil {
			return fmt.Sprintf("Archive: Kinds[%q]: %v", kind, err)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(a.Tables)) {
		if _, err := a.Tables[kind].complete(c); err != nil {
			return fmt.Sprintf("Archive: Tables[%q]: %v", kind, err)
		}
	}
	return ""
}

// keeps reports whether objects of the kind get entries.
func (c Config) keeps(kind graph.Kind) bool { return c.Archive != nil && c.Archive.Has(kind) }

// keepOf returns the time for which an explicit entry of the kind stays, in microseconds, 0 for no end.
func (c Config) keepOf(kind graph.Kind) int64 {
	start := time.UnixMicro(0)
	until := c.Archive.Until(kind, start)
	if until.IsZero() {
		return 0
	}
	return max(until.Sub(start).Microseconds(), 1)
}

// rowKinds returns the kinds of payloadKinds that are sealed, or the others.
func (c Config) rowKinds(sealed bool) []graph.Kind {
	return slices.DeleteFunc(c.payloadKinds(), func(kind graph.Kind) bool { return c.seals(kind) != sealed })
}

// payloadKinds returns the kinds whose payload is a row, sorted.
func (c Config) payloadKinds() (list []graph.Kind) {
	if c.Archive == nil {
		return nil
	}
	for _, kind := range slices.Sorted(maps.Keys(c.Archive.Tables)) {
		if c.keeps(kind) {
			list = append(list, kind)
		}
	}
	return list
}
