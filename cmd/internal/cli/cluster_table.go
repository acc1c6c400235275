package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/internal/spell"
)

// tableAlone is the Accept header for the columns that kubectl get prints.
const tableAlone = "application/json;as=Table;g=meta.k8s.io;v=v1,application/json"

// maxTables bounds the lists for the columns: one for a kind in a namespace.
const maxTables = 100

// table is the part of a Table that the columns need.
type table struct {
	ColumnDefinitions []struct{ Name string }
	Rows              []struct {
		Cells  []any
		Object struct{ Metadata objectMeta }
	}
}

// columns reads the readiness and the age of objects as the server prints them. Objects of a kind
// without such columns have none, and neither have those that cannot be read.
//
//test:by TestColumns
func (a *app) columns(ctx context.Context, r *reading, objects []graph.Object) (of map[string]string, err error) {
	type place struct {
		kind  graph.Kind
		scope string
	}
	mapper, err := a.cluster.Mapper()
	if err != nil {
		return nil, fmt.Errorf("read kubeconfig: %w", err)
	}
	of, seen := map[string]string{}, map[place]bool{}
	for i := range objects {
		o := &objects[i]
		at := place{o.Kind, o.Scope}
		if seen[at] || len(seen) == maxTables {
			continue
		}
		seen[at] = true
		group, kind := spell.Split(o.Kind)
		m, err := mapper.RESTMapping(schema.GroupKind{Group: group, Kind: kind})
		if err != nil {
			continue
		}
		var t table
		if err := r.wholes.table(ctx, pathOf(m.Resource, o.Scope, ""), &t); err != nil {
			continue
		}
		t.add(of, o.Key)
	}
	return of, nil
}

// table reads the first page of a list as a table.
func (w wholes) table(ctx context.Context, path []string, into *table) error {
	ctx, cancel := context.WithTimeout(ctx, wholeTimeout)
	defer cancel()
	return readAnswer(w.client.Get().AbsPath(path...).Param("limit", fmt.Sprint(wholePage)).Param("includeObject", "Metadata").
		SetHeader("Accept", tableAlone).Do(ctx), into)
}

// add adds the columns of each row, by the spelling of its object.
func (t *table) add(of map[string]string, like graph.Key) {
	at := func(name string) int {
		return slices.IndexFunc(t.ColumnDefinitions, func(c struct{ Name string }) bool { return strings.EqualFold(c.Name, name) })
	}
	ready, status, old := at("Ready"), at("Status"), at("Age")
	for _, row := range t.Rows {
		var words []string
		for _, c := range []struct {
			name string
			at   int
		}{{"ready", ready}, {"status", status}, {"age", old}} {
			if c.at >= 0 && c.at < len(row.Cells) {
				words = append(words, c.name+" "+spell.Clip(fmt.Sprint(row.Cells[c.at])))
			}
		}
		like.Name = row.Object.Metadata.Name
		if len(words) > 0 {
			of[like.Text()] = strings.Join(words, ", ")
		}
	}
}

// withColumns adds the columns of an object behind its name in each line of a tree or a plan.
func withColumns(text string, of map[string]string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		body := strings.TrimLeft(line, " │├└─-~!")
		name, rest, _ := strings.Cut(strings.TrimSuffix(body, "\n"), " ")
		columns, known := of[name]
		if !known {
			out.WriteString(line)
			continue
		}
		if rest != "" {
			rest = " " + rest
		}
		fmt.Fprintf(&out, "%s%s (%s)%s\n", line[:len(line)-len(body)], name, columns, rest)
	}
	return out.String()
}

func addColumns(cmd *cobra.Command, to *bool) {
	cmd.Flags().BoolVar(to, "columns", false, "in a cluster, also show the readiness, status and age that kubectl get prints")
}

// checkColumns returns the fault of a command line with --columns.
func (a *app) checkColumns(wanted bool) error {
	from, err := a.origin()
	switch {
	case err != nil || !wanted:
		return err
	case from != ofCluster:
		return printing.UsageError("--columns: want a cluster, which prints them")
	case a.format != printing.Text:
		return printing.UsageError("--columns: want -o text")
	}
	return nil
}

// inColumns returns the text with the columns of the objects, if they are wanted.
func (a *app) inColumns(ctx context.Context, r *reading, objects []graph.Object, text string, wanted bool) (string, error) {
	if !wanted {
		return text, nil
	}
	of, err := a.columns(ctx, r, objects)
	if err != nil {
		return "", err
	}
	return withColumns(text, of), nil
}
