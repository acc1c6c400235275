package storetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph"
)

// law is one duty of a store. A law is small and has one promise, so that its name
// is the finding.
type law struct {
	name string // "subject/rule"
	why  string // the failure of an engine on a store without it
	// level is the lowest level that owes the law; Level1 if unset.
	level ownergraph.Level
	needs []need
	// excuse is the promise of the law in Config.Without, or unset.
	excuse Promise
	// rests names the laws on which this one rests. While one of them is broken,
	// the kit does not judge this one. It could not tell the two breaches apart.
	rests []string
	run   func(*trial)
}

// laws returns all laws, each after those that it rests on.
func laws() []law {
	return slices.Concat(
		lawsOfClient(), lawsOfUIDs(), lawsOfReads(), lawsOfPatch(), lawsOfDelete(), lawsOfGrace(), lawsOfWatch(), lawsOfOthers(), lawsOfEveryWrite(), lawsOfSteps(), lawsOfPolicies(),
		lawsOfSink(), lawsOfChanges(), lawsOfVersions(), lawsOfGaps(), lawsOfLister(), lawsOfKinds(), lawsOfSelector(), lawsOfErrors(),
		lawsOfUIDText(), lawsOfText(), lawsOfFence(), lawsOfFenceBounds(), lawsOfRewind(), lawsOfEpochs(), lawsOfRestart(), lawsOfCancel(), lawsOfAlias(),
		lawsOfStrict(), lawsOfRestrict(), lawsOfReferences(), lawsOfArguments(), lawsOfConcurrency(), lawsOfLarge(), lawsOfCommits(), lawsOfOutage(), lawsOfBatches(), lawsOfRecords(),
		lawsOfReferencesInBatches(), lawsOfArgumentsTogether(), lawsOfEnds(), lawsOfRestores(), lawsOfKept(), lawsOfArchive(),
		lawsOfSearch(), lawsOfBeginnings(), lawsOfSecond(), lawsOfStrictSearch(), lawsOfRestrictSearch(),
	)
}

// withDemand adds a level and a need to each of the laws.
func withDemand(list []law, level ownergraph.Level, n need) []law {
	for i := range list {
		list[i].level = max(list[i].level, level)
		list[i].needs = append(list[i].needs, n)
	}
	return list
}

// plan decides which laws the store owes and the kit can try.
type plan struct {
	level   ownergraph.Level
	without []Promise
	sub     Subject
	kinds   testKinds
	// rootCause has an entry for each broken law, and for each law that rests on
	// one. The entry is the name of the broken law.
	rootCause map[string]string
}

// untried returns the result of a law that the kit does not try: the law is not
// owed, or a need is missing. It reports false for a law to try.
func (p plan) untried(l law) (Result, bool) {
	r := Result{Law: l.name, Why: l.why}
	result := func(o Outcome, format string, args ...any) (Result, bool) {
		r.Outcome, r.Detail = o, fmt.Sprintf(format, args...)
		return r, true
	}
	if least := max(l.level, ownergraph.Level1); p.level < least {
		return result(NotOwed, "it is owed from level %s on", least)
	}
	open := lack{}
	for _, x := range p.missing(l) {
		switch {
		case slices.Contains(p.without, x.excuse):
			return result(NotOwed, excused+"%s", x.excuse)
		case !x.owed && x.missing != "":
			return result(NotOwed, "%s", x.missing)
		case x.owed:
			open = x
		}
	}
	if open.owed {
		r.Excuse = open.excuse
		return result(Unproven, "%s", open.text())
	}
	return r, false
}

// brokenBasis returns the broken law on which this one rests, or "".
func (p plan) brokenBasis(l law) string {
	for _, name := range l.basis() {
		if root := p.rootCause[name]; root != "" {
			return root
		}
	}
	return ""
}

// missing returns the possible excuses of the law: its own promise, and its missing
// needs.
func (p plan) missing(l law) []lack {
	list := []lack{{excuse: l.excuse}}
	for _, n := range l.needs {
		x, missing := n.lacking(p.sub, p.kinds)
		if !missing {
			x = lack{excuse: x.excuse}
		}
		list = append(list, x)
	}
	return slices.DeleteFunc(list, func(x lack) bool { return x == lack{} })
}

// basis returns the names of the laws on which this one rests.
func (l law) basis() []string {
	switch {
	case l.name == kindsKnown:
		return nil
	case strings.HasPrefix(l.name, "client/"):
		return append([]string{kindsKnown}, l.rests...)
	case l.name == newUID:
		return append([]string{kindsKnown, clientCreate, clientUpdate, clientDelete}, l.rests...)
	}
	return append([]string{kindsKnown, clientCreate, clientUpdate, clientDelete, newUID}, l.rests...)
}

// record notes the result of a law.
func (p plan) record(l law, r Result) {
	if r.Outcome == Broken {
		p.rootCause[l.name] = l.name
		return
	}
	if root := p.brokenBasis(l); root != "" {
		p.rootCause[l.name] = root
	}
}

func (x lack) text() string {
	if x.excuse == PromiseUnset {
		return x.missing
	}
	return fmt.Sprintf("%s, and Config.Without does not name %s", x.missing, x.excuse)
}

// try runs the law on a store of its own, on the caller's goroutine, which tb may
// end. The result is complete when tb's test has ended.
func (l law) try(tb TB, c Config, kinds testKinds, into *Result) {
	tb.Helper()
	*into = Result{Law: l.name, Why: l.why, Outcome: Unproven, Detail: "it did not end"}
	recorder := &recordingTB{TB: tb}
	t := newTrial(recorder, l, c, kinds)
	defer func() { // also if Fatalf ends the goroutine
		switch {
		case !recorder.failed && t.done:
			into.Outcome, into.Detail = Kept, ""
		case recorder.failed && t.foundBroken:
			into.Outcome, into.Detail = Broken, t.breach
		case recorder.failed:
			into.Detail = strings.TrimPrefix(recorder.text(), notProven)
		}
	}()
	t.Subject = c.New(recorder)
	t.checkSubject()
	l.run(t)
	t.done = true
}
