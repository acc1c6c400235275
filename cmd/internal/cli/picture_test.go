package cli

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/internal/printing"
)

// TestDOTIsRead: Graphviz draws the pictures of each subcommand, and prints no warning.
func TestDOTIsRead(t *testing.T) {
	for _, args := range [][]string{
		{"tree", "cluster/orders"}, {"plan", "deployment/shop/cart", "statefulset/data/kafka", "--cascade", "foreground"}, {"plan"}, {"explain", "job/batch/reindex"},
	} {
		got := call(t, "", append(args, "-f", cluster, "-o", "dot")...)
		dot := exec.CommandContext(t.Context(), "dot", "-Tsvg")
		dot.Stdin = strings.NewReader(got.stdout)
		var warnings strings.Builder
		dot.Stderr = &warnings
		drawn, err := dot.Output()
		if err != nil || warnings.Len() > 0 || !strings.Contains(string(drawn), "</svg>") {
			t.Errorf("dot of %v: %v\n%s%s", args, err, &warnings, got.stderr)
		}
	}
}

// TestPictureIsBounded: --limit bounds a picture, and the picture counts the others.
func TestPictureIsBounded(t *testing.T) {
	for _, args := range [][]string{{"tree", "cluster/orders"}, {"tree", "cluster/orders", "-o", "dot"}, {"tree", "cluster/orders", "-o", "svg"}} {
		got := call(t, "", append(args, "-f", cluster, "--limit", "3")...)
		if got.code != printing.ExitDone || !strings.Contains(got.stdout, "objects left out") {
			t.Errorf("%v: exit %d\n%s%s", args, got.code, got.stdout, got.stderr)
		}
	}
}

// TestTreeCounts: the text counts the objects that the JSON has.
func TestTreeCounts(t *testing.T) {
	for _, root := range []string{"deployment/shop/cart", "cluster/orders", "pod/data/kafka-0"} {
		var tree jsonTree
		if err := json.Unmarshal([]byte(call(t, "", "tree", root, "-f", cluster, "-o", "json").stdout), &tree); err != nil {
			t.Fatal(err)
		}
		got := call(t, "", "tree", root, "-f", cluster)
		if want := fmt.Sprintf("\n%d objects below it\n", len(tree.Objects)-1); !strings.HasSuffix(got.stdout, want) {
			t.Errorf("%s: want at the end %q\n%s", root, want, got.stdout)
		}
	}
}
