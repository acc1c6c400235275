package sqlstore

import (
	"fmt"
	"strings"
)

// TriggerText returns the statements that InstallTriggers executes for a table, for a program or a
// person that changes the database. Config needs a Dialect. The statements belong into one
// transaction, and may be executed again. The error wraps ErrInvalid and names the wrong field.
//
//test:by TestTriggerText
func TriggerText(c Config, t Table) ([]string, error) {
	c, err := c.named()
	if err == nil {
		t, err = t.complete(c)
	}
	if err != nil {
		return nil, fmt.Errorf("trigger text: %w", err)
	}
	return triggerText(c, t), nil
}

func triggerText(c Config, t Table) []string {
	if c.Dialect == Postgres {
		return postgresTriggers(c, t)
	}
	return sqliteTriggers(c, t)
}

// removalText returns the statements that drop the triggers.
func removalText(c Config, t Table) (list []string) {
	for _, e := range []event{onInsert, onUpdate, onDelete, onTruncate} {
		switch {
		case c.Dialect == Postgres:
			list = append(list, `DROP TRIGGER IF EXISTS `+quoteName(c.triggerName(e))+` ON `+t.place(c, t.Name))
		case e != onTruncate:
			list = append(list, `DROP TRIGGER IF EXISTS `+t.place(c, sqliteTriggerName(c, t, e)))
		}
	}
	if c.Dialect == Postgres {
		list = append(list, `DROP FUNCTION IF EXISTS `+functionPlace(c, t)+` ()`)
	}
	return list
}

// updated are the columns whose changes a trigger judges.
func (t Table) updated() string {
	columns := []string{quoteName(t.UID)}
	for _, o := range t.Owners {
		columns = append(columns, quoteName(o.Column))
	}
	return strings.Join(columns, `, `)
}

func sqliteTriggerName(c Config, t Table, e event) string { return c.triggerName(e) + `_` + t.Name }

// sqliteTriggers drops a former trigger, because SQLite cannot replace one.
func sqliteTriggers(c Config, t Table) (list []string) {
	x := newRules(c, t)
	for _, trigger := range []struct {
		on       event
		of       string
		refusals []refusal
	}{
		{onInsert, `INSERT`, x.insertRefusals()}, {onUpdate, `UPDATE OF ` + t.updated(), x.updateRefusals()}, {onDelete, `DELETE`, x.deleteRefusals()},
	} {
		var body strings.Builder
		for _, r := range trigger.refusals {
			fmt.Fprintf(&body, "\n\tSELECT RAISE(ABORT, %s) WHERE %s;", r.text, r.when)
		}
		name := t.place(c, sqliteTriggerName(c, t, trigger.on))
		list = append(list, `DROP TRIGGER IF EXISTS `+name,
			fmt.Sprintf("CREATE TRIGGER %s BEFORE %s ON %s FOR EACH ROW BEGIN%s\nEND", name, trigger.of, quoteName(t.Name), &body))
	}
	return list
}

// functionPlace is the name of the function of a table's triggers, in the schema of the table.
func functionPlace(c Config, t Table) string { return t.place(c, functionName(c, t)) }

func functionName(c Config, t Table) string { return boundedName(c.Prefix + `row_` + t.Name) }

// functionBody is the body of that function in PL/pgSQL.
func functionBody(c Config, t Table) string {
	x := newRules(c, t)
	var b strings.Builder
	check := func(list []refusal) {
		for _, r := range list {
			fmt.Fprintf(&b, "\t\tIF %s THEN\n\t\t\tRAISE EXCEPTION USING ERRCODE = 'restrict_violation', MESSAGE = %s;\n\t\tEND IF;\n", r.when, r.text)
		}
	}
	b.WriteString("\nBEGIN\n\tIF TG_OP = 'INSERT' THEN\n")
	check(x.insertRefusals())
	b.WriteString("\tELSIF TG_OP = 'UPDATE' THEN\n")
	check(x.updateRefusals())
	b.WriteString("\tELSIF TG_OP = 'DELETE' THEN\n")
	check(x.deleteRefusals())
	b.WriteString("\t\tRETURN OLD;\n\tELSE\n")
	uid := x.text(`t.` + quoteName(t.UID))
	check([]refusal{{`EXISTS (SELECT 1 FROM ` + t.place(c, t.Name) + ` t JOIN ` + x.objects + ` o ON o.uid = ` + uid + `)`,
		x.say(t.UID, "TRUNCATE of rows that have objects: delete the objects with Store.Delete, and the rows go with them")}})
	b.WriteString("\t\tRETURN NULL;\n\tEND IF;\n\tRETURN NEW;\nEND\n")
	return b.String()
}

// postgresTriggers has one function for the triggers of a table. The names in it are those of the
// search path of its creation.
func postgresTriggers(c Config, t Table) []string {
	list := []string{`CREATE OR REPLACE FUNCTION ` + functionPlace(c, t) + ` () RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS ` + quoteText(functionBody(c, t))}
	for _, trigger := range []struct {
		on event
		of string
	}{
		{onInsert, `INSERT ON %s FOR EACH ROW`}, {onUpdate, `UPDATE OF ` + strings.ReplaceAll(t.updated(), `%`, `%%`) + ` ON %s FOR EACH ROW`},
		{onDelete, `DELETE ON %s FOR EACH ROW`}, {onTruncate, `TRUNCATE ON %s FOR EACH STATEMENT`},
	} {
		list = append(list, `CREATE OR REPLACE TRIGGER `+quoteName(c.triggerName(trigger.on))+` BEFORE `+
			fmt.Sprintf(trigger.of, t.place(c, t.Name))+` EXECUTE FUNCTION `+functionPlace(c, t)+` ()`)
	}
	return list
}
