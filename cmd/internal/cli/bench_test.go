package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/dump"
	"github.com/ownergraph/ownergraph/internal/printing"
)

// BenchmarkDump runs each subcommand on 60,000 objects, as a user does.
func BenchmarkDump(b *testing.B) {
	file := filepath.Join(b.TempDir(), "large.json")
	if err := os.WriteFile(file, []byte(large(b, 60_000)), 0o600); err != nil {
		b.Fatal(err)
	}
	const object = "deployment/shop/cart-3"
	for _, args := range [][]string{{"tree", object}, {"plan", object}, {"plan"}, {"explain", object}, {"lint"}, {"run", object}} {
		b.Run(strings.Join(args, " "), func(b *testing.B) {
			for b.Loop() {
				if code := Run(b.Context(), Command, append(args, "-f", file), nil, io.Discard, os.Stderr); code == printing.ExitFailed || code == printing.ExitUsage {
					b.Fatalf("exit %d", code)
				}
			}
		})
	}
}

// large repeats the objects of the recorded cluster under other names and UIDs.
func large(t testing.TB, objects int) string {
	t.Helper()
	list := items(t)
	c, err := dump.ReadFile(cluster, nil)
	if err != nil {
		t.Fatal(err)
	}
	var pairs []string
	for _, o := range c.Objects {
		pairs = append(pairs, string(o.UID), string(o.UID)+"-ROUND", `"name": "`+o.Name+`"`, `"name": "`+o.Name+`-ROUND"`)
	}
	renamed := strings.NewReplacer(pairs...)
	var out strings.Builder
	out.WriteString(`{"apiVersion":"v1","items":[`)
	for n := range objects {
		if n > 0 {
			out.WriteByte(',')
		}
		item := renamed.Replace(string(list[n%len(list)]))
		out.WriteString(strings.ReplaceAll(item, "-ROUND", fmt.Sprint("-", n/len(list))))
	}
	out.WriteString(`],"kind":"List"}`)
	return out.String()
}
