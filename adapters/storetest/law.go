package storetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph"
)

// law is one thing that a store owes. Laws are small and say one thing each, so
// that a red one names what is missing.
type law struct {
	name string // "subject/rule"
	why  string // what the engine would destroy or miss without it
	// level is the lowest that owes the law; Level1 if unset.
	level ownergraph.Level
	needs []need
	// excuse is a promise that the law is about, unset if none is.
	excuse Promise
	// rests names laws that this one builds on. While one of them is broken,
	// this one is not judged: it could not tell its own breach from that.
	rests []string
	run   func(*trial)
}

// laws returns all laws, each behind those that it rests on.
func laws() []law {
	return slices.Concat(
		lawsOfClient(), lawsOfUIDs(), lawsOfReads(), lawsOfPatch(), lawsOfDelete(), lawsOfGrace(), lawsOfWatch(), lawsOfSteps(),
		lawsOfSink(), lawsOfChanges(), lawsOfVersions(), lawsOfGaps(), lawsOfLister(), lawsOfKinds(), lawsOfSelector(), lawsOfErrors(),
		lawsOfUIDText(), lawsOfText(), lawsOfFence(), lawsOfFenceBounds(), lawsOfRewind(), lawsOfEpochs(), lawsOfRestart(), lawsOfCancel(), lawsOfAlias(),
		lawsOfConcurrency(), lawsOfLarge(), lawsOfCommits(), lawsOfOutage(), lawsOfSearch(), lawsOfSecond(),
	)
}

// plan says which laws are owed and can be tried.
type plan struct {
	level   ownergraph.Level
	without []Promise
	sub     Subject
	cast    cast
	// root names, for each law that is broken or rests on one that is, the one
	// that is.
	root map[string]string
}

// before returns a law's result if it is not owed, or not to be tried for want
// of something, and whether that is so.
func (p plan) before(l law) (Result, bool) {
	r := Result{Law: l.name, Why: l.why}
	settle := func(o Outcome, format string, args ...any) (Result, bool) {
		r.Outcome, r.Detail = o, fmt.Sprintf(format, args...)
		return r, true
	}
	if least := max(l.level, ownergraph.Level1); p.level < least {
		return settle(NotOwed, "it is owed from level %s on", least)
	}
	open := lack{}
	for _, x := range p.missing(l) {
		switch {
		case slices.Contains(p.without, x.excuse):
			return settle(NotOwed, "Config.Without names %s", x.excuse)
		case !x.owed && x.missing != "":
			return settle(NotOwed, "%s", x.missing)
		case x.owed:
			open = x
		}
	}
	if open.owed {
		r.Excuse = open.excuse
		return settle(Unproven, "%s", open.say())
	}
	return r, false
}

// shaken returns the broken law that this one rests on, "" if there is none.
func (p plan) shaken(l law) string {
	for _, name := range l.basis() {
		if root := p.root[name]; root != "" {
			return root
		}
	}
	return ""
}

// missing returns what the law could be excused by: its own promise, and what
// is missing of its needs.
func (p plan) missing(l law) []lack {
	list := []lack{{excuse: l.excuse}}
	for _, n := range l.needs {
		x, missing := n.lacking(p.sub, p.cast)
		if !missing {
			x = lack{excuse: x.excuse}
		}
		list = append(list, x)
	}
	return slices.DeleteFunc(list, func(x lack) bool { return x == lack{} })
}

// basis returns the names of the laws that this one rests on.
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

// note takes a law's result into account.
func (p plan) note(l law, r Result) {
	if r.Outcome == Broken {
		p.root[l.name] = l.name
		return
	}
	if root := p.shaken(l); root != "" {
		p.root[l.name] = root
	}
}

func (x lack) say() string {
	if x.excuse == PromiseUnset {
		return x.missing
	}
	return fmt.Sprintf("%s, and Config.Without does not name %s", x.missing, x.excuse)
}

// try runs the law on a store of its own, on the caller's goroutine, which tb
// may end. The result is complete when tb's test has ended.
func (l law) try(tb TB, c Config, cast cast, into *Result) {
	tb.Helper()
	*into = Result{Law: l.name, Why: l.why, Outcome: Unproven, Detail: "it did not end"}
	n := &notes{TB: tb}
	t := newTrial(n, l, c, cast)
	defer func() { // also if Fatalf ends the goroutine
		switch {
		case !n.failed && t.done:
			into.Outcome, into.Detail = Kept, ""
		case n.failed && t.judged:
			into.Outcome, into.Detail = Broken, t.verdict
		case n.failed:
			into.Detail = strings.TrimPrefix(n.text(), notProven)
		}
	}()
	t.Subject = c.New(n)
	t.checkSubject()
	l.run(t)
	t.done = true
}
