package storetest

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/archive"
)

// need is a requirement of a law: a hook, a kind, or an optional power.
type need uint8

const (
	needUnset need = iota
	needCompact
	needBreak
	needBackup
	needSicken
	needVanish
	needRestart
	needRelisting // a way to make a running watch list again: Compact or Lister
	needScoped
	needTwoKinds
	needFencer
	needLister
	needComparer
	needSelector
	needLabel
	needSecond
	needOutage
	needFailCommits
	needBatcher
	needRecords
	needArchive
)

// lack is the reason why a law cannot be tried, or is not owed.
type lack struct {
	missing string
	// excuse is the promise that Config.Without has to name if the store lacks the
	// need. It is unset if the law is not owed anyway.
	excuse Promise
	owed   bool
}

// lacks begins the reason of a law whose power the store does not have.
const lacks = "the store lacks "

// lacking returns the subject's lack of the need, and whether there is one.
func (n need) lacking(s Subject, c testKinds) (lack, bool) {
	hook := func(missing bool, name string, p Promise) (lack, bool) {
		return lack{fmt.Sprintf("no %s hook", name), p, true}, missing
	}
	switch n {
	case needCompact:
		return hook(s.Compact == nil, "Compact", Compaction)
	case needBreak:
		return hook(s.Break == nil, "Break", BrokenConnections)
	case needBackup:
		return hook(s.Backup == nil, "Backup", Rewinds)
	case needSicken:
		return hook(s.Sicken == nil, "Sicken", SickKinds)
	case needVanish:
		return hook(s.Vanish == nil, "Vanish", ChangingKinds)
	case needRestart:
		return hook(s.Restart == nil, "Restart", Durability)
	case needRelisting:
		return lack{"no Compact hook, and no Lister", Compaction, true}, s.Compact == nil && !is[ownergraph.Lister](s)
	case needScoped:
		return lack{"no scoped kind", ScopedKinds, true}, !c.main.Scoped
	case needTwoKinds:
		return lack{"no second kind", SeveralKinds, true}, len(c.few) < 2
	case needLister:
		return lack{missing: lacks + "Lister"}, !is[ownergraph.Lister](s)
	case needComparer:
		return lack{missing: lacks + "VersionComparer"}, !is[ownergraph.VersionComparer](s)
	case needSelector:
		return lack{missing: lacks + "LabelSelector"}, !is[ownergraph.LabelSelector](s)
	case needLabel:
		return hook(s.Label == nil, "Label", Labels)
	case needSecond:
		return hook(s.Second == nil, "Second", SecondHandles)
	case needOutage:
		return hook(s.Outage == nil, "Outage", Outages)
	case needFailCommits:
		return hook(s.FailCommits == nil, "FailCommits", FailedCommits)
	case needBatcher:
		b, ok := ownergraph.As[ownergraph.Batcher](s.Store)
		return lack{missing: lacks + "batches"}, !ok || b.MaxBatch(s.Store) < 2
	case needRecords:
		return lack{missing: lacks + "Records"}, !is[ownergraph.Records](s)
	case needArchive:
		a, ok := ownergraph.As[archive.Store](s.Store)
		return lack{missing: lacks + "an archive"}, !ok || !a.HasArchive()
	case needFencer:
		return lack{missing: "the store is no Fencer", owed: true}, !is[ownergraph.Fencer](s)
	}
	return lack{}, false
}

func is[T any](s Subject) bool {
	_, ok := ownergraph.As[T](s.Store)
	return ok
}

// testKinds are the kinds that the laws use.
type testKinds struct {
	infos []ownergraph.KindInfo // all served kinds
	// few has at most maxKinds kinds for new objects. Kinds that may own come
	// first, and of these the scoped ones.
	few []ownergraph.KindInfo
	// main and second are the first two of few, or the first one twice.
	main, second ownergraph.KindInfo
}

const maxKinds = 4

// newTestKinds selects the kinds of which the client can create objects. If can is
// empty, it selects all. The error names the first kind that the store does not
// serve.
func newTestKinds(infos []ownergraph.KindInfo, can []ownergraph.Kind) (testKinds, error) {
	few := slices.Clone(infos)
	for i, kind := range can {
		if !slices.ContainsFunc(infos, func(x ownergraph.KindInfo) bool { return x.Kind == kind }) {
			return testKinds{}, fmt.Errorf("Config.Kinds[%d]: the store does not serve %q", i, kind)
		}
	}
	if len(can) > 0 {
		few = slices.DeleteFunc(few, func(x ownergraph.KindInfo) bool { return !slices.Contains(can, x.Kind) })
	}
	rank := func(x ownergraph.KindInfo) (r int) {
		if x.NoOwner {
			r += 2
		}
		if !x.Scoped {
			r++
		}
		return r
	}
	slices.SortFunc(few, func(a, b ownergraph.KindInfo) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Kind, b.Kind))
	})
	// Keep a global kind among them, if there is one.
	if at := slices.IndexFunc(few, func(x ownergraph.KindInfo) bool { return !x.Scoped }); at >= maxKinds {
		few[maxKinds-1] = few[at]
	}
	few = few[:min(len(few), maxKinds)]
	return testKinds{infos, few, few[0], few[min(1, len(few)-1)]}, nil
}
