package storetest

import (
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

const fenceTokens = "fence/tokens"

// lawsOfFenceBounds are about the tokens of fences, and about fences that a store may
// lose.
func lawsOfFenceBounds() []law {
	const why = "the report of an old fence passes a new one with the same token: an owner goes before a dependent that the new one covers"
	return []law{
		{
			name: fenceTokens, level: ownergraph.Level2, needs: []need{needFencer}, rests: []string{fencePasses, "fence/returns"},
			why: why,
			run: func(t *trial) { t.makesNewTokens(t.tokens(), "many fences") },
		},
		{
			name: "rewind/tokens", level: ownergraph.Level2, needs: []need{needFencer, needBackup}, rests: []string{fenceTokens},
			why: why,
			run: func(t *trial) {
				restore := t.backup()
				former := t.tokens()
				restore()
				t.makesNewTokens(former, "a restore")
			},
		},
		{
			name: "restart/tokens", level: ownergraph.Level2, needs: []need{needFencer, needRestart}, rests: []string{fenceTokens},
			why: why,
			run: func(t *trial) {
				former := t.tokens()
				t.restart()
				t.makesNewTokens(former, "a restart")
			},
		},
		{
			name: "second/tokens", level: ownergraph.Level2, needs: []need{needFencer, needSecond}, rests: []string{fenceTokens},
			why: why,
			run: func(t *trial) {
				other := t.secondHandle()
				t.onBehalf(other, func() { other.makesNewTokens(t.tokens(), "fences of another process") })
			},
		},
		{
			name: "fence/compacted", level: ownergraph.Level2, needs: []need{needFencer, needCompact}, rests: []string{fencePasses, "fence/listing", "watch/compaction"},
			why: "a fence that is deleted with the log never passes: its deletion never ends",
			run: fencesOutliveCompaction,
		},
	}
}

// tokens returns the tokens of some fences.
func (t *trial) tokens() map[uint64]bool {
	t.Helper()
	former := map[uint64]bool{0: true}
	for range 16 {
		t.newToken(former, "other fences")
	}
	return former
}

// makesNewTokens breaks the law if a new fence has one of the former tokens.
func (t *trial) makesNewTokens(former map[uint64]bool, event string) {
	t.Helper()
	for range 24 {
		t.newToken(former, event)
	}
}

func (t *trial) newToken(former map[uint64]bool, event string) {
	t.Helper()
	token := t.fence()
	switch {
	case token == 0:
		t.broken("Fence returns a token that is not 0", "it returned 0")
	case former[token]:
		t.broken(fmt.Sprintf("Fence returns no token twice, not even after %s", event), fmt.Sprintf("it returned %d again", token))
	}
	former[token] = true
}

// fencesOutliveCompaction pauses the watch while a fence begins and the store
// forgets its log.
func fencesOutliveCompaction(t *trial) {
	j := &journal{}
	w := t.watchStepped()
	w.pauseAt("the watch lists "+string(t.main.Kind), isMain(t, graph.ListEnded))
	j.put(t.made("before"))
	id := t.fence()
	marks := map[uint64]int{id: j.last()}
	j.put(t.made("behind"))
	t.hook("Compact", t.Compact)
	w.free()
	t.mustPass(w, id)
	t.notEarly(w, j, marks)
}
