package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// begin checks the declarations, and creates the table of the records.
func (a *adoption) begin(ctx context.Context, tables []AdoptedTable) error {
	switch {
	case a.batch < 0 || a.batch > maxAdoptBatch:
		return fmt.Errorf("adopt: Batch: %d: want 1 to %d, or 0: %w", a.batch, maxAdoptBatch, graph.ErrInvalid)
	case a.batch == 0:
		a.batch = defaultAdoptBatch
	}
	err := a.s.retry(ctx, func() error {
		return a.s.onOne(ctx, func(ses *session) error { return a.declareAll(ctx, &ses.c, tables) })
	})
	if err == nil {
		err = a.makeRecords(ctx)
	}
	return err
}

// declareAll checks all declarations.
func (a *adoption) declareAll(ctx context.Context, c *conn, tables []AdoptedTable) error {
	if _, err := c.checkTables(ctx); err != nil {
		return err
	}
	kinds, err := a.s.readKinds(ctx, c)
	if err != nil {
		return err
	}
	a.sources = nil
	for i := range tables {
		src := &source{AdoptedTable: tables[i]}
		src.Owners, src.Finalizers = slices.Clone(src.Owners), slices.Clone(src.Finalizers)
		if err := a.declare(ctx, c, kinds, src); err != nil {
			return err
		}
		a.sources = append(a.sources, src)
	}
	for _, src := range a.sources {
		if err := a.connect(ctx, c, kinds, src); err != nil {
			return err
		}
		a.s.compile(src, a.batch)
	}
	return nil
}

// wrong returns the error of a declaration. It names the kind, the table and the field.
func (src *source) wrong(field, cause string) error {
	return fmt.Errorf("adopt kind %.80s: table %.80q: %s: %s: %w", src.Kind, src.Table, field, cause, graph.ErrInvalid)
}

// declare checks all of a declaration but its owners.
func (a *adoption) declare(ctx context.Context, c *conn, kinds *kindSet, src *source) error {
	if !kinds.serves(src.Kind) {
		return fmt.Errorf("%w: %w", src.wrong("Kind", "the store does not serve it"), graph.ErrKindUnknown)
	}
	if err := src.checkTexts(kinds.byName[src.Kind].info.Scoped); err != nil {
		return err
	}
	sample := graph.Object{Key: graph.Key{Kind: src.Kind, Name: "x"}, Finalizers: src.Finalizers}
	if err := graph.Validate(sample, a.s.conf.Limits); err != nil {
		return src.wrong("Finalizers", err.Error())
	}
	if err := a.s.tables.locate(ctx, c, src); err != nil {
		return src.explain("Table", err)
	}
	for _, other := range a.sources {
		switch {
		case other.Kind == src.Kind:
			return src.wrong("Kind", "another declaration has it")
		case other.table == src.table:
			return src.wrong("Table", fmt.Sprintf("kind %.80s has it", other.Kind))
		}
	}
	for _, x := range []struct{ field, text string }{{"UID", src.UID}, {"Name", src.Name}, {"Scope", src.Scope}} {
		if x.text == "" {
			continue
		}
		if err := src.probe(ctx, c, valueOf(x.text)+` FROM `+src.table+` r`); err != nil {
			return src.explain(x.field+": "+cutText(x.text), err)
		}
	}
	return nil
}

// checkTexts checks the texts of a declaration without the database.
func (src *source) checkTexts(scoped bool) error {
	for _, x := range []struct{ field, text string }{{"Table", src.Table}, {"Key", src.Key}, {"UID", src.UID}, {"Name", src.Name}} {
		if x.text == "" {
			return src.wrong(x.field, "empty")
		}
	}
	texts := []string{src.Schema, src.Table, src.Key, src.UID, src.Name, src.Scope}
	for _, o := range src.Owners {
		texts = append(texts, o.Key)
	}
	for _, text := range texts {
		if strings.ContainsRune(text, 0) {
			return src.wrong("names", "a NUL character")
		}
	}
	switch {
	case scoped && src.Scope == "":
		return src.wrong("Scope", "empty, and the kind is scoped")
	case !scoped && src.Scope != "":
		return src.wrong("Scope", "given, and the kind is global")
	case src.Key == src.UID:
		return src.wrong("UID", "it is the column of Key")
	}
	return nil
}

// probe lets the database check an expression.
func (src *source) probe(ctx context.Context, c *conn, text string) error {
	_, err := c.one(ctx, `SELECT `+text+` WHERE 1 = 0`, nil, new(any))
	return err
}

// connect finds the sources of the owners of a declaration.
func (a *adoption) connect(ctx context.Context, c *conn, kinds *kindSet, src *source) error {
	src.managed = map[graph.Kind]bool{}
	for i, o := range src.Owners {
		field := fmt.Sprintf("Owners[%d]", i)
		at := slices.IndexFunc(a.sources, func(x *source) bool { return x.Kind == o.Kind })
		switch {
		case at < 0:
			return src.wrong(field+".Kind", fmt.Sprintf("%.80q: no declaration has it", o.Kind))
		case kinds.byName[o.Kind].info.NoOwner:
			return src.wrong(field+".Kind", fmt.Sprintf("%.80s may not own", o.Kind))
		case o.Key == "":
			return src.wrong(field+".Key", "empty")
		}
		of := a.sources[at]
		text := fmt.Sprintf(`1 FROM %s r JOIN %s o ON o.%s = %s`, src.table, of.table, quoteName(of.Key), valueOf(o.Key))
		if err := src.probe(ctx, c, text); err != nil {
			return src.explain(field+".Key: "+cutText(o.Key), err)
		}
		src.owners, src.managed[o.Kind] = append(src.owners, of), true
	}
	return nil
}

// unsound is a fault of a declaration that the catalog of the database shows.
type unsound struct{ field, cause string }

func (e *unsound) Error() string { return e.field + ": " + e.cause }

// explain gives an error of the database its place. An error of the network stays one.
func (src *source) explain(field string, err error) error {
	var fault *unsound
	switch {
	case errors.As(err, &fault):
		return src.wrong(fault.field, fault.cause)
	case isStatementError(err):
		return src.wrong(field, err.Error())
	}
	return fmt.Errorf("adopt kind %.80s: table %.80q: %w", src.Kind, src.Table, err)
}

// isStatementError reports whether a statement can never run: a name is unknown, or a type is wrong.
func isStatementError(err error) bool {
	var postgres interface{ SQLState() string }
	if errors.As(err, &postgres) {
		state := postgres.SQLState()
		return len(state) == 5 && (state[:2] == "42" || state[:2] == "22" || state[:2] == "0A") && state != "42501"
	}
	code, ok := codeOf(err)
	return ok && code&0xff == codeError
}

// cutText bounds a text of a declaration for a message.
func cutText(text string) string {
	if len(text) > maxMessage {
		text = strings.ToValidUTF8(text[:maxMessage], "") + "..."
	}
	return text
}
