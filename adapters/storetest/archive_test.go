package storetest

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/internal/portion"
)

// archiveSubject is memorySubject with an archive.
func archiveSubject(tb TB) Subject {
	return memorySubjectOf(tb, memory.Config{Kinds: memoryKinds(), Archive: &archive.Config{}})
}

// strictArchiveSubject is archiveSubject of level 3.
func strictArchiveSubject(tb TB) Subject {
	return memorySubjectOf(tb, memory.Config{Kinds: memoryKinds(), Strict: true, Archive: &archive.Config{}})
}

// lawsWith returns the laws of a subject and those on which they rest, or by default a part of the rest, too.
func lawsWith(subject string) (some []law) {
	if portion.Whole() {
		return laws()
	}
	wanted := map[string]bool{}
	for _, l := range laws() {
		if strings.HasPrefix(l.name, subject+"/") {
			for _, basis := range lawsAlone(l.name) {
				wanted[basis.name] = true
			}
		}
	}
	for _, l := range laws() {
		if wanted[l.name] {
			some = append(some, l)
		}
	}
	return some
}

// TestArchiveMemory: the reference store with an archive keeps every law, at both levels.
func TestArchiveMemory(t *testing.T) {
	for name, subject := range map[string]func(TB) Subject{"lax": archiveSubject, "strict": strictArchiveSubject} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := judgeBy(t.Context(), lawsWith("archive"), Config{Search: shortSearch, New: subject})
				if err := r.Err(); err != nil {
					t.Error(err)
				}
				if strict := name == "strict"; len(lawsIn(r.Of(NotOwed))) > 0 == strict {
					t.Errorf("not owed are %q, want those of level 3 alone, without level 3", lawsIn(r.Of(NotOwed)))
				}
			})
		})
	}
}

// TestNoArchive: a store without an archive owes none of its laws, and a wrapper of it neither.
func TestNoArchive(t *testing.T) {
	list := lawsWith("archive")
	for _, wrap := range []func(Subject) Subject{
		func(s Subject) Subject { return s },
		func(s Subject) Subject { s.Store = &wrapper{Store: s.Store}; return s },
	} {
		synctest.Test(t, func(t *testing.T) {
			r := judgeBy(t.Context(), list, Config{Search: shortSearch, New: func(tb TB) Subject { return wrap(memorySubject(tb)) }})
			for _, x := range r.Results {
				if strings.HasPrefix(x.Law, "archive/") && x.Outcome != NotOwed {
					t.Errorf("%s is %s, want %s: %s", x.Law, x.Outcome, NotOwed, x.Detail)
				}
			}
		})
	}
}

var _ ownergraph.Store = (*archiver)(nil)
