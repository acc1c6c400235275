package figures

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Number prints the three leading digits of a figure, "-" for NaN.
func Number(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return "-"
	case math.IsInf(v, 0):
		return "inf"
	case a >= 100:
		return strconv.FormatFloat(math.Round(v), 'f', -1, 64)
	case a >= 10:
		return fmt.Sprintf("%.1f", v)
	case a >= 0.01 || a == 0:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.2g", v)
}

// Printer writes the lines of a table, the first of which has the names of the
// columns. It is not safe for concurrent use.
type Printer interface {
	Print(cells []string) error
	// Flush ends the table.
	Flush() error
}

// TSV returns a printer that separates cells by tabs and prints each line at once.
func TSV(out io.Writer) Printer { return tsv{out} }

// Markdown returns a printer of a table for a Markdown file.
func Markdown(out io.Writer) Printer { return &markdown{out: out} }

// Aligned returns a printer of columns for a terminal. Flush prints all lines.
func Aligned(out io.Writer) Printer {
	return aligned{tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)}
}

type tsv struct{ out io.Writer }

func (t tsv) Print(cells []string) error {
	_, err := fmt.Fprintln(t.out, strings.Join(cells, "\t"))
	return err
}

func (t tsv) Flush() error { return nil }

type markdown struct {
	out    io.Writer
	headed bool
}

func (m *markdown) Print(cells []string) error {
	_, err := fmt.Fprintf(m.out, "| %s |\n", strings.Join(cells, " | "))
	if err == nil && !m.headed {
		m.headed = true
		_, err = fmt.Fprintf(m.out, "|%s\n", strings.Repeat("---|", len(cells)))
	}
	return err
}

func (m *markdown) Flush() error { return nil }

type aligned struct{ w *tabwriter.Writer }

func (t aligned) Print(cells []string) error {
	_, err := fmt.Fprintln(t.w, strings.Join(cells, "\t"))
	return err
}

func (t aligned) Flush() error { return t.w.Flush() }
