package sqlstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// AdoptedTable declares a table of the user. Each of its rows becomes an object of one kind.
//
// Schema, Table, Key and UID are names, which Adopt quotes. Name, Scope and AdoptedOwner.Key are
// names of columns too. If such a text begins with "(", it is an SQL expression instead, on a row
// with the alias r, as in "(lower(r.title))". An expression is code of the program, and no input.
type AdoptedTable struct {
	// Kind is a kind that the store serves.
	Kind graph.Kind
	// Schema is the schema of the table on Postgres. Empty: the first one of the search path
	// with such a table. It is empty on SQLite, where the tables are in the file of the store.
	Schema string
	Table  string
	// Key is a column with a unique key of its own: the primary key, or another one. On SQLite
	// its values are integers or text. A key of several columns is not supported.
	Key string
	// UID is the column of text that gets the UID of the object. It may be NULL, and has an index.
	UID string
	// Name is the name of the object, and Scope its scope. Scope is empty for a global kind.
	Name, Scope string
	// Owners are the owners of a row.
	Owners []AdoptedOwner
	// Finalizers are those of each object that Adopt creates.
	Finalizers []string
}

// AdoptedOwner declares an owner of the rows of a table.
type AdoptedOwner struct {
	// Kind is the kind of another declaration, or of the same one.
	Kind graph.Kind
	// Key has the Key of the owner's row. NULL is no owner.
	Key string
	// Block and Controller are those of the reference (graph.Owner).
	Block, Controller bool
}

// AdoptConfig has the settings of Adopt. The zero value works.
type AdoptConfig struct {
	// Batch bounds the rows of one transaction. Default: 1,000. At most 10,000.
	Batch int
	// OnProgress is called after each batch, in the goroutine of Adopt. Nil: none.
	OnProgress func(AdoptProgress)
}

// AdoptProgress is the progress of Adopt. Created, Changed and Deleted are as in AdoptReport.
type AdoptProgress struct {
	// Pass counts the passes from 1, and Kind is the kind of the table under way.
	Pass int
	Kind graph.Kind
	// Rows are the rows of this table that this pass has read.
	Rows                      int64
	Created, Changed, Deleted int64
}

// AdoptReport is the result of Adopt. It is a value.
type AdoptReport struct {
	// Passes are the passes over all tables. Rows are the rows that the last one has read.
	Passes int
	Rows   int64
	// Complete says that the last pass has changed nothing.
	Complete bool
	// Created counts the objects that Adopt has created, and Changed those whose references it
	// has changed. Deleted counts those that it has deleted, because their rows have gone.
	Created, Changed, Deleted int64
	// Findings counts the rows that the last pass found to be wrong. Errors has the first 100, by
	// table and key. Each names the kind, the table, the row and the column.
	Findings int64
	Errors   []error
}

const (
	defaultAdoptBatch = 1_000
	maxAdoptBatch     = 10_000
	maxAdoptErrors    = 100
	maxAdoptPasses    = 16
	maxAdoptKey       = 1024 // bytes of a key as text, which has an index
)

// Adopt brings the rows of existing tables under ownership, while programs that do not know
// this package go on to write them. It creates the object of each row, writes its UID into the
// row, and keeps its owner references as the row says. It works in passes over all tables, in
// transactions of one batch each, and ends after a pass without a change. That pass has seen each
// change from before it. After 16 passes Adopt ends too, and Complete is false.
//
// Adopt may be broken off or killed at any time, and the next call goes on. A call after the last
// change of a row writes no object and no change of the log. Collectors may run beside it:
//
//   - A reference names an owner that exists. If one owner of a row has no object, the object of
//     the row has no reference to the kinds of Owners, and stays.
//   - Adopt locks a row before it reads the owners of the row, until the commit.
//   - Adopt changes only objects that it has created. Their references to other kinds than those
//     of Owners stay. A row with the UID of another object of the kind stays as it is.
//   - If a row has gone, Adopt deletes its object in the background. The proof is a row of
//     og_adopted, which it wrote together with the UID: it names the table, its columns, the key
//     and the UID. That UID is not in the table now, and no row has that key, but one with a record
//     of its own. First the dependents whose
//     rows remain lose their references to the object, in the same transaction.
//     If adopted rows of a table depend on the object, and no declaration of this call names that
//     table with such an owner, the object stays, and that is a finding.
//   - The name and the scope of an object never change.
//
// Until a run ends, a reference may lag behind a change of the row. So delete an owner through the
// store only when no program moves rows without it.
//
// Adopt creates og_adopted on the first call, with the rights of Migrate. It holds a row for each
// object that Adopt has created. Without that table Adopt leaves all these objects alone. One
// declaration names one kind and one table.
//
// The error is ErrInvalid if the report has findings. All other rows are adopted then. A wrong
// declaration is ErrInvalid too, and nothing is done. It is also ErrKindUnknown for a kind that
// the store does not serve. An error with a RetryAfter says that the last batch is not done. With
// each error the report has the progress so far.
//
//test:by TestAdopt TestAdoptTwice TestAdoptDeclarations TestAdoptFindings TestAdoptRandom
//test:by TestAdoptKilled TestAdoptNeverGuesses TestAdoptLocks TestAdoptLeavesOthers TestAdoptWrongTable
//test:by TestAdoptOwnerDeleted TestAdoptMeanwhile TestAdoptEnds
func (s *Store) Adopt(ctx context.Context, tables []AdoptedTable, c AdoptConfig) (AdoptReport, error) {
	a := &adoption{s: s, batch: c.Batch, progress: c.OnProgress}
	err := a.begin(ctx, tables)
	if err == nil {
		err = a.run(ctx)
	}
	switch {
	case errors.Is(err, graph.ErrInvalid):
		return a.report, err // it has its text
	case err != nil:
		return a.report, s.failed("adopt", fmt.Sprintf("%d tables", len(tables)), err)
	}
	if n := a.report.Findings; n > 0 {
		err = fmt.Errorf("adopt %d tables: %d rows are wrong (AdoptReport.Errors), the first: %w", len(tables), n, a.report.Errors[0])
	}
	return a.report, err
}

// adoption is one run of Adopt.
type adoption struct {
	s        *Store
	batch    int
	progress func(AdoptProgress)
	sources  []*source
	text     map[adoptText]string // on the tables of the store
	report   AdoptReport
	changed  bool // in this pass
}

func (a *adoption) run(ctx context.Context) error {
	for a.report.Passes < maxAdoptPasses && !a.report.Complete {
		a.report.Passes++
		a.report.Rows, a.report.Findings, a.report.Errors = 0, 0, nil
		a.changed = false
		for _, src := range a.sources {
			if err := a.pass(ctx, src); err != nil {
				return err
			}
		}
		for _, src := range a.sources {
			if err := a.removeGone(ctx, src); err != nil {
				return err
			}
		}
		a.report.Complete = !a.changed
	}
	return nil
}

// pass reads the rows of a table by pages, and binds those that need a change.
func (a *adoption) pass(ctx context.Context, src *source) error {
	if err := a.findUnsound(ctx, src); err != nil {
		return err
	}
	last := ""
	src.read = 0
	for more := true; more; {
		var rows []*userRow
		var err error
		if rows, more, err = a.readPage(ctx, src, last, src.read == 0); err != nil {
			return err
		}
		if len(rows) > 0 {
			last = rows[len(rows)-1].key
		}
		if err := a.passRows(ctx, src, rows); err != nil {
			return err
		}
		src.read += int64(len(rows))
		a.report.Rows += int64(len(rows))
		a.tell(src)
	}
	return nil
}

// passRows judges rows without a lock. Only those that seem to need a change are locked and
// judged again, so that a run without changes locks nothing.
func (a *adoption) passRows(ctx context.Context, src *source, rows []*userRow) error {
	list, err := a.judgeUnlocked(ctx, src, rows)
	if err != nil {
		return err
	}
	var keys []string
	for i, v := range list {
		switch {
		case v.work:
			keys = append(keys, rows[i].key)
		case v.err != nil:
			a.find(v.err)
		}
	}
	return a.bind(ctx, src, keys)
}

func (a *adoption) find(err error) {
	a.report.Findings++
	if len(a.report.Errors) < maxAdoptErrors {
		a.report.Errors = append(a.report.Errors, err)
	}
}

func (a *adoption) tell(src *source) {
	if a.progress != nil {
		r := &a.report
		a.progress(AdoptProgress{Pass: r.Passes, Kind: src.Kind, Rows: src.read, Created: r.Created, Changed: r.Changed, Deleted: r.Deleted})
	}
}
