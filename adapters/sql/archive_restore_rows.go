package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// restored is a payload that comes back.
type restored struct {
	n     int // of the row of the revival
	depth int
	kindShape
	*fit
	row payload
}

// restorePayloads inserts the rows of the user. The rows of owners are first, because a row may refer to that of
// its owner. One statement inserts the rows of one kind that are at one depth, and have the same shape.
func (r *revival) restorePayloads(ctx context.Context) error {
	list, err := r.payloads(ctx)
	if err != nil || len(list) == 0 {
		return err
	}
	if err := r.moveOwners(ctx, list); err != nil {
		return err
	}
	slices.SortStableFunc(list, func(a, b restored) int {
		return cmp.Or(cmp.Compare(a.depth, b.depth), cmp.Compare(a.kind, b.kind), cmp.Compare(a.shape, b.shape))
	})
	for begin := 0; begin < len(list); {
		x, end := list[begin], begin
		var rows []payload
		for ; end < len(list) && list[end].fits(&x) && (!r.single || end == begin); end++ {
			rows = append(rows, list[end].row)
		}
		if err := r.ses.s.tables.restoreRows(ctx, &r.ses.c, x.table, x.columns, rows); err != nil {
			r.several = r.several || len(rows) > 1
			return fmt.Errorf("restore %s: the row of table %s: %w", name(r.sources[x.n].entry.Object.Key), cutText(x.table.Name), err)
		}
		begin = end
	}
	return nil
}

// fits reports whether one statement may insert both rows.
func (x *restored) fits(o *restored) bool { return x.depth == o.depth && x.kindShape == o.kindShape }

// payloads reads the rows of the entries. A row whose table has changed since is an error.
func (r *revival) payloads(ctx context.Context) (list []restored, err error) {
	known := newShapes(&r.ses.c)
	depths := r.depths()
	for n, e := range r.sources {
		if !e.shape.Valid {
			continue
		}
		o := &r.rows[n].object
		x := restored{n: n, depth: depths[n], kindShape: kindShape{o.Kind, e.shape.String}}
		if x.fit, err = known.fit(ctx, o.Kind, x.shape); err != nil {
			return nil, err
		}
		if x.why != "" {
			return nil, fmt.Errorf("restore %s: %s: %w", name(e.entry.Object.Key), x.why, graph.ErrRefused)
		}
		if x.row, err = payloadOf(e, x.fit); err != nil {
			return nil, fmt.Errorf("restore %s: %w", name(e.entry.Object.Key), err)
		}
		x.row.setText(columnNamed(x.columns, x.table.UID), string(o.UID))
		list = append(list, x)
	}
	return list, nil
}

// columnNamed returns the name of a column as the database has it. SQLite ignores the case of letters.
func columnNamed(columns []payloadColumn, name string) string {
	for _, column := range columns {
		if column.name == name {
			return name
		}
	}
	for _, column := range columns {
		if strings.EqualFold(column.name, name) {
			return column.name
		}
	}
	return name
}

func (p payload) setText(column, text string) { p[column], _ = json.Marshal(text) }

// depths returns the depth of each new object below the owners of the call, in each order of the items. In a ring one of the
// owners has a later one.
//
//test:by TestArchiveRowsInAnyOrder
func (r *revival) depths() []int {
	depths, seen, at := make([]int, len(r.rows)), make([]bool, len(r.rows)), map[graph.UID]int{}
	for n, x := range r.rows {
		at[x.object.UID] = n
	}
	var visit func(n int) int
	visit = func(n int) int {
		if seen[n] {
			return depths[n]
		}
		seen[n] = true
		for _, ref := range r.rows[n].object.Owners {
			if owner, ok := at[ref.UID]; ok && owner != n {
				depths[n] = max(depths[n], visit(owner)+1)
			}
		}
		return depths[n]
	}
	for n := range r.rows {
		visit(n)
	}
	return depths
}

// moveOwners gives the columns of Table.Owners that have a UID that of the present owner. A column whose owner is
// none of the new object's owners gets NULL, as the reference is left out.
func (r *revival) moveOwners(ctx context.Context, list []restored) error {
	named := map[graph.UID]bool{}
	for _, x := range list {
		for _, column := range x.ownerColumns() {
			if uid := x.row.text(column); uid != "" {
				named[graph.UID(uid)] = true
			}
		}
	}
	now, err := r.successors(ctx, named)
	if err != nil {
		return err
	}
	for _, x := range list {
		for _, column := range x.ownerColumns() {
			uid := graph.UID(x.row.text(column))
			if uid == "" {
				continue
			}
			if to := cmp.Or(now[uid], uid); slices.ContainsFunc(r.rows[x.n].object.Owners, func(o graph.Owner) bool { return o.UID == to }) {
				x.row.setText(column, string(to))
			} else {
				x.row[column] = json.RawMessage("null")
			}
		}
	}
	return nil
}

// ownerColumns are the columns of a payload that have UIDs of owners.
func (x *restored) ownerColumns() (list []string) {
	for _, o := range x.table.Owners {
		if column := columnNamed(x.columns, o.Column); o.Table == "" && x.row[column] != nil {
			list = append(list, column)
		}
	}
	return list
}

// text returns a column that is a text, "" for any other value.
func (p payload) text(column string) (text string) {
	_ = json.Unmarshal(p[column], &text)
	return text
}

// successors returns the present UIDs of objects that came back, once or several times. The others are not in it.
func (r *revival) successors(ctx context.Context, named map[graph.UID]bool) (map[graph.UID]graph.UID, error) {
	next := map[graph.UID]graph.UID{}
	for from, to := range r.made {
		next[from] = to.UID
	}
	for todo := sortedUIDs(slices.Collect(maps.Keys(named))); len(todo) > 0; {
		var found []graph.UID
		err := r.ses.c.eachOf(ctx, r.ses.s.archiveText(`SELECT a.uid, a.restored FROM {archive} a WHERE a.uid {list} AND a.restored <> ''`), todo, nil, func(rows *sql.Rows) error {
			var from, to graph.UID
			err := rows.Scan(&from, &to)
			if _, known := next[from]; !known {
				next[from] = to
				found = append(found, to)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		todo = sortedUIDs(found)
	}
	out := map[graph.UID]graph.UID{}
	for uid := range named {
		to := next[uid]
		for n := 0; to != "" && n <= len(next); n++ { // the bound is for edited tables
			out[uid], to = to, next[to]
		}
	}
	return out, nil
}
